"""Plans of several steps come to an end."""

from __future__ import annotations

from longtake.agent.orientation import Orientation
from longtake.agent.rules.moves import Call, Done
from longtake.agent.rules.steps import ask, play
from longtake.tools.result import ToolResult


def test_a_plan_that_asks_again_for_what_it_has_ends_open() -> None:
    call = Call("extract_scene_text", {"timestamp": [0.0, 60.0]})
    orientation = Orientation(question="What is written there?", kind="read", videos={"v": 60.0})
    done = [Done(call, ToolResult(tool=call.name))]
    assert play(ask(lambda _, __: [call], orientation), done) == (
        "NOT FOUND: Asking again for what is known already tells nothing more."
    )
