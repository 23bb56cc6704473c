"""`longtake doctor`."""

from __future__ import annotations

import sys
import textwrap
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from longtake import __version__
from longtake.cli.options import library_of
from longtake.config import secret
from longtake.console import Session, counted, raise_if_interrupted, say, say_json, sized
from longtake.errors import LibraryError
from longtake.memory.timespan import clock
from longtake.models.advice import problem_at
from longtake.models.names import roles
from longtake.models.servers import ask_models
from longtake.offline import refused_endpoint
from longtake.plugins import BUILT_IN, Origin, Table, strays
from longtake.preprocess.engines import CapabilityReport, EngineTable
from longtake.preprocess.engines.capabilities import PURPOSES
from longtake.preprocess.engines.engine_table import ENGINES
from longtake.preprocess.engines.llama_cpp.server import expected_costs, missing_gguf
from longtake.preprocess.layers.sound_track import with_track
from longtake.preprocess.media.contents import FilePart
from longtake.preprocess.media.media import MediaInfo, survey
from longtake.preprocess.media.sources import contents_now, contents_to_come, media_at, source
from longtake.preprocess.pipeline.library_check import LibraryCheck, check_library
from longtake.remote import media_path
from longtake.settings import Settings

_BY_URL = ("openai", "qwen_agent")  # controllers behind a server
# What would improve a capability over the engine in use.
BETTER = {
    "speech": "subtitles next to the file (NAME.srt or NAME.vtt) are used instead, and beat any recogniser",
    "faces": "biometric, so only if you ask for it: pip install 'longtake[faces]' and --set 'engines.faces=[dlib]'",
}

ENGLISH_ONLY = (
    "English only: times and relations named in a question, reading lines together with it (MS MARCO), units and "
    "denials in claims, word stems, and the words of answers without a language model."
)


def doctor(
    context: typer.Context,
    file: Annotated[
        Path | None,
        typer.Argument(help="Say instead what this file holds, and what of it was or will be read.", metavar="FILE"),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Check what works here: the library, and for each capability the engine in use and how to improve it.

    The servers that the settings name are asked. Finally, list what other packages add. Nothing is created or changed.
    """
    session: Session = context.obj
    settings = session.settings
    if file:
        return _say_file(media_path(file), session, as_json=as_json)
    library = check_library(session.library_root, settings)
    servers = _servers(settings)
    controller = settings.controller
    in_process = controller.engine == "gguf"
    file_problem = missing_gguf(settings, controller.model, "controller.model") if in_process else None
    in_use = controller.model if in_process and not file_problem else None
    costs = expected_costs(settings, in_use) if in_use else None
    problem = file_problem or servers.get("controller", {}).get("problem")
    reports = EngineTable(settings).reports()
    parts = _parts()
    in_roles = roles(settings)
    at_url = controller.engine in _BY_URL and not _refused(settings)  # a refused one may contain a secret
    shown = controller.base_url if at_url else None
    facts = {
        "version": __version__,
        "python": sys.version.split()[0],
        "library": asdict(library),
        "profile": session.source,
        "offline": settings.offline,
        "controller": {
            "engine": controller.engine,
            "model": controller.model,
            "base_url": shown,
            "roles": in_roles,
            "problem": problem,
            "memory": costs[0] if costs else None,
            "first_word_seconds": round(costs[1], 1) if costs else None,
        },
        "servers": servers,
        "capabilities": [_row(report) for report in reports],
        "parts": [part._asdict() for part in parts],
    }
    if as_json:
        return say_json(facts)
    say(f"longtake {__version__}, Python {facts['python']}, profile {session.source}")
    say(f"library     {library.path} ({_held(library)}, {sized(library.free)} free)")
    for each in library.problems:
        say(f"            {each}")
    at = f" ({controller.model}{f' at {shown}' if shown else ''})" if controller.model else ""
    say(f"controller  {controller.engine}{at}")
    say(f"            {in_roles}")
    if file_problem:
        say(f"            {file_problem}")
    if costs:
        memory, seconds = sized(costs[0]), f"{costs[1]:.0f} s"
        say(f"            needs about {memory} of memory; the first word takes about {seconds} on this CPU")
    for section, server in servers.items():
        said = server["problem"] or f"{server['url']} answers in {server['seconds']:.2f} s"
        say(f"            {section}: {said}")
    if controller.engine == "extractive":
        say("            a language model plans better: longtake setup finds or fetches one")
    for line in _capability_lines(reports):
        say(line)
    say(f"\n{ENGLISH_ONLY}\n")
    for line in _part_lines(parts):
        say(line)
    return None


def _say_file(path: Path, session: Session, *, as_json: bool) -> None:
    media, found = _contents(path, session)
    if as_json:
        facts = {"path": str(path), "duration": media.duration, "contents": [part.model_dump() for part in found]}
        return say_json(facts)
    say(f"{path.name}  {clock(media.duration)}")
    for part in found:
        say(f"  {part.text}")
    return None


def _contents(path: Path, session: Session) -> tuple[MediaInfo, list[FilePart]]:
    with suppress(LibraryError):  # a library that can't be read is no matter of the file
        library = library_of(session)
        video = library.find(str(path)) if path.is_file() else None
        if video and source(video) == path.resolve():
            media = media_at(path, library, video)
            return media, contents_now(library, video, media)
    media = with_track(path, survey(path), session.settings.speech.track, raise_if_interrupted)
    return media, contents_to_come(path, media)


def _capability_lines(reports: Sequence[CapabilityReport]) -> Iterator[str]:
    """What works, each with what would be better, and then what is missing, each with what it takes."""
    for title, shown in (
        ("Works here", [report for report in reports if report.engine]),
        ("Missing", [report for report in reports if not report.engine]),
    ):
        yield from ("", title) if shown else ()
        for report in shown:
            if report.engine:
                yield f"  {report.capability:<20} {report.engine}: {report.summary}"
            else:
                yield f"  {report.capability:<20} {PURPOSES[report.capability]}"
            for name, reason in report.reasons.items():
                yield f"    {'better with' if report.engine else 'with'} {name}: {reason}"
            if report.capability in BETTER:
                yield f"    {BETTER[report.capability]}"


def _parts() -> list[Origin]:
    """List where everything that packages can add comes from, by kind and package."""
    from longtake.evalharness.edits.edit_table import EDITS
    from longtake.evalharness.judges.judge_table import JUDGES
    from longtake.evalharness.stress.stress_suite import STRESS_TESTS
    from longtake.evalharness.subjects.subject_table import SUBJECTS
    from longtake.evalharness.suites.suite_table import SUITES
    from longtake.evalharness.views.view_table import VIEWS
    from longtake.tools.catalogue import TOOLS

    tables: tuple[Table[Any], ...] = (*ENGINES.values(), TOOLS, SUITES, JUDGES, SUBJECTS, EDITS, STRESS_TESTS, VIEWS)
    parts = [part for table in tables for part in table.origins()]
    return parts + strays(tables)


def _part_lines(parts: Sequence[Origin]) -> Iterator[str]:
    """How many parts are built in, then those of each other package, then those that can't be used."""
    named: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    own: Counter[str] = Counter()
    for part in parts:
        kind, _, capability = part.kind.partition(".")
        if part.problem is None and part.source == BUILT_IN:
            own[kind] += 1
        elif part.problem is None:
            named[kind, part.source].append(f"{capability}.{part.name}" if capability else part.name)
    yield f"Built in: {', '.join(f'{kind} ({count})' for kind, count in own.items())}. --json lists them."
    for (kind, package), names in named.items():
        line = f"{kind:<9} {package}: {', '.join(names)}"
        yield textwrap.fill(line, width=120, subsequent_indent=" " * 10, break_on_hyphens=False)
    yield from (part.problem for part in parts if part.problem)


def _held(library: LibraryCheck) -> str:
    if library.videos is None:
        return f"can't be read, {sized(library.size)}"
    if library.format is None:
        return "doesn't exist yet: the first `longtake index FILE` creates it"
    return f"format {library.format}, {counted(library.videos, 'video')}, {sized(library.size)}"


def _servers(settings: Settings) -> dict[str, dict[str, Any]]:
    """Ask the servers that the settings name, each once: by setting, the URL, seconds, models and what is wrong."""
    named = {"captions": settings.captions, "visual_question": settings.visual_question}
    controller = settings.controller
    asked = [(name, each.base_url, each.model, each.api_key_env) for name, each in named.items()]
    if controller.engine in _BY_URL:
        asked.insert(0, ("controller", controller.base_url, controller.model, controller.api_key_env))
    if judge := settings.judge:
        asked.append(("verification", judge.base_url, judge.model, judge.api_key_env))
    rows: dict[str, dict[str, Any]] = {}
    for section, url, model, variable in asked:
        if not url:
            continue
        setting = f"{section}.base_url"
        if refused := refused_endpoint(url, setting, variable, offline=settings.offline):
            rows[section] = {"url": None, "seconds": None, "models": [], "problem": refused}  # it may hold a secret
            continue
        listing = ask_models(url, secret(variable))
        rows[section] = {
            "url": url,
            "seconds": round(listing.seconds, 3),
            "models": list(listing.models),
            "problem": problem_at(listing, model, setting, variable),
        }
    return rows


def _refused(settings: Settings) -> str | None:
    url, variable = settings.controller.base_url, settings.controller.api_key_env
    return refused_endpoint(url, "controller.base_url", variable, offline=settings.offline) if url else None


def _row(report: CapabilityReport) -> dict[str, object]:
    return {
        "capability": report.capability,
        "engine": report.engine,
        "summary": report.summary,
        "unavailable": dict(report.reasons),
        "better": BETTER.get(report.capability),
    }
