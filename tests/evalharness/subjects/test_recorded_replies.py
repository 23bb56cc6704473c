"""Replies from a file as a subject."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers.eval_command import eval_, score_of

from longtake.console import Session
from longtake.errors import ConfigError, EngineError
from longtake.evalharness.items import Item, Turn, Variant
from longtake.evalharness.subjects.subject import AskedTurn, Subject
from longtake.evalharness.subjects.subject_table import subject_named

ITEMS = [
    Item(
        suite="own", id="q1", video="v", format="choice", turns=(Turn(question="?", options=("red", "blue"), gold=1),)
    ),
    Item(suite="own", id="q2", video="v", format="open", turns=(Turn(question="?"), Turn(question="And?"))),
    Item(suite="own", id="q3", video="v", format="open", turns=(Turn(question="?"),)),
]


def subject(folder: Path, *rows: dict[str, Any]) -> Subject:
    file = folder / "replies.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return subject_named(f"replies:{file}", ITEMS, Session())


def asked(item: int, number: int = 0, gold_at: int | None = None) -> AskedTurn:
    return AskedTurn(ITEMS[item], number, Variant(gold_at=gold_at), 0, ())


def test_recorded_replies_are_read_like_a_models(tmp_path: Path) -> None:
    recorded = subject(
        tmp_path, {"id": "q1", "reply": "It is blue."}, {"id": "q2", "reply": ["Yes.", "It can't be told."]}
    )
    assert [recorded.reply(asked(0, gold_at=place)).choice for place in (None, 0)] == [1, 1]
    assert [(said.text, said.abstained) for said in map(recorded.reply, (asked(1), asked(1, 1)))] == [
        ("Yes.", False),
        ("It can't be told.", True),
    ]
    with pytest.raises(EngineError, match="q3"):
        recorded.reply(asked(2))


@pytest.mark.parametrize(
    ("row", "says"),
    [({"id": "q9", "reply": "x"}, "q1"), ({"id": "q1"}, "line 1, reply"), ({"reply": "x"}, "line 1, id")],
)
def test_a_file_that_does_not_fit_is_refused(tmp_path: Path, row: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        subject(tmp_path, row)
    with pytest.raises(ConfigError, match="No such file"):
        subject_named(f"replies:{tmp_path / 'absent.jsonl'}", ITEMS, Session())


def test_a_recorded_letter_means_the_option_as_it_is_written(tmp_path: Path) -> None:
    """q1 is right, q2 isn't: 50 %. Read in every order of three options, "B" would be right in one of them only."""
    (tmp_path / "card.yaml").write_text(
        "{name: s, file: s.csv, format: choice, answer: letter, rotate: true, "
        "fields: {id: id, question: q, options: [a, b, c], answer: right, video: v}}",
        encoding="utf-8",
    )
    (tmp_path / "s.csv").write_text("id,q,a,b,c,right,v\nq1,One?,x,y,z,B,v\nq2,Two?,x,y,z,A,v\n", encoding="utf-8")
    replies = tmp_path / "ann.csv"
    replies.write_text("id,reply\nq1,B\nq2,C\n", encoding="utf-8")
    run = tmp_path / "run"
    _, said, _ = eval_(
        "run", tmp_path / "card.yaml", "--suite", "own", "--out", run, "--subject", f"Ann=replies:{replies}"
    )
    assert "2 replies" in said
    assert score_of(run)["headline"]["value"] == 50.0
