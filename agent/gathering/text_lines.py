"""Builds the line around a moment: cues of one sentence, texts shown together, repeated readings of one text."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import chain

from longtake.language.text import ends_sentence, words_of
from longtake.memory.records import Moment
from longtake.memory.timespan import TimeSpan

CELLS = " · "  # between the texts of one row
ROWS = " / "  # between the rows of on-screen text
SAME_ROW = 0.6  # of a line's height: the largest distance between the centres of two texts in one row
_PAUSE = 2.5  # seconds between two cues of one line
_WORDS = 25  # of a line of speech, from which no further cue is added
_CHARACTERS = 100  # of on-screen text in one line, if it spans several rows
_AROUND = 300  # the same for a reader
_STAYING = 0.9  # share of the time with text from which a text is a menu or a logo
_TOGETHER = 0.5  # share of the shorter text's time in which two texts of one line must overlap
_ALIKE = 0.8  # similarity, 0 to 1, from which two texts at one time are readings of the same text


class Lines:
    """The moments of a video by modality and time, for finding a moment's line."""

    def __init__(self, moments: Sequence[Moment]) -> None:
        """Take all moments of one video."""
        self._speech = sorted((item for item in moments if item.modality == "speech"), key=_start)
        self._texts = sorted((item for item in moments if item.modality == "scene_text"), key=_start)
        self._place = {cue: number for number, cue in enumerate(self._speech)}
        self._shown = frozenset(self._texts)
        long = _STAYING * _extent(self._texts)
        staying = [item for item in self._texts if item.span.length >= long]
        self._staying = frozenset(staying if len(staying) < len(self._texts) else ())
        self._starts = [item.span.start for item in self._texts]
        self._longest = max((item.span.length for item in self._texts), default=0.0)

    def line_of(self, item: Moment) -> tuple[Moment, ...]:
        """The moment with its neighbours, in reading order; alone if it isn't one of those given."""
        if item in self._place:
            return self._spoken(item)
        return self._rows_around(item) if item in self._shown else (item,)

    def around(self, line: Sequence[Moment]) -> tuple[Moment, ...]:
        """A line for a reader: speech with the sentence that follows, rows of text with what is shown beside them."""
        last = line[-1]
        if last in self._place:
            after = self._place[last] + 1
            goes_on = after < len(self._speech) and _continues(last, self._speech[after])
            return (*line, *(self._sentence(after) if goes_on else ()))
        of_a_table = len(line) > 1 and len(by_row(line)) == 1
        return tuple(line) if of_a_table or last not in self._shown else self._rows(line, _AROUND)

    def _spoken(self, item: Moment) -> tuple[Moment, ...]:
        """A cue with its sentence, the cue before it and the sentence after it, which often say what it means."""
        place = self._place[item]
        before = [cue for cue in self._speech[max(0, place - 1) : place] if _continues(cue, item)]
        sentence = self._sentence(place)
        after = place + len(sentence)
        goes_on = after < len(self._speech) and _continues(sentence[-1], self._speech[after])
        return (*before, *sentence, *(self._sentence(after) if goes_on else ()))

    def _sentence(self, place: int) -> list[Moment]:
        """A cue and the cues that continue its sentence; after a question, also the sentence that replies to it."""
        line = [self._speech[place]]
        asked = False
        for following in self._speech[place + 1 :]:
            long = sum(len(each.text.split()) for each in line) >= _WORDS
            asks = not asked and line[-1].text.rstrip('"”») ').endswith("?")
            if not _continues(line[-1], following) or (not asks and (long or ends_sentence(line[-1].text))):
                break
            asked = asked or asks
            line.append(following)
        return line

    def _rows_around(self, item: Moment) -> tuple[Moment, ...]:
        """The row of a text; for a row with a single text also the nearest rows, from the top."""
        row = row_of(item, self._together(item))
        return tuple(row) if len(row) > 1 else self._rows(row, _CHARACTERS)

    def _together(self, item: Moment) -> list[Moment]:
        """What is shown with a text. A menu or a logo that stays all the time says nothing of what is beside it."""
        first = bisect_left(self._starts, item.span.start - self._longest)
        last = bisect_right(self._starts, item.span.end)
        beside = self._staying if item not in self._staying else frozenset[Moment]()
        together = (each for each in self._texts[first:last] if _share(each.span, item.span) >= _TOGETHER)
        return [each for each in together if each not in beside]

    def _rows(self, row: Sequence[Moment], characters: int) -> tuple[Moment, ...]:
        """A row with the nearest other rows, from the top, up to a number of characters: all shown at one time."""
        briefest = min(row, key=_length)  # what stays longer is beside several things
        beside = (each for each in self._together(briefest) if each not in row)
        others = by_row(sorted(beside, key=well_read, reverse=True))
        chosen = by_row(row)
        for other in sorted(others, key=lambda each: _distance(each[0], row[0])):
            cells = [cell for cell in other if _share(cell.span, briefest.span) >= _TOGETHER]
            if all(_is_read(cell, chosen) for cell in cells):
                continue
            if sum(len(each.text) for each in chain(*chosen, cells)) > characters:
                break
            chosen.append(cells)
            briefest = min((briefest, *cells), key=_length)
        return tuple(chain(*sorted(chosen, key=_top)))


def _continues(cue: Moment, following: Moment) -> bool:
    """Whether the next cue continues this one: the same track, without a long pause."""
    same = (cue.video, cue.engine) == (following.video, following.engine)
    return same and following.span.start - cue.span.end <= _PAUSE


def _is_read(item: Moment, rows: Sequence[Sequence[Moment]]) -> bool:
    return any(_same_text(item.text, each.text) for each in chain(*rows))


def _same_text(one: str, other: str) -> bool:
    plain, against = ("".join(words_of(text).split()) for text in (one, other))
    if plain == against:
        return True
    # Numbers that differ in a digit are different numbers.
    if [*filter(str.isdigit, one)] != [*filter(str.isdigit, other)]:
        return False
    return min(len(plain), len(against)) > 3 and SequenceMatcher(None, plain, against).ratio() >= _ALIKE


def _start(item: Moment) -> float:
    return item.span.start


def _extent(texts: Sequence[Moment]) -> float:
    """Seconds from the first text to the end of the last."""
    return max(item.span.end for item in texts) - texts[0].span.start if texts else 0.0


def _length(item: Moment) -> float:
    return item.span.length


def _share(one: TimeSpan, other: TimeSpan) -> float:
    if not one.length or not other.length:
        return float(one.overlaps(other))
    return one.shared(other) / max(min(one.length, other.length), 1e-3)


def _distance(one: Moment, other: Moment) -> float:
    """The distance of two texts in the picture, where rows count more than columns; 0 if a place is unknown."""
    if one.box is None or other.box is None:
        return 0.0
    return 3 * abs(one.box[1] - other.box[1]) + abs(one.box[0] - other.box[0])


def _top(row: Sequence[Moment]) -> float:
    return row[0].box[1] if row[0].box else 0.0


def by_row(texts: Sequence[Moment]) -> list[list[Moment]]:
    """The texts row by row, each from left to right. Rows keep the order of their first texts."""
    waiting, found = list(texts), list[list[Moment]]()
    while waiting:
        first = waiting[0]
        found.append(row_of(first, waiting))
        waiting = [item for item in waiting if not _same_row(first, item)]
    return found


def row_of(item: Moment, texts: Sequence[Moment]) -> list[Moment]:
    """The texts in the same row as an item, including itself, left to right; of several in one place the best read."""
    row = [item]
    for other in sorted(texts, key=well_read, reverse=True):
        if _same_row(item, other) and not any(_in_one_column(cell, other) for cell in row):
            row.append(other)
    return sorted(row, key=_left_first)


def well_read(item: Moment) -> float:
    """How well a text is read: the score times the seconds."""
    return item.score * (0.1 + item.span.length)


def _left_first(item: Moment) -> tuple[float, ...]:
    return item.box or ()


def _same_row(one: Moment, other: Moment) -> bool:
    if one is other:
        return True
    if not one.box or not other.box or one.video != other.video or not one.span.overlaps(other.span):
        return False
    apart = abs(one.box[1] + one.box[3] / 2 - other.box[1] - other.box[3] / 2)
    return apart <= SAME_ROW * min(one.box[3], other.box[3])


def _in_one_column(one: Moment, other: Moment) -> bool:
    """Whether two texts lie over each other across, so that they can't be two cells of one row."""
    if not one.box or not other.box:
        return one.text == other.text
    shared = min(one.box[0] + one.box[2], other.box[0] + other.box[2]) - max(one.box[0], other.box[0])
    return shared > 0.5 * min(one.box[2], other.box[2])


def replaces(one: Moment, other: Moment) -> bool:
    """Whether a text stands where another one, of other words, stands before or after it."""
    if not one.box or not other.box or one.span.shared(other.span) or _same_text(one.text, other.text):
        return False
    down = min(one.box[1] + one.box[3], other.box[1] + other.box[3]) - max(one.box[1], other.box[1])
    return down > 0.5 * min(one.box[3], other.box[3]) and _in_one_column(one, other)
