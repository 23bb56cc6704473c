"""Transcripts of meetings and programs: who says what, and when."""

from __future__ import annotations

import pytest

from longtake.errors import MediaError
from longtake.preprocess.media.subtitle_formats import parse_subtitles

ANN, BOB = "Ann Lee", "Bob Tarn"
ROOF, FRIDAY, PRICE = "The roof is off.", "We start on Friday.", "Ask for the price."
NAMED = [(2.0, ANN, ROOF), (6.0, BOB, FRIDAY), (11.0, ANN, PRICE)]
UNNAMED = [(start, None, text) for start, _, text in NAMED]
TIMES = ("00:00:02.000 --> 00:00:06.000", "00:00:06.000 --> 00:00:10.000", "00:00:11.000 --> 00:00:15.000")


def vtt(cue: str) -> str:
    """WebVTT with three cues, each from a pattern of times, name and text."""
    cues = (cue.format(times=times, name=name, text=text) for times, (_, name, text) in zip(TIMES, NAMED, strict=True))
    return "WEBVTT\n\n" + "".join(cues)


def written(line: str) -> str:
    """Three lines, each from a pattern of time, name and text."""
    return "".join(line.format(time=f"{int(start):02d}", name=name, text=text) for start, name, text in NAMED)


@pytest.mark.parametrize(
    ("text", "right"),
    [
        (vtt("1\n{times}\n{name}: {text}\n\n"), NAMED),
        (vtt("{times}\n<v {name}>{text}</v>\n\n"), NAMED),
        (vtt('1 "{name}" (34)\n{times}\n{text}\n\n'), NAMED),
        (vtt("{times}\n{name}\n{text}\n\n"), NAMED),
        (written("[00:00:{time}] {name}: {text}\n"), NAMED),
        (written("00:00:{time} - {name}: {text}\n"), NAMED),
        (written("[00:00:{time} --> 00:00:20] [{name}]: {text}\n"), NAMED),
        (written("{name}   0:{time}\n{text}\n\n") + "Transcribed by https://otter.ai\n", NAMED),
        (written("{name} (00:{time}):\n{text}\n\n"), NAMED),
        (written("[{name}] 00:00:{time}\n{text}\n\n"), NAMED),
        (written("{name}: [00:00:{time}] {text}\n"), NAMED),
        (written("**{name}** (0:{time}): {text}\n\n"), NAMED),
        (written("[{time}.0s -> 20.0s] {text}\n"), UNNAMED),
        ("Sync - Recording\nJanuary 12, 2024, 2:03PM\n12m 5s\n\n" + written("{name}   0:{time}\n{text}\n\n"), NAMED),
        (written("0:{time}\n{text}\n"), UNNAMED),
        ("First Course   0:02\nSoup.\n\nSecond Course   0:06\nFish.\n\nMain Course   0:11\nRoast.\n",
         [(2.0, None, "First Course Soup."), (6.0, None, "Second Course Fish."), (11.0, None, "Main Course Roast.")]),
        (written("[00:{time}] {text}\n"), UNNAMED),
        # One block of six seconds: the first line has half of its letters, so the second follows after three.
        (f"Sync - Transcript\n00:00:00\n \n{ANN}: {'a' * 30}\n{BOB}: {'b' * 30}\n\n00:00:06\n\n{ANN}: {PRICE}\n"
         "Meeting ended after 00:06:10\n", [(0.0, ANN, "a" * 30), (3.0, BOB, "b" * 30), (6.0, ANN, PRICE)]),
        (written("[00:00:{time}] {text}\n").replace("The", "Warning: The"),
         [(2.0, None, f"Warning: {ROOF}"), *UNNAMED[1:]]),
        ("00:00:02,000 --> 00:00:06,000\nANN: Yes.\nBOB: No.\n\n00:00:11,000 --> 00:00:15,000\n- ANN: So.\nwell\n",
         [(2.0, "ANN", "Yes."), (2.0, "BOB", "No."), (11.0, "ANN", "So. well")]),
        ("[00:00:02] 李雷：你好\n[00:00:06] 韩梅：再见\n[00:00:11] 李雷：好\n",
         [(2.0, "李雷", "你好"), (6.0, "韩梅", "再见"), (11.0, "李雷", "好")]),
        (written("00:00:{time}:12 - 00:00:20:00\n{name}\n{text}\n\n"), NAMED),
        ("0:02 The code is 01:00:32:03.\n0:06 Yes.\n",
         [(2.0, None, "The code is 01:00:32:03."), (6.0, None, "Yes.")]),
        (vtt("{times}\n[{name}] {text}\n\n"), NAMED),
        (vtt("{times}\n{name} – {text}\n\n"), NAMED),
        (written("[00:00:{time}] {name} - {text}\n"), NAMED),
        (vtt("{times}\n{text} – so\n\n"), [(start, None, f"{text} – so") for start, _, text in UNNAMED]),
        (vtt("{times}\n[Music] {text}\n\n"), [(start, None, f"[Music] {text}") for start, _, text in UNNAMED]),
    ],
    ids=["zoom", "teams", "webex", "names on lines", "brackets", "bare", "whisperx", "otter", "rev",
         "chat", "name first", "markdown", "seconds",
         "teams text", "youtube", "titles", "no names", "meet", "a remark", "two in a cue", "chinese",
         "an editor", "a time code that is said", "names in brackets",
         "a name and a dash", "times, a name and a dash", "a dash in a sentence", "a sound in brackets"],
)  # fmt: skip
def test_who_says_what_and_when(text: str, right: list[tuple[float, str | None, str]]) -> None:
    cues = parse_subtitles(text.encode(), "meeting.txt")
    assert [(cue.start, cue.speaker, " ".join(cue.text.split("\n"))) for cue in cues] == right
    assert all(cue.start < cue.end for cue in cues)


def test_a_text_without_times_says_what_is_needed() -> None:
    with pytest.raises(
        MediaError, match=r"^notes\.txt has no times of a recording, so nothing .*: put one before each line"
    ):
        parse_subtitles(b"It rained.\n\nIt stopped.\n", "notes.txt")
