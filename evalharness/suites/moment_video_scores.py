"""The score tables of Moment-Video."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from longtake.evalharness.items import Heading, Item, Judgement, Prediction, Protocol, Variant
from longtake.evalharness.scoring.choice_scores import (
    Answers,
    ChoiceScores,
    Outcome,
    accuracy,
    beside_chance,
    by,
    by_tag,
    choice_outcome,
    choice_state,
    in_orders,
    open_outcome,
    summarise,
)
from longtake.evalharness.scoring.estimates import Rows

# Upper edges of the duration buckets in seconds; the paper leaves open where an edge belongs: here to the shorter one.
_BUCKETS = {"up to 5 s": 5.0, "5-10 s": 10.0, "10-20 s": 20.0, "20-60 s": 60.0, "1-3 min": 180.0}
_LONGEST = "over 3 min"


def score_moment_video(
    items: Collection[Item],
    variants: Sequence[Variant],
    predictions: Iterable[Prediction],
    judgements: Iterable[Judgement],
    protocol: Protocol,
) -> ChoiceScores:
    """Score one subject; the tables are of the first frame rate of the run, beside which the others stand.

    Args:
        items: all items to be asked.
        variants: of the run; a choice is right where it is right in every order that they put it in.
        predictions: of the subject.
        judgements: of one judge.
        protocol: in `paper` the text of an option stands for its label; in `repo` a choice without a label in some
            order is decided by the judge.
    """
    answers = Answers(predictions, judgements)
    bases = [variant for variant in variants if variant.gold_at is None]
    rates = {_rate(base): _outcomes(items, in_orders(base, variants), answers, protocol) for base in bases}
    outcomes = rates[_rate(bases[0])]
    as_written = _outcomes([item for item in items if item.format == "choice"], bases[:1], answers, protocol)
    return summarise(
        outcomes,
        {
            "answer type": by(outcomes, lambda item: item.format),
            "task": by(outcomes, lambda item: item.task),
            "domain": by_tag(outcomes, "domain"),
            "subclass": by_tag(outcomes, "subclass"),
            "duration": by(sorted(outcomes, key=lambda outcome: outcome.item.seconds or 0.0), length_row),
            "multiple choice": beside_chance(outcomes, "in every order")
            | beside_chance(as_written, "in the given order"),
            **(_by_rate(rates) if len(rates) > 1 else {}),
        },
    )


def _by_rate(rates: Mapping[str, Sequence[Outcome]]) -> dict[str, Rows]:
    """The score at each frame rate: of all, and of each task and domain, the rates of one below each other."""
    keys: dict[str, Callable[[Heading], str]] = {
        "task": lambda item: item.task,
        "domain": lambda item: item.tags["domain"],
    }
    tables: dict[str, Rows] = {"frame rate": {rate: accuracy(found) for rate, found in rates.items()}}
    for name, key in keys.items():
        found = {rate.partition(",")[0]: by(outcomes, key) for rate, outcomes in rates.items()}
        names = dict.fromkeys(row for rows in found.values() for row in rows)
        tables[f"{name} and frame rate"] = {
            f"{row}, {rate}": rows[row] for row in names for rate, rows in found.items() if row in rows
        }
    return tables


def length_row(item: Heading) -> str:
    """The duration row of an item's video; empty if its length is not known."""
    seconds = item.seconds
    if seconds is None:
        return ""
    return next((name for name, edge in _BUCKETS.items() if seconds <= edge), _LONGEST)


def _rate(base: Variant) -> str:
    return f"{base.fps:g} fps, at most {base.most_frames} frames" if base.fps else base.name


def _outcomes(
    items: Collection[Item], orders: Sequence[Variant], answers: Answers, protocol: Protocol
) -> list[Outcome]:
    return [_outcome(item, orders, answers, seed, protocol) for seed in answers.seeds for item in items]


def _outcome(item: Item, orders: Sequence[Variant], answers: Answers, seed: int, protocol: Protocol) -> Outcome:
    if item.format == "open":
        return open_outcome(item, orders[0], answers, seed)
    outcome = choice_outcome(item, orders, answers, seed, by_text=protocol == "paper")
    if outcome.state != "unread" or protocol == "paper":
        return outcome
    # The released code stops at the first order that gave no label and hands the item to the judge.
    stopped = next(
        order
        for order in orders
        if order.applies(item) and choice_state(answers.said(item, order, seed), by_text=False) == "unread"
    )
    judged = open_outcome(item, stopped, answers, seed)
    return outcome._replace(right=judged.right, state=judged.state, left_to_judge=True, unsure=judged.unsure)
