"""The replies of an audit by view and model, read from the files of its run."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from longtake.errors import ConfigError
from longtake.evalharness.audit.models import TESTS
from longtake.evalharness.items import Item
from longtake.evalharness.runs.run_folder import Notify, RunFolder
from longtake.evalharness.scoring.choice_scores import choice_state
from longtake.evalharness.subjects.model_spec import BAG_OF_FRAMES
from longtake.evalharness.views.frame_views import Standard
from longtake.lazy import cached_property


@dataclass(frozen=True)
class AuditReplies:
    """What was asked, and what each subject chose."""

    items: Mapping[str, Item]
    asked: Mapping[str, tuple[str, ...]]  # by view: the models; with the whole video also those of validation
    consistency: tuple[str, ...]  # the models whose choices with the whole video are compared
    chosen: Mapping[tuple[str, str], Mapping[str, int | None]]  # by view and subject: the option of each item
    unable: Mapping[str, Collection[str]] = field(default_factory=dict)  # by view: items that it can't show
    failed: Mapping[str, Collection[str]] = field(default_factory=dict)  # by view: items with a reply that failed

    @property
    def subjects(self) -> tuple[str, ...]:
        """All models."""
        return tuple(dict.fromkeys(name for names in self.asked.values() for name in names))

    @property
    def tests(self) -> tuple[str, ...]:
        """The tests that somebody was asked in."""
        return tuple(view for view, models in self.asked.items() if models and view in (*TESTS, BAG_OF_FRAMES))

    def asked_in(self, view: str) -> tuple[str, ...]:
        """The models of a view."""
        return self.asked.get(view, ())

    def choices(self, view: str, subject: str) -> Mapping[str, int | None]:
        """What a subject chose in a view, by item; nothing if it wasn't asked."""
        return self.chosen.get((view, subject), {})

    def askable(self, view: str) -> list[str]:
        """The items of which a view has something to show, such as speech."""
        unable = self.unable.get(view, ())
        return [name for name in self.items if name not in unable]

    def right(self, view: str, subject: str) -> set[str]:
        """The items that a subject got right, among those of which the view has something to show."""
        chosen, unable = self.choices(view, subject), self.unable.get(view, ())
        right = {item for item, choice in chosen.items() if choice is not None and choice == self.gold(item)}
        return right.difference(unable)

    @cached_property
    def solved(self) -> dict[str, dict[str, set[str]]]:
        """By test and model, the items that it got right."""
        return {test: {model: self.right(test, model) for model in self.asked_in(test)} for test in self.tests}

    def gold(self, item: str) -> int | None:
        """The right option of an item."""
        return self.items[item].turns[0].gold

    def among(self, names: Collection[str]) -> AuditReplies:
        """The same of some items only."""
        return replace(
            self,
            items={name: self.items[name] for name in names},
            chosen={
                key: {name: chosen[name] for name in names if name in chosen} for key, chosen in self.chosen.items()
            },
            unable={view: set(unable).intersection(names) for view, unable in self.unable.items()},
            failed={view: set(failed).intersection(names) for view, failed in self.failed.items()},
        )


def short_name(subject: str) -> str:
    """The name of a subject without the folders of its file."""
    return subject if "://" in subject else re.sub(r"[^:@]*/", "", subject)


def read_audit(folder: RunFolder, notify: Notify) -> AuditReplies:
    """The replies of an audit.

    Raises:
        ConfigError: if the run is no audit.
    """
    card = folder.card()
    views = {variant.name: variant.view for variant in card.variants if variant.view}
    if Standard.name not in views:
        raise ConfigError(f"{folder.path} isn't an audit. Make one with `longtake eval audit`.")
    asked: defaultdict[str, tuple[str, ...]] = defaultdict(tuple)
    for variant in card.variants:
        if variant.view:
            asked[variant.view] = tuple(dict.fromkeys((*asked[variant.view], *(variant.only or ()))))
    items = {item.id: item for item in folder.items(notify) if item.format == "choice"}
    chosen: defaultdict[tuple[str, str], dict[str, int | None]] = defaultdict(dict)
    unable: defaultdict[str, set[str]] = defaultdict(set)
    failed: defaultdict[str, set[str]] = defaultdict(set)
    for made in folder.predictions(notify).values():
        view = views.get(made.variant)
        if made.item not in items or view is None:
            continue
        reply = made.replies[0]
        state = choice_state(reply)
        chosen[view, made.subject][made.item] = reply.choice if state == "ok" else None
        if reply.status == "no_media":
            unable[view].add(made.item)
        elif state == "error":
            failed[view].add(made.item)
    consistency = next(variant.only or () for variant in card.variants if variant.name == Standard.name)
    return AuditReplies(items, asked, consistency, chosen, unable, failed)
