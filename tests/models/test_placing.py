"""Where a model of PyTorch runs. A GPU can't be had in tests, so one that is full is scripted."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Self

import pytest

from longtake.models.machine import placed


class Model:
    """Knows where it was put; `room` is whether the GPU has any for it."""

    def __init__(self, *, room: bool) -> None:
        self.room, self.device, self.training = room, "nowhere", True

    def eval(self) -> Self:
        self.training = False
        return self

    def to(self, device: str) -> Self:
        if device == "cuda" and not self.room:
            raise RuntimeError("CUDA out of memory. Tried to allocate 20 MiB.\nGPU 0 has 79 GiB.")
        self.device = device
        return self


@pytest.mark.parametrize(
    ("gpu", "room", "device", "said"), [(True, True, "cuda", 0), (True, False, "cpu", 1), (False, True, "cpu", 0)]
)
def test_a_model_runs_on_the_gpu_if_it_fits(
    gpu: bool, room: bool, device: str, said: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    torch = SimpleNamespace(cuda=SimpleNamespace(is_available=lambda: gpu))
    monkeypatch.setitem(sys.modules, "torch", torch)  # type: ignore[arg-type]
    model = placed(Model(room=room), "The SigLIP model")
    assert (model.device, model.training) == (device, False)
    assert len(caplog.messages) == said
    assert all("SigLIP" in each and "out of memory" in each and "79 GiB" not in each for each in caplog.messages)
