"""Requests to keep the last answer, and to tell again what was kept: "remember this result", "which number was it?".

What is kept of a video is asked again, so that it is told with its proof; the note alone would prove nothing.
"""

from __future__ import annotations

from longtake.agent.claims import NOT_FOUND, plain_text
from longtake.agent.errands import KEEP_ANSWER, TELL_KEPT
from longtake.agent.follow_up import resolve
from longtake.agent.orientation import Orientation
from longtake.agent.rules.errands.notes import TOOL, listed
from longtake.agent.rules.moves import Call, not_found
from longtake.agent.rules.steps import Steps


def question_kept(orientation: Orientation) -> Orientation | None:
    """The question before, whose answer is to be kept or was; None where a request is about neither."""
    questions = [turn.removeprefix("Q: ").partition("\nA: ")[0] for turn in orientation.earlier]
    if TELL_KEPT.match(orientation.own_words):
        kept = [place for place, question in enumerate(questions) if KEEP_ANSWER.match(question)]
        questions = questions[: kept[-1]] if kept else []
    elif not KEEP_ANSWER.match(orientation.own_words):
        return None
    if not questions:
        return None
    asked = orientation.reworded(resolve(questions[-1], questions[:-1]))
    return asked.model_copy(update={"as_asked": "", "earlier": orientation.earlier[: len(questions) - 1]})


def keep_answer(orientation: Orientation, answered: Steps[str]) -> Steps[str]:
    """The answer to that question, once more with its proof: kept as a note, or told where it was kept before."""
    answer = yield from answered
    if answer.startswith(NOT_FOUND):
        return not_found("The question before had no answer that could be kept.")
    if TELL_KEPT.match(orientation.own_words):
        (found,) = yield [Call(TOOL, {"func": "search", "data": ""})]
        notes = found.result.output.get("output") or ()
        held = not notes or any(plain_text(answer) in note["text"] for note in notes)
        return answer if held else listed(notes)
    (kept,) = yield [Call(TOOL, {"func": "add", "data": plain_text(answer)})]
    if kept.result.failure or not kept.result.output["success"]:
        return not_found(kept.result.failure.message if kept.result.failure else str(kept.result.output["output"]))
    return f"Kept: {answer}"
