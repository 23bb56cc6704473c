"""Sentences about the speakers, for the search: how many there are, who they are and how long they speak."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from longtake.console import counted
from longtake.memory.layers import Layer

SPEAKERS = "longtake/speakers"  # the engine of these sentences, which nobody says
_MANY = 12  # speakers that get a sentence of their own
# "I am Edith Marlow", "my name is Edith Marlow", "this is Edith speaking".
_INTRODUCES = re.compile(
    r"\b(?:I am|I'm|[Mm]y name is|[Tt]his is) ((?:[A-Z][\w'-]+ ){1,3}[A-Z][\w'-]+|[A-Z][\w'-]+(?= speaking))"
)
_COUNTS = ("", "One person", "Two people", "Three people", "Four people", "Five people", "Six people")


def speaker_lines(turns: Layer, words: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Items {start, end, text, trusted}: one about all speakers, then one about each of the first.

    Args:
        turns: the layer `speakers`.
        words: what is said, in which speakers may give their names.
    """
    items = sorted(turns.items(), key=lambda turn: str(turn["speaker"]))
    by_speaker = {name: list(group) for name, group in groupby(items, key=lambda turn: str(turn["speaker"]))}
    if not by_speaker:
        return
    order = sorted(by_speaker, key=lambda name: min(turn["start"] for turn in by_speaker[name]))
    names = {name: _name(name, by_speaker[name], words) for name in order}
    in_time = sorted(items, key=lambda turn: float(turn["start"]))
    in_a_row = Counter(name for name, _ in groupby(str(turn["speaker"]) for turn in in_time))
    count = len(order)
    who = _COUNTS[count] if count < len(_COUNTS) else f"{count} people"
    listed = ", ".join(names.values())
    # In subtitles that name some speakers, others may speak whom nobody names.
    some = any(turn["trusted"] for turn in items) and not all(cue.get("speaker") for cue in words)
    speak = f"{'is' if count == 1 else 'are'} named as speaking" if some else f"speak{'s' * (count == 1)}"
    at_least = f"At least {who[0].lower()}{who[1:]}" if some else who
    yield _line(f"{at_least} {speak}: {listed}.", in_time) | {"trusted": in_time[0]["trusted"]}
    for name in order[:_MANY]:
        seconds = sum(turn["end"] - turn["start"] for turn in by_speaker[name])
        turn_count = in_a_row[name]
        often = f"{turn_count} times" if turn_count > 1 else "once"
        name_first = names[name][0].upper() + names[name][1:]
        told = f"speaks {often}, for {counted(round(seconds), 'second')} in all"
        # Lines without a name may be theirs, too.
        yield _line(f"{name_first} {f'is named {often} as speaking' if some else told}.", by_speaker[name])


def _line(text: str, turns: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    start, end = min(turn["start"] for turn in turns), max(turn["end"] for turn in turns)
    return {"start": start, "end": end, "text": text, "trusted": all(turn["trusted"] for turn in turns)}


def named(speaker: str) -> str:
    """A speaker's name, or `speaker 2` of voices that were numbered."""
    return f"speaker {speaker}" if speaker.isdecimal() else speaker


def words_said(items: Callable[[str], Iterable[Mapping[str, Any]]]) -> list[Mapping[str, Any]]:
    """What is said, by start: the first track of the subtitles, for others say the same in other languages, and what a
    recogniser heard between them.

    Args:
        items: of the layer of a name, none if there is no such layer.
    """
    cues = list(items("subtitles"))
    first = [cue for cue in cues if all(cue.get(name) == cues[0].get(name) for name in ("language", "source"))]
    return sorted([*first, *items("speech")], key=lambda item: float(item["start"]))


def spoken_by(speaker: str, text: str) -> str:
    """A line with its speaker's name before it, if that is known."""
    return f"{named(speaker)}: {text}" if speaker else text


def named_once(lines: Iterable[str]) -> list[str]:
    """Lines in order of time, on one line each; of those of one speaker in a row only the first has the name."""
    told: list[str] = []
    before = ("", "")
    for line in lines:
        text = " ".join(line.split())
        name = text.partition(": ")[:2]
        told.append(text.removeprefix("".join(name)) if name[1] and name == before else text)
        before = name
    return told


def introduced(turns: Sequence[Mapping[str, Any]], words: Iterable[Mapping[str, Any]]) -> str | None:
    """The name by which a speaker introduces themselves in their turns; None if they don't."""
    for item in words:
        middle = (item["start"] + item["end"]) / 2
        found = _INTRODUCES.search(item["text"])
        if found and any(turn["start"] <= middle <= turn["end"] for turn in turns):
            return found[1]
    return None


def _name(speaker: str, turns: Sequence[Mapping[str, Any]], words: Sequence[Mapping[str, Any]]) -> str:
    """The name of the subtitles, or `speaker 1` with the name by which they introduce themselves."""
    name = introduced(turns, words) if speaker.isdecimal() else None
    return f"{name} ({named(speaker)})" if name else named(speaker)
