"""The subjects by the names that people give them on the command line."""

from __future__ import annotations

from collections.abc import Sequence

from longtake.console import Session
from longtake.errors import ConfigError
from longtake.evalharness.items import Item
from longtake.evalharness.subjects.blind import LongestOption, MajorityLetter, RandomOption
from longtake.evalharness.subjects.subject import Subject

NAMES = ("agent", "random", "majority", "longest")


def subject_named(name: str, items: Sequence[Item], session: Session) -> Subject:
    """A subject.

    Args:
        name: one of `NAMES`; the agent is that of the session's profile and library.
        items: what it will be asked.
        session: the options given before the command.

    Raises:
        ConfigError: when there is none of that name.
    """
    if name == "agent":
        from longtake.evalharness.subjects.agent import Agent
        from longtake.preprocess.workspace import Workspace

        return Agent(name, Workspace(session.library_root, session.settings))
    if name == "random":
        return RandomOption()
    if name == "majority":
        return MajorityLetter(items)
    if name == "longest":
        return LongestOption()
    raise ConfigError(f"There is no subject {name!r}; there are {', '.join(NAMES)}.")
