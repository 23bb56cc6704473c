"""The subjects by the names that people give them on the command line."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from longtake.console import Session
from longtake.errors import ConfigError
from longtake.evalharness.items import Item
from longtake.evalharness.runs.bounded_map import REQUESTS
from longtake.evalharness.subjects.model_spec import given_by, is_model
from longtake.evalharness.subjects.naive_baselines import LongestOption, MajorityLetter, RandomOption
from longtake.evalharness.subjects.names import MODELS, NAMES
from longtake.evalharness.subjects.subject import Subject


def subject_named(name: str, items: Sequence[Item], session: Session, at_once: int = REQUESTS) -> Subject:
    """A subject.

    Args:
        name: one of `NAMES`, or a model, as in `given`. The agent has the profile of the session, or the one that its
            name says, under the same `--set`.
        items: all of the suite, whether it is asked them or not.
        session: the options given before the command.
        at_once: requests under way at the endpoint of a model at the same time.

    Raises:
        ConfigError: when there is none of that name, its profile is wrong, or the endpoint of a model may not be asked.
    """
    if is_model(name):
        from longtake.evalharness.subjects.endpoint_model import EndpointModel
        from longtake.evalharness.suites.agentic.agentic_simulated import Simulated
        from longtake.preprocess.pipeline.workspace import Workspace

        given, workspace = given_by(name), Workspace(session.library_root, session.settings)
        model = EndpointModel(name, given, workspace, at_once)
        if not name.startswith("simulated:"):
            return model
        blind = given.model_copy(update={"frames": 0, "fps": None, "transcript": False})
        return Simulated(name, model, EndpointModel(name, blind, workspace, at_once))
    if name.partition(":")[0] == "agent":
        from longtake.evalharness.subjects.agent_subject import AgentSubject
        from longtake.preprocess.pipeline.workspace import Workspace

        own = _session_of(name, session)
        return AgentSubject(name, Workspace(own.library_root, own.settings))
    if name in ("retrieval", "transcript"):
        from longtake.evalharness.subjects.retrieval_baseline import Finder
        from longtake.preprocess.pipeline.workspace import Workspace

        workspace = Workspace(session.library_root, session.settings)
        return Finder(name, workspace, ("speech",) if name == "transcript" else ())
    if name == "random":
        return RandomOption()
    if name == "majority":
        return MajorityLetter(items)
    if name == "longest":
        return LongestOption()
    raise ConfigError(f"There is no subject {name!r}; there are {', '.join((*NAMES, *MODELS))}.")


def settings_hash(names: Sequence[str], session: Session) -> str:
    """Twelve hex digits of the settings under which subjects of these names are asked.

    Raises:
        ConfigError: when a profile that a name says is wrong.
    """
    settings = "".join(_session_of(name, session).settings.model_dump_json() for name in names)
    return hashlib.blake2b(settings.encode(), digest_size=6).hexdigest()


def _session_of(name: str, session: Session) -> Session:
    """The session with the profile that the name of a subject says, where it says one."""
    kind, has_profile, profile = name.partition(":")
    return replace(session, profile=profile) if kind == "agent" and has_profile else session
