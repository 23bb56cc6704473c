"""Writes reports and comparisons as HTML pages and as Markdown.

The items of a report are in script files beside its page, which loads them when they are opened: `report/items.js`
lists them, and `report/1.js`, `report/2.js` ... have what is inside a few of them each. They are scripts because a page
that is opened from a disk may load scripts, but no other files.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any

from longtake.errors import LibraryError
from longtake.evalharness.reports.compare import SubjectComparison, grids, summary
from longtake.evalharness.reports.content import Content
from longtake.evalharness.reports.grid import Grid
from longtake.evalharness.reports.openable import Opened, Stills, Traces, as_json, opened
from longtake.evalharness.reports.run_scores import RunScores
from longtake.evalharness.reports.template import page

FOLDER = "report"
_ITEMS = 12  # in a file: with pictures and traces, a file stays near a megabyte


@contextmanager
def replaced(folder: Path) -> Iterator[Path]:
    """An empty folder that takes the place of `folder` when the block ends, unless it fails.

    Raises:
        LibraryError: if it cannot be written.
    """
    part = folder.with_name(f"{folder.name}.part")
    try:
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        yield part
        shutil.rmtree(folder, ignore_errors=True)
        part.replace(folder)
    except OSError as error:
        raise LibraryError(
            f"{folder} cannot be written: {error.strerror}; make room or choose another place."
        ) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


def write_items(folder: Path, items: Iterable[Opened], subjects: list[str]) -> None:
    """Write the script files of a report into a folder; a few items are held at a time."""
    waiting = iter(items)
    with (folder / "items.js").open("w", encoding="utf-8") as listed:
        listed.write("report.items([")
        for number, group in enumerate(iter(lambda: list(islice(waiting, _ITEMS)), []), 1):
            inside = as_json(["".join(page("item.html", one=one, subjects=subjects)) for one in group])
            (folder / f"{number}.js").write_text(f"report.inside({number}, {inside});\n", encoding="utf-8")
            rows = [as_json(_row(one, number, place)) for place, one in enumerate(group)]
            listed.write(", " * (number > 1) + ", ".join(rows))
        listed.write("]);\n")


def _row(one: Opened, file: int, place: int) -> dict[str, Any]:
    """What the list shows, filters and sorts by; `values` are the scores of the subjects, or null."""
    return {
        "id": one.item.id,
        "question": one.item.turns[0].question,
        "task": one.item.task,
        "video": one.item.video,
        "values": one.values,
        "file": file,
        "place": place,
    }


def write_report(path: Path, run: RunScores, content: Content, stills: Stills, traces: Traces) -> list[Path]:
    """Write the page of a report, the folder with its items and the Markdown. A few items are held at a time.

    Raises:
        LibraryError: if a file cannot be written.
    """
    subjects = [subject.name for subject in run.subjects]
    files = [path / "report.html", path / "report.md"]
    with replaced(path / FOLDER) as folder:
        write_items(folder, opened(run, stills, traces), subjects)
        write_pieces(files[0], page("report.html", content=content, subjects=subjects, stills=stills, traces=traces))
        write_pieces(files[1], [report_markdown(content)])
    return files


def report_markdown(content: Content) -> str:
    """The same without the items, as Markdown."""
    lines = [f"# {content.title}", "", *(f"{sentence}\n" for sentence in content.conclusion)]
    lines += [f"- {name}: {value}" for name, value in content.facts.items()]
    lines += ["", f"## {content.headline.title}", "", *(f"> {note}\n" for note in content.notes)]
    lines += markdown_table(content.headline)
    drawn = (plot.table for plot in content.plots)
    return "\n".join([*lines, *_tables(filter(None, (content.faults, *content.published, *drawn, *content.groups)))])


def comparison_pieces(found: SubjectComparison, suffix: str) -> Iterable[str]:
    """A comparison as a page, HTML or, with the suffix `.md`, Markdown."""
    title = f"{found.first} and {found.second}"
    sentences, tables = list(summary(found)), grids(found)
    if suffix != ".md":
        return page("tables.html", title=title, sentences=sentences, grids=tables, plots=(), drawn=False)
    return [grids_markdown(title, sentences, tables)]


def grids_markdown(title: str, sentences: Iterable[str], grids: Iterable[Grid]) -> str:
    """A title, sentences and tables as Markdown."""
    lines = [f"# {title}", "", *(f"- {sentence}" for sentence in sentences)]
    return "\n".join([*lines, *_tables(grids)])


def _tables(grids: Iterable[Grid]) -> list[str]:
    """The lines of tables with their titles; the last line is empty."""
    return [*(line for grid in grids for line in ("", f"## {grid.title}", "", *markdown_table(grid))), ""]


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


def markdown_table(grid: Grid) -> list[str]:
    """The lines of a table, with its caption below."""
    rows = [grid.columns, tuple("---" for _ in grid.columns), *grid.rows]
    cells = ((" ".join(str(cell).replace("|", "\\|").split()) for cell in row) for row in rows)
    lines = [f"| {' | '.join(row)} |" for row in cells]
    return [*lines, "", grid.caption] if grid.caption else lines
