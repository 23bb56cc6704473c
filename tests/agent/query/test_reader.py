"""The heads that read a question, the bank they learn from, and how they are fitted."""

from __future__ import annotations

import json
from collections import Counter
from importlib.resources import files

import numpy as np
import pytest

from longtake.agent.fitted import FILE
from longtake.agent.query.query import SOURCES, TARGETS, Query
from longtake.agent.query.reader import LearnedReader
from longtake.benchmarks.clips.examples import load_bank
from longtake.benchmarks.clips.reader_fit import digest_of
from longtake.benchmarks.clips.softmax_fit import fit_softmax
from longtake.config import load
from longtake.preprocess.engines import EngineTable

LEAST_EXAMPLES = 2_000  # beside the wordings about clips


@pytest.fixture(scope="module")
def reader() -> LearnedReader:
    return LearnedReader(EngineTable(load()))


@pytest.mark.parametrize(
    ("question", "source", "target"),
    [
        ("What is said at the beginning?", "speech", "quote"),
        ("What does the speaker say about the storm?", "speech", "quote"),
        ("What is written on the slide?", "text", None),
        ("What text can be recognised?", "text", "readout"),
        ("Please tell me what you can read there.", "text", "readout"),
        ("What does the sign over the gate say about dogs?", "text", "quote"),
        ("How many cuts are there?", "shots", "count"),
        ("What is the loud noise?", "sound", None),
        ("Is there any music?", "sound", "yesno"),
        ("Summarise the video.", None, "summary"),
        ("Translate the slide into German.", "text", "translation"),
        ("How long is the video?", "file", "duration"),
        ("What colour is the car?", "picture", "colour"),
    ],
)
def test_plain_questions_are_read_right(
    reader: LearnedReader, question: str, source: str | None, target: str | None
) -> None:
    query = Query(question=question, reading=reader.read(question))
    assert source is None or query.source == source
    assert target is None or query.target == target


def test_a_reading_is_two_distributions(reader: LearnedReader) -> None:
    reading = reader.read("Who opens the door, and what is written on it?")
    assert (set(reading.sources), set(reading.targets)) == (set(SOURCES), set(TARGETS))
    assert sum(reading.sources.values()) == pytest.approx(1, abs=0.01)
    assert sum(reading.targets.values()) == pytest.approx(1, abs=0.01)


def test_the_shipped_heads_were_fitted_to_the_shipped_bank() -> None:
    fitted = json.loads((files("longtake.agent") / FILE).read_text(encoding="utf-8"))["embeddings"]
    bank = load_bank()
    assert {each["heads"]["bank"] for each in fitted.values()} == {digest_of(bank)}
    assert {each["heads"]["examples"] for each in fitted.values()} == {len(bank)}


def test_the_bank_is_large_and_each_example_of_it_is_usable() -> None:
    bank = load_bank()  # reading it checks the labels
    assert len(bank) >= LEAST_EXAMPLES
    assert all(example.question.strip() and example.sources for example in bank)
    targets = Counter(example.target for example in bank)
    assert set(targets) >= set(TARGETS) - {"choice"}
    assert {source for example in bank for source in example.sources} == set(SOURCES)


def test_no_question_teaches_two_targets() -> None:
    targets: dict[str, set[str]] = {}
    for example in load_bank():
        targets.setdefault(example.question.strip().casefold(), set()).add(example.target)
    unsure = [question for question, found in targets.items() if len(found) > 1]
    assert len(unsure) <= 0.01 * len(targets)


def test_fitting_separates_what_can_be_separated() -> None:
    dealt = np.random.default_rng(0)
    centres = np.array([[3, 0], [-3, 0], [0, 3]], np.float32)
    classes = np.arange(90) % 3
    features = (centres[classes] + dealt.normal(scale=0.5, size=(90, 2))).astype(np.float32)
    truth = np.eye(3, dtype=np.float32)[classes]
    shares = fit_softmax(features, truth, decay=1e-4)(features)
    assert (shares.argmax(axis=1) == classes).all()
    assert np.allclose(shares.sum(axis=1), 1)


def test_more_decay_makes_it_less_sure() -> None:
    features, truth = np.array([[1.0], [-1.0]], np.float32), np.eye(2, dtype=np.float32)
    sure, unsure = (fit_softmax(features, truth, decay=decay)(features)[0, 0] for decay in (1e-5, 1.0))
    assert sure > unsure > 0.5
