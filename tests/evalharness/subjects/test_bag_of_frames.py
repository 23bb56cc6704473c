"""Bag of frames: an encoder of colours answers from frames alone, in an audit too; and real architectures, tiny."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import yaml
from helpers.command import longtake
from helpers.media.clips import flat, write_clip
from helpers.models.colour_embedding import COLOURS
from helpers.models.tiny_pictures import write_tiny_open_clip, write_tiny_siglip

from longtake.console import Session
from longtake.errors import ConfigError, EngineError
from longtake.evalharness.items import Item, Turn, Variant
from longtake.evalharness.runs.run_folder import RunCard
from longtake.evalharness.subjects.local_models import FRAMES, nearest_option
from longtake.evalharness.subjects.model_spec import asked_in
from longtake.evalharness.subjects.subject import AskedTurn
from longtake.evalharness.subjects.subject_table import subject_named
from longtake.preprocess.engines.built_in_engines import EngineEntry
from longtake.preprocess.engines.engine_table import ENGINES

ENGINE = "bag-of-frames:colours"


@pytest.fixture
def colours(monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that knows colours by their names."""
    entry = EngineEntry("helpers.models.colour_embedding:ColourEmbedding", "colours")
    monkeypatch.setitem(ENGINES, "image_text_embedding", {**ENGINES["image_text_embedding"], "colours": entry})


@pytest.fixture
def video(tmp_path: Path) -> Path:
    """Six seconds: four of red, two of blue."""
    pictures = [flat(COLOURS["red"])] * 20 + [flat(COLOURS["blue"])] * 10
    return write_clip(tmp_path / "colours.mp4", pictures, times=lambda number: number / 5)


def asked(video: Path, question: str, options: tuple[str, ...]) -> AskedTurn:
    turn = Turn(question=question, options=options, gold=0)
    item = Item(suite="own", id="i", video="v", media=str(video), format="choice", turns=(turn,))
    return AskedTurn(item, 0, Variant(name="bag-of-frames", view="bag-of-frames"), 0, ())


@pytest.mark.usefixtures("colours")
def test_the_option_nearest_to_most_frames_is_chosen(video: Path, tmp_path: Path) -> None:
    subject = subject_named(ENGINE, [], Session(library=tmp_path / "library"))
    assert subject.reply(asked(video, "Which colour is shown?", ("green", "blue", "red"))).choice == 2
    assert subject.reply(asked(video, "Which colour is shown?", ("green", "blue"))).choice == 1


def test_only_the_frames_nearest_to_the_question_count() -> None:
    near, far = np.array([1.0, 0.0], np.float32), np.array([0.0, 1.0], np.float32)
    frames = np.array([far] * 100 + [near] * FRAMES)
    assert nearest_option(frames, near, np.array([far, near])) == 1
    # Of the 32 nearest frames only one is near the question: the others outvote it.
    assert nearest_option(frames[:101], near, np.array([far, near])) == 0
    shuffled = frames[np.random.default_rng(0).permutation(len(frames))]
    assert nearest_option(shuffled, near, np.array([far, near])) == 1


def test_encoders_and_models_are_asked_in_their_own_views() -> None:
    views = tuple(Variant(name=name, view=name) for name in ("standard", "blind", "bag-of-frames"))
    card = RunCard(suite="own", source="x", subjects=("lexical", ENGINE), variants=views, version="1")
    assert [each.name for each in asked_in("lexical", card)] == ["standard", "blind"]
    assert [each.name for each in asked_in(ENGINE, card)] == ["bag-of-frames"]
    assert asked_in(ENGINE, card.model_copy(update={"variants": (Variant(),)})) == [Variant()]


@pytest.mark.usefixtures("colours")
def test_it_is_the_sixth_test_of_an_audit(video: Path, tmp_path: Path) -> None:
    rows = [
        {"question": "Which colour is shown?", "options": ["green", "red"], "answer": "B", "video": video.name},
        {"question": "Which colour is shown?", "options": ["green", "red"], "answer": "A", "video": video.name},
    ]
    (tmp_path / "questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    fields = {"question": "question", "options": "options", "answer": "answer", "video": "video"}
    card = tmp_path / "card.yaml"
    card.write_text(yaml.safe_dump({"name": "c", "file": "questions.jsonl", "videos": ".", "fields": fields}))
    run, library = tmp_path / "run", tmp_path / "library"
    models = ("--model", "random", "--model", ENGINE)
    made = longtake("eval", "audit", card, *models, "--test", "blind", "--no-parts", "--out", run, library=library)
    assert made.code == 0, made.stderr
    scores = json.loads(longtake("eval", "audit", "score", run, "--json").stdout)
    assert scores["shortcuts"]["tests"]["bag-of-frames"]["total"] == 1
    assert scores["accuracy"]["bag-of-frames"] == {ENGINE: {"value": 0.5, "items": 2}}
    assert list(scores["accuracy"]["standard"]) == ["random"]


@pytest.mark.nightly
@pytest.mark.parametrize("engine", ["siglip", "open_clip"])
def test_real_architectures_choose_an_option(engine: str, video: Path, tmp_path: Path) -> None:
    write = write_tiny_siglip if engine == "siglip" else write_tiny_open_clip
    name = f"bag-of-frames:{engine}@{write(tmp_path / 'model')}"
    subject = subject_named(name, [], Session(library=tmp_path / "library"))
    question = asked(video, "Which colour is shown?", ("green", "blue", "red"))
    reply = subject.reply(question)
    assert reply.choice in (0, 1, 2)
    assert subject.reply(question) == reply


def test_an_encoder_that_cannot_be_used_is_one_sentence(tmp_path: Path) -> None:
    session = Session(library=tmp_path)
    with pytest.raises(ConfigError, match="bag-of-frames:ENGINE"):
        subject_named("bag-of-frames", [], session)
    with pytest.raises(ConfigError, match="siglip"):
        subject_named("bag-of-frames:nonesuch", [], session)
    with pytest.raises(EngineError):
        subject_named("bag-of-frames:siglip@/none", [], session)
