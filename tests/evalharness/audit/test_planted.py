"""Known shortcuts: precision and recall by hand, and a small planted benchmark that `lexical` is asked about."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.audits import items_named
from helpers.command import longtake

from longtake.evalharness.audit.audit_scores import TAG, planted
from longtake.evalharness.audit.planted_set import EXPOSED


def test_precision_and_recall_beside_guessing() -> None:
    known = {"a": "blind audio", "b": "blind", "c": "audio", "d": "none", "e": "none"}
    items = {item.id: item.model_copy(update={"tags": {TAG: known[item.id]}}) for item in items_named("abcde")}
    found = planted(items, {"blind": {"m": "acd", "n": "acde"}, "audio": {"m": "a"}}, {"audio": "e"}, 2)
    blind, audio = found["blind"], found["audio"]
    assert (blind.planted, blind.flagged, blind.found) == (2, 3, 1)
    assert (blind.precision, blind.recall) == (pytest.approx(1 / 3), 0.5)
    # Two guesses of four options are both right once in sixteen.
    assert (blind.guessed_precision, blind.guessed_recall) == (0.4, pytest.approx(1 / 16))
    assert (audio.precision, audio.recall, audio.guessed_precision) == (1.0, 0.5, 0.5)


def test_items_that_say_nothing_give_no_figures() -> None:
    assert planted({item.id: item for item in items_named("ab")}, {"blind": {"m": "a"}}, {}, 1) == {}


@pytest.mark.nightly
def test_an_audit_of_a_planted_set_finds_what_is_planted(tmp_path: Path) -> None:
    made = longtake("eval", "audit", "planted", "--out", tmp_path / "set", "--n", "2", "--json")
    assert json.loads(made.stdout)["items"] == 2 * 5
    rows = [json.loads(line) for line in (tmp_path / "set" / "questions.jsonl").read_text().splitlines()]
    assert {row["kind"] for row in rows} == set(EXPOSED)
    assert all(len(set(row["options"])) == 4 for row in rows)
    longtake("eval", "audit", "planted", "--out", tmp_path / "again", "--n", "2", "--json")
    assert (tmp_path / "again" / "questions.jsonl").read_text() == (tmp_path / "set" / "questions.jsonl").read_text()
    run, library = tmp_path / "run", tmp_path / "library"
    tests = ("--test", "blind", "--test", "audio", "--test", "center-frame", "--test", "frame-shuffling", "--no-parts")
    card = tmp_path / "set" / "card.yaml"
    done = longtake("eval", "audit", card, "--model", "lexical", *tests, "--out", run, library=library)
    assert done.code == 0, done.stderr
    found = json.loads(longtake("eval", "audit", "score", run, "--json").stdout)["planted"]
    assert {test: each["recall"] for test, each in found.items()} == dict.fromkeys(found, 1.0)
    assert all(each["precision"] > each["guessed_precision"] for each in found.values())
