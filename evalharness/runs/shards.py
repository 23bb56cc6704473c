"""A part of a run: the items of every n-th video, so that several machines can share the work."""

from __future__ import annotations

from collections.abc import Sequence

from longtake.errors import ConfigError
from longtake.evalharness.items import Item


def of_shard(text: str, items: Sequence[Item], whole: Sequence[Item]) -> list[Item]:
    """The items of the part that, for example, `2/5` means: the second of five.

    Args:
        text: number and count of the parts.
        items: to choose from.
        whole: all items of the suite: they decide which part a video belongs to, whatever limit there is.

    Raises:
        ConfigError: if it is no part.
    """
    number, slash, of = text.partition("/")
    if not (slash and number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of)):
        raise ConfigError(f"--shard {text} isn't a part; write --shard 2/5 for the second of five.")
    own = set(sorted({item.video for item in whole})[int(number) - 1 :: int(of)])
    return [item for item in items if item.video in own]
