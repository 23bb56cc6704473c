"""Lets torchvision be imported beside a CPU build of torch."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import Any


@cache
def make_importable() -> Any:
    """Declare the operators of torchvision if its own are built for another torch.

    Packages import torchvision for pictures wherever it is installed. Its usual build needs CUDA, and without its
    compiled operators the import fails, although only detection models use them.

    Returns:
        What keeps the declaration alive, or None.
    """
    if find_spec("torchvision") is None:
        return None
    import torch  # pyright: ignore[reportMissingImports] - an extra

    try:
        import torchvision  # pyright: ignore[reportMissingImports] # noqa: F401
    except RuntimeError:
        library = torch.library.Library("torchvision", "DEF")
        for name in ("nms", "qnms"):
            library.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        return library
    return None
