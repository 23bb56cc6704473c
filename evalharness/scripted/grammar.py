"""The grammar: a video has an opening and scenes of different kinds, each starting with a cut or a gradual change."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from PIL import Image, UnidentifiedImageError

from longtake.errors import ConfigError
from longtake.evalharness.scripted import scenes_heard, scenes_seen, scenes_shown
from longtake.evalharness.scripted.draw import Draw, Tape
from longtake.evalharness.scripted.script import Begin, Deck, Facts, Scene, Script
from longtake.evalharness.scripted.voices import Recording
from longtake.preprocess.demo.demo_script import Slide

Make = Callable[[Draw], Scene]
KINDS: Mapping[str, Make] = {
    make.__name__: make
    for make in (
        *(scenes_shown.prices, scenes_shown.contacts, scenes_shown.steps, scenes_shown.formula, scenes_shown.code),
        *(scenes_shown.sign, scenes_shown.order, scenes_shown.metal, scenes_shown.fault, scenes_shown.review),
        *(scenes_heard.date, scenes_heard.reason, scenes_heard.opinion, scenes_heard.minutes, scenes_heard.spanish),
        *(scenes_heard.listening, scenes_seen.crossing, scenes_seen.signal, scenes_seen.camera, scenes_seen.flash),
    )
}
_SCENES = 8  # scenes of a video, without its opening
_BEGINS: tuple[Begin, ...] = ("cut", "cut", "cut", "dissolve", "fade")
_STILLS = {".jpg", ".jpeg", ".png"}


def write_script(seed: int, number: int, recordings: Sequence[Recording] = (), stills: Sequence[Path] = ()) -> Script:
    """The script of one video, determined by seed and number.

    Args:
        seed: of the suite.
        number: of the video in the suite, from 0. Even numbers have subtitles.
        recordings: recordings of speech that may be played.
        stills: photos of one person each that may be shown.

    Raises:
        EngineUnavailable: if espeak-ng is not installed.
    """
    draw = Draw(seed, number)
    made = list(KINDS.values())
    if recordings:
        made.append(partial(scenes_heard.recording, taken=draw.one(recordings)))
    if stills:
        made.append(partial(scenes_seen.portrait, still=draw.one(stills)))
    place, topic = draw.take("places"), draw.take("topics")
    scenes = [_opening(draw, place, topic)]
    for make in draw.random.sample(made, _SCENES):
        scenes.append(follow(make(draw), draw.one(_BEGINS), len(scenes)))
    titles = {title: scene.begins for scene in scenes[1:] if (title := _title(scene))}
    slide = draw.one(sorted(titles))
    facts: Facts = {
        "place": place,
        "topic": topic,
        "absent": draw.take("absent"),
        "slide": slide,
        "begins": titles[slide],
        "ways": ("cut", "dissolve", "fade"),
        "titles": tuple(titles)[:3],
    }
    return Script(
        name=f"scripted-{seed}-{number:03}",
        seed=seed,
        number=number,
        subtitled=number % 2 == 0,
        scenes=tuple(scenes),
        facts=facts,
    )


def stills_in(folder: Path) -> list[Path]:
    """The photos of a folder, at any depth. Each shows one person and has that person's name.

    Raises:
        ConfigError: if there is none.
    """
    found = sorted(path for path in folder.rglob("*") if path.suffix.lower() in _STILLS and _opens(path))
    if not found:
        raise ConfigError(f"{folder} has no photos. Give a folder of .jpg or .png files named after people.")
    return found


def _opens(path: Path) -> bool:
    try:
        with Image.open(path):
            return True
    except UnidentifiedImageError:
        return False


def _opening(draw: Draw, place: str, topic: str) -> Scene:
    tape = Tape(draw.voice)
    tape.say(f"Welcome to {place}.")
    picture = Deck(slide=Slide(title=place, subtitle=topic), theme="dark")
    return tape.scene("opening", picture, {})


def follow(scene: Scene, begins: Begin, place: int) -> Scene:
    """A scene at a position: dark and light slides alternate, so that every change is visible."""
    picture = scene.picture
    if isinstance(picture, Deck) and place % 2:
        picture = picture.model_copy(update={"theme": "dark"})
    return scene.model_copy(update={"begins": begins, "picture": picture})


def _title(scene: Scene) -> str:
    return scene.picture.slide.title if isinstance(scene.picture, Deck) else ""
