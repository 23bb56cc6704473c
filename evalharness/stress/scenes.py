"""Scripted material: drawn videos of recipes, with tables of their actions, claims and questions.

Each video has four steps in the order in which they are usually done. A step is a caption and a moving shape in front
of a picture of its own. Everything follows from the seed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from random import Random
from typing import NamedTuple

import cv2
import numpy as np

from longtake.console import raise_if_interrupted
from longtake.evalharness.edits.rendering import write_frames
from longtake.evalharness.edits.timeline import PlannedFrame
from longtake.evalharness.runs.journal import write_file
from longtake.evalharness.runs.run_folder import Notify
from longtake.evalharness.suites.benchmark_rows import csv_text
from longtake.preprocess.media.frames import Picture

FPS, WIDTH, HEIGHT = 25, 640, 360
STEP = 5.0  # seconds of a step
RECIPES = (
    ("Wash the rice", "Boil the water", "Cook the rice", "Serve the rice"),
    ("Peel the apples", "Slice the apples", "Bake the apples", "Eat the apples"),
    ("Open the box", "Unpack the lamp", "Plug in the lamp", "Switch on the lamp"),
    ("Dig a hole", "Plant the seed", "Water the plant", "Pick the flower"),
    ("Grind the beans", "Brew the coffee", "Pour the coffee", "Drink the coffee"),
    ("Measure the board", "Saw the board", "Sand the board", "Paint the board"),
    ("Crack the eggs", "Whisk the eggs", "Fry the eggs", "Plate the eggs"),
    ("Fill the bucket", "Wet the sponge", "Scrub the car", "Dry the car"),
)
COLOURS = {"red": (40, 40, 214), "blue": (216, 79, 31), "green": (61, 157, 42), "yellow": (30, 210, 240)}
SHAPES = ("circle", "square", "triangle")
# Where a shape is at a share of its step, as a share of the picture.
MOTIONS: dict[str, Callable[[float], tuple[float, float]]] = {
    "from left to right": lambda share: (0.1 + 0.8 * share, 0.5),
    "from right to left": lambda share: (0.9 - 0.8 * share, 0.5),
    "upwards": lambda share: (0.5, 0.72 - 0.5 * share),
    "downwards": lambda share: (0.5, 0.22 + 0.5 * share),
}
_OPPOSITE = {"from left to right": "from right to left", "upwards": "downwards"}
_OPPOSITE |= {there: here for here, there in _OPPOSITE.items()}
_RADIUS = 34


class RecipeStep(NamedTuple):
    """One step of a recipe, and what moves while its caption is shown."""

    caption: str
    shape: str
    colour: str
    motion: str
    ground: int  # seed of the picture behind


def write_scenes(folder: Path, count: int, seed: int, notify: Notify, step_seconds: float = STEP) -> list[Path]:
    """Write `count` videos with their tables, and list them; videos that exist are kept.

    Raises:
        LibraryError: if the folder can't be written to.
    """
    actions: list[tuple[object, ...]] = []
    videos: list[Path] = []
    claims: list[tuple[object, ...]] = []
    questions: list[tuple[object, ...]] = []
    for number in range(count):
        random = Random(f"{seed}/{number}")
        steps = _steps(random, RECIPES[number % len(RECIPES)])
        name = f"recipe-{seed}-{number}.mp4"
        videos.append(folder / name)
        if not videos[-1].exists():
            notify(f"Making {name}")
            write_frames(
                videos[-1], partial(frames_of, steps, round(step_seconds * FPS)), fps=FPS, check=raise_if_interrupted
            )
        actions += [(name, at * step_seconds, (at + 1) * step_seconds, step.caption) for at, step in enumerate(steps)]
        claims += [(name, *claim) for claim in _claims(random, steps)]
        questions += [(name, *question) for question in _questions(random, steps)]
    write_file(folder / "actions.csv", csv_text([("video", "start", "end", "action"), *actions]))
    write_file(folder / "claims.csv", csv_text([("video", "category", "claim", "false"), *claims]))
    write_file(folder / "questions.csv", csv_text([("video", "about", "question", *"abcd", "right"), *questions]))
    return videos


def _steps(random: Random, recipe: tuple[str, ...]) -> list[RecipeStep]:
    """Every colour and motion is used once, so that each question has one answer."""
    colours, motions = random.sample(sorted(COLOURS), 4), random.sample(sorted(MOTIONS), 4)
    return [
        RecipeStep(caption, random.choice(SHAPES), colour, motion, random.randrange(10**6))
        for caption, colour, motion in zip(recipe, colours, motions, strict=True)
    ]


def frames_of(steps: list[RecipeStep], count: int) -> Iterator[PlannedFrame]:
    """The frames of the steps, `count` each."""
    for number, step in enumerate(steps):
        ground = _ground(step.ground)
        for frame in range(count):
            picture = ground.copy()
            _draw(picture, step, frame / (count - 1))
            yield PlannedFrame(picture, round((number * count + frame) / FPS, 5), 1 / FPS)


def _ground(seed: int) -> Picture:
    """A soft picture with some boxes in it."""
    random = np.random.default_rng(seed)
    coarse = random.integers(90, 220, (5, 8, 3), dtype=np.uint8)
    picture = np.asarray(cv2.resize(coarse, (WIDTH, HEIGHT), interpolation=cv2.INTER_CUBIC), np.uint8)
    for _ in range(14):
        x, y, side = (int(random.integers(0, limit)) for limit in (WIDTH, HEIGHT, 50))
        shade = tuple(int(each) for each in random.integers(70, 235, 3))
        cv2.rectangle(picture, (x, y), (x + 14 + side, y + 14 + side // 2), shade, -1)
    return picture


def _draw(picture: Picture, step: RecipeStep, share: float) -> None:
    x, y = (round(at * side) for at, side in zip(MOTIONS[step.motion](share), (WIDTH, HEIGHT), strict=True))
    colour, r = COLOURS[step.colour], _RADIUS
    corners = {"square": [(-r, -r), (r, -r), (r, r), (-r, r)], "triangle": [(0, -r), (r, r), (-r, r)]}.get(step.shape)
    if corners is None:
        cv2.circle(picture, (x, y), r, colour, -1, cv2.LINE_AA)
    else:
        cv2.fillPoly(picture, [np.add(np.array(corners, np.int32), (x, y))], colour, cv2.LINE_AA)
    cv2.rectangle(picture, (0, HEIGHT - 62), (WIDTH, HEIGHT), (25, 25, 25), -1)
    cv2.putText(picture, step.caption, (22, HEIGHT - 20), cv2.FONT_HERSHEY_DUPLEX, 1.2, (245, 245, 245), 2, cv2.LINE_AA)


def _claims(random: Random, steps: list[RecipeStep]) -> Iterator[tuple[str, str, str]]:
    """A pair of each category of the paper: category, true claim, false claim."""
    one, other = sorted(random.sample(range(len(steps)), 2))
    early, late = (f"the {steps[at].colour} {steps[at].shape}" for at in (one, other))
    step = random.choice(steps)
    thing, wrong = f"the {step.colour} {step.shape}", _OPPOSITE[step.motion]
    true, false = (f"{one} appears before {two}.".capitalize() for one, two in ((early, late), (late, early)))
    yield ("temporal reordering", true, false)
    yield ("state reversal", f"{thing} moves {step.motion}.".capitalize(), f"{thing} moves {wrong}.".capitalize())
    action, another = random.sample([each.caption for each in steps], 2)[0], random.choice(RECIPES)[0]
    if another in {each.caption for each in steps}:
        another = next(recipe[0] for recipe in RECIPES if recipe[0] not in {each.caption for each in steps})
    yield ("action substitution", f"A caption says “{action}”.", f"A caption says “{another}”.")
    absent = random.choice([shape for shape in SHAPES if shape != step.shape])
    true, false = (f"The {step.colour} shape is a {shape}." for shape in (step.shape, absent))
    yield ("attribute modification", true, false)


def _questions(random: Random, steps: list[RecipeStep]) -> Iterator[tuple[str, ...]]:
    """Multiple choice about text and colour: about, question, four options, the letter of the right one."""
    step = random.choice(steps)
    yield ("colour", f"What colour is the shape that moves {step.motion}?", *_options(random, step.colour, COLOURS))
    others = [recipe[number] for recipe in RECIPES for number in range(4) if recipe[0] != steps[0].caption]
    wrong = random.sample(others, 3)
    caption = random.choice(steps).caption
    yield ("text", "Which of these captions is shown?", *_options(random, caption, [caption, *wrong]))


def _options(random: Random, right: str, among: Iterable[str]) -> tuple[str, ...]:
    options = random.sample(sorted(among), 4)
    return (*options, "ABCD"[options.index(right)])
