"""How far a judge agrees with a person on the 300 labelled replies of `tests/data/natural_replies.jsonl`.

    python tests/helpers/natural_replies.py                     the rules
    python tests/helpers/natural_replies.py verdicts.jsonl      a model, from its raw replies {"id", "text"}
    python tests/helpers/natural_replies.py --requests out.jsonl  writes what a model is asked {"id", "prompt"}

Somebody who had not seen the rules wrote the replies and their labels. Of the three replies about one video and change,
the label of all together counts. A label of 1 or 0.5 counts as a detection where REVEAL counts it so; elsewhere only 1
is right.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from longtake.evalharness.edits.edit import EditTruth
from longtake.evalharness.items import ALL_TURNS, Criterion, Item, Prediction, Reply, Turn
from longtake.evalharness.judges.judge_check import Agreement
from longtake.evalharness.judges.judge_endpoint import OWN, PROMPTS, read_finding
from longtake.evalharness.judges.judge_table import DeterministicJudge
from longtake.evalharness.judges.judging import SCORED, Asks, Case
from longtake.evalharness.scoring.choices import read_choice
from longtake.evalharness.stress import criteria
from longtake.evalharness.stress.criteria import CHANGES
from longtake.prompts import render

REPLIES = Path(__file__).parents[1] / "data" / "natural_replies.jsonl"
# The change of an anomaly, by a word of its description.
_CHANGES = {
    "reverse": "reversal",
    "shuffled": "frame-shuffle",
    "cut out": "cut",
    "two different": "mixing",
    "tint": "tint",
    "foreign object": "insertion",
    "noise": "noise",
}


class Labelled(NamedTuple):
    """A case with a person's verdict."""

    id: str
    kind: str
    case: Case
    met: bool


def labelled() -> Iterator[Labelled]:
    """The cases of the file, as a stress set would give them to a judge."""
    rows = [json.loads(line) for line in REPLIES.read_text(encoding="utf-8").splitlines()]
    for row in rows:
        if row["kind"] != "anomaly":
            case = _case(row)
            met = row["label"] == 1
            yield Labelled(row["id"], row["kind"], case, met)
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        if row["kind"] == "anomaly":
            groups.setdefault(row["group"], []).append(row)
    for group, asked in groups.items():
        case = _joint(asked)
        score = asked[0]["joint"]
        met = score == 1 if case.asks == "untouched" else SCORED[case.asks](score)
        yield Labelled(group, case.asks, case, met)


def _case(row: Mapping[str, Any]) -> Case:
    options = tuple(row["options"])
    turn = Turn(question=row["question"], options=options, reference=row["reference"])
    asks: Asks = "whole"
    reply = Reply(text=row["reply"])
    if row["kind"] == "blank":
        turn, asks = turn.model_copy(update={"criteria": (_described(criteria.blank(), row["change"]),)}), "blank"
        choice = read_choice(row["reply"], options)
        reply = reply.model_copy(update={"choice": choice.option, "parse": choice.status})
    elif row["kind"] == "gap":
        removed = row["change"].removeprefix("removed: ")
        rest = [part.strip() for part in row["shown"].replace(";", ",").split(",")]
        asked = criteria.gap(removed, rest)
        turn, asks = turn.model_copy(update={"criteria": (asked,), "reference": row["shown"]}), "gap"
    elif row["kind"] == "claim":
        turn, asks = turn.model_copy(update={"criteria": (criteria.claim(true=row["reference"] == "true"),)}), "says"
    item = Item(suite="stress", id=row["id"], video=row["group"], format="open", turns=(turn,))
    return Case(item, 0, reply, asks, turn.criteria[0] if turn.criteria else None, with_question=asks == "whole")


def _joint(rows: list[dict[str, Any]]) -> Case:
    told = rows[0]["change"]
    asks: Asks = "untouched" if told == "none" else "altered"
    criterion = criteria.untouched(CHANGES.values())
    if asks == "altered":
        change = CHANGES[next(name for word, name in _CHANGES.items() if word in told)]
        criterion = _described(criteria.altered(change, _NO_TRUTH), told)
    turns = [Turn(question=row["question"]) for row in rows]
    turns[-1] = turns[-1].model_copy(update={"criteria": (criterion,)})
    item = Item(
        suite="stress", id=rows[0]["group"], video=rows[0]["group"], format="open", turns=tuple(turns), separate=True
    )
    replies = tuple(Reply(text=row["reply"]) for row in rows)
    together = Prediction(item=item.id, variant="original", subject="s", replies=replies, seconds=0).together
    return Case(item, ALL_TURNS, together, asks, criterion, all_replies=replies)


_NO_TRUTH = EditTruth(
    edit="", kind="spatial", parameters={}, seed=0, sources=(), seconds=0.0, pieces=(), altered=(),
    facts={"colour": "", "thing": "", "noise": ""},
)  # fmt: skip


def _described(criterion: Criterion, told: str) -> Criterion:
    """With the change in the words of the file, in place of those of an edit."""
    return criterion.model_copy(update={"description": told})


def agreements(verdicts: Mapping[str, bool | None], cases: list[Labelled]) -> dict[str, tuple[Agreement, int]]:
    """The agreement by kind and of all, with the number of cases that have no verdict."""
    kinds = [*dict.fromkeys(each.kind for each in cases), "all"]
    found: dict[str, tuple[Agreement, int]] = {}
    for kind in kinds:
        some = [each for each in cases if kind in ("all", each.kind)]
        pairs = [(each.met, met) for each in some if (met := verdicts.get(each.id)) is not None]
        found[kind] = (Agreement.of(pairs), len(some) - len(pairs))
    return found


def by_rules(cases: list[Labelled]) -> dict[str, bool | None]:
    """The verdicts of the rules."""
    judge = DeterministicJudge()
    return {each.id: judge.judge(each.case).met for each in cases}


def by_model(file: Path, cases: list[Labelled]) -> dict[str, bool | None]:
    """The verdicts in a model's raw replies; none where a reply has no verdict."""
    said = {row["id"]: row["text"] for row in map(json.loads, file.read_text(encoding="utf-8").splitlines())}
    found = {each.id: read_finding(said.get(each.id, ""), each.case.asks, OWN[each.case.asks]) for each in cases}
    return {name: finding and finding.met for name, finding in found.items()}


def write_requests(file: Path, cases: list[Labelled]) -> None:
    """Write what a model is asked about each case."""
    rows = [{"id": each.id, "prompt": render(PROMPTS, each.case.asks, case=each.case)} for each in cases]
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


if __name__ == "__main__":
    known = list(labelled())
    match sys.argv[1:]:
        case ["--requests", out]:
            write_requests(Path(out), known)
        case given:
            found = agreements(by_model(Path(given[0]), known) if given else by_rules(known), known)
            for kind, (held, unjudged) in found.items():
                kappa = "none" if held.kappa is None else f"{held.kappa:.2f}"
                print(f"{kind:<10} n {held.n:<4} accuracy {held.accuracy:.3f}  kappa {kappa}  unjudged {unjudged}")
