"""The agreement of judges with a person on replies in plain English: what the documentation says of the rules is so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.natural_replies import REPLIES, Labelled, agreements, by_model, by_rules, labelled, write_requests

from longtake.evalharness.judges.judge_table import NEEDS_MODEL

# A reply that means the right verdict, by what is asked.
RIGHT = {
    "whole": ('{"same": true}', '{"same": false}'),
    "says": ('{"said": true}', '{"said": false}'),
    "altered": ('{"score": 0.5}', '{"score": 0}'),
    "untouched": ('{"score": 0}', '{"score": 0.5}'),
    "blank": ('{"score": 1}', '{"score": 0.5}'),
    "gap": ('{"score": 1}', '{"score": 0.5}'),
}


@pytest.fixture(scope="module")
def cases() -> list[Labelled]:
    return list(labelled())


def test_the_rules_agree_with_a_person_as_far_as_it_is_said(cases: list[Labelled]) -> None:
    found = agreements(by_rules(cases), cases)
    assert {kind: held.n for kind, (held, _) in found.items()} == {
        "blank": 60, "gap": 40, "summary": 40, "claim": 40, "altered": 30, "untouched": 10, "all": 220,
    }  # fmt: skip
    held, unjudged = found["all"]
    assert held.accuracy is not None
    assert f"{100 * held.accuracy:.0f} % of {held.n} cases" in NEEDS_MODEL
    assert unjudged == 0


def test_the_documentation_has_the_figures_of_both_judges(cases: list[Labelled]) -> None:
    rules = agreements(by_rules(cases), cases)
    model = agreements(by_model(REPLIES.with_name("natural_verdicts.jsonl"), cases), cases)
    page = (REPLIES.parents[2] / "docs" / "perturbations.md").read_text(encoding="utf-8")
    for kind, (held, _) in rules.items():
        figures = [f"{each.accuracy:.3f} | {each.kappa:.2f}" for each in (held, model[kind][0])]
        assert f"| {held.n} | {' | '.join(figures)} |" in page


def test_a_model_is_measured_by_its_raw_replies(cases: list[Labelled], tmp_path: Path) -> None:
    """A model that is right about all but the first two cases, of which one has no verdict: 218 of 219 agree."""
    texts = {each.id: RIGHT[each.case.asks][not each.met] for each in cases}
    texts[cases[0].id] = RIGHT[cases[0].case.asks][cases[0].met]
    texts[cases[1].id] = "I can't say."
    (tmp_path / "verdicts.jsonl").write_text(
        "".join(json.dumps({"id": name, "text": text}) + "\n" for name, text in texts.items())
    )
    held, unjudged = agreements(by_model(tmp_path / "verdicts.jsonl", cases), cases)["all"]
    assert (held.n, held.accuracy, unjudged) == (219, 218 / 219, 1)
    write_requests(tmp_path / "requests.jsonl", cases)
    asked = [json.loads(line) for line in (tmp_path / "requests.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["id"] for row in asked] == [each.id for each in cases]
