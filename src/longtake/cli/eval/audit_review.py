"""The items of an audit as `eval audit review` shows them, and how it reads what is typed."""

from __future__ import annotations

from collections.abc import Iterator

from longtake.cli.eval.reviewing import Waiting
from longtake.evalharness.audit.review import AuditDecision, Decision, lacks_category
from longtake.evalharness.audit.review_page import ShownItem
from longtake.evalharness.scoring.choices import LABELS
from longtake.memory.timespan import clock

_DECISIONS: dict[str, Decision] = {"k": "keep", "d": "drop", "r": "rewrite"}
_KEYS = "[k]eep, [d]rop, [r]ewrite later, [s]kip, [q]uit; a note may follow"


def waiting(shown: ShownItem) -> Waiting[AuditDecision]:
    """An item to decide about."""
    keys = f"{_KEYS}{'; first a number names the category' if shown.categories else ''}"
    return Waiting(shown.item.id, tuple(_lines(shown)), keys, lambda words: _read(shown, words))


def _lines(shown: ShownItem) -> Iterator[str]:
    item, turn = shown.item, shown.item.turns[0]
    yield from (*shown.why, turn.question)
    for place, option in enumerate(turn.options):
        yield f"{'*' if place == turn.gold else ' '} {LABELS[place]}. {option}"
    spans = ", ".join(f"{clock(span.start)} to {clock(span.end)}" for span in turn.evidence)
    yield f"video: {item.media or item.video}{f', {spans}' if spans else ''}"
    yield shown.chose
    for number, (name, meaning) in enumerate(shown.categories.items(), 1):
        yield f"{number}  {name}: {meaning}"


def _read(shown: ShownItem, words: str) -> AuditDecision | str:
    names = list(shown.categories)
    category, rest = "", words
    word, _, after = words.partition(" ")
    if word.isdigit() and 1 <= int(word) <= len(names):
        category, rest = names[int(word) - 1], after.strip()
    word, _, note = rest.partition(" ")
    if decided := _DECISIONS.get(word[:1].lower()):
        verdict = AuditDecision(item=shown.item.id, decision=decided, category=category, note=note.strip())
        if not lacks_category(verdict, shown.reasons):
            return verdict
    return f"answer with one of these letters{', after the number of a category' if names else ''}"
