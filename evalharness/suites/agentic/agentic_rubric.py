"""The rubric of LongShOT's released code for answers with gold calls, with computed tool criteria.

Names and weights are the release's. Each criterion is met as a whole or not at all, so one wrong argument
loses all of them. In the release a model judges every criterion; here only the final answer needs a judge. Penalties
have positive weights, as released: in the reading `repo` nobody can earn them, and a flawless answer stays below 100.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from longtake.evalharness.items import Criterion, ToolCall, ToolDefinition
from longtake.evalharness.scoring.call_scores import Compared

FINAL = "final_answer_correctness"
_BONUS = 0.25  # weight of an optional parameter


def rubric(gold: Sequence[ToolCall], tools: Sequence[ToolDefinition]) -> tuple[Criterion, ...]:
    """The criteria of a turn; none if no tool is to be called.

    Args:
        gold: the calls of the turn.
        tools: whose parameters are counted, whether or not a gold call gives them; unknown tools have none.
    """
    if not gold:
        return ()
    parameters = {tool.name: tool.parameters for tool in tools}
    needed = [required for call in gold for required in parameters.get(call.tool, {}).values()]
    return tuple(_criteria(len({call.tool for call in gold}), sum(needed), len(needed) - sum(needed)))


def verdicts(calls: Compared) -> Mapping[str, bool]:
    """Which criteria the calls meet, by name. A penalty is met when what it forbids was not done."""
    matched = {
        required: not calls.missed and all(each.matches for each in calls.arguments if each.required == required)
        for required in (True, False)
    }
    return {
        "tool_selection_accuracy": calls.gold.keys() == calls.made.keys(),
        "required_parameter_accuracy": matched[True],
        "optional_parameter_precision": matched[False],
        "sequence_logic": calls.in_order == calls.gold.total(),
        "efficiency_penalty": calls.made.total() <= calls.gold.total(),
        "wrong_tool_call": not calls.wrong,
    }


def _criteria(tools: int, required: int, optional: int) -> Iterator[Criterion]:
    yield Criterion(name="tool_selection_accuracy", description="Calls the right tools and no other.", weight=tools)
    if required:
        name = "required_parameter_accuracy"
        yield Criterion(name=name, description="All required arguments are right.", weight=required)
    if optional:
        name = "optional_parameter_precision"
        yield Criterion(name=name, description="All optional arguments are right.", weight=_BONUS * optional)
    yield Criterion(name="sequence_logic", description="The tools are called in the right order.", weight=1)
    yield Criterion(name=FINAL, description="The final answer is right and complete.", weight=3)
    efficient = "Must not make more calls than needed."
    yield Criterion(name="efficiency_penalty", description=efficient, weight=1, penalty=True)
    right = "Must not call unneeded tools."
    yield Criterion(name="wrong_tool_call", description=right, weight=2, penalty=True)
