"""A benchmark with planted shortcuts: drawn videos with subtitles, and questions whose shortcuts are known.

A video shows five captions, one after another, each below a moving shape, and its subtitles say other things. Its five
questions are one each of what can be solved from the wording, from what is said, from the frame in the middle and from
any order of frames, and one that needs the video: the order of captions, or a motion. Everything follows from the seed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import yaml

from longtake.console import raise_if_interrupted
from longtake.evalharness.audit.audit_scores import TAG
from longtake.evalharness.edits.rendering import write_frames
from longtake.evalharness.runs.journal import write_file
from longtake.evalharness.runs.run_folder import Notify
from longtake.evalharness.stress.scenes import COLOURS, FPS, MOTIONS, SHAPES, RecipeStep, frames_of
from longtake.memory.records import Record

CARDS, CARD_SECONDS = 5, 3.0
CARD, QUESTIONS = "card.yaml", "questions.jsonl"
# The tests that find what is planted, by kind. What the wording gives away stays with whatever is shown.
EXPOSED = {
    "wording": ("blind", "audio", "summary", "center-frame", "frame-shuffling"),
    "speech": ("audio",),
    "middle": ("center-frame", "frame-shuffling"),
    "frames": ("frame-shuffling",),
    "order": (),
    "motion": (),
}
DOERS = tuple("baker nurse farmer painter driver teacher lawyer singer miner dentist".split())
ACTS = tuple("waits argues sleeps sings hides rests studies dances".split())
PLACES = tuple("harbour museum bakery station library castle stadium market chapel airport".split())


class PlantedFact(NamedTuple):
    """Something that is said or written, and what is asked about it."""

    statement: str
    question: str
    values: tuple[str, ...]


FACTS = tuple(
    PlantedFact(statement, question, tuple(values.split()))
    for statement, question, values in (
        ("{} brings the parcel", "Who brings the parcel?", "Kestrel Marlow Quinn Tamsin Bruno Ingrid"),
        ("The ship sails to {}", "Where does the ship sail to?", "Lisbon Oslo Cairo Lima Dublin Osaka"),
        ("Room {} is locked", "Which room is locked?", "512 340 227 618 409 731"),
        ("The cook burns the {}", "What does the cook burn?", "pancakes soup onions rice bread fish"),
        ("A {} guards the gate", "Which animal guards the gate?", "goose dragon tiger donkey wolf parrot"),
        ("The fair opens in {}", "In which month does the fair open?", "March June October April August May"),
        ("The tailor loses a {}", "What does the tailor lose?", "needle ruler button thimble scarf wallet"),
        ("Clara plays the {}", "Which instrument does Clara play?", "violin trumpet harp piano flute drums"),
        ("The door is painted {}", "Which colour is the door painted?", "purple orange green white black grey"),
        ("The prize is {} euros", "How many euros is the prize?", "900 150 2400 75 60 3800"),
        ("The children plant {}", "What do the children plant?", "tulips carrots beans roses garlic daisies"),
        ("The captain drinks {}", "What does the captain drink?", "lemonade coffee milk cocoa cider water"),
    )
)


class PlantedQuestion(NamedTuple):
    """One question: its kind, its text, the right option, and wrong ones."""

    kind: str
    text: str
    right: str
    wrong: Sequence[str]


class PlantedSet(Record):
    """The outcome of writing a set."""

    card: str
    videos: int
    items: int


def write_planted(folder: Path, videos: int, seed: int, notify: Notify) -> PlantedSet:
    """Write videos, subtitles, questions and card; videos that exist are kept.

    Raises:
        LibraryError: if the folder can't be written to.
    """
    rows: list[dict[str, Any]] = []
    for number in range(videos):
        random, name = Random(f"{seed}/{number}"), f"planted-{seed}-{number}"
        facts = [(fact, random.choice(fact.values)) for fact in random.sample(FACTS, CARDS + 3)]
        said, steps = facts[CARDS:], _steps(random, facts[:CARDS])
        cues = [  # every four seconds
            f"00:00:{4 * place:02}.000 --> 00:00:{4 * place + 3:02}.500\n{fact.statement.format(value)}.\n"
            for place, (fact, value) in enumerate(said)
        ]
        write_file(folder / f"{name}.en.vtt", "WEBVTT\n\n" + "\n".join(cues))
        if not (folder / f"{name}.mp4").exists():
            notify(f"Making {name}.mp4")
            frames = partial(frames_of, steps, round(CARD_SECONDS * FPS))
            write_frames(folder / f"{name}.mp4", frames, fps=FPS, check=raise_if_interrupted)
        questions = _questions(random, facts, steps, moves=number % 2 == 1)
        rows += [_row(random, f"{name}-{question.kind}", f"{name}.mp4", question) for question in questions]
    write_file(folder / QUESTIONS, "".join(json.dumps(row) + "\n" for row in rows))
    fields: dict[str, Any] = {name: name for name in ("id", "question", "options", "answer", "video")}
    fields["tags"] = [name for name in rows[0] if name not in fields]
    card = {"name": "planted", "file": QUESTIONS, "videos": ".", "fields": fields, "format": "choice"}
    write_file(folder / CARD, yaml.safe_dump(card, sort_keys=False))
    return PlantedSet(card=str(folder / CARD), videos=videos, items=len(rows))


def _steps(random: Random, facts: Sequence[tuple[PlantedFact, str]]) -> list[RecipeStep]:
    """A caption each; the first has its colour alone."""
    colours = random.sample(sorted(COLOURS), len(COLOURS))
    return [
        RecipeStep(
            fact.statement.format(value),
            random.choice(SHAPES),
            colours[place % len(colours) or (1 if place else 0)],
            random.choice(sorted(MOTIONS)),
            random.randrange(10**6),
        )
        for place, (fact, value) in enumerate(facts)
    ]


def _questions(
    random: Random, facts: Sequence[tuple[PlantedFact, str]], steps: Sequence[RecipeStep], *, moves: bool
) -> Iterator[PlantedQuestion]:
    """The first facts are on the captions, the next is said."""
    middle = CARDS // 2
    yield _wording(random)
    yield _about(random, "speech", *facts[CARDS])
    yield _about(random, "middle", *facts[middle])
    yield _about(random, "frames", *facts[random.choice([place for place in range(CARDS) if place != middle])])
    if moves:
        first = steps[0]
        others = [motion for motion in MOTIONS if motion != first.motion]
        yield PlantedQuestion(
            "motion", f"In which direction does the {first.colour} {first.shape} move?", first.motion, others
        )
        return
    at = random.randrange(CARDS - 1)
    captions = [step.caption for step in steps]
    wrong = [caption for place, caption in enumerate(captions) if place not in (at, at + 1)]
    yield PlantedQuestion("order", f"Which caption is shown right after “{captions[at]}”?", captions[at + 1], wrong)


def _about(random: Random, kind: str, fact: PlantedFact, value: str) -> PlantedQuestion:
    wrong = random.sample([each for each in fact.values if each != value], 3)
    return PlantedQuestion(kind, fact.question, value, wrong)


def _wording(random: Random) -> PlantedQuestion:
    """Only the right option names the place that the question names."""
    place, *others = random.sample(PLACES, 4)
    event = f"a {random.choice(DOERS)} {random.choice(ACTS)} at the"
    return PlantedQuestion(
        "wording", f"What happens at the {place}?", f"{event} {place}", [f"{event} {other}" for other in others]
    )


def _row(random: Random, name: str, video: str, question: PlantedQuestion) -> dict[str, Any]:
    options = [question.right, *question.wrong]
    random.shuffle(options)
    return {
        "id": name,
        "video": video,
        "question": question.text,
        "options": options,
        "answer": "ABCD"[options.index(question.right)],
        "kind": question.kind,
        TAG: " ".join(EXPOSED[question.kind]) or "none",
    }
