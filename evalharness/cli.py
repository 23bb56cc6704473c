"""`longtake bench`: speed on this machine, and answers on a folder of clips."""

from __future__ import annotations

import tempfile
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from longtake.console import Session, note, say, say_json

if TYPE_CHECKING:
    from longtake.evalharness.clips import ClipsReport, Tally
    from longtake.evalharness.speed import Beside, SpeedReport

bench = typer.Typer(no_args_is_help=True, add_completion=False, help="Measure speed and answers on this machine.")

Json = Annotated[bool, typer.Option("--json", help="One JSON document on standard output.")]


@bench.command()
def speed(context: typer.Context, as_json: Json = False) -> None:
    """Time start, indexing and asking on the demo video; takes a minute or two."""
    from longtake.evalharness.speed import measure_speed

    session: Session = context.obj
    report = measure_speed(session, _ignore if as_json else _progress)
    say_json(report.model_dump(mode="json")) if as_json else _show_speed(report)


@bench.command()
def clips(
    context: typer.Context,
    media: Annotated[Path, typer.Option(help="Folder with questions.jsonl and the clips it names.")],
    modality: Annotated[list[str] | None, typer.Option(help="Only questions of this modality; repeat it.")] = None,
    as_json: Json = False,
) -> None:
    """Index the clips of a folder, ask its questions and grade the answers; wrong answers are no failure."""
    from longtake.evalharness.clips import load_questions, run_clips
    from longtake.preprocess.workspace import Workspace

    session: Session = context.obj
    questions = load_questions(media, modality or ())
    kept = nullcontext(session.library_root) if session.library else tempfile.TemporaryDirectory(prefix="longtake-")
    with kept as root:
        report = run_clips(Workspace(Path(root), session.settings), media, questions, _ignore if as_json else _progress)
    say_json(report.model_dump(mode="json")) if as_json else _show_clips(report)


def _progress(text: str) -> None:
    note(f"{text} ...")


def _ignore(_: str) -> None:
    """Say nothing of progress."""


def _show_speed(report: SpeedReport) -> None:
    machine, index = report.machine, report.index
    say(f"{machine.system}, Python {machine.python}, {machine.cores} cores")
    say(f"load {machine.load_before} before, {machine.load_after} after; seconds as median [least, most] n=runs")
    say(f"longtake --help   {_beside(report.help, 'python -c pass')}")
    say(f"ask, warm         {report.ask_warm}")
    say(f"ask, cold         {_beside(report.ask_cold, 'its imports alone')}")
    say(f"visual pass       {_beside(report.visual_pass, 'bare decoding')}")
    say(f"index             {index.seconds}, for {index.video_seconds:g} s of video")
    say(f"  x real time     {index.times_real_time}")
    for name, seconds in index.layers.items():
        say(f"  {name:<15} {seconds}")


def _beside(measured: Beside, floor: str) -> str:
    return f"{measured.seconds}; x {floor} ({measured.floor.median:.3g} s): {measured.ratio}"


def _show_clips(report: ClipsReport) -> None:
    say(f"controller {report.controller}, {report.clips} clips, {report.total.n} questions, each asked once")
    say("shares with Wilson 95 % intervals")
    _show_tally("all", report.total)
    if len(report.by_modality) > 1:
        for name, tally in report.by_modality.items():
            _show_tally(name, tally)
    for item in report.answers:
        if item.outcome in ("wrong", "failed"):
            say(f"\n{item.outcome} {item.id} ({item.media})\n  ? {item.question}\n  gold    {item.gold}")
            say(f"  answer  {' '.join(item.answer.split()) or item.error}")


def _show_tally(name: str, tally: Tally) -> None:
    say(f"{name} (n={tally.n})")
    for outcome, share in tally.outcomes.items():
        say(f"  {outcome:<13} {share}")
    say(f"  {'evidence hit':<13} {tally.evidence_hit}")
