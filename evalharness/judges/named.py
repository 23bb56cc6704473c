"""Which judge of a run is meant, where several have judged it: scores are made of the verdicts of one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from longtake.errors import ConfigError
from longtake.evalharness.items import Judgement


def of_judge(found: Sequence[Judgement], name: str | None, run: Path) -> list[Judgement]:
    """The judgements of one judge; one that never gave a verdict, as when its model was down, is none to choose from.

    Args:
        found: all that a run holds.
        name: the id of the judge, or how it begins; None: the only one.
        run: its folder, for the message.

    Raises:
        ConfigError: when none or several are of that name, or when there are several and none is named.
    """
    verdicts = Counter(each.judge for each in found if each.met is not None)
    if not verdicts and name is None:
        return list(found)
    if not verdicts:
        raise ConfigError(f"{run} holds no verdicts of any judge; run `longtake eval judge {run}`.")
    named = [name] if name in verdicts else [judge for judge in verdicts if judge.startswith(name or "")]
    if len(named) != 1:
        held = ", ".join(f"{judge} ({count})" for judge, count in verdicts.items())
        raise ConfigError(f"{run} holds verdicts of {held}; name one of these judges with --judge.")
    return [each for each in found if each.judge in named]
