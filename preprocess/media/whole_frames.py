"""Reads frames like `frames` and completes pictures that are shown in pieces, for everything that looks for content.

Pieces are quadrants in turn, or strips between bars of one colour: each frame shows a part of the picture and the rest
is flat, so nothing that looks at single frames can recognise what is there. The pieces are joined as the eye does it:
for every pixel, the frame of the last few in which it is furthest from the flat colour.

Pieces are recognised by a large flat part of one colour, another one in each of at least three consecutive states. They
hardly overlap, and together show much more than one of them. A part that is shown again is the same, and the picture
goes on from one piece to the next, unlike several pictures on a slide.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import chain, combinations
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
from av.video.frame import VideoFrame

from longtake.lazy import cached_property
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.media.frames import RUN_UP, Frame, Picture, read_frames, read_up_to, shown_during
from longtake.preprocess.media.media import MediaInfo

Mask = npt.NDArray[np.bool_]

_FLAT, _SPREAD = 6, 2.0  # levels by which a flat part differs from its colour, at most and as a standard deviation
_HIDDEN = 0.3  # smallest flat share of a picture
_OTHER = 0.15  # share of a piece that appears, and that disappears, from one state to the next
_STATES = 3  # by which pieces are recognised
_KEPT = 12  # states that may be joined
_GAIN = 1.6  # times the mean visible share that the pieces show together
_TOGETHER = 0.6  # of the picture; a title that moves over black never shows so much
_OVERLAP = 0.5  # of a piece that the next one may show again
_SAME = 16.0  # mean levels by which a piece differs when it is shown again
_COMPLETE = 0.97  # share of what all kept states show that the joined ones must show
_WAIT = 1.0  # seconds; a picture that stays longer isn't one of pieces, unless they are known already
_STAYS = 4.0  # seconds that a piece may stay
_SOME = 8  # of how many pixels of a flat part one gives its colour
_MAX_WAITING = 1e8  # pixels of frames that wait


@dataclass(frozen=True)
class _State:
    """A piece: its first frame, the level of its flat part and what of the small picture is visible, (90, 160)."""

    frame: Frame
    flat: int
    visible: Mask

    @cached_property
    def share(self) -> float:
        return _area(self.visible)

    @cached_property
    def colour(self) -> tuple[float, ...]:
        """The flat part's, BGR."""
        some = np.flatnonzero(~self.visible)[::_SOME]  # it is flat, so a part of it is enough
        return tuple(float(level) for level in np.median(self.frame.small_bgr.reshape(-1, 3)[some], axis=0))

    @cached_property
    def picture(self) -> Picture:
        """At full quality, (height, width, 3) BGR."""
        return self.frame.bgr()

    @cached_property
    def distance(self) -> Picture:
        """Levels of each pixel from the flat colour, (height, width)."""
        return _distance(self.picture, self.colour)


@dataclass(frozen=True)
class _Round:
    """States that complete the picture. They are joined once, when somebody looks at a frame that waited for them."""

    states: Sequence[_State]

    @cached_property
    def _joined(self) -> tuple[Picture, Picture]:
        """For each pixel, the state in which it is furthest from the flat colour, and the levels of that distance."""
        best, furthest = self.states[0].picture.copy(), self.states[0].distance
        for state in self.states[1:]:
            cv2.copyTo(state.picture, cv2.compare(state.distance, furthest, cv2.CMP_GT), best)
            furthest = np.asarray(cv2.max(furthest, state.distance), np.uint8)
        return best, furthest

    @cached_property
    def _whole(self) -> VideoFrame:
        return VideoFrame.from_ndarray(self._joined[0], format="bgr24")

    def completed(self, frame: Frame) -> Frame:
        """A frame with what it hides taken from the states; its own pixel where both show one."""

        def whole() -> VideoFrame:
            if any(state.frame is frame for state in self.states):
                return self._whole
            own, (joined, furthest) = frame.bgr().copy(), self._joined
            cv2.copyTo(joined, cv2.compare(furthest, _distance(own, self.states[0].colour), cv2.CMP_GT), own)
            return VideoFrame.from_ndarray(own, format="bgr24")

        upright = replace(frame.stream, rotation=0)
        return Frame(frame.time, frame.duration, whole, upright, hidden=self.states[0].colour)


@dataclass
class _Joiner:
    """Collects states, and the frames that wait because they may belong to pieces.

    States are numbered from 1. Each round of states that completes the picture is joined to one picture, so that a cut
    between rounds stays a cut.
    """

    states: deque[_State] = field(default_factory=lambda: deque(maxlen=_KEPT))
    waiting: list[tuple[Frame, int]] = field(default_factory=list)  # with the number of its state
    seen: int = 0
    joining: bool = False
    round: _Round = _Round(())  # the last complete one
    open: int = 1  # the first state of the round that isn't complete

    def add(self, frame: Frame, state: _State) -> None:
        if not self.states or _differs(state, self.states[-1]):
            self.states.append(state)
            self.seen += 1
            self.joining = self.joining or _are_pieces(self.states)
        self.waiting.append((frame, self.seen))

    def may_go(self) -> bool:
        """Whether the frames that wait can be given: completed, or because these are no pieces."""
        frame = self.waiting[-1][0]
        stays = frame.time - self.states[-1].frame.time
        if stays > (_STAYS if self.joining else _WAIT):
            self.joining = False
            return True
        if len(self.waiting) * frame.stream.width * frame.stream.height > _MAX_WAITING:
            return True
        left = self._left()
        # Before the first round, only a state that shows nothing new tells that the ones before it are all there are.
        return self.joining and (len(left) == _KEPT or self._completes(left if self.round.states else left[:-1]))

    def release(self) -> Iterator[Frame]:
        """The frames that wait, completed if these are pieces."""
        if not self.joining:
            yield from (frame for frame, _ in self.waiting)
            self.waiting.clear()
            return
        rounds = {self.open - 1: self.round} if self.round.states else {}
        while states := self._first_round():
            self.round, self.open = _Round(states), self.open + len(states)
            rounds[self.open - 1] = self.round
        last = max(rounds, default=0)
        for number in sorted({number for _, number in self.waiting if number > last}):
            rounds[number] = _Round(self._around(number))
        for frame, number in self.waiting:
            yield next(some for last, some in rounds.items() if number <= last).completed(frame)
        self.waiting.clear()

    def end(self) -> Iterator[Frame]:
        """Release all, and start anew."""
        yield from self.release()
        self.states.clear()
        self.joining, self.open, self.round = False, self.seen + 1, _Round(())

    def _left(self) -> list[_State]:
        """The states of the round that isn't complete."""
        first = self.seen - len(self.states) + 1
        self.open = max(self.open, first)
        return list(self.states)[self.open - first :]

    def _first_round(self) -> list[_State]:
        """The fewest of the states left, from the first on, that complete the picture; none if they don't."""
        left = self._left()
        return next((left[:count] for count in range(1, len(left) + 1) if self._completes(left[:count])), [])

    def _completes(self, some: Sequence[_State]) -> bool:
        if not some:
            return False
        return _together(some) >= _COMPLETE * _together(self.states)

    def _around(self, number: int) -> list[_State]:
        """The fewest states that complete one of a round that stays incomplete: earlier ones, then later ones."""
        states = list(self.states)
        at = max(0, len(states) - 1 - (self.seen - number))
        chosen = list[_State]()
        for state in (*states[at::-1], *states[at + 1 :]):
            chosen.append(state)
            if self._completes(chosen):
                break
        return chosen


def join_pieces(frames: Iterator[Frame]) -> Iterator[Frame]:
    """The same frames, those that show a piece completed with what the frames around them show.

    A frame waits while it may belong to pieces that aren't known yet, for a second of video at most.
    """
    joiner = _Joiner()
    for frame in frames:
        state = _state(frame)
        if state is None or (joiner.states and abs(state.flat - joiner.states[-1].flat) > _FLAT):
            yield from joiner.end()
        if state is None:
            yield frame
            continue
        joiner.add(frame, state)
        if joiner.may_go():
            yield from joiner.release()
    yield from joiner.end()


def may_be_piece(frame: Frame) -> bool:
    """Whether a large part of a frame is flat, as in a piece, but also on a slide."""
    return _state(frame) is not None


def _state(frame: Frame) -> _State | None:
    """What of a frame is visible; None if too little of it is flat, or all."""
    luma = frame.small_luma
    counts = cv2.calcHist([luma], [0], None, [256], [0, 256])
    flat = int(counts.argmax())
    lowest, highest = max(0, flat - _FLAT), min(255, flat + _FLAT)
    # Nearly every frame fails here, before anything looks at its pixels again.
    if not _HIDDEN * luma.size <= counts[lowest : highest + 1].sum() < luma.size:
        return None
    hidden = np.asarray(cv2.inRange(luma, lowest, highest), np.uint8)
    if cv2.meanStdDev(luma, mask=hidden)[1].item() > _SPREAD:
        return None
    return _State(frame, flat, hidden == 0)


def _area(mask: Mask | Picture) -> float:
    """The share of the picture."""
    return cv2.countNonZero(mask.view(np.uint8)) / mask.size


def _together(states: Iterable[_State]) -> float:
    """The share of the picture that is visible in one of them."""
    return _area(reduce(np.logical_or, (state.visible for state in states)))


def _differs(one: _State, other: _State) -> bool:
    appears, goes = _area(one.visible & ~other.visible), _area(other.visible & ~one.visible)
    return min(appears, goes) >= _OTHER * max(one.share, other.share)


def _are_pieces(states: Sequence[_State]) -> bool:
    if len(states) < _STATES:
        return False
    masks = np.stack([state.visible for state in states])
    shares = masks.mean(axis=(1, 2))
    if masks.any(axis=0).mean() < max(_TOGETHER, min(1.0, _GAIN * float(shares.mean()))):
        return False
    again = (masks[1:] & masks[:-1]).mean(axis=(1, 2)) / np.minimum(shares[1:], shares[:-1])
    return bool(np.median(again) <= _OVERLAP) and _agree(states) and _go_on(states)


def _agree(states: Sequence[_State]) -> bool:
    """Whether what two of them show is the same; True if no two show the same part."""
    apart = [
        cv2.absdiff(one.frame.small_luma, other.frame.small_luma)[both].mean()
        for one, other in combinations(states, 2)
        if (both := one.visible & other.visible).mean() >= _OTHER / 2
    ]
    return not apart or bool(np.median(apart) <= _SAME)


def _go_on(states: Sequence[_State]) -> bool:
    """Whether the picture changes little across the edges between pieces, vertical and horizontal ones."""
    whole, piece = states[0].frame.small_luma.copy(), np.zeros_like(states[0].visible, np.int8)
    for number, state in enumerate(states):
        cv2.copyTo(state.frame.small_luma, state.visible.astype(np.uint8), whole)
        piece[state.visible] = number + 1
    steps = [
        np.abs(np.diff(whole.astype(np.int16), axis=axis))[
            (np.diff(piece, axis=axis) != 0) & (np.delete(piece, -1, axis) > 0) & (np.delete(piece, 0, axis) > 0)
        ]
        for axis in (0, 1)
    ]
    return bool(np.median(np.concatenate(steps)) <= _SAME)


def _distance(picture: Picture, colour: tuple[float, ...]) -> Picture:
    """Levels of each pixel from a colour, (height, width)."""
    levels: Any = (*map(int, colour), 0)  # one number per channel for OpenCV
    blue, green, red = cv2.split(cv2.absdiff(picture, levels))
    return np.asarray(cv2.max(blue, cv2.max(green, red)), np.uint8)


_AROUND = 4.0  # seconds of pieces before a span that complete its first frames


def read_whole_frames(
    path: Path, media: MediaInfo, span: TimeSpan | None, check_cancelled: Callable[[], None]
) -> Iterator[Frame]:
    """Decode a file, or the frames on screen during a span of it, like `read_frames`.

    Raises:
        MediaError: if the file has no picture or can't be opened.
    """
    frames = read_frames(path, media, span, check_cancelled)
    if span is None:
        yield from join_pieces(frames)
        return
    first = next(frames, None)
    if first is None:
        return
    if not may_be_piece(first):
        yield from join_pieces(chain([first], frames))
        return
    wider = TimeSpan(start=max(0.0, span.start - _AROUND), end=span.end + _AROUND)
    yield from shown_during(span, join_pieces(read_frames(path, media, wider, check_cancelled)))


def read_whole_frames_after(
    path: Path, media: MediaInfo, time: float, check_cancelled: Callable[[], None]
) -> Iterator[Frame]:
    """Decode the frames presented after a time in seconds, the same ones that reading from the start would give.

    Raises:
        MediaError: if the file has no picture or can't be opened.
    """
    for frame in join_pieces(read_up_to(time, RUN_UP, path, media, check_cancelled)):
        if frame.time > time:
            yield frame
