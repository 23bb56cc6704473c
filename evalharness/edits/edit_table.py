"""The table of edits by name."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import ValidationError

from longtake.errors import ConfigError, did_you_mean
from longtake.evalharness.edits.camera import CameraMotion
from longtake.evalharness.edits.camera_3d import CameraMotion3D
from longtake.evalharness.edits.edit import Edit
from longtake.evalharness.edits.hiding import Blank, Mute, Occlusion
from longtake.evalharness.edits.insertion import Insertion
from longtake.evalharness.edits.mosaic import Mosaic
from longtake.evalharness.edits.noise import Noise
from longtake.evalharness.edits.temporal import Cut, FrameShuffle, Gap, Mixing, Reversal, SegmentShuffle
from longtake.evalharness.edits.tint import Tint
from longtake.evalharness.runs.journal import wrong_field
from longtake.plugins import Table


def _read(name: str, declared: object) -> type[Edit]:
    """An edit that a package declares."""
    if not (isinstance(declared, type) and issubclass(declared, Edit)):
        raise TypeError(f"{name} isn't an `Edit`")
    return declared


_BUILT_IN: Mapping[str, type[Edit]] = {
    "reversal": Reversal,
    "segment-shuffle": SegmentShuffle,
    "frame-shuffle": FrameShuffle,
    "cut": Cut,
    "gap": Gap,
    "mixing": Mixing,
    "tint": Tint,
    "insertion": Insertion,
    "noise": Noise,
    "blank": Blank,
    "mute": Mute,
    "occlusion": Occlusion,
    "mosaic": Mosaic,
    "camera": CameraMotion,
    "camera-3d": CameraMotion3D,
}
EDITS: Table[type[Edit]] = Table("edits", _BUILT_IN, _read)


def edit_named(name: str, parameters: Mapping[str, object]) -> Edit:
    """An edit with its parameters.

    Raises:
        ConfigError: if there is none of that name, or a parameter is unknown or wrong.
        PluginError: if it is of another package and can't be used.
    """
    if name not in EDITS:
        raise ConfigError(f"There is no edit {name!r}. {did_you_mean(name, EDITS)}")
    try:
        return EDITS[name].model_validate(parameters)
    except ValidationError as error:
        known = ", ".join(EDITS[name].model_fields) or "none"
        raise ConfigError(f"The parameters of {name} are wrong: {wrong_field(error)}. It takes: {known}.") from error
