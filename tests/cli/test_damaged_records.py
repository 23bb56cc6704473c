"""Commands on a library in which the record of a video is damaged, with its spare copy."""

from __future__ import annotations

import pytest
from helpers.command import longtake

from longtake.memory.library import SPARE
from longtake.preprocess.pipeline.workspace import Workspace

DAMAGED = "00112233445566aa"
QUESTION = "What does the blue kettle cost?"


@pytest.mark.parametrize(
    ("command", "typed", "warnings"),
    [
        (("videos", "list"), "", 1),
        (("search", "kettle"), "", 1),
        (("ask", QUESTION), "", 1),
        (("index", "--all"), "", 1),
        (("chat",), f"{QUESTION}\n/videos\n{QUESTION}\n", 1),
        (("search", "talk.mp4", "kettle"), "", 0),
        (("ask", "talk.mp4", QUESTION), "", 0),
        (("videos", "show", "talk.mp4"), "", 0),
    ],
    ids=lambda value: " ".join(value[:2]) if isinstance(value, tuple) else None,
)
def test_what_reads_the_whole_library_warns_of_them_once(
    own_workspace: Workspace,
    caplog: pytest.LogCaptureFixture,
    command: tuple[str, ...],
    typed: str,
    warnings: int,
) -> None:
    folder = own_workspace.library.root / "videos" / DAMAGED
    folder.mkdir()
    for name in ("video.json", SPARE):
        (folder / name).write_text("{", encoding="utf-8")
    done = longtake(*command, library=own_workspace.library.root, stdin=typed)
    assert done.code in (0, 3), done.stderr  # 3 if an engine is missing
    assert "talk.mp4" in done.stdout or "249" in done.stdout
    told = [record.getMessage() for record in caplog.records if record.name.startswith("longtake.memory")]
    assert len(told) == warnings
    assert all(DAMAGED in sentence and "`longtake index`" in sentence for sentence in told)
