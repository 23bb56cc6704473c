"""What is tried before a question's place in the video is found: the first that finds something gives the draft."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from longtake.agent.orientation import Orientation
from longtake.agent.rules.causes import asks_cause, find_cause
from longtake.agent.rules.continuing import asks_to_go_on, go_on
from longtake.agent.rules.days import asks_day, asks_days_agree, compare_days, find_day
from longtake.agent.rules.feelings import asks_feeling, judge_feeling
from longtake.agent.rules.labelled import asks_labelled, find_labelled
from longtake.agent.rules.numbered import asks_steps, find_steps
from longtake.agent.rules.on_slide import asks_on_slide, read_on_slide
from longtake.agent.rules.prices import compares_prices, find_prices
from longtake.agent.rules.programs import asks_program, find_output
from longtake.agent.rules.purchases import asks_spent, find_spent
from longtake.agent.rules.raised_prices import asks_raised, read_raised
from longtake.agent.rules.routes import Asks
from longtake.agent.rules.sight.among_shapes import asks_among_shapes, find_among_shapes
from longtake.agent.rules.sight.at_sound import asked_at_sound, find_at_sound
from longtake.agent.rules.slides import asks_slide, read_slide
from longtake.agent.rules.steps import Plan, Steps, ask
from longtake.agent.rules.summary import asks_summary, summarise
from longtake.agent.rules.tables import asks_cell, asks_holder, find_cell, find_holder
from longtake.agent.rules.time.durations import elapsed, find_elapsed
from longtake.agent.rules.time.order import compared, find_order
from longtake.agent.rules.time.places import veiled
from longtake.agent.rules.time.sound_order import find_row, row_asked
from longtake.agent.rules.time.transitions import changes_to, find_change
from longtake.agent.rules.titles import asks_titles, list_titles
from longtake.agent.words import NEGATION

T = TypeVar("T")
Attempt = Callable[[Orientation], Steps[str]]  # an empty draft leaves the question to the next


def _when(asks: Asks, find: Attempt) -> Attempt:
    """An attempt for the questions that ask for it."""

    def attempt(orientation: Orientation) -> Steps[str]:
        return (yield from find(orientation)) if asks(orientation) else ""

    return attempt


def _lookup(asks: Asks, find: Attempt) -> Attempt:
    """The same, but for what is known of every recording, which is not looked for."""
    return _when(lambda orientation: orientation.kind != "metadata" and asks(orientation), find)


def _affirmed(asks: Asks, find: Attempt) -> Attempt:
    """A look-up, but not for what a question denies: "which step is not needed" asks for none that is listed."""
    return _lookup(lambda orientation: asks(orientation) and not NEGATION.search(veiled(orientation.question)), find)


def _reading(read: Callable[[Orientation], T | None], find: Callable[[T, Orientation], Steps[str]]) -> Attempt:
    """An attempt with what is read from the question; where nothing is, there is none."""

    def attempt(orientation: Orientation) -> Steps[str]:
        asked = read(orientation)
        return (yield from find(asked, orientation)) if asked else ""

    return attempt


def _words(read: Callable[[str], T | None]) -> Callable[[Orientation], T | None]:
    return lambda orientation: read(orientation.question)


def _planned(plan: Plan) -> Attempt:
    return lambda orientation: ask(plan, orientation)


# Titles without the opening's, and causes of what is not so, are asked for with a negation; these two read it.
LOOKUPS: tuple[Attempt, ...] = (
    _lookup(asks_titles, list_titles),
    _affirmed(asks_summary, summarise),
    _affirmed(asks_feeling, judge_feeling),
    _affirmed(asks_days_agree, compare_days),
    _affirmed(asks_day, find_day),
    _lookup(asks_cause, find_cause),
    _affirmed(asks_to_go_on, go_on),
    _affirmed(asks_steps, find_steps),
    _affirmed(asks_cell, find_cell),
    _affirmed(asks_holder, find_holder),
    _affirmed(asks_labelled, find_labelled),
    _affirmed(asks_on_slide, read_on_slide),
)
ATTEMPTS: tuple[Attempt, ...] = (
    # What these suppose ("if", "after a rise") is no time of the video.
    _when(asks_program, find_output),
    _when(asks_raised, read_raised),
    _when(asks_spent, find_spent),
    _reading(asked_at_sound, find_at_sound),
    *LOOKUPS,
    _reading(_words(compared), find_order),
    _reading(row_asked, find_row),
    _reading(_words(compares_prices), find_prices),
    _reading(_words(elapsed), find_elapsed),
    _reading(_words(changes_to), find_change),
    _when(asks_among_shapes, find_among_shapes),
    _when(asks_slide, _planned(read_slide)),
)
# What reads a denial, or takes no question that holds one; the other rules tell what is so.
OF_DENIALS: tuple[Attempt, ...] = (_when(asks_program, find_output), *LOOKUPS)


def tried(attempts: Sequence[Attempt], orientation: Orientation) -> Steps[str]:
    """The draft of the first attempt that finds what the question asks for; empty where none does."""
    for attempt in attempts:
        draft = yield from attempt(orientation)
        if draft:
            return draft
    return ""
