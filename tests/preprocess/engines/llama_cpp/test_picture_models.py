"""Pictures in process: a real language model behind an image encoder of random weights reads them as tokens."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.media.clips import flat
from helpers.models.smollm2 import cut_off, smollm2
from helpers.models.tiny_projector import write_tiny_projector

from longtake.config import load
from longtake.models.folder import RECORD, FetchRecord, RecordedFile
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.engines.llama_cpp.picture_models import GgufPictures
from longtake.preprocess.engines.llama_cpp.server import shared_server
from longtake.preprocess.media.frames import encode_jpeg
from longtake.settings import Settings

PICTURE = encode_jpeg(flat((20, 20, 180)), 90)
SECTIONS = ("captions", "visual_question")


def settings(*more: str) -> Settings:
    named = (f"{section}.model={smollm2()}" for section in SECTIONS)
    return load(overrides=("engines.captions=gguf", "engines.visual_question=gguf", *named, *more))


@pytest.mark.nightly
def test_a_picture_reaches_the_model(tmp_path: Path) -> None:
    given = settings(f"gguf.mmproj={write_tiny_projector(tmp_path)}", "gguf.context=2048")
    table = EngineTable(given)
    assert table.load("captions").id.startswith(smollm2().name)
    assert table.load("visual_question").id == smollm2().name
    pictures = GgufPictures(given, "captions", given.captions)
    assert pictures.ask(["Describe the picture.", PICTURE], 8)
    server = shared_server(given, str(smollm2()))
    assert pictures._server is server
    server.close()


def test_a_fetched_model_answers_without_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LONGTAKE_MODELS", str(tmp_path))
    folder = tmp_path / "qwen3-vl-2b"
    folder.mkdir()
    model, projector = folder / "model.gguf", write_tiny_projector(folder)
    model.symlink_to(smollm2())
    files = tuple(RecordedFile(path=file.name, size=file.stat().st_size, sha256="") for file in (model, projector))
    record = FetchRecord(name=folder.name, repo="", revision="", files=files)
    (folder / RECORD).write_text(record.model_dump_json())
    assert EngineTable(load()).report("visual_question").engine == "gguf"
    assert EngineTable(load()).report("captions").engine is None  # one picture after the other, too slow unasked
    server = shared_server(load(), str(model))
    assert server is shared_server(load(), str(model))
    assert server._projector == projector


@pytest.mark.parametrize("capability", SECTIONS)
@pytest.mark.parametrize(
    ("more", "said"),
    [
        ((), "--set gguf.mmproj=FILE.gguf"),
        (("gguf.mmproj=none.gguf",), "can't be read"),
        (("gguf.mmproj=CUT",), "damaged or incomplete"),
        (("gguf.mmproj=x.gguf", "SECTION.base_url=http://127.0.0.1:1/v1"), "names an endpoint"),
        (("gguf.mmproj=x.gguf", "SECTION.model=null"), "longtake models pull"),
    ],
)
def test_what_is_missing_is_named(capability: str, more: tuple[str, ...], said: str, tmp_path: Path) -> None:
    cut = str(cut_off(tmp_path, 500))
    given = (each.replace("CUT", cut).replace("SECTION", capability) for each in more)
    reasons = EngineTable(settings(*given)).report(capability).reasons
    assert said in reasons["gguf"]
