"""A part of a run: the items of every n-th video, so that several machines can share the work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from longtake.errors import ConfigError
from longtake.evalharness.items import Item


class Shard(NamedTuple):
    """One of `of` parts, counted from 1."""

    number: int
    of: int

    def items(self, items: Sequence[Item], whole: Sequence[Item]) -> list[Item]:
        """The items of this part.

        Args:
            items: to choose from.
            whole: all items of the suite: they decide which part a video belongs to, whatever limit there is.
        """
        videos = sorted({item.video for item in whole})
        own = set(videos[self.number - 1 :: self.of])
        return [item for item in items if item.video in own]


def shard_named(text: str) -> Shard:
    """The part that `2/5` means.

    Raises:
        ConfigError: if it is none.
    """
    number, slash, of = text.partition("/")
    if slash and number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of):
        return Shard(int(number), int(of))
    raise ConfigError(f"--shard {text} isn't a part; write --shard 2/5 for the second of five.")
