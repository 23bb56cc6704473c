"""Which judge of a run is meant, if several have judged it: scores are made of the verdicts of one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from longtake.errors import ConfigError


def which_judge(verdicts: Mapping[str, int], name: str | None, run: Path) -> str | None:
    """The judge whose verdicts count; None, which is any, if nobody has given one.

    Args:
        verdicts: how many each judge gave; judges without any, for example because their model was down, are skipped.
        name: the id of the judge, or how it begins; None: the only one.
        run: the folder, for the message.

    Raises:
        ConfigError: if none or several are of that name, or when there are several and none is named.
    """
    if not verdicts:
        if name is not None:
            raise ConfigError(f"{run} has no verdicts yet; run `longtake eval judge {run}`.")
        return None
    named = [name] if name in verdicts else [judge for judge in verdicts if judge.startswith(name or "")]
    if len(named) != 1:
        held = ", ".join(f"{judge} ({count})" for judge, count in verdicts.items())
        raise ConfigError(f"{run} has verdicts of {held}; name one of these judges with --judge.")
    return named[0]
