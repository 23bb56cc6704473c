"""Refines the prompt of a stress test by a model's own failures, as REVEAL does before it asks (section 3.5).

After each failure the model sees the video again, with its reply and the right answer, and proposes a better prompt,
until its replies settle. The paper takes five videos, and doesn't print its words; here they are `prompts/refine.md`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from textwrap import indent

from longtake.errors import ConfigError
from longtake.evalharness.items import Item, Reply, Turn, Variant
from longtake.evalharness.prompts.prompt_set import PromptSet
from longtake.evalharness.reports.document import write_pieces
from longtake.evalharness.runs.run_folder import Notify
from longtake.evalharness.stress.claims import PROMPTS
from longtake.evalharness.subjects.subject import CHOOSE, AskedTurn, Subject
from longtake.language.text import parse_json
from longtake.memory.records import Record
from longtake.prompts import render

ROUNDS = 10  # at most
_QUESTION = "{{ question }}\n{% for letter, text in options %}{{ letter }}. {{ text }}\n{% endfor %}"


class Refinement(Record):
    """The outcome."""

    file: str
    items: int
    right: tuple[int, ...]  # of each round
    settled: bool  # whether all replies were right, or the last two rounds had the same ones


def refine(
    items: Sequence[Item], subject: Subject, out: Path, notify: Notify, advance: Callable[[int, int], None]
) -> Refinement:
    """Ask the multiple-choice questions of a set again and again, each time with a better prompt, and write the last.

    `out` is the file for `eval run --prompts`; `advance` is called with the number of rounds before each.

    Raises:
        ConfigError: if no item is multiple choice.
        LibraryError: if the file can't be written.
        LongtakeError: if the model can't be asked.
    """
    asked = [item for item in items if item.format == "choice" and item.turns[0].gold is not None]
    if not asked:
        raise ConfigError("The set has no multiple-choice question with a right option, so no prompt can be refined.")
    prompt, before, right, settled = "", dict[str, int | None](), list[int](), False
    while not settled and len(right) < ROUNDS:
        advance(len(right), ROUNDS)
        replies = {item.id: _reply(subject, item, PromptSet(question=_template(prompt))) for item in asked}
        chosen = {name: reply.choice for name, reply in replies.items()}
        wrong = [item for item in asked if chosen[item.id] != item.turns[0].gold]
        right.append(len(asked) - len(wrong))
        settled = not wrong or chosen == before
        before = chosen
        for item in [] if settled else wrong:
            prompt = _better(subject, item, replies[item.id].spoken, prompt, notify)
    write_pieces(out, ["question: |-\n", indent(_template(prompt), "  "), "\n"])
    return Refinement(file=str(out), items=len(asked), right=tuple(right), settled=settled)


def _template(prompt: str) -> str:
    """The question after a prompt, which may hold anything and so is a string in Jinja."""
    head = f"{{{{ {json.dumps(prompt, ensure_ascii=False)} }}}}\n\n" if prompt else ""
    return f"{head}{_QUESTION}{{% if options %}}{CHOOSE}{{% endif %}}"


def _reply(subject: Subject, item: Item, prompts: PromptSet | None = None) -> Reply:
    return subject.reply(AskedTurn(item, 0, Variant(name="refined", prompts=prompts), 0, ()))


def _better(subject: Subject, item: Item, said: str, prompt: str, notify: Notify) -> str:
    """What a model proposes after a failure; if that can't be read, the prompt as it was."""
    turn = item.turns[0]
    request = render(PROMPTS, "refine", prompt=prompt, turn=turn, said=said)
    text = _reply(subject, item.model_copy(update={"format": "open", "turns": (Turn(question=request),)})).spoken
    try:
        found: Mapping[str, object] = parse_json(text[text.find("{") : text.rfind("}") + 1])
        return str(found["prompt"]).strip()
    except (ValueError, KeyError):
        notify(f"{item.id}: the reply of {subject.name} has no prompt; the one before it stays.")
        return prompt
