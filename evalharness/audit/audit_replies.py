"""The replies of an audit by view and model, read from the files of its run."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from longtake.errors import ConfigError
from longtake.evalharness.items import Item, Variant
from longtake.evalharness.runs.run_folder import Notify, RunFolder
from longtake.evalharness.scoring.choice_scores import choice_state
from longtake.evalharness.subjects.model_spec import BAG_OF_FRAMES, is_encoder
from longtake.evalharness.views.chunk import CHUNKS
from longtake.evalharness.views.frame_shuffling import FrameShuffling
from longtake.evalharness.views.grounded import Grounded
from longtake.evalharness.views.standard import Standard
from longtake.lazy import cached_property

TESTS = ("blind", "audio", "summary", "center-frame", FrameShuffling.name)
PARTS = tuple(f"chunk-{number}" for number in range(1, CHUNKS + 1))


def audit_variants(
    tests: Sequence[str], subjects: Sequence[str], items: Iterable[Item], *, parts: bool
) -> tuple[Variant, ...]:
    """The variants of an audit: the whole video, each test, and what these subjects and items allow.

    Args:
        tests: by name.
        subjects: all of the audit. Encoders have a test of their own, and only the first model is asked about parts, as
            in the paper.
        items: of the audit; those that say which part shows the answer are also asked with that part alone.
        parts: whether each eighth of the video is asked about.
    """
    bag = (BAG_OF_FRAMES,) if any(map(is_encoder, subjects)) else ()
    variants = [Variant(name=view, view=view) for view in (Standard.name, *tests, *bag)]
    if any(item.turns[0].evidence for item in items):
        variants.append(Variant(name=Grounded.name, view=Grounded.name, with_evidence=True))
    first = next((name for name in subjects if not is_encoder(name)), None)
    if parts and first:
        variants += [Variant(name=view, view=view, only=first) for view in PARTS]
    return tuple(variants)


@dataclass(frozen=True)
class AuditReplies:
    """What was asked, and what each subject chose."""

    items: Mapping[str, Item]
    subjects: tuple[str, ...]
    tests: tuple[str, ...]
    chosen: Mapping[tuple[str, str], Mapping[str, int | None]]  # by view and subject: the option of each item
    failed: Mapping[str, Collection[str]]  # by view: items with a reply that failed
    failures: Mapping[str, int]  # by view: replies that failed

    def asked_in(self, view: str) -> tuple[str, ...]:
        """The models of a view: the encoders of bag of frames, all others else."""
        return tuple(name for name in self.subjects if is_encoder(name) == (view == BAG_OF_FRAMES))

    def choices(self, view: str, subject: str) -> Mapping[str, int | None]:
        """What a subject chose in a view, by item; nothing if it wasn't asked."""
        return self.chosen.get((view, subject), {})

    def right(self, view: str, subject: str) -> set[str]:
        """The items that a subject got right."""
        chosen = self.choices(view, subject)
        return {item for item, choice in chosen.items() if choice is not None and choice == self.gold(item)}

    @cached_property
    def solved(self) -> dict[str, dict[str, set[str]]]:
        """By test and model, the items that it got right."""
        return {test: {model: self.right(test, model) for model in self.asked_in(test)} for test in self.tests}

    def gold(self, item: str) -> int | None:
        """The right option of an item."""
        return self.items[item].turns[0].gold


def short_name(subject: str) -> str:
    """The name of a subject without the folders of its file."""
    return subject if "://" in subject else re.sub(r"[^:@]*/", "", subject)


def read_audit(folder: RunFolder, notify: Notify) -> AuditReplies:
    """The replies of an audit.

    Raises:
        ConfigError: if the run is no audit.
    """
    card = folder.card()
    views = [variant.view for variant in card.variants if variant.view]
    if Standard.name not in views:
        raise ConfigError(f"{folder.path} isn't an audit. Make one with `longtake eval audit`.")
    items = {item.id: item for item in folder.items(notify) if item.format == "choice"}
    chosen: defaultdict[tuple[str, str], dict[str, int | None]] = defaultdict(dict)
    failed: defaultdict[str, set[str]] = defaultdict(set)
    failures: Counter[str] = Counter()
    for made in folder.predictions(notify).values():
        if made.item not in items:
            continue
        state = choice_state(made.replies[0])
        chosen[made.variant, made.subject][made.item] = made.replies[0].choice if state == "ok" else None
        if state == "error":
            failures[made.variant] += 1
            failed[made.variant].add(made.item)
    tests = tuple(view for view in views if view in (*TESTS, BAG_OF_FRAMES))
    return AuditReplies(items, card.subjects, tests, chosen, failed, failures)
