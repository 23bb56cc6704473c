"""An edit: the picture upside down, all the time."""

from collections.abc import Sequence
from random import Random

from longtake.evalharness.edits.edit import Edit, EditPlan, Source, whole
from longtake.memory.timespan import TimeSpan


class Upside(Edit):
    """Turn the picture upside down. Fields of the class would be parameters of the edit."""

    kind = "spatial"

    def plan(self, sources: Sequence[Source], random: Random) -> EditPlan:
        """The whole video, with every frame painted."""
        return EditPlan(
            pieces=(whole(sources[0]),),
            altered=(TimeSpan(start=0.0, end=sources[0].seconds),),
            paint=lambda picture, time: (picture[::-1],),
        )
