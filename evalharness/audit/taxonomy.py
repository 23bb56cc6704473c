"""Derives categories from the sub-tasks of what remains: one call of a model, as Video-Oasis begins its taxonomy.

The paper's authors consolidate the candidates into five; here they are a YAML file, which people edit and
`eval audit vote --categories` takes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from longtake.config import parse_yaml
from longtake.errors import ConfigError, EngineError
from longtake.evalharness.audit.audit_state import AuditState
from longtake.evalharness.audit.categories import VARIANT
from longtake.evalharness.items import Item, Turn
from longtake.evalharness.scoring.choices import LABELS
from longtake.evalharness.subjects.subject import AskedTurn, Subject

_SHOWN = 200  # characters of a reply in a message


def sub_tasks(states: Sequence[AuditState]) -> dict[str, list[str]]:
    """By benchmark, the tasks that its remaining items name, each once and in their order.

    Raises:
        ConfigError: if none names one.
    """
    found = {
        state.name: list(dict.fromkeys(task for name in state.remaining if (task := state.replies.items[name].task)))
        for state in states
    }
    if not any(found.values()):
        raise ConfigError("No remaining item names its task. Name the column of the tasks in the card, as `task`.")
    return {name: tasks for name, tasks in found.items() if tasks}


def derive_categories(subject: Subject, tasks: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Ask a model for categories by name, each with its definition.

    Raises:
        EngineError: if its reply has fewer than two.
        LongtakeError: if it can't be asked.
    """
    turn = Turn(question=_question(tasks))
    item = Item(suite="audit-taxonomy", id="taxonomy", video="", format="open", turns=(turn,))
    reply = subject.reply(AskedTurn(item, 0, VARIANT, 0, ()))
    if reply.error:
        raise EngineError(f"{subject.name} gave no categories: {reply.error}")
    lines = (line.strip().strip("*-<> ").partition(":") for line in reply.spoken.splitlines())
    found = {name.strip("*<> "): meaning.strip("*<> ") for name, _, meaning in lines if name and meaning.strip()}
    if len(found) < 2:
        raise EngineError(
            f"{subject.name} gave no list of categories but {reply.spoken[:_SHOWN]!r}. Ask another model."
        )
    return found


def read_categories(file: Path) -> dict[str, str]:
    """Categories by name, each with its definition.

    Raises:
        ConfigError: if the file doesn't have at least two, or more than there are letters for.
    """
    try:
        tree = parse_yaml(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{file} can't be read: {error.strerror}. Check its name.") from error
    except ValueError as error:
        raise ConfigError(f"{file} isn't valid YAML: {error}. Correct it.") from error
    if not isinstance(tree, dict) or not all(isinstance(each, str) and each for pair in tree.items() for each in pair):
        raise ConfigError(f"{file} has no definition by name. Write each category on a line, as `name: definition`.")
    if odd := next((name for name in tree if ":" in name), None):
        raise ConfigError(f"{file}: the name {odd!r} has a colon. Write it without.")
    if not 2 <= len(tree) <= len(LABELS):
        raise ConfigError(f"{file} names {len(tree)} instead of 2 to {len(LABELS)} categories. Correct it.")
    return tree


def _question(tasks: Mapping[str, Sequence[str]]) -> str:
    listed = "\n".join(f"{benchmark}: {', '.join(names)}" for benchmark, names in tasks.items())
    return (
        "Here are the tasks of questions about videos, by benchmark. The questions are what remains after those were "
        "taken out that can be answered without the video, from one frame or from frames in any order.\n\n"
        f"{listed}\n\n"
        "Leave aside the tasks that one still picture or knowledge of language would do for. Group the others by the "
        "ability that they need, in a few categories that together cover what it takes to understand videos. Reply "
        "with nothing but the categories, one a line, as `name: definition`; a definition has three sentences at most."
    )
