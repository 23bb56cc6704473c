"""Which questions go to which tools: the first route that a question asks for is taken."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from longtake.agent.orientation import Orientation
from longtake.agent.rules.camera import asks_camera, inspect
from longtake.agent.rules.code import asks_code, run_code
from longtake.agent.rules.faces import asks_face, find_faces
from longtake.agent.rules.formulas import asks_formula, find_formula
from longtake.agent.rules.moments import asks_moment, find_flash
from longtake.agent.rules.movement import asks_direction, find_direction
from longtake.agent.rules.notes import asks_notes, keep_notes
from longtake.agent.rules.steps import Plan
from longtake.agent.rules.things import asks_thing, find_thing
from longtake.agent.rules.translation import asks_translation, translate
from longtake.agent.rules.web import asks_web, search_web

Asks = Callable[[Orientation], bool]

# Requests that are none about a video, whatever times and senses their words name.
ERRANDS: tuple[tuple[Asks, Plan], ...] = ((asks_notes, keep_notes), (asks_web, search_web), (asks_code, run_code))
ROUTES: tuple[tuple[Asks, Plan], ...] = (
    (asks_translation, translate),
    (asks_formula, find_formula),
    (asks_moment, find_flash),
    (asks_camera, inspect),
    (asks_direction, find_direction),
    (asks_face, find_faces),
    (asks_thing, find_thing),
)


def route_of(orientation: Orientation, routes: Sequence[tuple[Asks, Plan]]) -> Plan | None:
    """The way to answer of the first of these routes that the question asks for."""
    return next((plan for asks, plan in routes if asks(orientation)), None)
