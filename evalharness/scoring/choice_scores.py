"""Scores answers that are right or wrong: chosen options, and open answers that a judge accepts or rejects.

What failed (an error, a reply that could not be read, a missing verdict) counts as wrong; how often it happened, and
the score without it, stand beside the score. A choice is right where it is right in every order asked (the
shuffle-robust reading of Moment-Video); above chance is (accuracy - chance) / (1 - chance), over the sums.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from pydantic import Field

from longtake.evalharness.items import Heading, Item, Judgement, ParseStatus, Prediction, Reply, ReplyStatus, Variant
from longtake.evalharness.judges.checks import abstains
from longtake.evalharness.judges.judging import current
from longtake.evalharness.scoring.estimates import Estimate, Observation, Rows, ratio, rows
from longtake.memory.records import Record

MAX_UNJUDGED = 0.01  # share of what is judged above which no headline is given
State = Literal["error", "unread", "unjudged", "refused", "abstained", "uncertain", "ok"]
STATES: tuple[State, ...] = ("error", "unread", "unjudged", "refused", "abstained", "uncertain", "ok")  # gravest first
FAILED: frozenset[State] = frozenset({"error", "unread", "unjudged"})


class CountedShare(Record):
    """How many of how many."""

    count: int
    n: int

    @property
    def value(self) -> float:
        """As a share, 0 if there is nothing."""
        return self.count / self.n if self.n else 0.0


NONE = CountedShare(count=0, n=0)


class ScoredReply(NamedTuple):
    """What is scored of a reply, and what the judge found of it; its text is not held."""

    status: ReplyStatus
    choice: int | None
    parse: ParseStatus
    abstained: bool
    uncertain: bool
    met: bool | None  # None without a verdict, as are the points
    points: float | None
    unsure: bool  # whether the judge was not sure of its verdict
    confidence: float | None = None  # the subject's own


Accepts = Callable[[ScoredReply], float | None]


class ChoiceOutcome(NamedTuple):
    """Whether an item was answered correctly, and the outcome of the answer."""

    item: Heading
    seed: int
    right: float  # 1 or 0, or between them if a judge graded the answer
    state: State
    chance: float | None = None  # that independent guesses are right in every order asked; None without options
    left_to_judge: bool = False  # whether no option could be read and a judge decides
    unsure: bool = False  # whether the judge was not sure of its verdict
    confidence: float | None = None  # the subject's own, from 0 to 1
    meant: str = ""  # what the answer means beside right or wrong, where a stress test says so


class ChoiceScores(Record):
    """The scores of one subject, in percent."""

    headline: Estimate | None = Field(
        description="None if more than 1 % of what is judged has no verdict, or if each test has its own; `note` says "
        "why it has no value."
    )
    headlines: Rows = Field(
        default_factory=dict, description="Instead of one headline those of tests that aren't pooled, by name."
    )
    overall: Estimate = Field(description="Right answers over all that was asked, whatever is missing.")
    without_failures: Estimate = Field(description="The headline over the items that did not fail.")
    groups: Mapping[str, Rows] = Field(description="Tables by their names, each of rows.")
    counts: Mapping[str, CountedShare] = Field(default={}, description="Counts by their names, each of how many.")
    errors: CountedShare
    parse_failures: CountedShare = Field(description="Of all, choices in whose reply no option could be read.")
    unjudged: CountedShare = Field(
        description="Of the open answers, and choices left to the judge, those without a verdict."
    )
    unsure: CountedShare = Field(description="Of the same, those of whose verdict the judge was not sure; it counts.")
    uncertain: CountedShare = Field(description="Right only if an abstention is due.")
    abstained: CountedShare
    note: str | None = Field(default=None, description="Why the headline has no value: what was not asked.")


class SubjectAnswers:
    """What one subject replied and what one judge found of it; of several of a kind, the last."""

    def __init__(self, predictions: Iterable[Prediction], judgements: Iterable[Judgement]) -> None:
        found = {
            (one.item, one.variant, one.seed): (one.met, one.points, not one.sure)
            for one in current(judgements, predictions)
        }
        self._said: dict[tuple[str, str, int], ScoredReply] = {}
        for each in predictions:
            key, reply = (each.item, each.variant, each.seed), each.replies[0]
            met, points, unsure = found.get(key, (None, None, False))
            own = (reply.status, reply.choice, reply.parse, reply.abstained, reply.uncertain)
            self._said[key] = ScoredReply(*own, met, points, unsure, reply.confidence)
        self.seeds = tuple(sorted({seed for _, _, seed in self._said})) or (0,)

    def said(self, item: Item, variant: Variant, seed: int) -> ScoredReply | None:
        """What was replied to the item's one turn; None if it was not asked."""
        return self._said.get((item.id, variant.name, seed))


def rotations(base: Variant, items: Iterable[Item]) -> tuple[Variant, ...]:
    """The variants that put the right option at every place once: as it is written, and at each other place."""
    places = max((len(turn.options) for item in items for turn in item.turns), default=0)
    moved = (base.model_copy(update={"name": f"{base.name}/gold-{n + 1}", "gold_at": n}) for n in range(places))
    return (base, *moved)


def replacements(base: Variant, text: str) -> tuple[Variant, ...]:
    """The variants in which a text that none of the other options is right replaces the right option, or a wrong one.

    A subject that knows the answer chooses the text in the first and not in the second; one that recalls a plausible
    option, or always or never chooses the text, fails in one of them. The first is that of "None of the Others"
    (Salido et al., 2025); the second is its counterpart.
    """
    return tuple(
        base.model_copy(update={"name": f"{base.name}/none-{which}", "replaced": which, "replacement": text})
        for which in ("right", "wrong")
    )


def in_orders(base: Variant, variants: Iterable[Variant]) -> tuple[Variant, ...]:
    """A variant and the others of a run that differ only in the order of options."""
    return (base, *(each for each in variants if each.name.startswith(f"{base.name}/gold-")))


def choice_outcome(
    item: Item, orders: Sequence[Variant], answers: SubjectAnswers, seed: int, *, by_text: bool = True
) -> ChoiceOutcome:
    """The outcome of an item with options, in all orders that apply to it.

    With `by_text`, a reply that gives an option's text instead of its label counts as read.
    """
    turn = item.turns[0]
    replies = [answers.said(item, variant, seed) for variant in orders if variant.applies(item)]
    chance = (1 / len(turn.options)) ** len(replies)
    states: set[State] = {choice_state(reply, by_text=by_text) for reply in replies}
    state = next(filter(states.__contains__, STATES))
    right = state == "ok" and all(reply is not None and reply.choice == turn.gold for reply in replies)
    return ChoiceOutcome(item.heading, seed, right, state, chance)


def choice_state(reply: Reply | ScoredReply | None, *, by_text: bool = True) -> State:
    """The outcome of one choice."""
    if reply is None or reply.status != "ok":
        return "error"
    if reply.choice is not None and reply.parse == "ok":
        return "ok"  # however sure it is
    if reply.parse == "refused":
        return "refused"
    if reply.abstained or reply.parse == "abstained":
        return "abstained"
    if reply.uncertain:
        return "uncertain"
    return "unread" if reply.choice is None or (reply.parse == "fallback" and not by_text) else "ok"


def open_outcome(
    item: Item, variant: Variant, answers: SubjectAnswers, seed: int, accepts: Accepts = lambda said: said.met
) -> ChoiceOutcome:
    """The outcome of an open answer, by the judge's verdict; an uncertain one is right only as an abstention."""
    reply = answers.said(item, variant, seed)
    if reply is None or reply.status != "ok":
        return ChoiceOutcome(item.heading, seed, False, "error")
    verdict = accepts(reply)
    if verdict is None:
        return ChoiceOutcome(item.heading, seed, False, "unjudged")
    if reply.uncertain:
        right = verdict if abstains(item.turns[0].reference).met else 0.0
        return ChoiceOutcome(item.heading, seed, right, "uncertain", unsure=reply.unsure, confidence=reply.confidence)
    state: State = "refused" if reply.parse == "refused" else "abstained" if reply.abstained else "ok"
    return ChoiceOutcome(item.heading, seed, verdict, state, unsure=reply.unsure, confidence=reply.confidence)


def outcomes_of(
    items: Collection[Item], orders: Sequence[Variant], answers: SubjectAnswers, accepts: Accepts
) -> list[ChoiceOutcome]:
    """The outcome of each item with each seed: of a choice in all orders, of an open answer in the first."""
    return [
        choice_outcome(item, orders, answers, seed)
        if item.format == "choice"
        else open_outcome(item, orders[0], answers, seed, accepts)
        for seed in answers.seeds
        for item in items
    ]


def summarise(
    outcomes: Sequence[ChoiceOutcome],
    groups: Mapping[str, Rows],
    headline: Callable[[Sequence[ChoiceOutcome]], Estimate] | None = None,
    note: str | None = None,
) -> ChoiceScores:
    """The scores of outcomes.

    Empty tables are left out. The headline may be another figure than the accuracy; `note` says why it has no value.
    """
    figure = headline or accuracy
    states = [outcome.state for outcome in outcomes]
    left = sum(outcome.left_to_judge for outcome in outcomes)
    judged = left + sum(outcome.chance is None for outcome in outcomes)
    unjudged = CountedShare(count=states.count("unjudged"), n=judged)
    return ChoiceScores(
        headline=None if unjudged.value > MAX_UNJUDGED else figure(outcomes),
        overall=accuracy(outcomes),
        without_failures=figure([outcome for outcome in outcomes if outcome.state not in FAILED]),
        groups={name: table for name, table in groups.items() if table},
        errors=CountedShare(count=states.count("error"), n=len(states)),
        parse_failures=CountedShare(count=left + states.count("unread"), n=len(states)),
        unjudged=unjudged,
        unsure=CountedShare(count=sum(outcome.unsure for outcome in outcomes), n=judged),
        uncertain=CountedShare(count=states.count("uncertain"), n=len(states)),
        abstained=CountedShare(count=states.count("abstained"), n=len(states)),
        note=note,
    )


def observation(outcome: ChoiceOutcome) -> Observation:
    """A right answer out of one."""
    return Observation(float(outcome.right), 1.0, outcome.item.video)


def accuracy(outcomes: Iterable[ChoiceOutcome]) -> Estimate:
    """The share of right answers, in percent."""
    return ratio(map(observation, outcomes))


def by(outcomes: Iterable[ChoiceOutcome], key: Callable[[Heading], str]) -> dict[str, Estimate]:
    """The accuracy of each group of items, in the order of first appearance; items without a key are in none."""
    return rows((name, observation(outcome)) for outcome in outcomes if (name := key(outcome.item)))


def by_tag(outcomes: Iterable[ChoiceOutcome], tag: str) -> dict[str, Estimate]:
    """The accuracy for each value of a tag."""
    return by(outcomes, lambda item: item.tags.get(tag, ""))


def beside_chance(outcomes: Sequence[ChoiceOutcome], name: str = "accuracy") -> dict[str, Estimate]:
    """The accuracy of choices, the accuracy of guessing, and the accuracy above chance."""
    choices = [(outcome, outcome.chance) for outcome in outcomes if outcome.chance is not None]
    if not choices:
        return {}
    return {
        name: accuracy(outcome for outcome, _ in choices),
        f"{name}: chance": ratio(Observation(chance, 1.0, outcome.item.video) for outcome, chance in choices),
        f"{name}: above chance": ratio(
            Observation(outcome.right - chance, 1 - chance, outcome.item.video) for outcome, chance in choices
        ),
    }
