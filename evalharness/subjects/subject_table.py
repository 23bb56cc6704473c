"""The table of subjects, by their names on the command line."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from longtake import __version__
from longtake.console import Session
from longtake.errors import ConfigError, did_you_mean
from longtake.evalharness.items import Item
from longtake.evalharness.runs.bounded_map import REQUESTS
from longtake.evalharness.runs.run_folder import RunCard
from longtake.evalharness.subjects.baselines import LongestOption, MajorityLetter, RandomOption
from longtake.evalharness.subjects.model_spec import BAG_OF_FRAMES, FRAMES, given_by, is_model
from longtake.evalharness.subjects.names import MODELS, NAMES, named
from longtake.evalharness.subjects.subject import SaysCost, Subject
from longtake.plugins import Table, callable_part
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.engines.engine_table import ENGINES

if TYPE_CHECKING:
    from longtake.preprocess.pipeline.workspace import Workspace

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


def _agent(options: SubjectOptions) -> Subject:
    from longtake.evalharness.subjects.agent_subject import AgentSubject
    from longtake.preprocess.pipeline.workspace import Workspace

    own = _session_of(options.name, options.session)
    return AgentSubject(options.name, Workspace(own.library_root, own.settings), options.at_once or 1)


def _finder(options: SubjectOptions) -> Subject:
    from longtake.evalharness.subjects.baselines import Finder

    return Finder(options.name, _workspace(options), ("speech",) if options.name == "transcript" else ())


def _recorded(options: SubjectOptions) -> Subject:
    from longtake.evalharness.subjects.baselines import RecordedReplies

    return RecordedReplies(options.name, Path(_rest(options.name)), options.items)


def _lexical(options: SubjectOptions) -> Subject:
    from longtake.evalharness.subjects.local_models import WordOverlap

    return WordOverlap(options.name, _workspace(options))


def _embedding(options: SubjectOptions) -> Subject:
    from longtake.evalharness.subjects.local_models import MeaningOverlap

    return MeaningOverlap(options.name, _workspace(options), _rest(options.name))


def _likelihood(options: SubjectOptions) -> Subject:
    from longtake.evalharness.subjects.local_models import OptionLikelihood

    return OptionLikelihood(options.name, _workspace(options), Path(_rest(options.name)).expanduser())


def _bag_of_frames(options: SubjectOptions) -> Subject:
    from longtake.evalharness.subjects.local_models import BagOfFrames

    _rest(options.name)
    return BagOfFrames(options.name, _workspace(options))


def _model(options: SubjectOptions) -> Subject:
    from longtake.evalharness.subjects.endpoint_model import EndpointModel, Simulated

    name, given, workspace = options.name, given_by(options.name), _workspace(options)
    at_once = options.at_once or REQUESTS
    model = EndpointModel(name, given, workspace, at_once)
    if not name.startswith("simulated:"):
        return model
    blind = given.model_copy(update={"frames": 0, "fps": None, "transcript": False})
    return Simulated(name, model, EndpointModel(name, blind, workspace, at_once))


def _rest(name: str) -> str:
    """What a name says after its colon."""
    kind, _, rest = name.partition(":")
    if not rest:
        raise ConfigError(
            f"The subject {kind} needs more: {next(each for each in NAMES if each.startswith(f'{kind}:'))}"
        )
    return rest


def _workspace(options: SubjectOptions) -> Workspace:
    from longtake.preprocess.pipeline.workspace import Workspace

    return Workspace(options.session.library_root, options.session.settings)


MakeSubject = Callable[[SubjectOptions], Subject]
_BUILT_IN: dict[str, MakeSubject] = {
    "agent": _agent,
    "retrieval": _finder,
    "transcript": _finder,
    "random": lambda _: RandomOption(),
    "majority": lambda options: MajorityLetter(options.items),
    "longest": lambda _: LongestOption(),
    "replies": _recorded,
    "lexical": _lexical,
    "embedding": _embedding,
    "likelihood": _likelihood,
    BAG_OF_FRAMES: _bag_of_frames,
    **dict.fromkeys(FRAMES, _model),
}
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
