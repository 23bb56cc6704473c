"""What the loaders of all suites share: the videos of a folder, and items made of rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path

from longtake.errors import MediaError
from longtake.evalharness.items import Item, Turn
from longtake.evalharness.runs.run_folder import Notify
from longtake.evalharness.scoring.choices import LABELS
from longtake.evalharness.suites.answer_options import AnswerAs, option_of
from longtake.evalharness.suites.benchmark_rows import BadRow, Row
from longtake.preprocess.media.media import probe

CONTAINERS = frozenset(".avi .flv .m4a .m4v .mkv .mov .mp3 .mp4 .mpeg .mpg .mts .ogv .ts .wav .webm .wmv".split())
SOUND = frozenset((".m4a", ".mp3", ".wav"))


class Videos:
    """The videos below a folder, found by name or by the end of their path, whatever container they are in."""

    def __init__(self, folder: Path | None, notify: Notify) -> None:
        """Look through the folder; without one, no video is there: of a folder that is missing that is told once."""
        self._folder, self._notify = folder, notify
        self._ending: defaultdict[str, list[Path]] = defaultdict(list)
        if folder is None:
            return
        if not folder.is_dir():
            notify(f"There is no folder {folder}; every row stays, without a video.")
            self._folder = None
        for path in sorted(folder.rglob("*")):
            if path.suffix.lower() in CONTAINERS:
                for named in (path.relative_to(folder), path.relative_to(folder).with_suffix("")):
                    for first in range(len(named.parts)):
                        self._ending["/".join(named.parts[first:])].append(path)

    def find(self, name: str, row: Row, field: str) -> str | None:
        """The path of a video, for `Item.media`; a row whose video is missing is told of and stays.

        Args:
            name: of the file, with or without folders and suffix.
            row: that names it.
            field: in which it stands.
        """
        if self._folder is None:
            return None
        found = self._ending.get(name, [])
        found = [path for path in found if path.suffix.lower() not in SOUND] or found  # a sound track beside its video
        whole = [path for path in found if len(path.relative_to(self._folder).parts) == len(Path(name).parts)]
        if len(whole or found) == 1:
            return str((whole or found)[0])
        fault = f"{len(found)} videos of that name are" if found else "no such video is"
        self._notify(f"{row.place(field)}: {name}: {fault} in {self._folder}; the row stays, without a video.")
        return None

    def seconds(self, media: str | None, row: Row, field: str) -> float | None:
        """The length of a video; None if there is none, or where it cannot be read, which is told."""
        if media is None:
            return None
        try:
            return probe(Path(media)).duration
        except MediaError as error:
            self._notify(f"{row.place(field)}: {error}")
            return None


def items_of(rows: Iterable[Row], make: Callable[[Row], Item], notify: Notify, key: str) -> list[Item]:
    """The items of rows; what is no item, and what has the id of an earlier one, is told of and left out.

    Args:
        rows: of the files of a suite.
        make: the item of a row; raises `BadRow` where it is none.
        notify: called for each row that was left out.
        key: the field, or fields, that an id is made of.
    """
    items: dict[str, Item] = {}
    places: dict[str, str] = {}
    for row in rows:
        try:
            item = make(row)
            if held := places.get(item.id):
                raise row.bad(key, f"{item.id} stands in {held} already")
        except BadRow as error:
            notify(str(error))
        else:
            items[item.id], places[item.id] = item, f"line {row.number} of {row.file.name}"
    return list(items.values())


def choice_turn(
    row: Row, question: str, options: tuple[str, ...], options_field: str, answer_field: str, written: AnswerAs
) -> Turn:
    """The turn that a row with options is.

    Raises:
        BadRow: when the options are missing, the same twice or more than there are letters, or the answer is none of
            them.
    """
    if len(options) < 2 or not all(options):
        raise row.bad(options_field, "its options are missing")
    if len(set(options)) < len(options):
        raise row.bad(options_field, "two of its options are the same")
    if len(options) > len(LABELS):
        raise row.bad(options_field, f"it has {len(options)} options, and at most {len(LABELS)} can be labelled")
    answer = row.needed(answer_field)
    gold = option_of(answer, options, written)
    if gold is None:
        raise row.bad(answer_field, f"{answer} is none of its {len(options)} options")
    return Turn(question=question, reference=options[gold], options=options, gold=gold)
