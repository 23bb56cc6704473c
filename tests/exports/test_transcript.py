"""A video's words as text and as subtitle files."""

from __future__ import annotations

import pytest

from longtake.errors import LibraryError
from longtake.exports.transcript import Format, Line, rendered, transcript
from longtake.preprocess.media.subtitle_formats import parse_subtitles
from longtake.preprocess.pipeline.workspace import Workspace

LINES = [
    Line(0.5, 2.0, "Is 3 < 4 & 5?", "Ann Lee"),
    Line(3_661.25, 3_662.0, "ROOM 4417\nPier", None, trusted=False),
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
