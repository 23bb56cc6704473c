"""`longtake chat`: lines are read with history and completion of names at a terminal, else from standard input."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from longtake.api import Library
from longtake.cli.ask import answer_in_terminal, exit_of, open_library, refused, show
from longtake.cli.options import Model, with_model
from longtake.console import EXIT_FAILED, EXIT_PARTIAL, Session, counted, note, say, say_json
from longtake.errors import EngineUnavailable, LongtakeError, MediaError
from longtake.memory.layers import content_key
from longtake.memory.library import LibraryStore, file_id
from longtake.memory.records import Answer, Citation, display_name
from longtake.memory.timespan import TimeSpan, clock
from longtake.preprocess.media.frames import read_frames
from longtake.preprocess.media.sources import media_at, source
from longtake.remote import media_path

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


_KEPT = 1_000  # lines of history


def read_lines(interactive: bool, folder: Path, names: Sequence[str]) -> Iterator[str]:
    """Lines without surrounding spaces, except empty ones, until the input ends.

    Bytes that aren't text become lone surrogates, as they do on a command line.

    Args:
        interactive: whether a person types them; Ctrl-C then drops the line.
        folder: keeps the history.
        names: complete what is typed, with Tab.
    """
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="surrogateescape")
    if not interactive:
        yield from filter(None, map(str.strip, sys.stdin))
        return
    with suppress(ImportError):  # Python on Windows has no readline
        _complete(folder / "chat_history", names)
    while True:
        try:
            line = input("> ").strip()
        except EOFError:
            return
        if line:
            yield line


def _complete(history: Path, names: Sequence[str]) -> None:
    import atexit
    import readline

    def completed(typed: str, number: int) -> str | None:
        found = [name for name in names if name.lower().startswith(typed.lower())]
        return found[number] if number < len(found) else None

    with suppress(OSError):
        readline.read_history_file(history)
    readline.set_history_length(_KEPT)
    readline.set_completer_delims(" ")
    readline.set_completer(completed)
    readline.parse_and_bind("tab: complete")
    atexit.register(_save, history)


def _save(history: Path) -> None:
    import readline

    with suppress(OSError):  # the library is read-only
        readline.write_history_file(history)


_ENDS = ("/quit", "/exit", "quit", "exit")
HELP = """\
/videos     the videos of this conversation
/sources    the places that prove the last answer
/moment N   the picture of source N
/trace      how the last answer was found
/help       these commands
/quit       end; so do quit, exit and Ctrl-D"""


def chat(
    context: typer.Context,
    videos: Annotated[
        list[str] | None, typer.Argument(metavar="[VIDEO...]", help="Files, ids or names; by default the library.")
    ] = None,
    thread: Annotated[
        str | None, typer.Option(help="Name of the conversation to continue; by default the one about these videos.")
    ] = None,
    model: Model = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document per answer.")] = False,
) -> None:
    """Ask questions, one per line, until the input ends. `/help` lists what else can be typed.

    If the questions came from a file or a pipe, exits with 1 if all of them failed, and with 3 if some did.
    """
    session: Session = with_model(context.obj, model)
    library = open_library(session)
    library.workspace.library.check_writable()
    chosen = list(videos or ())
    library.agent.check(chosen)
    conversation = _Conversation(library, chosen, thread or _thread_about(library, chosen), as_json=as_json)
    interactive = sys.stdin.isatty()
    if interactive and not as_json:
        say(f"Ask about {_names(library, chosen)}. /help lists commands, /quit ends.")
    for line in read_lines(
        interactive, session.library_root, [*COMMANDS, "/quit", *(video.name for video in library.videos())]
    ):
        try:
            if line.lower() in _ENDS:
                break
            conversation.take(line)
        except LongtakeError as error:
            note(f"longtake: {error}")
        if interactive:
            say()
    if any(conversation.exits) and not interactive:
        raise typer.Exit(EXIT_FAILED if set(conversation.exits) == {EXIT_FAILED} else EXIT_PARTIAL)


class _Conversation:
    """The videos (none: the library), the thread, the last answer, and what `ask` would exit with for each question."""

    def __init__(self, library: Library, videos: list[str], thread: str, *, as_json: bool) -> None:
        self.library, self.videos, self._thread, self._as_json = library, videos, thread, as_json
        self.last: Answer | None = None
        self.exits: list[int] = []

    def take(self, line: str) -> None:
        """Run a command, or answer a question."""
        name, _, argument = line.partition(" ")
        if command := COMMANDS.get(name):
            command(self, argument.strip())
        elif name.startswith("/"):
            raise LongtakeError(f"There is no command {name}. /help lists them.")
        else:
            self._answer(line)

    def _answer(self, question: str) -> None:
        shown = partial(show, workspace=self.library.workspace)
        first = None if self._as_json else shown
        try:
            videos = self.videos or self.library.likeliest(question)
            answer = answer_in_terminal(self.library, videos, question, first, thread=self._thread)
            self.last = answer
        except LongtakeError as error:
            answer = refused(question, error)
        self.exits.append(exit_of(answer))
        say_json(answer.model_dump(mode="json")) if self._as_json else shown(answer)

    def answered(self) -> Answer:
        """The last answer.

        Raises:
            LongtakeError: if there is none.
        """
        if self.last is None:
            raise LongtakeError("Nothing has been asked yet.")
        return self.last


def _list_videos(conversation: _Conversation, argument: str) -> None:
    for reference in conversation.videos or [video.id for video in conversation.library.videos()]:
        video = conversation.library.workspace.library.find(reference)
        say(f"  {video.name}  {clock(video.duration)}" if video else f"  {reference}, not indexed yet")


def _list_sources(conversation: _Conversation, argument: str) -> None:
    for number, place in enumerate(conversation.answered().places, start=1):
        when, quote = f"{clock(place.start)}-{clock(place.end)}", " ".join(place.quote.split())
        say(f"  {number}  {when}  {display_name(place.modality)}  {quote}")


def _show_moment(conversation: _Conversation, argument: str) -> None:
    places = conversation.answered().places
    if not argument.isdecimal() or not 1 <= int(argument) <= len(places):
        raise LongtakeError(f"Give a source, such as /moment 1. There are {counted(len(places), 'source')}.")
    show_moment(conversation.library.workspace.library, places[int(argument) - 1])


def _show_trace(conversation: _Conversation, argument: str) -> None:
    from rich.console import Console

    from longtake.agent.traces.lenient_run import find_run
    from longtake.agent.traces.tree import tree_of

    root = conversation.library.workspace.library.trace_root
    Console().print(tree_of(find_run(root, conversation.answered().trace or "")))


COMMANDS: Mapping[str, Callable[[_Conversation, str], None]] = {
    "/help": lambda conversation, argument: say(HELP),
    "/videos": _list_videos,
    "/sources": _list_sources,
    "/moment": _show_moment,
    "/trace": _show_trace,
}


def _thread_about(library: Library, videos: list[str]) -> str:
    """The name of the conversation about these videos, in any order; "chat" for that about the library."""
    known = (library.workspace.library.find(each) for each in videos)
    ids = sorted(video.id if video else file_id(media_path(each)) for each, video in zip(videos, known, strict=True))
    return f"chat-{content_key(*ids)}" if ids else "chat"


def _names(library: Library, videos: list[str]) -> str:
    if not videos:
        return f"the library ({counted(len(library.videos()), 'video')})"
    names = [video.name if (video := library.workspace.library.find(each)) else each for each in videos]
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]])) if len(names) < 4 else f"{len(names)} videos"
