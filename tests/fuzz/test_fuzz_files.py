"""Files of strangers: traces, question sets, run folders, records of a library and of uploads, containers."""

from __future__ import annotations

import json
import tempfile
import wave
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fuzz.strangers import DEEP, HUGE, JSON_TEXTS, VALUES, fields, mutated, read_or_refused
from helpers.media.clips import flat, write_clip
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import BaseModel

from longtake.agent.traces.lenient_run import LenientRun, TraceEvent
from longtake.agent.traces.trace import RecordedTrace
from longtake.evalharness.items import Item, Judgement, Prediction
from longtake.evalharness.runs.run_folder import RunCard, RunFolder
from longtake.evalharness.suites.own_set import Card, load_own_set, read_card
from longtake.memory.library import LibraryStore, VideoRecord
from longtake.preprocess.media.media import probe
from longtake.web.uploads import KeptUpload, Upload, Uploads

CARD = """\
name: made
file: questions{suffix}
fields: {{id: id, question: q, options: [a, b], answer: right, video: video}}
"""
COLUMNS = ["id", "q", "a", "b", "right", "video"]
ID = "0" * 32


def quiet(_: str) -> None:
    """Take a remark."""


def lines_of(kind: type[BaseModel]) -> st.SearchStrategy[str]:
    """Lines of JSON, some with fields of a record."""
    return st.lists(st.one_of(fields(list(kind.model_fields)).map(json.dumps), JSON_TEXTS)).map(
        lambda lines: "".join(f"{line}\n" for line in lines)
    )


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode("utf-8", "surrogatepass"))


EVENT = {
    "v": 1, "step": 0, "type": "run", "started": 0.0, "seconds": 0.0, "parent": None, "input": None, "output": None,
    "usage": {}, "data": {},
}  # fmt: skip


@given(text=lines_of(TraceEvent), changed=fields(list(EVENT)))
@example(text=DEEP + "\n", changed={})
@example(text="", changed={"started": float("nan"), "seconds": int(HUGE)})
def test_traces(text: str, changed: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder) / "run.jsonl", f"{json.dumps(EVENT | changed)}\n{text}")
        with read_or_refused():
            run = LenientRun(RecordedTrace(Path(folder), "run"))
            assert run.summary.model_dump_json()
        with read_or_refused():
            list(RecordedTrace(Path(folder), "run").events())


@pytest.mark.parametrize("suffix", [".json", ".jsonl", ".csv", ".tsv"])
@given(text=st.one_of(JSON_TEXTS, st.lists(fields(COLUMNS)).map(json.dumps), st.text()))
@example(text=DEEP)
@example(text='{"data": ' + DEEP)
@example(text=json.dumps([{"id": "1", "q": "Which?", "a": "x", "b": DEEP, "right": "A", "video": "v"}]))
@example(text='[{"id": ' + "9" * 5_000 + "}]")
def test_question_sets(suffix: str, text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder) / "card.yaml", CARD.format(suffix=suffix))
        write(Path(folder) / f"questions{suffix}", text)
        with read_or_refused():
            assert load_own_set(read_card(Path(folder) / "card.yaml"), quiet)


@given(text=st.one_of(st.text(), fields(list(Card.model_fields)).map(json.dumps), JSON_TEXTS))
@example(text=DEEP)
@example(text="name: 2001-99-99")
@example(text="name: 0b_")
def test_cards(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder) / "card.yaml", text)
        with read_or_refused():
            read_card(Path(folder) / "card.yaml")


@given(card=lines_of(RunCard), items=lines_of(Item), said=lines_of(Prediction), judged=lines_of(Judgement))
@example(card=DEEP, items=DEEP, said=DEEP, judged=DEEP)
def test_run_folders(card: str, items: str, said: str, judged: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        run = RunFolder(Path(folder))
        for file, text in ((run.items_file, items), (run.predictions_file, said), (run.judgements_file, judged)):
            write(file, text)
        write(run.path / "run.json", card)
        readers: list[Callable[[], object]] = [
            run.card,
            run.loading,
            lambda: list(run.items(quiet)),
            lambda: run.predictions(quiet),
            lambda: list(run.judgements(quiet)),
            lambda: run.mend(quiet),
        ]
        for read in readers:
            with read_or_refused():
                read()


@given(record=st.one_of(fields(list(VideoRecord.model_fields)).map(json.dumps), JSON_TEXTS), format=JSON_TEXTS)
@example(record=DEEP, format=DEEP)
@example(record="", format='{"format": NaN}')
def test_records_of_a_library(record: str, format: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder) / "videos" / "0" / "video.json", record)
        write(Path(folder) / "library.json", format)
        with read_or_refused():
            library = LibraryStore(Path(folder))
            assert len(library.videos()) + len(library.damaged_records()) == 1


@given(body=VALUES, kept=st.one_of(fields(list(KeptUpload.model_fields)).map(json.dumps), JSON_TEXTS), id=st.text())
@example(body=None, kept=DEEP, id="")
@example(body={"name": "a", "size": int(HUGE)}, kept="", id="../x")
def test_requests_and_records_of_uploads(body: Any, kept: str, id: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        uploads = Uploads(Path(folder), LibraryStore(Path(folder)).lock)
        write(uploads.unfinished / f"{ID}.json", kept)
        write(uploads.unfinished / ID, "")
        for each in (ID, id):
            with read_or_refused():
                uploads.get(each)
        try:
            upload = Upload.model_validate(body)
        except ValueError:
            return
        with read_or_refused():
            uploads.append(uploads.begin(upload), 0, b"x")


def tiny_mp4(folder: Path) -> Path:
    return write_clip(folder / "tiny.mp4", [flat((90, 60, 30))] * 5, sound_seconds=0.2)


def tiny_wav(folder: Path) -> Path:
    with wave.open(str(folder / "tiny.wav"), "wb") as sound:
        sound.setparams((1, 2, 8_000, 0, "NONE", ""))
        sound.writeframes(b"\1\0" * 400)
    return folder / "tiny.wav"


@pytest.mark.parametrize("made", [tiny_mp4, tiny_wav])
@given(data=st.data())
def test_containers(
    made: Callable[[Path], Path], data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.getbasetemp() / made.__name__
    folder.mkdir(exist_ok=True)
    file = next(iter(folder.glob("tiny.*")), None) or made(folder)
    with tempfile.TemporaryDirectory() as place:
        broken = Path(place) / file.name
        broken.write_bytes(data.draw(mutated(file.read_bytes())))
        with read_or_refused():
            info = probe(broken)
            assert 0 <= info.duration < float("inf")
