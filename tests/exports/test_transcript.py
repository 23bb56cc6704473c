"""A video's words as text and as subtitle files."""

from __future__ import annotations

from typing import Any

import pytest
from helpers.data.written_layers import write_layer

from longtake.errors import LibraryError
from longtake.exports.transcript import Format, TimedLine, rendered, transcript
from longtake.preprocess.media.subtitle_formats import parse_subtitles
from longtake.preprocess.pipeline.workspace import Workspace

LINES = [
    TimedLine(0.5, 2.0, "Is 3 < 4 & 5?", "Ann Lee"),
    TimedLine(3_661.25, 3_662.0, "ROOM 4417\nPier", None, trusted=False),
]


def test_what_is_said_and_what_is_shown_are_read_from_the_layers(small_workspace: Workspace) -> None:
    library = small_workspace.library
    (video,) = library.videos()
    said = transcript(library, video)
    assert [(line.start, line.end, line.text) for line in said] == [
        (0.5, 2.0, "Welcome to the workshop."),
        (4.0, 6.0, "The blue kettle costs 249 dollars."),
    ]
    (shown,) = transcript(library, video, "text")
    assert (shown.text.upper(), shown.start) == ("ROOM 4417", pytest.approx(0, abs=0.5))


def _heard(text: str, start: float, seconds: float, *, trusted: bool = True) -> dict[str, Any]:
    """What a recogniser heard: `seconds` for each word, without pauses."""
    times = [start + seconds * number for number in range(len(text.split()) + 1)]
    words = [[since, to, word, 0.9] for since, to, word in zip(times[:-1], times[1:], text.split(), strict=True)]
    return {"start": start, "end": times[-1], "text": text, "words": words, "trusted": trusted, "language": "en"}


@pytest.mark.parametrize(
    ("heard", "lines"),
    [
        (
            [("Can we finish my", 0), ("report? I am here.", 2)],
            [(0, 2.5, "Can we finish my report?"), (2.5, 4, "I am here.")],
        ),
        ([("One two", 0), ("three", 10)], [(0, 1, "One two"), (10, 10.5, "three")]),
        ([("One two", 0), ("mumbled three.", 1, False)], [(0, 1, "One two"), (1, 2, "mumbled three.")]),
    ],
    ids=["joined to sentences", "a pause", "what may be misheard stays apart"],
)
def test_lines_that_were_heard_end_with_sentences(
    own_workspace: Workspace, heard: list[tuple[Any, ...]], lines: list[tuple[float, float, str]]
) -> None:
    items = [_heard(text, start, 0.5, trusted=not sure or sure[0]) for text, start, *sure in heard]
    assert [line[:3] for line in _lines(own_workspace, items)] == lines


def test_no_line_that_was_heard_is_longer_than_twelve_seconds(own_workspace: Workspace) -> None:
    text = " ".join(f"word{number}" for number in range(90))
    lines = _lines(own_workspace, [_heard(text, 0.0, 0.5)])
    assert max(line.end - line.start for line in lines) <= 12
    assert " ".join(line.text for line in lines) == text


def test_words_of_a_language_without_spaces_stay_together(own_workspace: Workspace) -> None:
    item = _heard("你 好", 0.0, 0.5) | {"text": "你好"}
    assert [line.text for line in _lines(own_workspace, [item])] == ["你好"]


def _lines(workspace: Workspace, items: list[dict[str, Any]]) -> list[TimedLine]:
    (video,) = workspace.library.videos()
    layer = write_layer(workspace.library.layers(video.id), "speech", *items)
    return transcript(workspace.library, video.model_copy(update={"layers": {"speech": layer.key}}))


def test_a_video_without_the_layer_says_so(small_workspace: Workspace) -> None:
    (video,) = small_workspace.library.videos()
    bare = video.model_copy(update={"layers": {}})
    with pytest.raises(LibraryError, match="doctor"):
        transcript(small_workspace.library, bare)


@pytest.mark.parametrize("form", ["srt", "vtt"])
def test_subtitles_come_back_as_they_were(form: Format) -> None:
    cues = parse_subtitles(rendered(LINES, form).encode(), f"a.{form}")
    assert [(cue.start, cue.end) for cue in cues] == [(line.start, line.end) for line in LINES]
    assert "Is 3 < 4 & 5?" in cues[0].text
    assert cues[1].text.splitlines() == ["ROOM 4417", "Pier"]
    assert form == "srt" or cues[0].speaker == "Ann Lee"


def test_text_to_read_has_times_and_marks_what_may_be_misheard() -> None:
    assert rendered(LINES, "readable").splitlines() == [
        "00:00:00  Ann Lee: Is 3 < 4 & 5?",
        "01:01:01  ROOM 4417 · Pier  (uncertain)",
    ]
    assert rendered(LINES, "txt").splitlines() == ["Ann Lee: Is 3 < 4 & 5?", "ROOM 4417 · Pier"]
