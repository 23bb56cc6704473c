"""Shared by the loaders of all suites: finds videos in a folder and turns rows into items."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path, PurePosixPath

from longtake.errors import MediaError
from longtake.evalharness.items import Item, Turn
from longtake.evalharness.runs.run_folder import Notify
from longtake.evalharness.scoring.choices import LABELS
from longtake.evalharness.suites.answer_options import AnswerAs, option_of, without_labels
from longtake.evalharness.suites.benchmark_rows import BadRow, Row
from longtake.preprocess.media.media import probe

CONTAINERS = frozenset(".avi .flv .m4a .m4v .mkv .mov .mp3 .mp4 .mpeg .mpg .mts .ogv .ts .wav .webm .wmv".split())
SOUND = frozenset((".m4a", ".mp3", ".wav"))


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
        """The path of a video, for `Item.media`; a row whose video is missing is reported and kept.

        Args:
            name: file name, with or without folders and suffix.
            row: the row with that name.
            field: the field with that name.
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

        Args:
            name: as for `find`.
            media: what `find` found.
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


def items_of(rows: Iterable[Row], make: Callable[[Row], Item], notify: Notify, key: str) -> list[Item]:
    """The items of rows. A bad row, or one with the id of an earlier row, is reported and left out.

    Args:
        rows: the rows of the suite's files.
        make: makes the item of a row; raises `BadRow` if it can't.
        notify: called for each row that was left out.
        key: the field or fields that make up the id.
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
        raise row.bad(answer_field, f"{answer} isn't one of its {len(options)} options")
    return Turn(question=question, reference=options[gold], options=options, gold=gold)
