"""`longtake setup`: which models this machine has and can carry, kept in the user's settings."""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from importlib.util import find_spec
from typing import Annotated, Any

import typer

from longtake.cli.models import size_of, size_text, trial_text
from longtake.cli.options import library_of
from longtake.config import secret, write_user_file
from longtake.console import Session, counted, note, say
from longtake.errors import ConfigError, EngineError, LibraryError, LongtakeError
from longtake.language.languages import ENGLISH, language_in
from longtake.memory.library import LibraryStore
from longtake.models import names
from longtake.models.advice import problem_at
from longtake.models.catalogue import CatalogueModel, Task, catalogue
from longtake.models.fetching import pull
from longtake.models.folder import installed
from longtake.models.machine import Machine, this_machine
from longtake.models.servers import ask_models, try_model
from longtake.preprocess.engines.engine_table import ENGINES
from longtake.preprocess.engines.llama_cpp.server import missing_gguf
from longtake.preprocess.media.language_names import language_name
from longtake.settings import Settings as LongtakeSettings

Settings = dict[str, Any]
_KEY = "OPENAI_API_KEY"  # the variable that holds the key
_MAX_ON_CPU = 2e9  # bytes: a larger model takes minutes for an answer
_MULTILINGUAL = "e5_small"  # the text embedding for lines in other languages
_TELLING = 200  # lines that tell the language of a track


def setup(
    context: typer.Context,
    model: Annotated[
        str | None, typer.Option(help="Language model, such as ollama/qwen3:4b; the first one found by default.")
    ] = None,
    url: Annotated[
        str | None, typer.Option(help="Base URL of an OpenAI-compatible server elsewhere; --model names its model.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Accept every offer without asking.")] = False,
) -> None:
    """Find model servers on this machine, offer the models that fit, and keep the settings for every command."""
    session: Session = context.obj
    offline = session.settings.offline
    machine = this_machine()
    gpu = f", {machine.gpu} with {size_text(machine.gpu_memory)}" if machine.gpu else ", no GPU"
    say(f"This machine has {machine.cores} cores and {size_text(machine.memory)} of memory{gpu}.")
    if url and not (model and model.startswith("openai/")):
        raise ConfigError("--url needs the name of a model there: --model openai/NAME.")
    before = installed()
    if model:
        changes = _try(model, url, session.settings)
    else:
        changes = _first_that_answers(_candidates(_found(), yes=yes), session.settings)
    seeing = session.settings.visual_question
    if changes and "visual_question" not in changes and seeing.base_url:
        say(f"{seeing.model} at {seeing.base_url} still answers questions about pictures.")
    changes = _offer_downloads(machine, session.settings, changes, offline=offline, yes=yes)
    changes |= _offer_languages(session, yes=yes)
    if changes:
        say(f"Wrote {write_user_file(changes)}; every command reads it, and --config and --set override it.")
        say(f"Now {names.roles(replace(session).settings)}.")
    elif session.settings.controller.engine == "extractive" and not installed():
        say("No model was set up: Longtake answers by quoting what it finds. `longtake models list` names some to add.")
    if changes or installed() != before:
        _offer_index(context, replace(session), yes=yes)


def _found() -> list[str]:
    """Short names of the models that servers on this machine offer."""
    found = []
    for route, url in names.LOCAL_SERVERS.items():
        listing = ask_models(url)
        if listing.problem is None:
            say(f"{route} answers at {url} in {listing.seconds:.2f} s: {', '.join(listing.models) or 'no models'}.")
        found += [f"{route}/{name}" for name in listing.models]
    if not found:
        say(f"No model server answers on this machine (looked for {', '.join(names.LOCAL_SERVERS)}).")
    return found


def _candidates(found: Sequence[str], *, yes: bool) -> Sequence[str]:
    """The models to try until one answers: the one that a person chooses, or all."""
    if not found or yes or not sys.stdin.isatty():
        return found
    for number, name in enumerate(found, 1):
        say(f"  {number}  {name}")
    number = -1
    while not 0 <= number <= len(found):
        number = typer.prompt("Which one answers questions? (0 for none)", default=1, type=int)
    return [found[number - 1]] if number else []


def _first_that_answers(candidates: Sequence[str], settings: LongtakeSettings) -> Settings:
    for number, name in enumerate(candidates, 1):
        try:
            changes = _try(name, None, settings)
        except EngineError as error:
            note(f"longtake: {error}")
            continue
        if rest := candidates[number:]:
            say(f"To use {' or '.join(rest)} instead, run `longtake setup --model {rest[0]}`.")
        return changes
    return {}


def _try(name: str, url: str | None, settings: LongtakeSettings) -> Settings:
    """The settings for a model, after it was tried.

    Raises:
        ConfigError: if there is no such model.
        EngineError: if it can't answer.
    """
    controller: Settings = {**dict.fromkeys(names.TRIED), **names.settings_of(name)}
    if controller["engine"] == "gguf":
        if problem := missing_gguf(settings, controller["model"], "controller.model"):
            raise EngineError(f"{name} isn't used: {problem}.")
        _load(controller["model"], settings)
        return {"controller": controller}
    controller["base_url"] = url or controller["base_url"]
    say(f"Trying {name} ...")
    key = secret(_KEY) if name.startswith("openai/") else None
    trial = try_model(controller["base_url"], controller["model"], key)
    if trial.problem:
        listing = replace(ask_models(controller["base_url"], key), refused=trial.refused)  # many list to anyone
        what = problem_at(listing, controller["model"], "--url", _KEY) or trial.problem
        raise EngineError(f"{name} isn't used: {what}.")
    say(f"{name}: {trial_text(trial)}.")
    found = {"calls": "native" if trial.tools else "text", "sees": trial.pictures, "context": trial.context}
    controller |= found
    place = {"base_url": controller["base_url"], "model": controller["model"]}
    seeing = {"captions": place, "visual_question": dict(place)} if trial.pictures else {}
    return {"controller": controller, **seeing}


def _load(file: str, settings: LongtakeSettings) -> None:
    """Ask a model in process for a few words."""
    from longtake.agent.controllers.gguf import open_gguf

    say(f"Loading {file} ...")
    begun = time.monotonic()
    open_gguf(settings, file).invoke("Say hello.")
    say(f"It answered after {time.monotonic() - begun:.1f} s.")


def _offer_downloads(
    machine: Machine, current: LongtakeSettings, changes: Mapping[str, Any], *, offline: bool, yes: bool
) -> Settings:
    """Fetch what fits and is wanted, and return the settings that use it."""
    settings = dict(changes)
    tasks: list[Task] = ["speech"]
    if find_spec("xllamacpp") and "controller" not in settings and current.controller.engine == "extractive":
        tasks.append("language")
    if find_spec("xllamacpp") and "visual_question" not in settings and not current.visual_question.model:
        tasks.append("pictures")
    if find_spec("torch") and find_spec("transformers"):
        tasks.extend(("image-text vectors", "objects", "sounds"))
    if find_spec("onnx"):
        tasks.append("people")
    for task in tasks:
        present = installed(task)
        if present:
            say(f"For {task}, {present[0].model.name} is on disk.")
        best = None if present else _best(machine, task)
        if best and not offline and _agreed(f"Fetch {best.name} ({size_of(best)}, {best.improves})?", yes):
            try:
                pull(best)
            except LongtakeError as error:
                note(f"longtake: {error}")
                continue
            say(f"Fetched {best.name}.")
        if task == "language" and (ready := installed(task)):
            settings["controller"] = {
                **dict.fromkeys(names.TRIED),
                **names.settings_of(f"gguf/{ready[0].model.name}"),
            }
    return settings


def _best(machine: Machine, task: Task) -> CatalogueModel | None:
    """The best model that fits; without a GPU, none that would be too slow."""
    fits = [model for model in catalogue() if model.task == task and machine.carries(model.memory)]
    if not machine.gpu:
        fits = [model for model in fits if model.download < _MAX_ON_CPU]
    return fits[-1] if fits else None


def _offer_languages(session: Session, *, yes: bool) -> Settings:
    """The settings for questions and lines in any language, if the library has others or the extra is installed."""
    settings = session.settings
    used = settings.engines.text_embedding
    if _MULTILINGUAL in used or not session.library_root.is_dir():
        return {}
    others = sorted(map(language_name, _languages(library_of(session)) - {ENGLISH}))
    if missing := ENGINES["text_embedding"][_MULTILINGUAL].missing(settings):
        if others:
            say(f"This library has lines in {', '.join(others)}, which search barely understands ({missing}).")
        return {}
    lines = f"lines in {', '.join(others)}" if others else "lines"
    if not _agreed(f"Search {lines} by meaning, with questions in any language?", yes):
        return {}
    return {"engines": {"text_embedding": [_MULTILINGUAL, *used]}}


def _languages(library: LibraryStore) -> set[str]:
    """The codes of the languages that are spoken in a library."""
    found = set()
    for video in library.videos():
        tracks: defaultdict[str | None, list[str]] = defaultdict(list)
        for name in ("subtitles", "speech"):
            with suppress(LibraryError):
                layer = library.layer(video, name)
                for item in layer.items() if layer else ():
                    tracks[item["language"]].append(item["text"])
        found |= {language_in(" ".join(lines[:_TELLING])) for lines in tracks.values()}
    return found


def _offer_index(context: typer.Context, session: Session, *, yes: bool) -> None:
    if not session.library_root.is_dir():
        return
    videos = library_of(session).videos()
    if videos and _agreed(f"Index {counted(len(videos), 'video')} again with these models?", yes):
        from longtake.cli.index import index

        context.obj = session
        index(context, None, everything=True)


def _agreed(question: str, yes: bool) -> bool:
    if yes:
        return True
    if not sys.stdin.isatty():
        say(f"{question} Run `longtake setup --yes` to accept.")
        return False
    return typer.confirm(question, default=True)
