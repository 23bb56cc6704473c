"""Cuts a video into segments of a few seconds, along its shots, its texts and the pauses of speech."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from longtake.memory.layers import Layer
from longtake.memory.timespan import TimeSpan

_SHORTEST, _LONGEST = 0.5, 3.0  # times the usual length of a segment
_MOST = 2000  # segments of a video; those of a longer one are longer
_SHOT, _TEXT, _LINE, _ANYWHERE = 0.0, 0.1, 0.2, 0.4  # prices of a cut, by what begins there
_BESIDE = 1.0  # seconds between two places where one may begin
_WORDS = ("subtitles", "speech")


def segment_spans(layers: Mapping[str, Layer], duration: float, usual: float) -> list[TimeSpan]:
    """The segments from the start of a video to its end, most of about the usual length in seconds.

    Dynamic programming finds the cuts with the least sum of prices and of squared differences from the usual length.
    No segment is shorter than half of that, or longer than three times as much, unless the video is.

    Args:
        layers: those there are; `shots`, `scene_text`, `subtitles` and `speech` say where something begins.
        duration: of the video, in seconds.
        usual: the length to aim for, in seconds.
    """
    if duration <= 0:
        return []
    usual = max(usual, duration / _MOST)
    prices = _prices(layers, duration, usual)
    edges = [0.0, *sorted(prices), duration]
    best, before, first = [0.0], [0], 0
    for place, end in enumerate(edges[1:], 1):
        while end - edges[first] > _LONGEST * usual and first < place - 1:
            first += 1
        price = prices.get(end, 0.0)
        costs = [
            (best[start] + price + _length_price(end - edges[start], usual), start) for start in range(first, place)
        ]
        cost, start = min(costs)
        best.append(cost)
        before.append(start)
    cuts, place = [duration], len(edges) - 1
    while place:
        place = before[place]
        cuts.append(edges[place])
    return [TimeSpan(start=start, end=end) for start, end in pairwise(reversed(cuts))]


def _length_price(length: float, usual: float) -> float:
    outside = 100.0 if length < _SHORTEST * usual else 0.0
    return (length / usual - 1) ** 2 + outside


def _prices(layers: Mapping[str, Layer], duration: float, usual: float) -> dict[float, float]:
    """What a cut costs at each second where one may be: where something begins, else every half of a segment."""
    begin: dict[float, float] = {}

    def offer(name: str, price: float) -> None:
        for item in layers[name].items() if name in layers else ():
            begin[float(item["start"])] = min(price, begin.get(float(item["start"]), price))

    offer("shots", _SHOT)
    offer("scene_text", _TEXT)
    for name in _WORDS:
        offer(name, _LINE)
    prices: dict[float, float] = {}
    last = 0.0
    for at in sorted(at for at in begin if 0 < at < duration):
        if prices and at - last < _BESIDE:
            if begin[at] >= prices[last]:
                continue
            del prices[last]
        prices[at] = begin[at]
        last = at
    gap = _SHORTEST * usual
    for start, end in pairwise([0.0, *prices, duration]):
        count = int((end - start) / gap)
        prices |= {start + (end - start) * number / count: _ANYWHERE for number in range(1, count)}
    return prices
