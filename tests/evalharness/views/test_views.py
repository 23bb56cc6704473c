"""Views: what a model is sent in each, on the small video with its subtitles."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.servers.openai_server import openai_server, says

from longtake.console import Session
from longtake.errors import ConfigError, LongtakeError
from longtake.evalharness.items import Item, Turn, Variant
from longtake.evalharness.subjects.subject import AskedTurn
from longtake.evalharness.subjects.subject_table import subject_named
from longtake.evalharness.views.view import Transcript, TranscriptLine
from longtake.evalharness.views.view_table import VIEWS, is_noise, view_named
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.pipeline.workspace import Workspace

SPANS = (TimeSpan(start=1.5, end=1.6), TimeSpan(start=4.0, end=6.0))
TURN = Turn(question="What does the kettle cost?", options=("249 dollars", "17 dollars"), gold=0)
Sent = Callable[..., Any]


@pytest.fixture
def sent(own_workspace: Workspace, small_workspace: Workspace) -> Sent:
    """The content of the message that a model gets in a view."""
    media = small_workspace.library.root / "talk.mp4"

    def ask(
        view: str, item: str = "i", seed: int = 0, media: Path | None = media, clip: TimeSpan | None = None, **turn: Any
    ) -> Any:
        with openai_server([says("A")]) as server:
            session = Session(library=own_workspace.library.root)
            subject = subject_named(f"model:seer@{server.url}?frames=4&transcript=1", [], session)
            file = str(media) if media else None
            asked = Item(
                suite="own",
                id=item,
                video="v",
                media=file,
                format="choice",
                turns=(TURN.model_copy(update=turn),),
                clip=clip,
                seconds=8.0,
            )
            reply = subject.reply(AskedTurn(asked, 0, Variant(name=view, view=view), seed, ()))
        assert reply.choice == 0
        return server.requests[-1]["messages"][0]["content"]

    return ask


def labels(content: Any) -> list[str]:
    return [part["text"] for part in content if part["type"] == "text"][1:-1]


def pictures(content: Any) -> list[str]:
    return [part["image_url"]["url"] for part in content if part["type"] == "image_url"]


def test_blind_shows_nothing_and_needs_no_video(sent: Sent) -> None:
    for content in (sent("blind"), sent("blind", media=None)):
        assert isinstance(content, str)
        assert "neither see nor hear" in content
        assert "249 dollars" in content.split("What does the kettle cost?")[1]
        assert "costs 249" not in content


def test_audio_shows_the_transcript_and_no_picture(sent: Sent) -> None:
    content = sent("audio")
    assert isinstance(content, str)
    assert "costs 249" in content


def test_the_center_frame_is_one_without_its_time(sent: Sent) -> None:
    content = sent("center-frame")
    assert len(pictures(content)) == 1
    assert labels(content) == ["Frame 1:"]


def test_shuffling_permutes_the_sampled_frames_by_item_and_seed(sent: Sent) -> None:
    order = pictures(sent("frame-shuffling"))
    assert len(order) > 8
    assert pictures(sent("frame-shuffling")) == order
    for other in (pictures(sent("frame-shuffling", seed=1)), pictures(sent("frame-shuffling", item="j"))):
        assert other != order
        assert sorted(other) == sorted(order)
    content = sent("frame-shuffling")
    assert "in order" not in content[0]["text"]
    assert labels(content)[:2] == ["Frame 1:", "Frame 2:"]


def test_standard_shows_frames_with_their_times_and_chunks_are_parts_of_the_video(sent: Sent) -> None:
    times = labels(sent("standard"))
    assert times == sorted(times)
    assert times[0] == "Frame at 00:00:00.00:"
    parts = [labels(sent(f"chunk-{number}")) for number in range(1, 9)]
    joined = [time for part in parts for time in part]
    assert joined == sorted(joined)
    assert len(set(joined)) == len(joined)
    assert all(parts)


def test_grounded_shows_the_spans_of_the_item_and_nothing_else(sent: Sent) -> None:
    times = [float(label.rstrip(":")[-5:]) for label in labels(sent("grounded", evidence=SPANS))]
    assert len(times) >= 3
    assert all(any(span.start - 1 < time <= span.end for span in SPANS) for time in times)
    assert any(time < 2 for time in times)
    assert labels(sent("grounded", evidence=SPANS[:1]))
    with pytest.raises(LongtakeError, match="which part"):
        sent("grounded")


def test_of_an_item_about_a_clip_nothing_else_is_shown(sent: Sent) -> None:
    """The subtitles end at 2 and 6 seconds; the picture is the slide until 4 seconds, then red."""
    clip = TimeSpan(start=0.0, end=3.0)

    def times(view: str) -> list[float]:
        return [float(label.rstrip(":")[-5:]) for label in labels(sent(view, clip=clip))]

    assert times("standard") == [0.0, 1.0, 2.0]  # a clip ends before its end
    parts = [times(f"chunk-{number}") for number in range(1, 9)]
    # Fifteen frames, at 0, 0.2 and so on to 2.8 seconds: one for the first part and two for each other.
    assert [len(part) for part in parts] == [1, 2, 2, 2, 2, 2, 2, 2]
    assert [time for part in parts for time in part] == pytest.approx([0.2 * number for number in range(15)])
    said = sent("audio", clip=clip)
    assert "Welcome to the workshop" in said
    assert "costs 249" not in said
    assert len(pictures(sent("frame-shuffling", clip=clip))) == 15
    within = [float(label.rstrip(":")[-5:]) for label in labels(sent("grounded", clip=clip, evidence=SPANS))]
    assert within == [1.4]  # the frame on screen from 1.5 seconds; the other span is after the clip
    with pytest.raises(LongtakeError, match="no usable transcript"):
        sent("audio", clip=TimeSpan(start=2.5, end=3.5))


def test_what_cannot_be_shown_is_one_sentence(sent: Sent) -> None:
    for view in VIEWS:
        if view not in ("blind", "summary"):  # a summary needs a model first
            with pytest.raises(LongtakeError, match="video"):
                sent(view, media=None)
    with pytest.raises(LongtakeError, match="longtake setup"):
        sent("summary")
    with pytest.raises(ConfigError, match="blind"):
        view_named("blnd")


@pytest.mark.parametrize(
    ("text", "noise"),
    [
        ("", True),
        ("ok", True),
        ("Thanks for watching!", True),
        ("[Music]", True),
        ("ӘԘҪӘԘҪ ӘԘҪӘԘҪ ӘԘҪӘԘҪ", True),
        ("la la la la la la la la la la la", True),
        ("The kettle costs 249 dollars and is blue.", False),
        ("the cat sat on the mat with the dog and the hen " * 200, False),
    ],
)
def test_transcripts_that_are_noise_are_not_asked(text: str, noise: bool) -> None:
    assert is_noise(Transcript((TranscriptLine("00:00:00", text),), 0)) == noise
