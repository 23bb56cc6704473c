"""The embedded rules asked one question, with tools that a test makes up."""

from __future__ import annotations

from collections.abc import Callable

from longtake.agent.orientation import Orientation, classify, quoted, wants_everything
from longtake.agent.rules.moves import Call, Done
from longtake.agent.rules.planner import next_move
from longtake.tools.result import ToolResult


def drafted(question: str, result_of: Callable[[Call], ToolResult], seconds: float = 100.0) -> tuple[str, list[Call]]:
    """The draft about one video of so many seconds, and the calls that were made for it."""
    kind, senses = classify(question)
    orientation = Orientation(
        question=question,
        kind=kind,
        modalities=senses,
        quoted=quoted(question),
        exhaustive=wants_everything(question),
        parts=(question,),
        videos={"v": seconds},
        names={"v": "talk.mp4"},
    )
    done: list[Done] = []
    for _ in range(6):
        move = next_move(orientation, done)
        if isinstance(move, str):
            return move, [step.call for step in done]
        done += [Done(call, result_of(call)) for call in move]
    raise AssertionError("the rules do not come to an end")
