"""The table of subjects, by their names on the command line."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from longtake import __version__
from longtake.console import Session
from longtake.errors import ConfigError, did_you_mean
from longtake.evalharness.items import Item
from longtake.evalharness.runs.bounded_map import REQUESTS
from longtake.evalharness.runs.run_folder import RunCard
from longtake.evalharness.subjects.model_spec import BAG_OF_FRAMES, FRAMES, given_by, is_model
from longtake.evalharness.subjects.names import MODELS, NAMES, named
from longtake.evalharness.subjects.subject import SaysCost, Subject
from longtake.plugins import Table, callable_part
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.engines.engine_table import ENGINES

NAMED = ("replies", "embedding", "likelihood", BAG_OF_FRAMES)  # whose name goes on after a colon


@dataclass(frozen=True, slots=True)
class SubjectOptions:
    """The input for making a subject."""

    name: str  # its specification
    items: Sequence[Item]  # all items of the suite, even if it isn't asked all of them
    session: Session  # the options given before the command
    at_once: int | None = None  # concurrent requests to a model's endpoint, or questions of an agent; None: as usual


def subject_named(given: str, items: Sequence[Item], session: Session, at_once: int | None = None) -> Subject:
    """Make a subject of a specification (of the table, or of a model as in `model_spec`), or of NAME=SPEC.

    The agent uses the session's profile, or the one in its name, with the same `--set` options.

    Raises:
        ConfigError: if there is none of that name, its profile is wrong, or the endpoint of a model may not be asked.
        PluginError: if it is of another package and cannot be used.
    """
    name, spec = named(given)
    kind = spec.partition(":")[0]
    known = kind if kind in ("agent", *NAMED) or is_model(spec) else spec
    if known not in SUBJECTS:
        others = [each for each in SUBJECTS if each not in _BUILT_IN]
        raise ConfigError(f"There is no subject {spec!r}. {did_you_mean(spec, (*NAMES, *MODELS, *others))}")
    subject = SUBJECTS[known](SubjectOptions(spec, items, session, at_once))
    subject.name = name
    return subject


def _built_in(options: SubjectOptions) -> Subject:
    """A subject of Longtake's own. What it runs on is imported only now."""
    from longtake.evalharness.subjects import agent_subject, baselines, endpoint_model, local_models
    from longtake.preprocess.pipeline.workspace import Workspace

    name, session = options.name, _session_of(options.name, options.session)
    kind, _, rest = name.partition(":")
    if kind in NAMED and not rest:
        needed = next(each for each in NAMES if each.startswith(f"{kind}:"))
        raise ConfigError(f"The subject {kind} needs more: {needed}")
    match kind:
        case "random":
            return baselines.BlindGuess(name, baselines.random_place)
        case "majority":
            return baselines.BlindGuess(name, baselines.majority_place(options.items))
        case "longest":
            return baselines.BlindGuess(name, baselines.longest_place)
        case "replies":
            return baselines.RecordedReplies(name, Path(rest), options.items)
    workspace = Workspace(session.library_root, session.settings)
    match kind:
        case "agent":
            return agent_subject.AgentSubject(name, workspace, options.at_once or 1)
        case "retrieval" | "transcript":
            return baselines.Finder(name, workspace, ("speech",) if kind == "transcript" else ())
        case "lexical":
            return local_models.WordOverlap(name, workspace)
        case "embedding":
            return local_models.MeaningOverlap(name, workspace, rest)
        case "likelihood":
            return local_models.OptionLikelihood(name, workspace, Path(rest).expanduser())
        case "bag-of-frames":
            return local_models.BagOfFrames(name, workspace)
    given, at_once = given_by(name), options.at_once or REQUESTS
    model = endpoint_model.EndpointModel(name, given, workspace, at_once)
    if kind != "simulated":
        return model
    blind = given.model_copy(update={"frames": 0, "fps": None, "transcript": False})
    return endpoint_model.Simulated(name, model, endpoint_model.EndpointModel(name, blind, workspace, at_once))


MakeSubject = Callable[[SubjectOptions], Subject]
_BUILT_IN: dict[str, MakeSubject] = dict.fromkeys((*(name.partition(":")[0] for name in NAMES), *FRAMES), _built_in)
SUBJECTS: Table[MakeSubject] = Table("subjects", _BUILT_IN, callable_part)


def card_of_subjects(given: Sequence[str], session: Session, suite: str, source: Path) -> RunCard:
    """The card of a run, as far as its subjects and its source say.

    Raises:
        ConfigError: if two subjects have one name, or a profile that one names is wrong.
    """
    specs = {each.name: each.spec for each in map(named, given)}
    for name, spec in map(named, given):
        if specs[name] != spec:
            raise ConfigError(f"Two subjects are called {name}; give each a name of its own, as NAME=SPEC.")
    return RunCard(
        suite=suite,
        source=str(source.resolve()),
        subjects=tuple(specs),
        specs={name: spec for name, spec in specs.items() if name != spec},
        settings={name: _settings_hash(spec, session) for name, spec in specs.items()},
        version=__version__,
    )


def _settings_hash(spec: str, session: Session) -> str:
    """Twelve hex digits that identify a subject's settings; what a model costs isn't one."""
    settings = _session_of(spec, session).settings
    unpriced = settings.model_copy(update={"controller": settings.controller.model_copy(update={"price": None})})
    return hashlib.blake2b(unpriced.model_dump_json().encode(), digest_size=6).hexdigest()


def uses_gpu(subject: Subject, spec: str, session: Session) -> bool:
    """Whether a subject computes on a GPU where there is one."""
    if not (isinstance(subject, SaysCost) and subject.indexes):
        return False
    settings = _session_of(spec, session).settings
    return settings.controller.engine == "transformers" or any(map(EngineTable(settings).on_gpu, ENGINES))


def _session_of(name: str, session: Session) -> Session:
    """The session with the profile in a subject's name, if any."""
    kind, has_profile, profile = name.partition(":")
    return replace(session, profile=profile) if kind == "agent" and has_profile else session
