"""`longtake bench`: speed, memory and robustness on this machine, and answers on a folder of clips."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import typer

from longtake.benchmarks.clips.clips_run import run_clips
from longtake.benchmarks.clips.extractive_fit import fit_ranking, fit_reading
from longtake.benchmarks.clips.reader_fit import measure_reader
from longtake.benchmarks.faults.campaign import measure_faults
from longtake.benchmarks.hour.memory_use import measure_memory
from longtake.benchmarks.hour.visual_speed import measure_pass
from longtake.benchmarks.loop.table import record, replay
from longtake.benchmarks.parts.cluster_scaling import measure_cluster
from longtake.benchmarks.parts.engine_costs import measure_engines
from longtake.benchmarks.parts.evaluation_speed import measure_evaluation
from longtake.benchmarks.parts.gguf_calls import measure_gguf
from longtake.benchmarks.parts.load import measure_load
from longtake.benchmarks.parts.perturbation_speed import measure_perturbations
from longtake.benchmarks.parts.planted_shots import measure_shots
from longtake.benchmarks.parts.search_scale import measure_scale
from longtake.benchmarks.parts.speech_accuracy import measure_speech
from longtake.benchmarks.reports import Machine, Report, load
from longtake.benchmarks.screenshots import take_screenshots
from longtake.benchmarks.walks import measure_walks
from longtake.cli.options import Json, notify
from longtake.console import say, say_json

Measure = Callable[..., Report]

# By the name of the command, under the title of its part of the menu.
MENU: Mapping[str, Mapping[str, Measure]] = {
    "On the demo video": {"faults": measure_faults, "load": measure_load, "walks": measure_walks},
    "On a folder of clips": {
        "clips": run_clips,
        "shots": measure_shots,
        "speech": measure_speech,
        "ranking": fit_ranking,
        "pass": measure_pass,
        "memory": measure_memory,
    },
    "On single parts": {
        "gguf": measure_gguf,
        "engines": measure_engines,
        "edits": measure_perturbations,
        "cluster": measure_cluster,
        "reader": measure_reader,
        "reading": fit_reading,
        "evaluation": measure_evaluation,
        "scale": measure_scale,
    },
    "For the documentation": {"screenshots": take_screenshots},
}

bench = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    help="Benchmarks on this machine. Shares come with their interval, medians with the lowest and highest value.",
)
loop = typer.Typer(no_args_is_help=True, help="What becomes of a language model's answers: record a model, replay it.")


def add(app: typer.Typer, name: str, measure: Measure, panel: str | None = None) -> None:
    """Make a command of a measurement: its parameters are the options, but for `session` and `notify`."""
    parameters = inspect.signature(measure, eval_str=True).parameters

    def command(context: typer.Context, as_json: bool, **options: Any) -> None:
        given = {"session": context.obj, "notify": notify(as_json)}
        before = load()
        report = measure(**{key: value for key, value in given.items() if key in parameters}, **options)
        machine = Machine.since(before)
        if as_json:
            say_json({"machine": machine.model_dump(), **report.model_dump(mode="json")})
        else:
            for line in (str(machine), *report.lines()):
                say(line)
        if report.exit_code:
            raise typer.Exit(report.exit_code)

    keyword = inspect.Parameter.KEYWORD_ONLY
    taken = [
        inspect.Parameter("context", keyword, annotation=typer.Context),
        *(each.replace(kind=keyword) for key, each in parameters.items() if key not in ("session", "notify")),
        inspect.Parameter("as_json", keyword, annotation=Json, default=False),
    ]
    command.__signature__ = inspect.Signature(taken)  # type: ignore[attr-defined]  # which Typer reads
    command.__annotations__ = {each.name: each.annotation for each in taken}
    help_text = inspect.getdoc(measure) or ""
    app.command(name, help=help_text.partition("\n\n")[0], rich_help_panel=panel)(command)


for title, commands in MENU.items():
    for command_name, work in commands.items():
        add(bench, command_name, work, title)
add(loop, "record", record)
add(loop, "replay", replay)
bench.add_typer(loop, name="loop")
