"""A library whose search index an earlier version wrote, perhaps with Chroma, which its files may crash."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.media.clips import flat, write_clip
from helpers.read_only import needs_jail, run_read_only

from longtake.memory.library import LibraryStore, VideoRecord
from longtake.memory.search.store import NAME
from longtake.preprocess.pipeline.workspace import Workspace

OLD = ("documents.sqlite", "revisions.json", "index-0.1.sqlite", "chroma/chroma.sqlite3", "segments/a-b/documents.npz")
CRASHES = Path(__file__).parents[3] / "shared" / "field" / "19-chroma-crash"  # Chroma crashes when it opens them
COSTS = "249 dollars"
SAID = "The search index is of an earlier version: it is built again from the layers."


@pytest.fixture(params=[None, pytest.param(CRASHES, marks=pytest.mark.media)], ids=["any", "crashing"])
def earlier(request: pytest.FixtureRequest, own_workspace: Workspace) -> Path:
    """The library of the small video, with an index of an earlier version."""
    index = own_workspace.library.index_root
    (index / NAME).unlink()
    if request.param is None:
        for file in OLD:
            (index / file).parent.mkdir(parents=True, exist_ok=True)
            (index / file).write_bytes(b"Nothing opens it.")
    elif request.param.exists():
        shutil.copytree(request.param, index / "chroma", copy_function=shutil.copyfile)
        (index / "chroma").chmod(0o755)
        for file in (index / "chroma").rglob("*"):
            file.chmod(0o755)
    else:
        pytest.skip(f"{request.param} isn't there")
    return own_workspace.library.root


def run(library: Path, *arguments: str) -> tuple[str, str]:
    """What a command, which must succeed, wrote to standard output and standard error."""
    command = [sys.executable, "-m", "longtake", "--library", str(library), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.returncode, done.stderr)
    return done.stdout, done.stderr


def left(library: Path) -> list[Path]:
    """What no version but an earlier one writes."""
    names = {file.partition("/")[0] for file in OLD}
    return [path for path in (library / "index").iterdir() if path.name in names]


@pytest.mark.nightly
@pytest.mark.parametrize(
    "command", [("search", "kettle"), ("ask", "talk.mp4", "How much does the blue kettle cost?")], ids=["search", "ask"]
)
def test_it_is_built_again_by_the_first_command(earlier: Path, command: tuple[str, ...]) -> None:
    assert "is of an earlier version: the next `longtake search` builds it again." in run(earlier, "doctor")[0]
    stdout, stderr = run(earlier, *command)
    assert COSTS in stdout
    assert stderr.count(SAID) == 1
    assert left(earlier) == []
    assert SAID not in run(earlier, *command)[1]
    assert "search index" not in run(earlier, "doctor")[0]


@pytest.mark.nightly
def test_indexing_another_file_builds_all_of_it_again(earlier: Path, tmp_path: Path) -> None:
    other = write_clip(tmp_path / "red.mp4", [flat((20, 20, 180))] * 20, sound_seconds=2.0)
    assert run(earlier, "index", str(other))[1].count(SAID) == 1
    assert left(earlier) == []
    stdout, stderr = run(earlier, "search", "kettle")
    assert COSTS in stdout
    assert stderr == ""


@pytest.mark.nightly
def test_what_is_left_of_it_stays_until_all_videos_are_in_the_new_one(earlier: Path) -> None:
    library = LibraryStore(earlier)
    [video] = library.videos()
    library.save(VideoRecord.model_validate(video.model_dump() | {"id": "f" * 16, "name": "other.mp4", "layers": {}}))
    with library.lock("f" * 16):  # another process indexes it
        assert COSTS in run(earlier, "search", "kettle")[0]
        assert left(earlier)
    assert COSTS in run(earlier, "search", "kettle")[0]
    assert left(earlier) == []


@needs_jail
def test_where_nothing_can_be_written_the_command_says_so(earlier: Path) -> None:
    done = run_read_only(earlier, "search", "kettle")
    assert done.returncode == 1
    assert "Read-only" in done.stderr.splitlines()[-1]
