"""What keeps an item out of a set, or marks it: repeated, not shown by its segments, answered without the video."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations

from longtake.evalharness.building.built_item import BuiltItem
from longtake.evalharness.building.material import PROMPTS
from longtake.evalharness.building.replies import Guesses, Verdicts
from longtake.evalharness.building.stages import Stages
from longtake.language.words import content_stems, words
from longtake.prompts import render

SHORTEST = 2  # turns of a conversation
ALIKE = 0.8  # share of the words of two questions that are in both, from which one repeats the other


def without_repeats(items: Sequence[BuiltItem], stages: Stages) -> list[BuiltItem]:
    """The items without those that begin as an earlier one of their video does, or ask one thing twice."""
    kept: defaultdict[str, list[BuiltItem]] = defaultdict(list)
    for item in items:
        first = item.turns[0].question
        before = next((each for each in kept[item.video] if alike(each.turns[0].question, first)), None)
        if before:
            stages.drop(item.id, "duplicates", f"it asks what {before.id} asks: {first!r}")
        elif any(alike(one.question, other.question) for one, other in combinations(item.turns, 2)):
            stages.drop(item.id, "duplicates", "two of its turns ask the same")
        else:
            kept[item.video].append(item)
    return [item for each in kept.values() for item in each]


def alike(one: str, other: str) -> bool:
    """Whether two questions ask the same: by the words that carry content, or by all if there are none."""
    first, second = (set(content_stems(text) or words(text)) for text in (one, other))
    return len(first & second) >= ALIKE * len(first | second)


def supported(items: Sequence[BuiltItem], stages: Stages) -> list[BuiltItem]:
    """The items whose answers the model finds in what the index has of their segments."""
    prompts = {item.id: render(PROMPTS, "support", turns=item.turns) for item in items}
    found = verdicts(stages, "support", prompts, items)
    kept = list[BuiltItem | None]()
    for item in items:
        turns = found[item.id].turns if item.id in found else ()
        lacking = next((number for number, each in enumerate(turns) if not each.verdict), None)
        if lacking is not None:
            kept.append(cut(item, lacking, stages, "support", f"isn't shown: {turns[lacking].reason}"))
        elif turns:
            kept.append(item)
    return [item for item in kept if item]


def cut(item: BuiltItem, turn: int, stages: Stages, stage: str, why: str) -> BuiltItem | None:
    """The turns before one that can't stay, if they are still a conversation; what goes is noted.

    Args:
        item: the item.
        turn: number of the turn, from 0.
        stages: note what goes.
        stage: at which it goes.
        why: the end of a sentence about the turn.
    """
    rest = turn >= SHORTEST
    stages.drop(item.id, stage, f"turn {turn + 1} {why.rstrip('.')}{'; the turns before it stay' if rest else ''}")
    return item.with_turns(item.turns[:turn]) if rest else None


def marked_blind(items: Sequence[BuiltItem], stages: Stages) -> list[BuiltItem]:
    """The items, with a mark on every turn about which the model is right without the video."""
    prompts = {item.id: render(PROMPTS, "guesses", turns=item.turns) for item in items}
    lengths = {item.id: len(item.turns) for item in items}
    guesses = stages.ask("guesses", prompts, Guesses, lambda of, said: wrong_length(said.turns, lengths[of]))
    guessed = [item for item in items if item.id in guesses]
    prompts = {
        item.id: render(PROMPTS, "blind", turns=list(zip(item.turns, guesses[item.id].turns, strict=True)))
        for item in guessed
    }
    found = verdicts(stages, "blind", prompts, guessed)
    return [_marked(item, found[item.id]) if item.id in found else item for item in items]


def _marked(item: BuiltItem, found: Verdicts) -> BuiltItem:
    pairs = zip(item.turns, found.turns, strict=True)
    return item.with_turns([turn.model_copy(update={"blind": each.verdict}) for turn, each in pairs])


def verdicts(
    stages: Stages, stage: str, prompts: Mapping[str, str], items: Sequence[BuiltItem]
) -> Mapping[str, Verdicts]:
    """The verdicts of a stage on all turns of items."""
    lengths = {item.id: len(item.turns) for item in items}
    return stages.ask(stage, prompts, Verdicts, lambda of, said: wrong_length(said.turns, lengths[of]))


def wrong_length(turns: Sequence[object], wanted: int) -> str:
    """What is wrong if a reply isn't about each turn; else nothing."""
    return "" if len(turns) == wanted else f"it has {len(turns)} turns, and {wanted} are asked for"
