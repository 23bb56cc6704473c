"""Which questions go to which tools: the first route that a question asks for is taken."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from longtake.agent.orientation import Orientation
from longtake.agent.rules.calculation import asks_calculation, calculate
from longtake.agent.rules.errands.code import asks_code, run_code
from longtake.agent.rules.errands.looked_up import asks_looked_up, look_up
from longtake.agent.rules.errands.notes import asks_notes, keep_notes
from longtake.agent.rules.errands.web import asks_web, search_web
from longtake.agent.rules.everything import add_up, asks_total
from longtake.agent.rules.limits import abstain, asks_too_much
from longtake.agent.rules.price_list import asks_price_list, read_price_list
from longtake.agent.rules.sight.blank import asks_blank, find_blank
from longtake.agent.rules.sight.camera import asks_camera, inspect
from longtake.agent.rules.sight.comparing import asks_more, compare_numbers
from longtake.agent.rules.sight.corners import asks_corner, find_corner
from longtake.agent.rules.sight.counting import asks_ever_seen, count_seen, counts_by_eye, look_everywhere
from longtake.agent.rules.sight.faces import asks_face, find_faces
from longtake.agent.rules.sight.formulas import asks_formula, find_formula
from longtake.agent.rules.sight.moments import asks_moment, find_flash
from longtake.agent.rules.sight.movement import asks_direction, find_direction
from longtake.agent.rules.sight.things import asks_thing, find_thing
from longtake.agent.rules.sounds import count_sounds, counts_sounds
from longtake.agent.rules.steps import Plan
from longtake.agent.rules.tables import asks_amount, find_amount
from longtake.agent.rules.translation import asks_translation, translate

Asks = Callable[[Orientation], bool]

# Requests that are none about a video alone, whatever times and senses their words name.
ERRANDS: tuple[tuple[Asks, Plan], ...] = (
    (asks_notes, keep_notes),
    (asks_looked_up, look_up),
    (asks_web, search_web),
    (asks_code, run_code),
)
ROUTES: tuple[tuple[Asks, Plan], ...] = (
    (asks_too_much, abstain),
    (asks_total, add_up),
    (asks_price_list, read_price_list),
    (asks_blank, find_blank),
    (asks_ever_seen, look_everywhere),
    (asks_translation, translate),
    (asks_formula, find_formula),
    (asks_calculation, calculate),
    (asks_moment, find_flash),
    (asks_camera, inspect),
    (asks_more, compare_numbers),
    (asks_direction, find_direction),
    (asks_corner, find_corner),
    (asks_face, find_faces),
    (asks_thing, find_thing),
    (asks_amount, find_amount),
    (counts_sounds, count_sounds),
    (counts_by_eye, count_seen),
)


def route_of(orientation: Orientation, routes: Sequence[tuple[Asks, Plan]]) -> Plan | None:
    """The way to answer of the first of these routes that the question asks for."""
    return next((plan for asks, plan in routes if asks(orientation)), None)
