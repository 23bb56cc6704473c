"""The table of edits by name."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import ValidationError

from longtake.errors import ConfigError
from longtake.evalharness.edits.camera import CameraEdit, CameraMotion3D
from longtake.evalharness.edits.edit import Edit
from longtake.evalharness.edits.hiding import Blank, Mosaic, Mute, Occlusion
from longtake.evalharness.edits.overlays import Insertion, Noise, Tint
from longtake.evalharness.edits.temporal import Cut, FrameShuffle, Gap, Mixing, Reversal, SegmentShuffle
from longtake.evalharness.runs.journal import wrong_field
from longtake.plugins import Table, subclass_of

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
    "camera": CameraEdit,
    "camera-3d": CameraMotion3D,
}
EDITS: Table[type[Edit]] = Table("edits", _BUILT_IN, subclass_of(Edit))


def edit_named(name: str, parameters: Mapping[str, object]) -> Edit:
    """An edit with its parameters.

    Raises:
        ConfigError: if there is none of that name, or a parameter is unknown or wrong.
        PluginError: if it is of another package and can't be used.
    """
    edit = EDITS.named(name, "edit")
    try:
        return edit.model_validate(parameters)
    except ValidationError as error:
        known = ", ".join(edit.model_fields) or "none"
        raise ConfigError(f"The parameters of {name} are wrong: {wrong_field(error)}. It takes: {known}.") from error
