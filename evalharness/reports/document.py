"""Writes reports and comparisons as self-contained HTML pages and as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from longtake.console import counted
from longtake.errors import LibraryError
from longtake.evalharness.reports.cited_frames import Stills
from longtake.evalharness.reports.compare import Comparison, grids, summary
from longtake.evalharness.reports.content import Content, Grid
from longtake.evalharness.reports.drawing import forest_of, key, scatter
from longtake.evalharness.reports.openable import opened
from longtake.evalharness.reports.run_scores import RunScores
from longtake.evalharness.reports.traces import Traces
from longtake.memory.timespan import clock


def report_page(run: RunScores, content: Content, stills: Stills, traces: Traces) -> Iterator[str]:
    """The HTML of a report, in pieces: no more than one item with its pictures and traces is held at a time."""
    subjects, items = [subject.name for subject in run.subjects], opened(run, stills, traces)
    return page("report.html", content=content, subjects=subjects, items=items, stills=stills, traces=traces)


def page(name: str, **values: Any) -> Iterator[str]:
    """A template filled, in pieces; what comes from a run or a video is escaped."""
    environment = Environment(
        loader=PackageLoader("longtake.evalharness.reports", "pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {"forest_of": forest_of, "scatter": scatter, "key": key, "clock": clock, "counted": counted}
    return environment.get_template(name).generate(**values)


def report_markdown(content: Content) -> str:
    """The same without the items, as Markdown."""
    lines = [f"# {content.title}", ""]
    lines += [f"- {name}: {value}" for name, value in content.facts.items()]
    lines += ["", f"## {content.headline.title}", "", *(f"> {note}\n" for note in content.notes)]
    lines += _markdown_table(content.headline)
    for plot in content.plots:
        lines += ["", f"## {plot.title}", "", *_markdown_table(plot.grid)]
    for grid in content.groups:
        lines += ["", f"## {grid.title}", "", *_markdown_table(grid)]
    return "\n".join(lines) + "\n"


def comparison_pieces(found: Comparison, suffix: str) -> Iterable[str]:
    """A comparison as a page, HTML or, with the suffix `.md`, Markdown."""
    title = f"{found.first} and {found.second}"
    sentences, tables = list(summary(found)), grids(found)
    if suffix != ".md":
        return page("compare.html", title=title, sentences=sentences, grids=tables)
    return [grids_markdown(title, sentences, tables)]


def grids_markdown(title: str, sentences: Iterable[str], grids: Iterable[Grid]) -> str:
    """A title, sentences and tables as Markdown."""
    lines = [f"# {title}", "", *(f"- {sentence}" for sentence in sentences)]
    for grid in grids:
        lines += ["", f"## {grid.title}", "", *_markdown_table(grid)]
    return "\n".join(lines) + "\n"


def write_pieces(file: Path, pieces: Iterable[str]) -> None:
    """Write a file piece by piece, and replace an existing one atomically. The folder is created if missing.

    Raises:
        LibraryError: if it cannot be written.
    """
    part = file.with_name(f"{file.name}.part")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with part.open("w", encoding="utf-8") as stream:
            stream.writelines(pieces)
        part.replace(file)
    except OSError as error:
        with suppress(OSError):
            part.unlink()
        raise LibraryError(f"{file} cannot be written: {error.strerror}; make room or choose another place.") from error


def _markdown_table(grid: Grid) -> list[str]:
    """The lines of a table, with its caption below."""
    rows = [grid.columns, tuple("---" for _ in grid.columns), *grid.rows]
    lines = [f"| {' | '.join(_cell(str(cell)) for cell in row)} |" for row in rows]
    return [*lines, "", grid.caption] if grid.caption else lines


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())
