"""Camera motion in 2-D and 3-D (REVEAL, Algorithms 2 and 3): six moves over a still scene, or a frame of each video."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

from longtake.evalharness.edits.camera import MOVES
from longtake.evalharness.items import Item, Turn
from longtake.evalharness.stress.stress_test import Bench, StressTest, item

QUESTIONS = (
    "How does the camera move in this video?",
    "Which camera movement does the clip show?",
    "What does the camera do?",
)
_SPEEDS = (60.0, 100.0, 160.0)  # pixels a second; the paper doesn't say


class Camera(StressTest):
    """Name the movement among six."""

    name: ClassVar[str] = "camera"
    edit: ClassVar[str] = "camera"
    parameters: ClassVar[tuple[str, ...]] = ("speed", "zoom", "rate", "seconds", "fps")

    def make(self, bench: Bench) -> Iterator[Item]:
        """Six items for each video, of 8 seconds as in the paper, at one of three speeds in 2-D."""
        videos = bench.material.stills or bench.material.videos
        return bench.each(videos, self.name, partial(self._about, bench))

    def _about(self, bench: Bench, video: Path) -> Iterator[Item]:
        random = bench.random(self.name, video.stem)
        at = round(random.uniform(0.1, 0.9), 2)
        for move, setting in product(MOVES, bench.settings):
            given: dict[str, Any] = {"move": move, "at": at}
            if self.edit == "camera":
                given |= {"speed": random.choice(_SPEEDS)}
            name = f"{move.replace(' ', '-')}{setting.name}"
            given |= setting.parameters
            media, _ = bench.edited(self.edit, [video], f"{self.name}-{video.stem}-{name}", **given)
            turn = Turn(question=random.choice(QUESTIONS), options=MOVES, gold=MOVES.index(move), reference=move)
            yield item(
                self.name, video, name, media, turn,
                role="altered", kind=move, folder=bench.folder, tags=setting.tags,
            )  # fmt: skip


class Camera3D(Camera):
    """The same among things in space."""

    name: ClassVar[str] = "camera-3d"
    edit: ClassVar[str] = "camera-3d"
    parameters: ClassVar[tuple[str, ...]] = ("seconds", "fps", "things", "view", "distance", "angle")
