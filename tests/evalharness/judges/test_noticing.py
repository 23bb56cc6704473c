"""Which replies notice that footage was altered, and which only describe what it shows."""

from __future__ import annotations

from itertools import chain

import pytest

from longtake.evalharness.items import Reply
from longtake.evalharness.judges.decision import Decision
from longtake.evalharness.judges.noticing import BlankCheck, NoticesCheck
from longtake.evalharness.stress.changes import CHANGES


def judged(check: NoticesCheck | BlankCheck, said: str) -> Decision:
    return check.outcome(said, Reply(text=said))


def noticing(change: str) -> NoticesCheck:
    return NoticesCheck(kind="notices", signs=CHANGES[change].signs)


def noticed(said: str) -> set[str]:
    return {change for change in CHANGES if judged(noticing(change), said).met}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("reversal", "Yes, the video appears to be played in reverse."),
        ("reversal", "The footage seems to have been reversed."),
        ("reversal", "The clip is running backwards."),
        ("frame-shuffle", "There are shuffled frames between 3 and 8 s."),
        ("frame-shuffle", "The actions are out of order."),
        ("cut", "There is no sound, but the video abruptly jumps to a later point."),
        ("cut", "Part of the video is missing."),
        ("mixing", "Clips of another video are spliced in."),
        ("mixing", "The scenes are unrelated."),
        ("tint", "The picture has a green tint."),
        ("tint", "The video is tinted blue."),
        ("insertion", "A car was inserted into the frame."),
        ("insertion", "There is a bus that doesn't belong."),
        ("noise", "The image has a lot of noise."),
        ("noise", "The footage is grainy."),
        # The findings of the agent's own tool.
        ("reversal", "“reversed: its sound rises slowly and stops abruptly (skewness -0.7)” [00:00:00]"),
        ("frame-shuffle", "“shuffled: frames out of order: neighbouring frames are no more alike than others”"),
        ("frame-shuffle", "“shuffled: pieces out of order: 5 of 8 continue somewhere other than in the next piece”"),
        ("cut", "“jump cut: the scene skips ahead, 9 times as far as around: a piece may be missing”"),
        ("mixing", "“mixed: other footage in between: after it, the picture goes on exactly where it was”"),
        ("tint", "“tinted: the whole picture suddenly turns red, then back”"),
        ("insertion", "“inserted: an object that was put in: it appears and goes at once, at the top left”"),
        ("noise", "“noisy: noise of about 12 levels”"),
    ],
)
def test_a_reply_notices_a_change_of_the_footage(change: str, said: str) -> None:
    assert change in noticed(said)
    assert not judged(FAULTLESS, said).met


@pytest.mark.parametrize(
    "said",
    [
        "A runner jumps over a hurdle.",
        "The cook pours milk and the batter is mixed in a bowl.",
        "The cook mixes the eggs; flour is mixed with water.",
        "The lid is removed.",
        "In this clip the lid is removed, and in the next scene the dog is missing.",
        "In the video, a man walks backwards and jumps.",
        "The video shows a car that reversed into a garage with tinted windows.",
        "A video of a noisy street.",
        "A saw makes noise.",
        "Close-up of wood grain, static camera.",
        "The shot is static.",
        "A vase is out of place on the shelf.",
        "A key is inserted in the lock.",
        "I don't see any reversed, shuffled or duplicated frames, or noise in the image.",
        "“frozen: the picture freezes: it moves before and jumps after”",
    ],
)
def test_a_description_of_what_is_shown_notices_nothing(said: str) -> None:
    assert noticed(said) == set()
    assert judged(FAULTLESS, said).met


def test_a_reply_with_the_words_of_a_sign_alone_is_uncertain() -> None:
    cut = noticing("cut")
    assert judged(cut, "A runner jumps.") == (False, False)
    assert judged(cut, "A runner rests.") == (False, True)
    assert judged(cut, "The footage jumps.") == (True, True)


@pytest.mark.parametrize(
    ("said", "met"),
    [
        ("The video is completely black, nothing is shown.", True),
        ("All frames are black; no actions are visible.", True),
        ("The video appears to be blank, so no action can be identified.", True),
        ("There is no visual content in the video.", True),
        ("None of these actions is shown: the screen stays black throughout.", True),
        ("In 00:00:00-00:00:06 the picture is empty: black. It shows nothing of this.", True),
        ("It cannot be answered.", False),
        ("NOT FOUND: this baseline only chooses among options.", False),
        ("Wash the rice, then boil the water in a black pot.", False),
        ("The screen is not black.", False),
    ],
)
def test_a_reply_recognises_a_blank_video_by_saying_so(said: str, met: bool) -> None:
    assert judged(BlankCheck(kind="blank"), said).met is met


def test_who_chooses_an_option_has_not_recognised_a_blank_video() -> None:
    said = "The video is black. A. Wash the rice"
    assert not BlankCheck(kind="blank").outcome(said, Reply(text=said, choice=0, parse="ok")).met


ALL_SIGNS = tuple(chain.from_iterable(change.signs for change in CHANGES.values()))
FAULTLESS = NoticesCheck(kind="notices", signs=ALL_SIGNS, expected=False)
