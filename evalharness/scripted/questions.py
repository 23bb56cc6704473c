"""Makes items from a script: the kinds of question in `questions.yaml`, filled with the facts of its scenes.

Half of their wordings are seen by nobody who works on the agent, so that they measure it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from random import Random
from typing import Any, Literal, NamedTuple

import yaml
from pydantic import Field, TypeAdapter

from longtake.evalharness.items import Criterion, Item, ToolCall, Turn
from longtake.evalharness.scripted.script import FPS, ScriptedVideo, moments_of
from longtake.memory.records import Record
from longtake.memory.timespan import TimeSpan

Wording = Literal["seen", "unseen"]
WORDINGS: tuple[Wording, ...] = ("seen", "unseen")
Wordings = Mapping[str, tuple[str, ...]]
_READ: TypeAdapter[Wordings] = TypeAdapter(Mapping[str, tuple[str, ...]])
SUITE = "scripted"
DEVELOPMENT_SEEDS = range(10)  # for development; all other seeds are unseen
_VIDEO = "video"
_SLOT = re.compile(r"\{([\w.]+)\}")
_WEIGHT_OF_MOMENT, _WEIGHT_OF_OPTION = 3.0, 5.0
_TOLERANCE = 1.0  # tolerance in seconds for a cited moment
_ABSTAINS = Criterion(
    name="abstains", description="Says that it cannot be told.", weight=5.0, check={"kind": "abstains"}
)
_INVENTS = Criterion(
    name="hallucination",
    description="Must not give an answer that nothing in the video supports.",
    weight=-5.0,
    penalty=True,
    check={"kind": "abstains"},
)


def read_wordings(half: Wording) -> Wordings:
    """The wordings of one half, by the kind of question; their slots are facts, as in `questions.yaml`."""
    text = (files("longtake.evalharness.scripted") / f"{half}_wordings.yaml").read_text(encoding="utf-8")
    return _READ.validate_python(yaml.safe_load(text))


class QuestionKind(Record):
    """One kind of question; its texts have slots."""

    of: str
    task: str
    difficulty: int = Field(ge=1, le=5)
    modalities: tuple[str, ...]
    reference: str
    options: str | tuple[str, ...] = ()
    gold: str = ""
    calls: tuple[ToolCall, ...]
    checks: tuple[Mapping[str, Any], ...] = ()
    at: str | None = "scene"
    hears: bool = False
    follows: bool = False
    absent: bool = False


class QuestionTable(Record):
    """The content of `questions.yaml`."""

    kinds: Mapping[str, QuestionKind]
    conversations: Mapping[str, tuple[str, ...]]


class _Place(NamedTuple):
    """The subject of a question: a scene or the whole video, with its facts and moments as slots."""

    kind: str
    slots: Mapping[str, Any]
    heard: bool  # whether its speech is in subtitles


@cache
def questions() -> QuestionTable:
    """The kinds of question, and the conversations made of them."""
    text = (files("longtake.evalharness.scripted") / "questions.yaml").read_text(encoding="utf-8")
    return QuestionTable.model_validate(yaml.safe_load(text))


def items_of(script: ScriptedVideo, wordings: Mapping[Wording, Wordings]) -> list[Item]:
    """All items of a video: each kind of question that its scenes allow, and conversations.

    Of wordings from both halves, those of one alternate with those of the other between videos.
    """
    table = questions()
    made: list[Item] = []
    for place in _places(script):
        alone = {name: (name,) for name, kind in table.kinds.items() if kind.of == place.kind and not kind.follows}
        several = {name: kinds for name, kinds in table.conversations.items() if table.kinds[kinds[0]].of == place.kind}
        made += [_item(script, place, name, kinds, wordings) for name, kinds in (alone | several).items()]
    return made


def _places(script: ScriptedVideo) -> Iterator[_Place]:
    whole = TimeSpan(start=0.0, end=script.firsts[-1] / FPS)
    yield _Place(_VIDEO, {**script.facts, "scene": whole}, script.subtitled)
    for scene, first in zip(script.scenes, script.firsts, strict=False):
        yield _Place(scene.kind, {**scene.facts, **moments_of(scene, first)}, script.subtitled)


def _item(
    script: ScriptedVideo, place: _Place, name: str, kinds: Sequence[str], wordings: Mapping[Wording, Wordings]
) -> Item:
    """The item of one question or one conversation."""
    random = Random(f"{script.seed}/{script.number}/{name}")
    halves: list[Wording] = [half for half in WORDINGS if half in wordings]
    # Every second video has subtitles, so the halves change with every second pair: neither depends on the other.
    names = [*questions().kinds, *questions().conversations]
    wording = halves[(script.number // 2 + names.index(name)) % len(halves)]
    turns = tuple(_turn(place, kind, wordings[wording], random) for kind in kinds)
    rows = [questions().kinds[kind] for kind in kinds]
    return Item(
        suite=SUITE,
        id=f"{script.name}-{name}",
        video=script.name,
        media=f"{script.name}.mp4",
        task=rows[-1].task,
        format="rubric",
        turns=turns,
        seconds=script.firsts[-1] / FPS,
        tags={
            "kind": name,
            "wording": wording,
            "seed": "seen" if script.seed in DEVELOPMENT_SEEDS else "unseen",
            "tool": rows[-1].calls[-1].tool,
            "tools": " ".join(dict.fromkeys(call.tool for row in rows for call in row.calls)),
            "events": place.kind,
            "speech": "subtitles" if script.subtitled else "sound only",
            "expects": "abstention" if any(_unanswerable(row, place) for row in rows) else "answer",
        },
    )


def _unanswerable(kind: QuestionKind, place: _Place) -> bool:
    """Whether a question can only be answered with speech recognition."""
    return kind.absent or (kind.hears and not place.heard)


def _turn(place: _Place, name: str, wordings: Wordings, random: Random) -> Turn:
    kind = questions().kinds[name]
    slots = place.slots
    unanswerable = _unanswerable(kind, place)
    named = filled(kind.options, slots)
    options = () if unanswerable else tuple(random.sample(named, len(named)))
    gold = options.index(filled(kind.gold, slots)) if options else None
    moment = slots[kind.at] if kind.at else None
    reference = _as_text(filled(kind.reference, slots))
    if kind.hears and not place.heard:
        reference = f"It cannot be determined without hearing the speech, which is: {reference}"
    return Turn(
        question=filled(random.choice(wordings[name]), slots),
        reference=reference,
        options=options,
        gold=gold,
        criteria=tuple(_criteria(kind, slots, gold, unanswerable)),
        calls=tuple(_call(call, slots) for call in kind.calls),
        evidence=(moment,) if moment else (),
        modalities=kind.modalities,
        difficulty=kind.difficulty,
        tags={"kind": name},
    )


def _criteria(
    kind: QuestionKind, slots: Mapping[str, Any], gold: int | None, unanswerable: bool
) -> Iterator[Criterion]:
    if unanswerable:
        yield _ABSTAINS
        yield _INVENTS
    if gold is not None:
        yield _criterion({"weight": _WEIGHT_OF_OPTION, "kind": "option", "value": gold}, 0)
    for place, check in enumerate(kind.checks):
        if not unanswerable or check["weight"] < 0:
            yield _criterion(filled(check, slots), place)
    if kind.at and not unanswerable:
        moment = slots[kind.at]
        row = {"weight": _WEIGHT_OF_MOMENT, "kind": "cites", "start": moment.start, "end": moment.end}
        yield _criterion(row | {"tolerance": _TOLERANCE}, 0)


def _criterion(row: Mapping[str, Any], number: int) -> Criterion:
    """The criterion of a check with its weight; a negative weight makes it a penalty.

    The number distinguishes criteria of one kind in a turn.
    """
    check = {key: value for key, value in row.items() if key not in ("weight", "name")}
    return Criterion(
        name=row.get("name", f"{check['kind']}_{number + 1}"),
        description=_described(check),
        weight=row["weight"],
        penalty=row["weight"] < 0,
        check=check,
    )


def _described(check: Mapping[str, Any]) -> str:
    match check["kind"]:
        case "number":
            return f"States the number {check['value']}."
        case "time":
            return f"States a time from {check['start']:.2f} to {check['end']:.2f} s."
        case "option":
            return f"Chooses option {'ABCDEFGH'[check['value']]}."
        case "cites":
            return f"Points to the moment from {check['start']:.2f} to {check['end']:.2f} s."
        case "order":
            return f"Names in this order: {', '.join(check['things'])}."
        case "calls":
            return f"Calls the tool {check['tool']}."
        case _ if "any" in check:
            return f"Says one of: {', '.join(check['any'])}."
        case _:
            return f"Must not say: {', '.join(check['not'])}."


def _call(call: ToolCall, slots: Mapping[str, Any]) -> ToolCall:
    """A gold call, with texts and lists of texts as arguments."""
    arguments = filled(call.arguments, slots)
    return ToolCall(
        tool=call.tool,
        arguments={name: list(value) if isinstance(value, tuple) else str(value) for name, value in arguments.items()},
        result=_as_text(filled(call.result, slots)),
    )


def filled(template: Any, slots: Mapping[str, Any]) -> Any:
    """A template with its slots filled. A text that is only a slot becomes the slot's value.

    Raises:
        KeyError: if there is no such slot.
    """
    if isinstance(template, str):
        only = _SLOT.fullmatch(template)
        return _value(only[1], slots) if only else _SLOT.sub(lambda slot: _as_text(_value(slot[1], slots)), template)
    if isinstance(template, Mapping):
        return {key: filled(value, slots) for key, value in template.items()}
    if isinstance(template, Sequence):
        return tuple(filled(value, slots) for value in template)
    return template


def _value(name: str, slots: Mapping[str, Any]) -> Any:
    whole, _, part = name.partition(".")
    return getattr(slots[whole], part) if part else slots[whole]


def _as_text(value: Any) -> str:
    return "; ".join(map(str, value)) if isinstance(value, tuple) else str(value)
