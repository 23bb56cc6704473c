"""The folder of a run: the questions, the subjects, and all results, in append-only files.

run.json            what the run is: its suite, subjects, variants, seeds; later only subjects are added
loading.json        messages from loading the items, if any
items.jsonl         the items as they were asked, so that scores need nothing else
predictions.jsonl   what each subject said
asking.json         who was asked last, and since when
judgements.jsonl    what the judges found
*.damaged           lines of these that could not be read
report.html         the last report, whose items are in report/; report.md next to it
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout
from pydantic import Field, ValidationError

from longtake.errors import ConfigError, LibraryError
from longtake.evalharness.items import Item, Judgement, Prediction, PredictionKey, Protocol, Variant
from longtake.evalharness.runs.journal import (
    Journal,
    Latest,
    OnDisk,
    placed_records,
    read_records,
    set_aside,
    write_file,
    wrong_field,
)
from longtake.evalharness.subjects.names import without_prices
from longtake.memory.records import Record

Notify = Callable[[str], None]
MAX_REMARKS = 100
_A_LOOK = 0.2  # seconds: a lock that `busy` takes for a moment isn't another process


class RunCard(Record):
    """What a run is."""

    suite: str
    source: str = Field(description="The file or folder the items came from.")
    subjects: tuple[str, ...]
    specs: Mapping[str, str] = Field(
        default_factory=dict, description="By subject, its specification, where its name isn't that."
    )
    variants: tuple[Variant, ...] = Field(default=(Variant(),), min_length=1)
    seeds: tuple[int, ...] = Field(default=(0,), min_length=1)
    protocol: Protocol = Field(default="repo", description="For suites in which the two differ.")
    settings: Mapping[str, str] = Field(
        default_factory=dict, description="By subject, a hash of the settings under which it is asked."
    )
    imported: bool = Field(default=False, description="Whether another evaluator asked; no video is needed then.")
    version: str = Field(description="Of Longtake.")

    def spec_of(self, subject: str) -> str:
        """The specification of a subject."""
        return self.specs.get(subject, subject)

    @property
    def given(self) -> tuple[str, ...]:
        """The subjects as the command line gives them."""
        specs = [(name, self.spec_of(name)) for name in self.subjects]
        return tuple(spec if name == without_prices(spec) else f"{name}={spec}" for name, spec in specs)

    @property
    def ways(self) -> Mapping[str, object]:
        """How subjects are asked, whichever they are."""
        variants = [each.model_copy(update={"only": None, "prompts": None}) for each in self.variants]
        return {
            "protocol": self.protocol,
            "prompts": [each.prompts for each in self.variants],
            "variants": variants,
        }

    def differing(self, other: RunCard, but: Collection[str] = ()) -> list[str]:
        """The names of what two cards say differently, but for these and the subjects that only one has or asks."""
        apart = ("subjects", "specs", "settings", *self.ways, *but)
        found = [
            name for name in RunCard.model_fields if name not in apart and getattr(self, name) != getattr(other, name)
        ]
        found += [name for name, way in self.ways.items() if way != other.ways[name]]
        shared = sorted(self.settings.keys() & other.settings.keys())
        found += [f"settings of {name}" for name in shared if self.settings[name] != other.settings[name]]
        both = [name for name in self.subjects if name in other.subjects]
        specs = {name: [without_prices(card.spec_of(name)) for card in (self, other)] for name in both}
        return found + [f"what {name} is" for name, (own, its) in specs.items() if own != its]

    def with_subjects_of(self, other: RunCard) -> RunCard:
        """The card with the other's subjects after its own, also in each variant that asks only some."""
        subjects = tuple(dict.fromkeys((*self.subjects, *other.subjects)))
        variants = tuple(map(_joined, self.variants, other.variants))
        more = {"settings": {**other.settings, **self.settings}, "specs": {**other.specs, **self.specs}}
        return self.model_copy(update={"subjects": subjects, "variants": variants, **more})


def _joined(one: Variant, other: Variant) -> Variant:
    """A variant that asks whom either asks; two cards of one run have the same variants in the same order."""
    if one.only is None or other.only is None:
        return one
    return one.model_copy(update={"only": tuple(dict.fromkeys((*one.only, *other.only)))})


class Loading(Record):
    """Messages from the last loading of items: skipped or corrected rows, and missing videos."""

    remarks: int = 0
    first: tuple[str, ...] = Field(default=(), description=f"The first {MAX_REMARKS} of them.")


class Asking(Record):
    """Which subject a process asks, since when, and how many of its predictions were there before."""

    subject: str
    since: float = Field(description="Seconds since 1970.")
    before: int


class RunFolder:
    """The files of one run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.items_file = path / "items.jsonl"
        self.predictions_file = path / "predictions.jsonl"
        self.judgements_file = path / "judgements.jsonl"
        self._card_file = path / "run.json"
        self._asking_file = path / "asking.json"
        self._loading_file = path / "loading.json"

    def begin(self, card: RunCard, items: Sequence[Item] = ()) -> None:
        """Create the folder, or check that it has this run. Subjects that the run lacks are added to it.

        Raises:
            ConfigError: if it has another run, or asked one of the items differently; nothing is changed then.
            LibraryError: if it cannot be made or written to.
        """
        if self.begun:
            held = self.card()
            if differing := held.differing(card):
                raise ConfigError(
                    f"{self.path} holds another run (different: {', '.join(differing)}); choose another --out."
                )
            self._check_items(items, self.items_by_id(lambda text: None))
            card = held.with_subjects_of(card)
            if card == held:
                return
        write_file(self._card_file, card.model_dump_json(indent=1) + "\n")

    @property
    def begun(self) -> bool:
        """Whether the folder has a run."""
        return self._card_file.exists()

    def card(self) -> RunCard:
        """What the run is.

        Raises:
            ConfigError: if the folder has none, or a damaged one.
        """
        try:
            return RunCard.model_validate_json(self._card_file.read_bytes())
        except (FileNotFoundError, NotADirectoryError) as error:
            raise ConfigError(
                f"{self.path} isn't a run folder (run.json is missing). Give a folder made by `eval run`."
            ) from error
        except ValidationError as error:
            raise ConfigError(
                f"{self._card_file} is damaged: {wrong_field(error)}; delete it and give the same `eval run` command "
                "again, which asks nothing twice."
            ) from error

    def begin_asking(self, subject: str, before: int) -> None:
        """Note that a subject is asked from now on; see `Asking`."""
        write_file(self._asking_file, Asking(subject=subject, since=time.time(), before=before).model_dump_json())

    def asking(self) -> Asking | None:
        """Who was asked last; None if nobody was, or the file is damaged."""
        try:
            return Asking.model_validate_json(self._asking_file.read_bytes())
        except (OSError, ValidationError):
            return None

    @property
    def busy(self) -> bool:
        """Whether a process is working on the folder."""
        lock = FileLock(self.path / ".lock")
        try:
            with lock.acquire(timeout=0):
                return False
        except Timeout:
            return True
        except OSError:  # nobody writes where nobody may
            return False

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the folder for this process. It is created if missing.

        Raises:
            LibraryError: if another process works on it, or it cannot be made.
        """
        lock = FileLock(self.path / ".lock")
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            lock.acquire(timeout=_A_LOOK)
        except Timeout as error:
            raise LibraryError(
                f"Another process is working on {self.path}; wait for it, or choose another --out."
            ) from error
        except OSError as error:
            raise LibraryError(f"{self.path} cannot be made: {error.strerror}; choose another --out.") from error
        try:
            yield
        finally:
            lock.release()

    def mend(self, left_out: Notify) -> None:
        """Set aside unreadable lines, so that they are reported once. The folder must be locked.

        Raises:
            LibraryError: if a file cannot be read or written to.
        """
        set_aside(self.items_file, Item, left_out)
        set_aside(self.predictions_file, Prediction, left_out)
        set_aside(self.judgements_file, Judgement, left_out)

    def keep_loading(self, remarks: Sequence[str]) -> None:
        """Write the messages from loading the items, replacing earlier ones.

        Raises:
            LibraryError: if it cannot be written.
        """
        if not remarks and not self._loading_file.exists():
            return
        kept = Loading(remarks=len(remarks), first=tuple(remarks[:MAX_REMARKS]))
        write_file(self._loading_file, kept.model_dump_json(indent=1) + "\n")

    def loading(self) -> Loading:
        """The messages from loading the items; empty for a run without them."""
        try:
            return Loading.model_validate_json(self._loading_file.read_bytes())
        except (OSError, ValidationError):
            return Loading()

    def items(self, left_out: Notify) -> Iterator[Item]:
        """The items as asked, each with the last known path of its video."""
        return iter(self.items_by_id(left_out).values())

    def items_by_id(self, left_out: Notify) -> Latest[str, Item]:
        """The same by their ids, on disk."""
        held = OnDisk[str, Item](self.items_file, Item)
        for place, item in placed_records(self.items_file, Item, left_out):
            held.add(item.id, place)
        return Latest(held)

    def predictions(self, left_out: Notify) -> Mapping[PredictionKey, Prediction]:
        """The predictions. The last of several with the same key counts, because it is a retry."""
        held = OnDisk[PredictionKey, Prediction](self.predictions_file, Prediction)
        for place, prediction in placed_records(self.predictions_file, Prediction, left_out):
            held.add(prediction.key, place)
        return Latest(held)

    def said(self, left_out: Notify) -> dict[str, OnDisk[str, Prediction]]:
        """The predictions of each subject by item; of several of one kind the last."""
        places = {made.key: place for place, made in placed_records(self.predictions_file, Prediction, left_out)}
        subjects: dict[str, OnDisk[str, Prediction]] = {}
        for key, place in places.items():
            subjects.setdefault(key.subject, OnDisk(self.predictions_file, Prediction)).add(key.item, place)
        return subjects

    def found(self, judge: str | None) -> dict[str, OnDisk[str, Judgement]]:
        """The judgements of one judge on each subject by item, in the order found; None: of any."""
        subjects: dict[str, OnDisk[str, Judgement]] = {}
        for place, one in placed_records(self.judgements_file, Judgement, lambda sentence: None):
            if judge in (None, one.judge):
                subjects.setdefault(one.subject, OnDisk(self.judgements_file, Judgement)).add(one.item, place)
        return subjects

    def judgements(self, left_out: Notify) -> Iterator[Judgement]:
        """What the judges found, in the order found."""
        return read_records(self.judgements_file, Judgement, left_out)

    def keep_items(self, items: Sequence[Item]) -> None:
        """Write missing items, and those whose video has moved.

        Raises:
            ConfigError: if one differs from the item with the same id in the run; nothing is written then.
        """
        held = self.items_by_id(lambda text: None)
        self._check_items(items, held)
        with Journal(self.items_file) as journal:
            for item in items:
                if item.id not in held or item.media not in (None, held[item.id].media):
                    journal.append(item)

    def _check_items(self, items: Sequence[Item], held: Mapping[str, Item]) -> None:
        for item in items:
            if item.id in held and as_asked(held[item.id]) != as_asked(item):
                raise ConfigError(
                    f"The item {item.id} differs from the one that {self.path} asked; choose another --out."
                )


def as_asked(item: Item) -> str:
    """An item as it is asked and scored: its video may lie elsewhere by now."""
    return item.model_dump_json(exclude={"media", "seconds"})
