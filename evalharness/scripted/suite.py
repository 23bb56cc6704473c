"""The suite as a folder: scripts by the grammar, videos with their truth, and `items.jsonl` with the questions.

A video has an opening and scenes of different kinds, each starting with a cut or a gradual change.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from PIL import Image, UnidentifiedImageError

from longtake.errors import ConfigError
from longtake.evalharness.items import Item
from longtake.evalharness.runs.journal import write_file
from longtake.evalharness.runs.run_folder import Notify
from longtake.evalharness.scripted.draw import Draw
from longtake.evalharness.scripted.encoding import write_video
from longtake.evalharness.scripted.questions import Wording, Wordings, items_of
from longtake.evalharness.scripted.scenes import KINDS, portrait, recording
from longtake.evalharness.scripted.script import Begin, Deck, Facts, ScriptedScene, ScriptedVideo
from longtake.evalharness.scripted.voices import VoiceRecording
from longtake.evalharness.suites import loading
from longtake.evalharness.suites.benchmark_rows import read_rows
from longtake.evalharness.suites.longshot import parsed
from longtake.memory.records import Record
from longtake.preprocess.demo.demo_script import Slide

_SCENES = 8  # scenes of a video, without its opening
_BEGINS: tuple[Begin, ...] = ("cut", "cut", "cut", "dissolve", "fade")
_STILLS = {".jpg", ".jpeg", ".png"}
ITEMS = "items.jsonl"


def write_script(
    seed: int, number: int, recordings: Sequence[VoiceRecording] = (), stills: Sequence[Path] = ()
) -> ScriptedVideo:
    """The script of one video, determined by seed and number.

    Even numbers have subtitles. Recordings of speech may be played, and photos of one person each be shown.

    Raises:
        EngineUnavailable: if espeak-ng is not installed.
    """
    draw = Draw(seed, number)
    made = list(KINDS.values())
    if recordings:
        made.append(partial(recording, taken=draw.one(recordings)))
    if stills:
        made.append(partial(portrait, still=draw.one(stills)))
    place, topic = draw.take("places"), draw.take("topics")
    first = Deck(slide=Slide(title=place, subtitle=topic), theme="dark")
    scenes = [draw.tape(f"Welcome to {place}.").scene("opening", first, {})]
    for make in draw.random.sample(made, _SCENES):
        scenes.append(follow(make(draw), draw.one(_BEGINS), len(scenes)))
    titles = {scene.picture.slide.title: scene.begins for scene in scenes[1:] if isinstance(scene.picture, Deck)}
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
    return ScriptedVideo(
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


def follow(scene: ScriptedScene, begins: Begin, place: int) -> ScriptedScene:
    """A scene at a position: dark and light slides alternate, so that every change is visible."""
    picture = scene.picture
    if isinstance(picture, Deck) and place % 2:
        picture = picture.model_copy(update={"theme": "dark"})
    return scene.model_copy(update={"begins": begins, "picture": picture})


class WrittenSuite(Record):
    """The outcome of writing a suite."""

    items: str
    videos: int
    asked: int
    turns: int
    seconds: float


def write_suite(
    folder: Path,
    numbers: range,
    seed: int,
    wordings: Mapping[Wording, Wordings],
    *,
    recordings: Sequence[VoiceRecording] = (),
    stills: Sequence[Path] = (),
    notify: Callable[[str], None],
) -> WrittenSuite:
    """Write videos and items to a folder. Existing videos are kept.

    The same seed gives the same truth and the same items. Recordings and stills are for some of the videos.

    Raises:
        EngineUnavailable: if espeak-ng is not installed.
        LibraryError: if the folder cannot be written to.
    """
    items: list[Item] = []
    seconds = 0.0
    for number in numbers:
        notify(f"Making video {number - numbers.start + 1} of {len(numbers)}")
        script = write_script(seed, number, recordings, stills)
        write_video(script, folder)
        made = items_of(script, wordings)
        items += made
        seconds += made[0].seconds or 0.0
    write_file(folder / ITEMS, "".join(item.model_dump_json() + "\n" for item in items))
    return WrittenSuite(
        items=str(folder / ITEMS),
        videos=len(numbers),
        asked=len(items),
        turns=sum(len(item.turns) for item in items),
        seconds=round(seconds, 2),
    )


def load_scripted(file: Path, media: Path | None, notify: Notify) -> list[Item]:
    """The items of a suite, from `items.jsonl` or its folder; `media` is the folder of the videos, where it is another.

    Raises:
        ConfigError: if the file can't be read or has no items.
    """
    file = file / ITEMS if file.is_dir() else file
    folder = media or file.parent
    lacking = f"{file} has no items. Make them with `longtake eval scripted`."
    items = loading.items_of(read_rows(file, notify), lambda row: parsed(Item, row), notify, "id", lacking)
    missing = {item.video for item in items if not (folder / str(item.media)).is_file()}
    for video in sorted(missing):
        notify(f"{folder / video}.mp4 is missing; its items stay, without a video.")
    return [
        item.model_copy(update={"media": None if item.video in missing else str(folder / str(item.media))})
        for item in items
    ]
