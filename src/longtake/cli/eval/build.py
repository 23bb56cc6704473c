"""`longtake eval build`, `check` and `expand`: build a benchmark from videos, check and complete it."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from longtake.cli.eval.eval_arguments import AskedAtOnce, AtOnce, OfJudge, Out, Remarks, asked
from longtake.cli.options import Json, print_report
from longtake.cli.progress import Display, counting, display, watcher_on
from longtake.console import Session, counted, note, say
from longtake.errors import ConfigError, MediaError
from longtake.evalharness.runs.bounded_map import REQUESTS
from longtake.evalharness.runs.run_folder import RunFolder

if TYPE_CHECKING:
    from longtake.evalharness.building.card import SetCard
    from longtake.evalharness.building.material import VideoMaterial
    from longtake.preprocess.pipeline.workspace import Workspace

build = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    help="Build a benchmark from videos with your models, and check it item by item.",
)
SetPath = Annotated[Path, typer.Argument(metavar="SET", help="Folder that `eval build longshot` made.")]


@build.command()
def longshot(
    context: typer.Context,
    files: Annotated[list[str], typer.Argument(metavar="VIDEO...", help="Files, folders or patterns such as '*.mp4'.")],
    out: Annotated[Path, typer.Option(help="Folder of the set. What it holds already isn't made again.")],
    at_once: AtOnce = REQUESTS,
    retry_errors: Annotated[
        bool, typer.Option("--retry-errors", help="Ask again where no reply of the model was usable.")
    ] = False,
    only_expected: Annotated[
        bool, typer.Option("--dry-run", help="Estimate calls, pictures, tokens and cost; ask nothing.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Write questions, answers, rubrics and tool calls about videos, as LongShOTBench was built."""
    from longtake.evalharness.building.card import building_of
    from longtake.evalharness.building.expected import expected, show_expected
    from longtake.evalharness.building.longshot import build as built
    from longtake.evalharness.building.material import room_of
    from longtake.evalharness.building.set_folder import ITEMS, SetFolder
    from longtake.evalharness.building.stages import Stages, language_model
    from longtake.preprocess.pipeline.workspace import Workspace

    session: Session = context.obj
    settings, remarks = session.settings, Remarks()
    language_model(settings)  # a missing one is reported before anything is indexed
    workspace = Workspace(session.library_root, settings)
    paths = _videos(files, workspace)
    folder = SetFolder(out)
    if only_expected:
        materials, others = _known(paths, workspace, remarks)
        found = expected(folder.stages, materials, others, workspace, retry_errors=retry_errors)
        print_report(found, show_expected, as_json)
        remarks.leave()
        return
    with folder.locked(), display(quiet=as_json) as shown:
        materials = _indexed(paths, workspace, remarks, shown)
        folder.stages.mkdir(exist_ok=True)
        stages = Stages(
            folder.stages,
            settings,
            remarks.notify,
            most=at_once,
            retry_errors=retry_errors,
            advance=lambda stage, done, of: shown.show(stage, done / of, f"{done} of {of}"),
        )
        items = built(materials, stages, room_of(settings))
        folder.keep_built(items, stages.dropped, building_of(materials, stages, settings))
        card = folder.write(remarks.notify)
    media = os.path.commonpath([path.parent for path in paths])
    following = f"next: longtake eval run {out / ITEMS} --suite longshot --media {media} --out RUN --subject agent"
    checking = f"to check it: longtake eval build review {out}"
    print_report(card, lambda card: [*_summary(card), checking, following], as_json)
    remarks.leave()


@build.command()
def review(
    set_: SetPath,
    page: Annotated[Path | None, typer.Option(help="Write the items to this HTML file instead of asking here.")] = None,
    decisions: Annotated[
        Path | None, typer.Option(help="Take the decisions that the page saved.", exists=True, dir_okay=False)
    ] = None,
) -> None:
    """Go through the items of a set: accept, correct or drop each; the set follows."""
    from longtake.cli.eval.reviewing import built
    from longtake.cli.eval.reviewing import review as reviewed
    from longtake.evalharness.building.checking import SetDecision, check_page, fault_in, valid
    from longtake.evalharness.building.set_folder import SetFolder
    from longtake.evalharness.reports.document import write_pieces
    from longtake.evalharness.runs.decisions import read_decisions, take_over, write_decision

    remarks, folder = Remarks(), SetFolder(set_)
    with folder.locked():
        items = folder.built(remarks.notify)
        done = valid(items, read_decisions(folder.review_file, SetDecision, remarks.notify))
        left, write = [item for item in items if item.id not in done], partial(write_decision, folder.review_file)
        if page:
            write_pieces(page, check_page(left, set_))
            say(str(page))
        else:
            try:
                if decisions:
                    take_over(decisions, SetDecision, partial(fault_in, items), remarks.notify, write)
                else:
                    reviewed([built(item) for item in left], write)
            finally:
                card = folder.write(remarks.notify)
            for line in _summary(card):
                say(line)
    remarks.leave()


def _videos(files: list[str], workspace: Workspace) -> list[Path]:
    """The files, each once.

    Raises:
        ConfigError: if two have one name, by which a set tells its videos apart.
    """
    from longtake.cli.index import named_by

    paths = []
    for name in named_by(files):
        known = None if Path(name).exists() else workspace.library.find(name)
        paths.append(Path(known.path if known else name).resolve())
    named: dict[str, Path] = {}
    for path in paths:
        if (other := named.setdefault(path.stem, path)) != path:
            raise ConfigError(f"{other} and {path} have one name, by which a set tells its videos apart: rename one.")
    return list(named.values())


def _indexed(paths: list[Path], workspace: Workspace, remarks: Remarks, shown: Display) -> list[VideoMaterial]:
    """The videos, indexed as far as they weren't. One that can't be used is reported, unless it is the only one.

    Raises:
        LongtakeError: if none can be used.
    """
    from longtake.evalharness.building.material import material_of

    found = []
    for number, path in enumerate(paths, 1):
        before = f"{number} of {len(paths)}: " if len(paths) > 1 else ""
        try:
            report = workspace.add(path, watcher_on(shown, before))
            for layer in report.layers:
                if layer.problem:
                    remarks.notify(f"{path.name}, {layer.name}: {layer.problem}")
            found.append(material_of(path, report.video, workspace.library, shown.say))
        except (MediaError, ConfigError) as error:
            if len(paths) == 1:
                raise
            remarks.notify(str(error))
    if not found:
        raise ConfigError("None of the videos can be used; the lines above say why.")
    return found


def _known(paths: list[Path], workspace: Workspace, remarks: Remarks) -> tuple[list[VideoMaterial], list[float]]:
    """The videos that are indexed, and the lengths in seconds of the others; what can't be used is reported."""
    from longtake.evalharness.building.material import material_of
    from longtake.preprocess.media.media import probe

    indexed, others = [], []
    for path in paths:
        record = workspace.library.find(str(path))
        try:
            if record and record.complete:
                indexed.append(material_of(path, record, workspace.library, lambda sentence: None))
            else:
                others.append(probe(path).duration)
        except (MediaError, ConfigError) as error:
            remarks.notify(str(error))
    return indexed, others


def _summary(card: SetCard) -> list[str]:
    return [
        f"{counted(card.items, 'item')} with {counted(card.turns, 'question')}; "
        f"{counted(card.agentic, 'item')} with tool calls, "
        f"{counted(card.blind, 'question')} answered without the video, {sum(card.dropped.values())} left out, "
        f"{sum(card.partly.values())} kept in part, {counted(card.checked, 'item')} checked by a person",
    ]


def expand(
    context: typer.Context,
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Run of `eval check`, judged.")],
    out: Annotated[Path, typer.Option(help="CSV file for the drafts.", dir_okay=False)],
    judge: OfJudge = None,
    at_once: AtOnce = REQUESTS,
) -> None:
    """Draft a paraphrase, two leading questions and options from wrong replies, for a person to correct (Video-TT)."""
    from longtake.evalharness.building.stages import Stages
    from longtake.evalharness.building.variants import COLUMNS, variants
    from longtake.evalharness.reports.run_scores import read_scores
    from longtake.evalharness.runs.journal import write_file
    from longtake.evalharness.suites.benchmark_rows import csv_text

    if out.exists():
        raise ConfigError(f"{out} is there already and may have been corrected; choose another file.")
    session: Session = context.obj
    remarks = Remarks()
    scores = read_scores(RunFolder(run), None, remarks.notify, judge)
    folder = run / "expanding"
    folder.mkdir(exist_ok=True)
    with counting("asking", quiet=False) as advance:
        stages = Stages(
            folder, session.settings, remarks.notify, most=at_once, advance=lambda _, done, of: advance(done, of)
        )
        rows = variants(scores, stages)
    write_file(out, csv_text([COLUMNS, *rows]))
    say(
        f"{counted(len(rows) // 5, 'question')} in five ways in {out}; correct or delete what isn't right, then "
        f"longtake eval run {out} --suite video-tt --media VIDEOS --out RUN --subject SUBJECT"
    )
    remarks.leave()


def check(
    context: typer.Context,
    data: Annotated[Path, typer.Argument(metavar="SET", help="Suite file; for your own set, its card.")],
    out: Out,
    model: Annotated[list[str], typer.Option(help="model:NAME@URL, or NAME=model:NAME@URL; three as in Video-TT.")],
    suite: Annotated[str, typer.Option(help="Suite of the set.")] = "own",
    media: Annotated[Path | None, typer.Option(help="Video folder.", exists=True, file_okay=False)] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first N items.")] = None,
    at_once: AskedAtOnce = None,
    as_json: Json = False,
) -> None:
    """Ask models three times without the video, with 80 frames and with more; list what all or none of them solve."""
    from longtake.evalharness.judges.judging import undecided
    from longtake.evalharness.prompts.prompt_set import prompts_named
    from longtake.evalharness.reports.construction import (
        ATTEMPTS,
        TEMPERATURE,
        VARIANTS,
        check_models,
        construction,
        show_construction,
    )
    from longtake.evalharness.reports.run_scores import read_scores
    from longtake.evalharness.subjects.subject_table import card_of_subjects
    from longtake.evalharness.suites.suite_table import cases_of_run, suite_named

    session: Session = context.obj
    remarks, folder = Remarks(), RunFolder(out)
    check_models(model)
    loaded = suite_named(suite).load(data, media, "repo", remarks.notify)[:limit]
    items = [item.model_copy(update={"temperature": TEMPERATURE}) for item in loaded]
    asking = prompts_named(None, suite, "repo")
    variants = tuple(variant.model_copy(update={"prompts": asking}) for variant in VARIANTS)
    ways = {"variants": variants, "seeds": tuple(range(ATTEMPTS))}
    card = card_of_subjects(model, session, suite, data).model_copy(update=ways)
    asked(session, folder, card, items, remarks, at_once, quiet=as_json)
    by_id = {item.id: item for item in items}
    if undecided(folder, by_id, remarks.notify, cases_of_run(card)):
        note(f"longtake: Open answers need a judge: longtake eval judge {out}; then give this command again.")
    print_report(construction(read_scores(folder, None, remarks.notify)), show_construction, as_json)
    remarks.leave()
