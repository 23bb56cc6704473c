"""Hard cuts by PySceneDetect's content detector, which compares neighbouring frames in HSV."""

from __future__ import annotations

import scenedetect
from scenedetect import ContentDetector, FrameTimecode

from longtake.preprocess.media.frames import Picture
from longtake.settings import Settings


class ContentShots:
    """Decides whether a shot can start between two neighbouring pictures."""

    def __init__(self, settings: Settings) -> None:
        self.id = f"pyscenedetect-{scenedetect.__version__}/content"
        self._threshold = settings.visual_pass.shot_threshold

    def differ(self, before: Picture, after: Picture) -> bool:
        """Whether two pictures, (height, width, 3) BGR, differ as much as two shots do."""
        # Without the detector's flash filter, which needs every frame: `Cuts` checks whether the picture returns.
        detector, moment = ContentDetector(threshold=self._threshold, min_scene_len=0), FrameTimecode(0, 1.0)
        detector.process_frame(moment, before)
        return bool(detector.process_frame(moment, after))
