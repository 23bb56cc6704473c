"""Puts a model of PyTorch where it runs fastest."""

from __future__ import annotations

import logging
from typing import Any

log = logging.getLogger(__name__)


def placed(model: Any, name: str) -> Any:
    """A model, ready to run: on the GPU if there is one with room for it, else on the CPU."""
    import torch  # pyright: ignore[reportMissingImports] - an extra

    if torch.cuda.is_available():
        try:
            return model.eval().to("cuda")
        except RuntimeError as error:  # out of memory, for example
            [problem, *_] = str(error).splitlines() or [type(error).__name__]
            log.warning("%s can't use the GPU and runs on the CPU, which is slower (%s).", name, problem)
    return model.eval().to("cpu")
