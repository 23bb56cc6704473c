"""Shot boundaries by PySceneDetect's content detector, which compares neighbouring frames in HSV."""

from __future__ import annotations

from fractions import Fraction

import scenedetect
from scenedetect import ContentDetector, FrameTimecode
from scenedetect.common import Timecode

from longtake.config import Settings
from longtake.preprocess.frames import Picture

_MICROSECOND = Fraction(1, 1_000_000)


class ContentShots:
    """The engine; each pass over a file takes a detector of its own."""

    def __init__(self, settings: Settings) -> None:
        self.id = f"pyscenedetect-{scenedetect.__version__}/content"
        self._settings = settings.visual_pass

    def detector(self, fps: float) -> ContentCuts:
        """A detector for one pass over frames that come at about `fps`."""
        return ContentCuts(self._settings.shot_threshold, self._settings.min_shot_seconds, fps)


class ContentCuts:
    """Finds hard cuts in small pictures given in presentation order."""

    def __init__(self, threshold: float, min_shot_seconds: float, fps: float) -> None:
        self._detector = ContentDetector(threshold=threshold, min_scene_len=float(min_shot_seconds))
        self._rate = Fraction(fps).limit_denominator(1001)

    def see(self, time: float, picture: Picture) -> list[float]:
        """Times of the cuts that this picture, (height, width, 3) BGR at `time` seconds, makes certain."""
        moment = FrameTimecode(Timecode(round(time / _MICROSECOND), _MICROSECOND), self._rate)
        return [round(cut.seconds, 6) for cut in self._detector.process_frame(moment, picture)]
