"""What is known of a file before anybody looks closer: what was heard and read of it, and who speaks."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.data.written_layers import write_layer
from helpers.libraries import SETTINGS
from helpers.media.clips import flat, write_clip
from helpers.media.small_video import SUBTITLES

from longtake.agent.graph.known_videos import known_video
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.tools.core.tool_context import VideoHandle


@pytest.mark.parametrize("subtitled", [True, False])
def test_a_file_without_sound_says_what_was_read_of_it(tmp_path: Path, subtitled: bool) -> None:
    video = write_clip(tmp_path / "still.mp4", [flat((20, 20, 180), 320, 180)] * 35, times=lambda number: number / 5)
    if subtitled:
        video.with_suffix(".vtt").write_text(SUBTITLES, encoding="utf-8")
    workspace = Workspace(tmp_path / "library", SETTINGS)
    workspace.add(video)
    [record] = workspace.library.videos()
    known = known_video(VideoHandle(record, workspace.library))
    facts = [fact.evidence.text for fact in known.facts if fact.source == "sound"]
    read = "The file has no audio track: nothing was heard, and what is said was read from its subtitles."
    assert facts == [read if subtitled else "The file has no audio track."]
    assert (known.lacks["sound"], "speech" in known.lacks) == (facts[0], not subtitled)


@pytest.mark.parametrize("said", [True, False])
def test_who_speaks_is_only_unknown_where_something_is_said(own_workspace: Workspace, said: bool) -> None:
    [record] = own_workspace.library.videos()
    line = {"start": 1.0, "end": 2.0, "text": "Good evening.", "language": "en", "words": [], "trusted": True}
    heard = write_layer(own_workspace.library.layers(record.id), "speech", *([line] if said else []))
    kept = {name: key for name, key in record.layers.items() if name not in ("subtitles", "speakers")}
    heard_only = record.model_copy(update={"layers": kept | {"speech": heard.key}})
    known = known_video(VideoHandle(heard_only, own_workspace.library))
    assert any("who speaks" in fact.evidence.text for fact in known.facts) == said
