"""Baselines: what chance and the wording of the options achieve, what a search finds, and replies from a file."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from longtake.errors import ConfigError, EngineError
from longtake.evalharness.items import Item, Reply
from longtake.evalharness.judges.checks import abstains
from longtake.evalharness.scoring.choices import LABELS, read_choice
from longtake.evalharness.subjects.subject import AskedTurn, no_media, refuse_clip
from longtake.evalharness.suites.benchmark_rows import BadRow, read_rows
from longtake.language.words import content_stems, coverage
from longtake.memory.records import Modality, Usage
from longtake.memory.search.search_types import Hit, SearchFilter
from longtake.preprocess.pipeline.retrieval import retrieve
from longtake.preprocess.pipeline.workspace import Workspace

NO_OPTIONS = "NOT FOUND: this baseline only chooses among options."
RESULTS = 5
QUOTED = 2  # results that form the answer to an open question


class BlindGuess:
    """Chooses an option by a rule that sees nothing of the video."""

    at_once = 1

    def __init__(self, name: str, rule: Callable[[AskedTurn], int]) -> None:
        """Take the rule, which gives the place of an option."""
        self.name, self._rule = name, rule

    def reply(self, asked: AskedTurn) -> Reply:
        """The option of the rule; an abstention where there are none."""
        return chosen(asked, self._rule(asked)) if asked.options else abstained()


def random_place(asked: AskedTurn) -> int:
    """A place at random; the same one for the same item, variant and seed."""
    drawn = random.Random(f"{asked.item.id}/{asked.number}/{asked.variant.name}/{asked.seed}")
    return drawn.randrange(len(asked.options))


def longest_place(asked: AskedTurn) -> int:
    """The place of the longest option; the first of equally long ones."""
    return max(range(len(asked.options)), key=lambda place: (len(asked.options[place]), -place))


def majority_place(items: Sequence[Item]) -> Callable[[AskedTurn], int]:
    """The place that is right most often in all items of the suite; the ceiling of a fixed letter."""
    golds = Counter(turn.gold for item in items for turn in item.turns if turn.gold is not None)
    best = min(golds, key=lambda place: (-golds[place], place)) if golds else 0
    return lambda asked: min(best, len(asked.options) - 1)


def best_overlap(question: str, option: str, texts: Iterable[str]) -> float:
    """How much of an option, and then of the question, is in the best of some texts."""
    wanted, asked = content_stems(option) or [option.casefold()], content_stems(question)
    return max((coverage(wanted, text) * (1 + coverage(asked, text)) for text in texts), default=0.0)


def chosen(asked: AskedTurn, place: int) -> Reply:
    """The reply that chooses the option at a place."""
    return Reply(text=f"{LABELS[place]}. {asked.options[place]}", choice=asked.own(place), parse="ok")


def abstained(reason: str = NO_OPTIONS) -> Reply:
    """The reply that chooses nothing."""
    return Reply(text=reason, parse="abstained", abstained=True)


class Finder:
    """Replies with the best hits for the unchanged question, in the same index as the agent's.

    Among options, it chooses the one whose words match best what is found for the question and that option.
    """

    at_once = 1
    indexes, at_most = True, False

    def __init__(self, name: str, workspace: Workspace, modalities: Sequence[Modality] = ()) -> None:
        """Search these modalities, or all."""
        self.name = name
        self._workspace = workspace
        self._modalities = tuple(modalities)

    def reply(self, asked: AskedTurn) -> Reply:
        """The best hits, or the option that they contain."""
        if asked.item.media is None:
            return no_media()
        refuse_clip(asked.item)
        video = self._workspace.add(Path(asked.item.media)).video.id
        if asked.options:
            return self._choose(asked, video)
        hits = self._find(asked.turn.question, video)[:QUOTED]
        if not hits:
            return abstained("NOT FOUND: nothing was found.")
        return Reply(text=" ".join(hit.moment.text for hit in hits), cited=tuple(hit.moment.span for hit in hits))

    def expected(self, asked: AskedTurn) -> Usage:
        """Almost nothing: searching asks no model."""
        return Usage()

    def _choose(self, asked: AskedTurn, video: str) -> Reply:
        question = asked.turn.question
        found = [(option, self._find(f"{question} {option}", video)) for option in asked.options]
        held = [best_overlap(question, option, (hit.moment.text for hit in hits)) for option, hits in found]
        best = max(range(len(held)), key=lambda place: (held[place], -place))
        if not held[best] or held.count(held[best]) > 1:
            return abstained(f"NOT FOUND: the options can't be told apart ({', '.join(LABELS[: len(held)])}).")
        return chosen(asked, best)

    def _find(self, query: str, video: str) -> list[Hit]:
        where = SearchFilter((video,), self._modalities)
        hits = retrieve(query, where, RESULTS, self._workspace.engines, self._workspace.index)
        return [hit for hit in hits if hit.moment.text and not hit.weak]


class RecordedReplies:
    """Replies with the text recorded for an item: what another program, or a person, said. Without one it is an error.

    The file is a table as question sets are, with the columns `id` and `reply`, which is a list for several turns.
    """

    at_once = 1

    def __init__(self, name: str, file: Path, items: Sequence[Item]) -> None:
        """Read the file.

        Raises:
            ConfigError: if it can't be read, a row is wrong, or none of its ids is an item's.
        """
        self.name, self._file = name, file
        self._said = _read(file)
        if not any(item.id in self._said for item in items):
            raise ConfigError(f"{file} has no id of this suite's items, such as {items[0].id if items else 'q1'}.")

    def reply(self, asked: AskedTurn) -> Reply:
        """The recorded reply to a turn; see `Subject`."""
        texts = self._said.get(asked.item.id, ())
        if asked.number >= len(texts):
            raise EngineError(f"{self._file} has no reply to turn {asked.number + 1} of {asked.item.id}.")
        text = texts[asked.number]
        choice = read_choice(text, asked.options)
        cannot = choice.status == "abstained" if asked.options else abstains(text).met
        return Reply(text=text, choice=asked.own(choice.option), parse=choice.status, abstained=cannot)


def _read(file: Path) -> Mapping[str, Sequence[str]]:
    def refuse(sentence: str) -> None:
        raise ConfigError(f"{sentence.removesuffix('; the row was left out.')}. Correct the file.")

    said = {}
    try:
        for row in read_rows(file, refuse):
            value = row.value("reply")
            said[row.needed("id")] = list(map(str, value)) if isinstance(value, list) else [row.needed("reply")]
    except BadRow as error:
        refuse(str(error))
    return said
