"""Slots: what is done at once, who waits, and who is sent away."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from helpers.media.small_video import write_small_video
from helpers.servers.server_events import ENOUGH
from helpers.servers.web_server import web_server

from longtake.config import load
from longtake.memory.library import file_id
from longtake.preprocess.media.media import probe
from longtake.preprocess.pipeline.pipeline import video_record
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.web.http.concurrency import MAX_WAITING, Slots
from longtake.web.http.refusals import Refusal
from longtake.web.stills import DECODING


def test_who_finds_too_many_waiting_is_sent_away_and_the_others_get_their_slots(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("longtake.web.http.concurrency.PATIENCE", 3 * ENOUGH)
    slots, sent_away = Slots(1, "Ask again.", retry_after=3), threading.Event()

    def work() -> str:
        try:
            with slots.slot():
                return "done"
        except Refusal as refusal:
            sent_away.set()
            return f"{refusal.status} {refusal} {refusal.headers}"

    with ThreadPoolExecutor(MAX_WAITING + 1) as pool:
        with slots.slot():
            asked = [pool.submit(work) for _ in range(MAX_WAITING + 1)]
            assert sent_away.wait(ENOUGH)
        assert (
            sorted(each.result() for each in asked) == ["503 Ask again. {'Retry-After': '3'}"] + ["done"] * MAX_WAITING
        )


@pytest.mark.slow
def test_no_more_pictures_are_decoded_at_once_than_leave_room_for_others(tmp_path: Path) -> None:
    workspace, file = Workspace(tmp_path / "library", load()), write_small_video(tmp_path / "talk.mp4")
    record = video_record(file, file.stat(), file_id(file), workspace.library, probe(file))
    with web_server(workspace) as server, server.client() as client:
        workspace.library.save(record)
        address = f"/api/videos/{record.id}/still?at=1"
        with DECODING.slot(), DECODING.slot():
            refused = client.get(address)
            assert (refused.status_code, refused.json()["error"]["type"]) == (503, "unavailable")
            assert "Other pictures are being decoded" in refused.json()["error"]["message"]
            assert int(refused.headers["Retry-After"]) > 0
        for _ in range(3):  # each gives its slot back
            assert client.get(address).status_code == 200
