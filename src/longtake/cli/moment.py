"""Shows the picture of a cited moment in terminals that can show pictures."""

from __future__ import annotations

from importlib.util import find_spec

from longtake.errors import EngineUnavailable, MediaError
from longtake.memory.library import LibraryStore
from longtake.memory.records import Citation
from longtake.memory.timespan import TimeSpan, clock
from longtake.preprocess.media.frames import read_frames
from longtake.preprocess.media.sources import media_at, source

INSTALL = "pip install 'longtake[terminal]'"
_COLUMNS = 80
_LONG_SIDE = 960  # pixels


def show_moment(library: LibraryStore, place: Citation) -> None:
    """Print the picture in the middle of a cited span, as pixels where the terminal can, else as coloured blocks.

    Raises:
        EngineUnavailable: if the package that draws pictures in terminals is missing, or the terminal can't show them.
        LibraryError: if the video was deleted.
        MediaError: if its file is gone, or it has no picture there.
    """
    if not find_spec("textual_image"):
        raise EngineUnavailable(f"Pictures in the terminal need a package: {INSTALL}")
    from PIL import Image as Pillow
    from rich.console import Console

    video = library.resolve(place.video)
    file = source(video)
    if file is None:
        raise MediaError(f"The file of {video.name} was moved or changed since it was indexed.")
    middle = (place.start + place.end) / 2
    span = TimeSpan(start=middle, end=min(middle + 1, video.duration))
    frames = read_frames(file, media_at(file, library, video), span, lambda: None)
    frame = next(iter(frames), None)
    if frame is None:
        raise MediaError(f"{video.name} has no picture at {clock(middle)}.")
    picture = Pillow.fromarray(frame.bgr(_LONG_SIDE)[..., ::-1].copy())
    console = Console()
    try:
        from textual_image.renderable import Image

        console.print(Image(picture, width=min(_COLUMNS, console.width), height="auto"))
    except Exception as error:  # it asks the terminal what that can do, and fails in many ways if there is no answer
        raise EngineUnavailable("This terminal can't show pictures; the page of `longtake serve` does.") from error
