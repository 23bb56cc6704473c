"""Shared by the loaders of all suites: finds videos in a folder, and turns rows and their options into items."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path, PurePosixPath
from typing import Literal

from longtake.errors import ConfigError, MediaError
from longtake.evalharness.items import Item, Turn
from longtake.evalharness.runs.run_folder import Notify
from longtake.evalharness.scoring.choices import LABELS
from longtake.evalharness.suites.benchmark_rows import BadRow, Row
from longtake.preprocess.media.media import probe

AnswerAs = Literal["letter", "index", "number", "text"]
_MARK = re.compile(r"\(([A-Za-z])\)\s*|^[ \t]*([A-Za-z])[.):][ \t]+", re.MULTILINE)
_LABEL = re.compile(r"\s*(?:\(([A-Za-z])\)|([A-Za-z])[.):])\s*(?=\S)")
_LETTER = re.compile(r"\((?P<set>[A-Za-z])\)(?:\s.*)?|(?P<bare>[A-Za-z])(?:[.):].*)?", re.DOTALL)
CONTAINERS = frozenset(".avi .flv .m4a .m4v .mkv .mov .mp3 .mp4 .mpeg .mpg .mts .ogv .ts .wav .webm .wmv".split())
SOUND = frozenset((".m4a", ".mp3", ".wav"))


def split_options(text: str) -> tuple[str, tuple[str, ...]]:
    """The question and its options, where they are marked (a), (b)... or, each on its line, A. or A).

    A mark counts only if its letter is the next one, so that a letter in parentheses alone isn't an option.
    """
    marks: list[re.Match[str]] = []
    for match in _MARK.finditer(text):
        if len(marks) < len(LABELS) and (match[1] or match[2]).upper() == LABELS[len(marks)]:
            marks.append(match)
    if len(marks) < 2:
        return text.strip(), ()
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    options = tuple(text[mark.end() : end].strip() for mark, end in zip(marks, ends, strict=True))
    return text[: marks[0].start()].strip(), options


def without_labels(options: Sequence[str]) -> tuple[str, ...]:
    """The texts of options that are labelled A, B, C... in order; others as they are."""
    labels = [_LABEL.match(option) for option in options]
    letters = [(label[1] or label[2]).upper() if label else "" for label in labels]
    if letters != list(LABELS[: len(options)]):
        return tuple(options)
    return tuple(option[label.end() :].strip() for option, label in zip(options, labels, strict=True) if label)


def option_of(answer: str, options: Sequence[str], written: AnswerAs) -> int | None:
    """Which option an answer of the file names, from 0; None if it names none.

    It is `written` as a letter ("b", "(b)", "B. the door"), an index from 0, a number from 1, or the option's text.
    """
    if written == "text":
        label = _LABEL.match(answer)
        for text in filter(None, (answer, label and answer[label.end() :])):  # the answer may have its label as well
            same = [place for place, option in enumerate(options) if option.casefold() == text.strip().casefold()]
            if len(same) == 1:
                return same[0]
        return None
    if written in ("index", "number"):
        place = int(answer) - (written == "number") if re.fullmatch(r"\d+", answer) else len(options)
    else:
        letter = _LETTER.fullmatch(answer)
        place = LABELS.index((letter["set"] or letter["bare"]).upper()) if letter else len(options)
    return place if 0 <= place < len(options) else None


class Videos:
    """The videos in a folder and its subfolders, found by name or by the end of their path, in any container."""

    def __init__(self, folder: Path | None, notify: Notify) -> None:
        """Scan the folder. Without one, no video is found; a missing folder is reported once."""
        self._folder, self._notify = folder, notify
        self._ending: defaultdict[str, list[Path]] = defaultdict(list)
        self._ids: dict[str, str] = {}
        if folder is None:
            return
        if not folder.is_dir():
            notify(f"There is no folder {folder}; all rows are kept, without a video.")
            self._folder = None
        for path in sorted(folder.rglob("*")):
            if path.suffix.lower() in CONTAINERS:
                for named in (path.relative_to(folder), path.relative_to(folder).with_suffix("")):
                    for first in range(len(named.parts)):
                        self._ending["/".join(named.parts[first:])].append(path)

    def find(self, name: str, row: Row, field: str) -> str | None:
        """The path of a video, for `Item.media`, by its name with or without folders and suffix.

        A row whose video is missing is reported, with the field of its name, and kept.
        """
        if self._folder is None:
            return None
        found = self._ending.get(name, [])
        found = [path for path in found if path.suffix.lower() not in SOUND] or found  # a sound track next to its video
        whole = [path for path in found if len(path.relative_to(self._folder).parts) == len(Path(name).parts)]
        if len(whole or found) == 1:
            return str((whole or found)[0])
        fault = f"{len(found)} videos have that name" if found else "there is no such video"
        self._notify(f"{row.place(field)}: {name}: {fault} in {self._folder}; the row is kept, without a video.")
        return None

    def id_of(self, name: str, media: str | None) -> str:
        """The id of a video, for `Item.video`: the first name that it had, however else it is written later.

        Items of one video aren't independent observations, so that a second id would narrow the intervals of a score.
        """
        if media is not None:
            return self._ids.setdefault(str(Path(media).resolve()), name)
        path = PurePosixPath(name)  # nothing but the name says which video is missing
        return self._ids.setdefault(str(path.with_suffix("") if path.suffix.lower() in CONTAINERS else path), name)

    def seconds(self, media: str | None, row: Row, field: str) -> float | None:
        """The length of a video; None if there is no video or it can't be read, which is reported."""
        if media is None:
            return None
        try:
            return probe(Path(media)).duration
        except MediaError as error:
            self._notify(f"{row.place(field)}: {error}")
            return None


def items_of(
    rows: Iterable[Row], make: Callable[[Row], Item], notify: Notify, key: str, lacking: str = ""
) -> list[Item]:
    """The items of rows. A bad row, or one with the id of an earlier row, is reported and left out.

    `make` raises `BadRow` if it can't make an item. `key` is the field or fields that make up the id, and `lacking`
    what to say if there is no item; empty: nothing.

    Raises:
        ConfigError: if there is none, and that is wrong.
    """
    items: list[Item] = []
    places: dict[str, str] = {}
    for row in rows:
        try:
            item = make(row)
            if earlier := places.get(item.id):
                raise row.bad(key, f"{item.id} is already used in {earlier}")
        except BadRow as error:
            notify(str(error))
        else:
            items.append(item)
            places[item.id] = f"line {row.number} of {row.file.name}"
    if lacking and not items:
        raise ConfigError(lacking)
    return items


def choice_turn(
    row: Row, question: str, options: tuple[str, ...], options_field: str, answer_field: str, written: AnswerAs
) -> Turn:
    """The turn of a row with options, without the labels that a file may give them: they are labelled when asked.

    Raises:
        BadRow: if options are missing, repeated or more than there are letters, or the answer isn't one of them.
    """
    options = without_labels(options)
    if len(options) < 2 or not all(options):
        raise row.bad(options_field, "options are missing")
    if len(set(options)) < len(options):
        raise row.bad(options_field, "two options are the same")
    if len(options) > len(LABELS):
        raise row.bad(options_field, f"it has {len(options)} options; the maximum is {len(LABELS)}")
    answer = row.needed(answer_field)
    gold = option_of(answer, options, written)
    if gold is None:
        raise row.bad(answer_field, f"{answer} isn't the {written} of one of its {len(options)} options")
    return Turn(question=question, reference=options[gold], options=options, gold=gold)
