"""From an audit to its distilled subset: review in the terminal, votes, what goes and why."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from helpers.audits import write_audit, write_votes
from helpers.command import longtake

from longtake.evalharness.audit.audit_state import audit_state, distil
from longtake.evalharness.audit.categories import CATEGORIES
from longtake.evalharness.audit.review import AuditDecision, Reason
from longtake.evalharness.runs.run_folder import RunFolder

NAMES = "abcdefgh"


@pytest.fixture
def audit(tmp_path: Path) -> RunFolder:
    """`a` is solved blind, `b` and `c` by shuffled frames only; on `d` all models differ, the rest is solved."""
    right = {
        **{("blind", model): "a" for model in "mno"},
        **{("frame-shuffling", model): "bc" for model in "mno"},
        **{("standard", model): "abcefgh" for model in "mno"},
    }
    return write_audit(tmp_path / "run", NAMES, right, {"m": 0, "n": 1, "o": 3})


def test_a_review_resumes_and_its_verdicts_decide_what_goes(audit: RunFolder, tmp_path: Path) -> None:
    first = longtake("eval", "audit", "review", audit.path, stdin="x\nk needs the order\nq\n")
    assert first.code == 0, first.stderr
    assert "1 of 3  b" in first.stdout
    assert "* C. a hat" in first.stdout
    assert "flagged by frame-shuffling" in first.stdout
    second = longtake("eval", "audit", "review", audit.path, stdin="s\nr unclear\n")
    assert "1 of 2  c" in second.stdout
    assert "m A, n B, o D" in second.stdout
    lines = [json.loads(line) for line in (audit.path / "review.jsonl").read_text().splitlines()]
    assert [(line["item"], line["decision"], line["note"]) for line in lines] == [
        ("b", "keep", "needs the order"),
        ("d", "rewrite", "unclear"),
    ]
    out = tmp_path / "distilled"
    done = longtake("eval", "audit", "distil", audit.path, "--out", out, "--json")
    flow = json.loads(done.stdout)
    assert (flow["shortcuts"], flow["restored"], flow["acted_on"]) == (3, 1, {"all-differ": 1})
    assert (flow["removed"], flow["remaining"]) == (3, 5)
    # Where all models differ, no option has a majority either: `d` is flagged twice, and waits and goes once.
    assert flow["flagged"] == {"order-free": 2, "all-differ": 1, "no-majority": 1}
    assert flow["reviewed"] == {"order-free": 1, "all-differ": 1, "no-majority": 1}
    assert flow["waiting"] == 1
    removed = list(csv.DictReader((out / "removed.csv").read_text().splitlines()))
    assert [(row["item"], row["why"], row["tests"], row["note"]) for row in removed] == [
        ("a", "shortcut", "blind", ""),
        ("c", "shortcut", "frame-shuffling", ""),
        ("d", "all-differ", "", "unclear"),
    ]
    assert "To be rewritten: d." in (out / "README.md").read_text()


def test_the_distilled_set_is_a_question_set(audit: RunFolder, tmp_path: Path) -> None:
    out = tmp_path / "distilled"
    longtake("eval", "audit", "distil", audit.path, "--out", out)
    made = longtake("eval", "run", out / "card.yaml", "--suite", "own", "--subject", "random", "--out", tmp_path / "r")
    assert made.code == 0, made.stderr
    asked = list(RunFolder(tmp_path / "r").items(print))
    assert [item.id for item in asked] == list("defgh")
    before = audit_state(audit, print).replies.items
    assert all(item.turns[0] == before[item.id].turns[0] for item in asked)


def test_only_what_remains_is_voted_on(audit: RunFolder) -> None:
    first = longtake("eval", "audit", "vote", audit.path, "--model", "random")
    assert first.code == 0, first.stderr
    assert sorted(audit_state(audit, print).votes.asked) == list("defgh")  # a, b and c are shortcuts
    longtake("eval", "audit", "review", audit.path, stdin="k it needs the order\nq\n")
    again = longtake("eval", "audit", "vote", audit.path, "--model", "random")
    assert "1 reply, 5 kept from before" in again.stdout
    state = audit_state(audit, print)
    assert sorted(state.votes.asked) == list("bdefgh")
    assert all("no-category" not in reasons for name, reasons in state.queue.items() if name in "ac")


def test_what_most_voters_say_counts_and_a_person_names_the_rest(audit: RunFolder, tmp_path: Path) -> None:
    three_of_five = dict.fromkeys(NAMES, 2) | {"e": 0}
    two_of_five = dict.fromkeys(NAMES, 4) | {"e": 1}
    write_votes(audit, NAMES, {"v": three_of_five, "w": three_of_five, "x": two_of_five, "y": two_of_five})
    assert audit_state(audit, print).votes.accepted == {}  # two of four are no majority
    review = longtake("eval", "audit", "review", audit.path, stdin="q\n")
    assert "global narrative" in review.stdout
    write_audit_votes = {"v": three_of_five, "w": three_of_five, "x": two_of_five}
    other = write_audit(tmp_path / "other", NAMES, {("blind", "m"): "a"}, {"m": 0})
    write_votes(other, NAMES, write_audit_votes)
    state = audit_state(other, print)
    temporal = tuple(CATEGORIES)[2]
    assert state.votes.accepted == dict.fromkeys(NAMES, temporal) | {"e": next(iter(CATEGORIES))}


def test_an_item_without_a_category_is_kept_only_with_one(audit: RunFolder) -> None:
    write_votes(audit, NAMES, {"v": dict.fromkeys("abcdfgh", 2)})
    answers = "k\n5 k\nd\n" * 3
    longtake("eval", "audit", "review", audit.path, stdin=answers)
    state = audit_state(audit, print)
    assert state.queue["e"] == ("no-category",)
    assert state.categories["e"] == tuple(CATEGORIES)[4]
    assert state.categories["f"] == tuple(CATEGORIES)[2]


def test_the_page_cannot_keep_an_item_without_a_category_either(audit: RunFolder, tmp_path: Path) -> None:
    write_votes(audit, NAMES, {"v": dict.fromkeys("abcdfgh", 2)})
    saved = tmp_path / "saved.jsonl"
    saved.write_text('{"item": "e", "decision": "keep"}\n{"item": "c", "decision": "keep"}\n')
    done = longtake("eval", "audit", "review", audit.path, "--decisions", saved)
    assert (done.code, "saved.jsonl, e:" in done.stderr) == (3, True)
    assert list(audit_state(audit, print).verdicts) == ["c"]
    named = {"item": "e", "decision": "keep", "category": next(iter(CATEGORIES))}
    saved.write_text(json.dumps(named) + "\n")
    assert longtake("eval", "audit", "review", audit.path, "--decisions", saved).code == 0
    assert audit_state(audit, print).categories["e"] == named["category"]


def test_the_published_flow_of_the_paper() -> None:
    """13,777 shortcuts - 804 restored + 213 + 197 acted on = 13,383 removed, 11,033 of 24,416 remain."""
    names = [str(number) for number in range(24_416)]
    shortcuts = {
        name: ("frame-shuffling",) if number < 1_758 else ("blind",) for number, name in enumerate(names[:13_777])
    }
    queued: dict[str, tuple[Reason, ...]] = dict.fromkeys(names[:1758], ("order-free",))
    queued |= dict.fromkeys(names[14000:14666], ("all-differ",))
    queued |= dict.fromkeys(names[15000:15477], ("redundant",))
    decided = {name: AuditDecision(item=name, decision="keep") for name in names[:804]}
    dropped = [*names[14_000:14_213], *names[15_000:15_197]]
    decided |= {name: AuditDecision(item=name, decision="drop") for name in dropped}
    flow = distil(names, shortcuts, queued, decided).flow
    assert flow.flagged == {"order-free": 1_758, "all-differ": 666, "redundant": 477}
    assert (flow.restored, flow.acted_on) == (804, {"all-differ": 213, "redundant": 197})
    assert (flow.removed, flow.remaining) == (13_383, 11_033)


def test_the_page_has_every_item_and_its_verdicts_are_taken_over(audit: RunFolder, tmp_path: Path) -> None:
    page, saved = tmp_path / "review.html", tmp_path / "saved.jsonl"
    longtake("eval", "audit", "review", audit.path, "--page", page)
    text = page.read_text(encoding="utf-8")
    assert [name for name in NAMES if f'data-item="{name}"' in text] == ["b", "c", "d"]
    assert not (audit.path / "review.jsonl").exists()
    saved.write_text('{"item": "c", "decision": "keep"}\n{"item": "a", "decision": "drop"}\n')
    done = longtake("eval", "audit", "review", audit.path, "--decisions", saved)
    assert (done.code, "saved.jsonl, a: it isn't up for review; the decision was left out." in done.stderr) == (3, True)
    assert list(audit_state(audit, print).verdicts) == ["c"]
    assert "1 decision recorded" in done.stdout
    saved.write_text('{"item": "a", "decision": "drop"}\n')
    assert longtake("eval", "audit", "review", audit.path, "--decisions", saved).code == 1
