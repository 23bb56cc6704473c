"""The table of views by name."""

from __future__ import annotations

from collections.abc import Mapping

from longtake.errors import ConfigError, did_you_mean
from longtake.evalharness.views.frame_views import (
    CHUNKS,
    BagOfFrames,
    Blind,
    CenterFrame,
    Chunk,
    FrameShuffling,
    Grounded,
    Standard,
)
from longtake.evalharness.views.keyframes import Keyframes, Uniform
from longtake.evalharness.views.part_captions import Summary
from longtake.evalharness.views.speech import Speech
from longtake.evalharness.views.view import View
from longtake.plugins import Table


def _read(name: str, declared: object) -> View:
    """A view that a package declares."""
    if not (isinstance(declared, type) and issubclass(declared, View)):
        raise TypeError(f"{name} isn't a `View`")
    return declared()


_BUILT_IN: Mapping[str, View] = {
    **{
        view.name: view()
        for view in (
            Standard,
            Blind,
            Speech,
            Summary,
            CenterFrame,
            FrameShuffling,
            BagOfFrames,
            Grounded,
            Keyframes,
            Uniform,
        )
    },
    **{f"chunk-{number}": Chunk(number) for number in range(1, CHUNKS + 1)},
}
VIEWS: Table[View] = Table("views", _BUILT_IN, _read)


def view_named(name: str) -> View:
    """A view by its name.

    Raises:
        ConfigError: if there is none.
        PluginError: if it is of another package and can't be used.
    """
    if name not in VIEWS:
        raise ConfigError(f"There is no view {name!r}. {did_you_mean(name, VIEWS)}")
    return VIEWS[name]
