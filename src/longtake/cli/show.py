"""`longtake show`, `clip` and `summary`: a video's words, a part of it, and what it is about."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from longtake.api import Library
from longtake.cli.ask import EXITS, open_library
from longtake.cli.ask import show as show_answer
from longtake.cli.options import Json, Model, library_of, with_model
from longtake.cli.progress import progress_watcher
from longtake.cli.video_commands import Name
from longtake.console import Session, note, say, say_json
from longtake.errors import ConfigError, LibraryError
from longtake.exports.transcript import Format, TimedLine, Track, rendered, transcript
from longtake.memory.library import LibraryStore as Store
from longtake.memory.library import VideoRecord


def show(
    context: typer.Context,
    video: Name,
    screen: Annotated[bool, typer.Option("--screen", help="The text on screen instead of what is said.")] = False,
    srt: Annotated[bool, typer.Option("--srt", help="Print SubRip subtitles.")] = False,
    vtt: Annotated[bool, typer.Option("--vtt", help="Print WebVTT subtitles.")] = False,
    txt: Annotated[bool, typer.Option("--txt", help="Print the text without times.")] = False,
    chapters: Annotated[
        bool, typer.Option("--chapters", help="The chapters, as lines for a description; or as --vtt.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Print what is said in a video or, if nothing is, the text on screen; or its chapters."""
    formats: dict[Format, bool] = {"srt": srt, "vtt": vtt, "txt": txt}
    chosen: list[Format] = [name for name, wanted in formats.items() if wanted]
    if len(chosen) > 1:
        raise ConfigError("Give one of --srt, --vtt and --txt.")
    session: Session = context.obj
    library = library_of(session)
    if chapters:
        if screen or srt or txt:
            raise ConfigError("--chapters goes with --vtt or --json only.")
        return _show_chapters(library, library.resolve(video), vtt=vtt, as_json=as_json)
    lines = _lines(library, library.resolve(video), "text" if screen else None)
    if as_json:
        return say_json([line._asdict() for line in lines])
    return say(rendered(lines, chosen[0] if chosen else "readable").rstrip("\n"))


def _show_chapters(library: Store, video: VideoRecord, *, vtt: bool, as_json: bool) -> None:
    from longtake.exports.chapters import as_text, as_vtt
    from longtake.preprocess.layers.sections import NONE, sections_of

    chapters = sections_of(library, video)
    if as_json:
        return say_json([{"start": each.start, "end": each.end, "title": each.title} for each in chapters])
    if not chapters:
        raise LibraryError(NONE.format(name=video.name))
    return say((as_vtt if vtt else as_text)(chapters).rstrip("\n"))


def _lines(library: Store, video: VideoRecord, track: Track | None) -> list[TimedLine]:
    """The lines of a track; without one, what is said, else the text on screen."""
    if track:
        return transcript(library, video, track)
    for each in ("speech", "text"):
        try:
            if lines := transcript(library, video, each):
                if each == "text":
                    note(f"longtake: No speech in {video.name}: this is its on-screen text.")
                return lines
        except LibraryError:
            continue
    raise LibraryError(_nothing(library, video))


def _nothing(library: Store, video: VideoRecord) -> str:
    """Why a video has no lines: what was looked for isn't there, or nothing was looked for."""
    from longtake.preprocess.media.sources import media_of

    media = media_of(library, video)
    spoken = bool({"speech", "subtitles"} & video.layers.keys())
    looked = [*(["speech"] if spoken else []), *(["on-screen text"] if "scene_text" in video.layers else [])]
    if not video.complete or not looked or (media and media.audio and not spoken):
        return f"No speech or on-screen text has been found in {video.name}. Index it: longtake index {video.name}"
    return f"No {' or '.join(looked)} in {video.name}."


def clip(
    context: typer.Context,
    video: Name,
    span: Annotated[str, typer.Argument(metavar="SPAN", help="Such as 12:30-13:00.")],
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="The new file; by default NAME-START.mp4 in this folder.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="The same.")] = None,
    as_json: Json = False,
) -> None:
    """Save a part of a video as an MP4 file."""
    session: Session = context.obj
    if file and out:
        raise ConfigError("Name the new file once: either after the span or with --out.")
    with Library(session.library_root, session.settings) as library:
        saved = library.clip(video, span, file or out)
    for change in saved.notes:
        note(f"longtake: {span}: {change}.")
    if as_json:
        start, end = saved.span.start, saved.span.end
        return say_json({"video": saved.video, "start": start, "end": end, "file": str(saved.file.resolve())})
    return say(f"Saved {saved.span} of {saved.name} as {saved.file}.")


def summary(context: typer.Context, video: Name, model: Model = None, as_json: Json = False) -> None:
    """Say what a video is about, each sentence with its time."""
    library = open_library(with_model(context.obj, model))
    with library, progress_watcher(quiet=as_json) as watcher:
        answer = library.summary(video, watcher=watcher)
    say_json(answer.model_dump(mode="json")) if as_json else show_answer(answer, library.workspace)
    raise typer.Exit(EXITS[answer.status])
