"""The layer `entities`: who and what a video shows, names and lets speak, and where."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from longtake.errors import LibraryError
from longtake.language.languages import date_names, language_in
from longtake.language.text import words_of
from longtake.memory.building import LayerWriter
from longtake.memory.entity_names import NOBODY
from longtake.memory.layers import LayerRecipe
from longtake.memory.library import LibraryStore, VideoRecord
from longtake.memory.timespan import TimeSpan, joined
from longtake.preprocess.engines.objects.nanodet import PERSON
from longtake.preprocess.layers.speaker_lines import introduced, named, words_said
from longtake.preprocess.layers.step import IndexJob

_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
_CONTRACTED = re.compile(r"['’][^\W\d_]{1,2}$")  # I'm, Anna's
_ENDS = re.compile(r"[.!?…:;\"“”«»(\[—–]\s*$")
_FEWEST_LETTERS = 3  # that a name of one word has at least
_EVERYWHERE = 0.2  # share of the words within sentences from which capitals don't mark names, as in German
_ENOUGH = 100  # words within sentences by which that can be told
_SHOUTED = 0.5  # share from which capitals mark nothing at all
_LONGEST = 4  # words of a name
_OFTEN = 2  # times that a name of one word is said
NAME, ENGINE = "entities", "longtake/entities"
_USED = ("subtitles", "speech", "speakers", "scene_text", "detections", "faces", "captions")
MOST, _PLACES = 100, 200  # entities of a video, and spans of each
_NAMES = 30  # names of which is only known that they are said or written
_TOGETHER = 5.0  # seconds between two places that count as one
_ALIASES = 5
_LETTERS = 100  # of a name, and of looks
_LASTING = 2.0  # seconds for which a thing is detected; for less, it is mostly something else

Item = Mapping[str, Any]


class Entity(NamedTuple):
    """Who or what a video is about: `kind` is person, thing, place, or name if only its name is known.

    `found` says how: speaks, described, detected, recognised, named. `spans` are its places, in seconds; of what is
    only named, those where it is.
    """

    name: str
    kind: str
    aliases: tuple[str, ...]
    looks: str
    found: tuple[str, ...]
    spans: tuple[tuple[float, float], ...]
    trusted: bool

    @property
    def text(self) -> str:
        """What there is to say about it, in one line."""
        also = f", also {', '.join(self.aliases)}" if self.aliases else ""
        looks = f": {self.looks}" if self.looks else ""
        doubt = "" if self.trusted else ", perhaps"
        return f"{self.name} ({self.kind}, {', '.join(self.found)}{doubt}){also}{looks}"


class Entities:
    """Items {start, end, name, kind, aliases, looks, found, spans, trusted}, what has the most time first.

    From what captions describe, who speaks, what is detected, and which names are said and written. The same name is
    the same entity, and part of a name is the same as the only whole name that has it. The user's names replace those
    that were found.
    """

    name = NAME
    capability = None

    def recipes(self, job: IndexJob) -> tuple[LayerRecipe, ...]:
        """One layer if there is a layer that names something."""
        inputs = {name: job.layers[name].key for name in _USED if name in job.layers}
        settings = {"names": dict(job.names)} if job.names else {}
        return (LayerRecipe(NAME, 3, ENGINE, settings, inputs),) if inputs else ()

    def build(self, job: IndexJob, writers: Mapping[str, LayerWriter]) -> None:
        """Collect and merge the entities."""
        items = {name: list(job.layers[name].items()) for name in _USED if name in job.layers}
        register = _Register(job.names)
        for caption in items.get("captions", ()):
            for each in caption["named"]:
                register.add(each["name"], each["kind"], "described", [caption], looks=each["looks"])
        words = words_said(lambda name: items.get(name, ()))
        for name, turns in _speakers(items.get("speakers", ()), words):
            register.add(name, "person", "speaks", turns, trusted=all(turn["trusted"] for turn in turns))
        for track in items.get("detections", ()):
            if track["trusted"] or (track["name"] != PERSON and track["end"] - track["start"] >= _LASTING):
                kind = "person" if track["trusted"] else "thing"
                register.add(track["name"], kind, "detected", [track], trusted=track["trusted"])
        for face in items.get("faces", ()):
            register.add(face["name"], "person", "recognised", [face], looks=face["role"])
        for name, places in _named(words, items.get("scene_text", ())):
            register.add(name, "name", "named", places)
        writer = writers[NAME]
        for entity in register.entities():
            start, end = entity.spans[0][0], max(end for _, end in entity.spans)
            writer.add({"start": start, "end": end} | entity._asdict())
        for name in _USED:
            if name in job.layers:
                writer.cover(job.layers[name].covered)
                break


def entities_of(library: LibraryStore, video: VideoRecord) -> list[Entity]:
    """The entities of a video, what has the most time first; none if it was indexed before there were any.

    Raises:
        LibraryError: if the layer is damaged.
    """
    layer = library.layer(video, NAME)
    return [entity_of(item) for item in layer.items()] if layer else []


def with_aliases(names: Mapping[str, str], entities: Iterable[Entity], given: Mapping[str, str]) -> dict[str, str]:
    """New names for entities, by their names and also by those that were merged into them.

    Args:
        names: the new ones, by those that the entities have, or had before one of those given.
        entities: of the video.
        given: by the user before; one that was taken out can be named again.

    Raises:
        LibraryError: if there is no entity of a name.
    """
    known = list(entities)
    wanted: dict[str, str] = {}
    for name, new in names.items():
        called = [each for each in known if words_of(name) in map(words_of, (each.name, *each.aliases))]
        if not called and words_of(name) not in map(words_of, given):
            raise LibraryError(f"There is no entity {name!r} in this video: `longtake entities VIDEO` lists them.")
        for each in called:
            if words_of(each.name) == words_of(name):
                wanted |= dict.fromkeys(each.aliases, new)
        wanted[name] = new
    return wanted


def entity_of(item: Item) -> Entity:
    """An item of the layer."""
    fields: dict[str, Any] = {name: item[name] for name in Entity._fields}
    spans = tuple((start, end) for start, end in item["spans"])
    return Entity(**fields)._replace(aliases=tuple(item["aliases"]), found=tuple(item["found"]), spans=spans)


@dataclass
class _Found:
    """An entity that is being collected."""

    names: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    looks: Counter[str] = field(default_factory=Counter)
    found: dict[str, None] = field(default_factory=dict)
    spans: list[TimeSpan] = field(default_factory=list)  # where it is
    mentions: list[TimeSpan] = field(default_factory=list)  # where it is only named
    trusted: bool = False
    speaks: str = ""  # its name where it speaks, which is that of its lines
    given: str = ""  # by the user

    @property
    def is_name(self) -> bool:
        """Whether it is called by the name of a person, or of what is only named, and not by a description."""
        written = (word for name in ([self.given] if self.given else self.names) for word in name.split())
        return self.kinds.keys() <= {"person", "name"} and not any(word[0].islower() for word in written)

    @property
    def seconds(self) -> float:
        """How long it is there, or named."""
        return sum(span.length for span in joined(self.spans or self.mentions))

    def take(self, other: _Found) -> None:
        """Take over what was collected about the same entity under another name."""
        for own, others in ((self.names, other.names), (self.kinds, other.kinds), (self.looks, other.looks)):
            own.update(others)
        self.found |= other.found
        self.spans += other.spans
        self.mentions += other.mentions
        self.trusted = self.trusted or other.trusted
        self.speaks = self.speaks or other.speaks
        self.given = self.given or other.given


class _Register:
    """Entities by name."""

    def __init__(self, given: Mapping[str, str]) -> None:
        """Take the user's names by those that were found."""
        self._given = {words_of(name): other for name, other in given.items()}
        self._entities: dict[str, _Found] = {}

    def add(
        self, name: str, kind: str, how: str, places: Iterable[Item], *, looks: str = "", trusted: bool = True
    ) -> None:
        """Add places of an entity, unless the user took its name out."""
        name, looks = " ".join(name.split())[:_LETTERS], " ".join(looks.split())[:_LETTERS]
        given = self._given.get(words_of(name))
        key = words_of(given or name)
        if given == NOBODY or not key:
            return
        entity = self._entities.setdefault(key, _Found())
        entity.names[name] += 1
        entity.kinds[kind] += 1
        entity.looks[looks] += bool(looks)
        entity.found[how] = None
        entity.speaks = entity.speaks or (name if how == "speaks" else "")
        where = entity.mentions if how == "named" else entity.spans
        where += [TimeSpan(start=place["start"], end=place["end"]) for place in places]
        entity.trusted = entity.trusted or trusted
        entity.given = given or entity.given

    def entities(self) -> list[Entity]:
        """What was collected, bounded, with part of a name merged into the only whole one that has it."""
        names = {key: set(key.split()) for key, each in self._entities.items() if each.is_name}
        by_word: defaultdict[str, set[str]] = defaultdict(set)
        for key, words in names.items():
            for word in words:
                by_word[word].add(key)
        for key in sorted(names, key=lambda key: len(names[key])):
            whole = [other for other in set.intersection(*map(by_word.__getitem__, names[key])) if other != key]
            if len(whole) == 1:
                self._entities[whole[0]].take(self._entities.pop(key))
                for word in names[key]:
                    by_word[word].discard(key)
        ranked = sorted(self._entities.values(), key=lambda each: (not each.spans, -each.seconds))
        return [_entity(each) for each in ranked[:MOST]]


def _entity(found: _Found) -> Entity:
    name = found.given or found.speaks or found.names.most_common(1)[0][0]
    known = [kind for kind, _ in found.kinds.most_common() if kind != "name"]
    others = [each for each, _ in found.names.most_common() if words_of(each) != words_of(name)]
    return Entity(
        name=name,
        kind=known[0] if known else "name",
        aliases=tuple(others[:_ALIASES]),
        looks=found.looks.most_common(1)[0][0] if found.looks else "",
        found=tuple(found.found),
        spans=tuple((round(span.start, 3), round(span.end, 3)) for span in _places(found.spans or found.mentions)),
        trusted=found.trusted,
    )


def _places(spans: Sequence[TimeSpan]) -> tuple[TimeSpan, ...]:
    """Spans joined as far as needed, so that those of the whole video are in a bounded number."""
    gap = _TOGETHER
    while len(places := joined(spans, gap)) > _PLACES:
        gap *= 2
    return places


def _speakers(turns: Iterable[Item], words: Sequence[Item]) -> Iterator[tuple[str, list[Item]]]:
    """Speakers with their turns, by the name of the subtitles, or the one by which a voice introduces itself."""
    by_speaker: defaultdict[str, list[Item]] = defaultdict(list)
    for turn in turns:
        by_speaker[str(turn["speaker"])].append(turn)
    for speaker, own in by_speaker.items():
        yield (speaker if not speaker.isdecimal() else introduced(own, words) or named(speaker)), own


def _named(words: Sequence[Item], texts: Sequence[Item]) -> Iterator[tuple[str, list[Item]]]:
    """The names that are said or written, with where."""
    cues = [" ".join(cue["text"].split()) for cue in words]
    shown = list(dict.fromkeys(item["text"] for item in texts))
    names = names_in([*cues, *shown])
    written = [(f" {words_of(item['text'])} ", item) for item in texts]
    for name, places in list(names.items())[:_NAMES]:
        key = f" {words_of(name)} "
        said = [words[place] for place in places if place < len(words)]
        found = {shown[place - len(words)] for place in places if place >= len(words)}
        yield name, said + [item for text, item in written if key in text or item["text"] in found]


class _Word(NamedTuple):
    text: str
    line: int
    first: bool  # of a sentence
    joined: bool  # with the word before it by nothing but a space


def names_in(lines: Sequence[str]) -> dict[str, list[int]]:
    """The names in lines, and the numbers of the lines that have them, most frequent first.

    A name is a row of words that begin with capitals, other than days and months. One word counts if it is never
    written small and stands within a sentence at least once, and if the language doesn't write other words so. Scripts
    without capitals have none, nor have lines in capitals only.
    """
    words = [word for number, line in enumerate(lines) if not line.isupper() for word in _words(line, number)]
    within = [word.text for word in words if not word.first]
    share = sum(text[0].isupper() for text in within) / max(1, len(within))
    if share >= _SHOUTED:
        return {}
    small = {word.text.casefold() for word in words if word.text[0].islower()}
    rows = list(_rows(words))
    # Not what follows the first word of a sentence: both may be one name.
    capital = {word.text for row in rows for word in row[2 if row[0].first else 0 :]}
    marks = share < _EVERYWHERE or len(within) < _ENOUGH
    found: defaultdict[str, list[int]] = defaultdict(list)
    for row in rows:
        begins = row[0].first and row[0].text not in capital and (len(row) < 2 or row[1].text in capital)
        kept = row[1:] if begins or (row[0].first and row[0].text.casefold() in small) else row
        text = " ".join(word.text for word in kept)
        alone = marks and text in capital and len(text) >= _FEWEST_LETTERS and text.casefold() not in small
        if 1 < len(kept) <= _LONGEST or alone:
            found[text].append(kept[0].line)
    dates = date_names(language_in(" ".join(lines)))
    often = {
        name: places
        for name, places in found.items()
        if (len(places) >= _OFTEN or " " in name) and not dates.issuperset(name.casefold().split())
    }
    return dict(sorted(often.items(), key=lambda each: -len(each[1])))


def _words(line: str, number: int) -> Iterator[_Word]:
    end = 0
    for match in _WORD.finditer(line):
        between = line[end : match.start()]
        first = not end or bool(_ENDS.search(between))
        yield _Word(_CONTRACTED.sub("", match[0]), number, first, between == " ")
        end = match.end()


def _rows(words: Sequence[_Word]) -> Iterator[list[_Word]]:
    """The rows of words that begin with capitals, each within one sentence."""
    row: list[_Word] = []
    for word in words:
        if row and not (word.joined and not word.first and word.text[0].isupper()):
            yield row
            row = []
        if word.text[0].isupper() and len(word.text) > 1:
            row.append(word)
        elif row:
            yield row
            row = []
    if row:
        yield row
