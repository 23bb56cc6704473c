"""Mute: the video without its sound, as the undisturbed side of edits that remove it."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import ClassVar

from longtake.evalharness.edits.edit import Edit, Kind, Plan, Source, whole


class Mute(Edit):
    """Remove the sound."""

    kind: ClassVar[Kind] = "spatial"

    def plan(self, sources: Sequence[Source], random: Random) -> Plan:
        """The whole video."""
        return Plan((whole(sources[0]),), (), keeps_sound=False)
