"""`longtake setup`, short names of models, and the user's settings beneath those of a call."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from helpers.command import longtake
from helpers.media.small_video import write_small_video
from helpers.media.speech import write_spoken
from helpers.models.smollm2 import smollm2
from helpers.models.tiny_reranker import write_tiny_reranker
from helpers.servers.hub_server import hub_server
from helpers.servers.openai_server import Reply, openai_server, refuses, says

from longtake.cli import setup
from longtake.cli.options import with_model
from longtake.config import load, write_user_file
from longtake.console import Session
from longtake.errors import ConfigError
from longtake.models import names
from longtake.models.catalogue import catalogue
from longtake.models.folder import installed
from longtake.models.machine import Machine, this_machine
from longtake.models.servers import ask_models, try_model
from longtake.preprocess.engines.audio.faster_whisper import PACKAGED_FILES
from longtake.preprocess.engines.engine_table import ENGINES
from longtake.preprocess.pipeline.workspace import Workspace

CALL = says(None, ("jump_to", {"minute": 7}))


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LONGTAKE_CONFIG", str(tmp_path / "config.yaml"))
    return tmp_path / "config.yaml"


@pytest.mark.parametrize(
    ("script", "tools", "pictures"),
    [
        ([CALL, says("Red.")], True, True),
        ([CALL, says("I can't see pictures.")], True, False),
        ([says("jump_to(7)"), refuses(400, "no images")], False, False),
        ([refuses(400, "no tools"), says("red")], False, True),
        ([says(None, ("jump_to", "{broken")), says("blue")], False, False),
        ([Reply("not JSON"), says("It works without tools.")], False, False),
    ],
)
def test_a_trial_finds_what_a_model_can_do(script: list[Reply], tools: bool, pictures: bool) -> None:
    with openai_server(script) as server:
        trial = try_model(server.url, "scripted")
    assert (trial.tools, trial.pictures, trial.problem) == (tools, pictures, None)


@pytest.mark.parametrize(
    ("reply", "refused", "said"),
    [
        (refuses(401, "Incorrect API key: sk-wrong-key"), True, "401: Incorrect API key: ***"),
        (refuses(404, "model 'scripted' not found"), False, "model 'scripted' not found"),
        (Reply("Bad Gateway", 502), False, "502"),
        (Reply("not JSON"), False, "OpenAI-compatible"),
        (Reply("[]"), False, "OpenAI-compatible"),
    ],
)
def test_a_model_that_answers_nothing_is_a_problem_with_a_reason(reply: Reply, refused: bool, said: str) -> None:
    with openai_server([reply]) as server:
        trial = try_model(server.url, "scripted", "sk-wrong-key")
    assert (trial.tools, trial.pictures, trial.refused) == (False, False, refused)
    assert said in (trial.problem or "")


def test_a_server_lists_the_models_that_chat() -> None:
    with openai_server([CALL]) as server:
        server.models = ("qwen3:4b", "nomic-embed-text")
        assert ask_models(server.url).models == ("qwen3:4b",)
    assert ask_models("http://127.0.0.1:9/v1").problem


@pytest.mark.parametrize(
    ("script", "calls", "sections"),
    [
        ([CALL, says("Red.")], "native", {"controller", "captions", "visual_question"}),
        ([says("No."), says("No.")], "text", {"controller"}),
    ],
)
def test_setup_keeps_the_model_it_found_and_commands_use_it(
    script: list[Reply], calls: str, sections: set[str], config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with openai_server(script) as server:
        monkeypatch.setattr(names, "LOCAL_SERVERS", {"ollama": "http://127.0.0.1:9/v1", "vllm": server.url})
        done = longtake("setup", library=tmp_path / "library")
        assert done.code == 0, done.stderr
        assert set(yaml.safe_load(config.read_text())) == sections
        settings = Session().settings
        facts = json.loads(longtake("doctor", "--json", library=tmp_path / "library").stdout)
    assert (settings.controller.base_url, settings.controller.calls) == (server.url, calls)
    assert set(facts["servers"]) == sections
    assert all(row["problem"] is None and row["seconds"] >= 0 for row in facts["servers"].values())
    assert facts["profile"] == str(config)


def test_a_model_that_does_not_answer_is_not_kept(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(names, "LOCAL_SERVERS", {"ollama": "http://127.0.0.1:9/v1"})
    done = longtake("setup", "--model", "ollama/none", library=tmp_path / "library")
    assert done.code == 1
    assert "ollama/none isn't used" in done.stderr
    assert not config.exists()


def test_setup_takes_the_first_model_that_answers(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with openai_server([refuses(500, "out of memory")]) as broken, openai_server([CALL]) as working:
        monkeypatch.setattr(names, "LOCAL_SERVERS", {"ollama": broken.url, "vllm": working.url})
        done = longtake("setup", library=tmp_path / "library")
    assert (done.code, "out of memory" in done.stderr) == (0, True)
    assert yaml.safe_load(config.read_text())["controller"]["base_url"] == working.url


@pytest.mark.parametrize(
    ("models", "reply", "said"),
    [
        (("scripted",), refuses(401, "no key"), "OPENAI_API_KEY is not set"),
        (("large", "small"), refuses(404, "not found"), "it has large, small"),
    ],
)
def test_setup_says_what_to_do_about_a_refusal(
    models: tuple[str, ...],
    reply: Reply,
    said: str,
    config: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with openai_server([reply]) as server:
        server.models = models
        done = longtake("setup", "--url", server.url, "--model", "openai/scripted")
    assert (done.code, said in done.stderr, config.exists()) == (1, True, False)


WANTS = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."


def test_setup_takes_a_model_that_its_server_wants_to_be_asked_in_another_way(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    with openai_server([refuses(400, WANTS), CALL, says("Red."), says('{"colour": "green"}')]) as server:
        done = longtake("setup", "--url", server.url, "--model", "openai/house", library=tmp_path / "library")
        facts = json.loads(longtake("doctor", "--json", library=tmp_path / "library").stdout)
    assert (done.code, "keeps to a JSON schema, and sees pictures" in done.stdout) == (0, True)
    assert "Now answers: openai/house; judges: openai/house; sees: openai/house." in done.stdout
    assert facts["controller"]["roles"] == "answers: openai/house; judges: openai/house; sees: openai/house"
    kept = yaml.safe_load(config.read_text())["controller"]
    assert (kept["calls"], kept["sees"], kept["context"]) == ("native", True, None)
    assert ["max_tokens" in asked for asked in server.requests] == [True, False, False, False]


@pytest.mark.parametrize(("model", "sent"), [("gpt-5-mini", {"max_completion_tokens": 16_384}), ("qwen3:4b", None)])
def test_setup_asks_a_model_as_its_profile_says(model: str, sent: dict[str, int] | None) -> None:
    with openai_server([CALL]) as server:
        try_model(server.url, model)
    fields = ("max_tokens", "max_completion_tokens", "temperature")
    [first, *_] = server.requests
    told = {name: first[name] for name in fields if name in first}
    assert told == (sent or {"max_tokens": 8_192, "temperature": 0.6})


def test_setup_tells_a_refusal_in_the_words_of_the_server(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    with openai_server([refuses(400, f"Bad key x. {WANTS}")]) as server:
        done = longtake("setup", "--url", server.url, "--model", "openai/scripted")
    assert f"Bad key ***. {WANTS[:-1]}" in done.stderr


def test_a_server_that_says_what_it_reads_is_believed() -> None:
    with openai_server([CALL]) as server:
        server.facts = {"max_model_len": 4_096}
        assert try_model(server.url, "scripted").context == 4_096


def test_another_model_is_not_taken_for_the_one_that_was_tried(config: Path) -> None:
    write_user_file({"controller": {**names.settings_of("ollama/tried"), "calls": "text", "sees": True}})
    tried, other = (with_model(Session(), f"ollama/{name}").settings.controller for name in ("tried", "other"))
    assert (tried.calls, tried.sees) == ("text", True)
    assert (other.calls, other.sees) == (None, None)


@pytest.mark.slow
def test_setup_keeps_a_gguf_file_by_its_whole_path_once_it_has_answered(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    whole = smollm2()
    Path("whole.gguf").symlink_to(whole)
    Path("broken.gguf").write_bytes(whole.read_bytes()[: 1 << 23])
    assert longtake("setup", "--model", "gguf/broken.gguf").code == 1
    assert not config.exists()
    assert longtake("setup", "--model", "gguf/whole.gguf").code == 0
    assert yaml.safe_load(config.read_text())["controller"]["model"] == str(tmp_path / "whole.gguf")


def test_setup_refuses_a_gguf_file_that_writes_no_text(config: Path, tmp_path: Path) -> None:
    smollm2()  # skips where llama.cpp is missing
    done = longtake("setup", "--model", f"gguf/{write_tiny_reranker(tmp_path)}")
    assert (done.code, config.exists()) == (1, False)
    assert "name a language model in controller.model" in done.stderr


def test_doctor_says_that_a_server_lacks_the_model(tmp_path: Path) -> None:
    with openai_server([CALL]) as server:
        server.models = ("large", "qwen3:latest")
        for model, missing in (("nosuch", True), ("qwen3", False)):
            settings = ("controller.engine=openai", f"controller.base_url={server.url}", f"controller.model={model}")
            flags = [part for setting in settings for part in ("--set", setting)]
            done = longtake(*flags, "doctor", "--json", library=tmp_path)
            assert ("no model nosuch" in str(json.loads(done.stdout)["controller"]["problem"])) is missing


def test_the_users_settings_lie_beneath_a_profile_and_the_overrides(config: Path) -> None:
    write_user_file({"search": {"k": 7}, "budget": {"rounds": 3}})
    write_user_file({"controller": {"engine": "openai"}})
    assert (load(None, user=config).search.k, load(None, user=config).controller.engine) == (7, "openai")
    longshot = load("longshot", ["search.k=9"], user=config)
    assert (longshot.search.k, longshot.budget.rounds) == (9, 10)
    assert load("embedded", user=config).controller.engine == "extractive"
    assert load().search.k == 5


def test_invalid_settings_are_not_written(config: Path) -> None:
    write_user_file({"search": {"k": 7}})
    with pytest.raises(ConfigError, match=r"search\.k"):
        write_user_file({"search": {"k": 0}})
    assert yaml.safe_load(config.read_text()) == {"search": {"k": 7}}


@pytest.mark.parametrize(
    ("name", "engine", "model"),
    [
        ("ollama/qwen3:4b", "openai", "qwen3:4b"),
        ("vllm/Qwen/Qwen3-4B", "openai", "Qwen/Qwen3-4B"),
        ("openai/4", "openai", "4"),
    ],
)
def test_a_short_name_sets_the_controller(name: str, engine: str, model: str) -> None:
    controller = with_model(Session(), name).settings.controller
    assert (controller.engine, controller.model) == (engine, model)
    url = with_model(
        Session(overrides=("controller.base_url=http://127.0.0.1:1/v1",)), name
    ).settings.controller.base_url
    assert url == "http://127.0.0.1:1/v1"


def test_a_short_name_of_a_file_is_that_file(tmp_path: Path) -> None:
    (tmp_path / "model.gguf").touch()
    assert names.settings_of(f"gguf/{tmp_path / 'model.gguf'}")["model"] == str(tmp_path / "model.gguf")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("olama/qwen3:4b", "'ollama'"),
        ("qwen3:4b", "ROUTE/NAME"),
        ("ollama/", "ROUTE/NAME"),
        ("gguf/qwen3-4", "'qwen3-4b'"),
        ("gguf/qwen3-4b", "longtake models pull qwen3-4b"),
    ],
)
def test_a_wrong_short_name_gets_one_sentence(name: str, said: str, tmp_path: Path) -> None:
    done = longtake("ask", "a.mp4", "What?", "--model", name, library=tmp_path / "library")
    assert (done.code, "Traceback" in done.stderr) == (1, False)
    assert said in done.stderr


def test_a_machine_carries_what_fits() -> None:
    assert this_machine().cores >= 1
    small = Machine(cores=2, memory=2 << 30, gpu=None, gpu_memory=0)
    carried = {model.name for model in catalogue() if small.carries(model.memory)}
    assert {"whisper-base", "qwen3-0.6b"} <= carried
    assert not {"qwen3-8b", "whisper-large-v3"} & carried


@pytest.mark.nightly
def test_setup_fetches_what_fits_and_transcribes_what_is_in_the_library(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whisper = next(model for model in catalogue() if model.name == "whisper-tiny.en")
    monkeypatch.setattr(setup, "catalogue", lambda: (whisper,))
    monkeypatch.setattr(names, "LOCAL_SERVERS", {"ollama": "http://127.0.0.1:9/v1"})
    monkeypatch.setenv("LONGTAKE_MODELS", str(tmp_path / "models"))
    spoken, library = write_spoken(tmp_path / "spoken.wav"), tmp_path / "library"
    longtake("--set", "engines.speech=[]", "index", spoken, library=library)
    with hub_server(whisper.repo, {Path(file.path).name: file.locate() for file in PACKAGED_FILES}) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        done = longtake("setup", "--yes", library=library)
        assert done.code == 0, done.stderr
        assert {name for name, _ in hub.asked} == set(whisper.files)
        hub.asked.clear()
        again = longtake("setup", "--yes", library=library)
        assert (again.code, hub.asked) == (0, [])
    assert [each.model.name for each in installed("speech")] == ["whisper-tiny.en"]
    assert "building" in longtake("videos", "show", "spoken.wav", "speech", library=library).stdout


GERMAN = """WEBVTT

00:00.000 --> 00:02.000
Das Dach haben wir zuerst ersetzt.

00:02.000 --> 00:04.000
Der Regen hatte das obere Stockwerk zerstört.
"""


def test_setup_offers_search_in_other_languages_where_a_library_has_them(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(names, "LOCAL_SERVERS", {})
    monkeypatch.setattr(setup, "_offer_downloads", lambda *_, **__: {})
    workspace = Workspace(
        tmp_path / "library", load(overrides=["engines.speech=[]", "engines.text_embedding=wordllama"])
    )
    video = tmp_path / "talk.mp4"
    write_small_video(video)
    workspace.add(video)
    missing = ENGINES["text_embedding"]["e5_small"].missing(load())
    asked = longtake("setup", library=tmp_path / "library").stdout
    assert ("in any language?" in asked, "longtake[languages]" in asked) == (not missing, False)
    assert not config.exists()
    video.with_suffix(".vtt").write_text(GERMAN, encoding="utf-8")
    workspace.add(video)
    asked = longtake("setup", library=tmp_path / "library").stdout
    assert ("longtake[languages]" if missing else "Search lines in German") in asked
    longtake("setup", "--yes", library=tmp_path / "library")
    used = Session().settings.engines.text_embedding
    assert used == (("minilm", "wordllama") if missing else ("e5_small", "minilm", "wordllama"))
    if not missing:
        found = longtake("search", "Which part was repaired at the beginning?", "-k", "1", library=tmp_path / "library")
        assert "Das Dach haben wir zuerst ersetzt." in found.stdout
