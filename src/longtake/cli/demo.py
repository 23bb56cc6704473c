"""`longtake demo`."""

from __future__ import annotations

import typer

from longtake.cli.ask import open_library, show
from longtake.cli.options import Json
from longtake.cli.progress import progress_watcher
from longtake.console import EXIT_FAILED, Session, note, say, say_json
from longtake.preprocess.demo.make import copy_voice, make_demo
from longtake.preprocess.engines.packaged_files import INSTALL

SPOKEN = "How fast was the wind?"
QUESTIONS = ("What is the price of the telescope cover?", "What is the phone extension?", "Who built the telescope?")


def demo(context: typer.Context, as_json: Json = False) -> None:
    """Make a short video in the library, index it and ask about it; then ask about its sound alone."""
    session: Session = context.obj
    library = open_library(session)
    if not as_json:
        note("Making and indexing the demo video ...")
    video = make_demo(session.library_root / "demo")
    asked = [(video, question) for question in QUESTIONS]
    hears = library.workspace.engines.report("speech").engine
    if hears:
        asked.append((copy_voice(video.parent), SPOKEN))
    answers = []
    for file, question in asked:
        with progress_watcher(quiet=as_json) as watcher:
            answers.append(library.ask(file, question, watcher=watcher))
        if not as_json:
            say(f"\n? {question}" + (f"  ({file.name}: sound only, without subtitles)" if question == SPOKEN else ""))
            show(answers[-1], library.workspace)
    if not hears and not as_json:
        say(f"\nSpeech without subtitles isn't transcribed. To change that: {INSTALL}")
    if as_json:
        say_json({"answers": [answer.model_dump(mode="json") for answer in answers]})
    else:
        say(f"\nAsk your own: longtake ask {video} 'Was anybody hurt?'")
    raise typer.Exit(EXIT_FAILED if any(answer.status == "failed" for answer in answers) else 0)
