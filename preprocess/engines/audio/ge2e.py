"""GE2E speaker encoder (Wan et al. 2018, "Generalized end-to-end loss for speaker verification"), in NumPy.

Three LSTM layers of 256 over mel power spectra, then a rectified linear layer. The weights are Resemblyzer's. Their
file, pickles in the format of PyTorch before 1.6 and then raw tensors, is read as data; the package is never imported.
"""

from __future__ import annotations

import pickle
import struct
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from longtake.memory.search.search_types import Vectors
from longtake.preprocess.engines.audio.speech_engine import RATE, STEP, WINDOW
from longtake.preprocess.engines.packaged_files import PackagedFile
from longtake.preprocess.media.audio import Samples
from longtake.settings import Settings

WEIGHTS = PackagedFile(
    "Resemblyzer",
    "0.1.4",
    "resemblyzer/pretrained.pt",
    "39373b86598fa3da9fcddee6142382efe09777e8d37dc9c0561f41f0070f134e",
    install="pip install --no-deps Resemblyzer==0.1.4",
)
_FFT, _HOP, _MELS = 400, 160, 40  # samples, samples, bands
_FRAMES, _STEP = round(WINDOW * RATE / _HOP), round(STEP * RATE / _HOP)
_HIDDEN, _LAYERS = 256, 3
_BATCH = 128  # windows that run together
_LOUDNESS = 10 ** (-30 / 20)  # root mean square that quiet passages are raised to, as in the model's training
Matrix = npt.NDArray[np.float32]


class Ge2eSpeakers:
    """256-d vectors of voices."""

    def __init__(self, settings: Settings) -> None:
        """Take no settings."""
        self.id = f"ge2e-{WEIGHTS.sha256[:8]}"

    def embed(self, passages: Sequence[Samples]) -> list[Vectors]:
        """See `SpeakerEngine`."""
        windows = [_windows(samples) for samples in passages]
        if not windows:
            return []
        together, weights = np.concatenate(windows), _weights(WEIGHTS.locate())
        starts = range(0, len(together), _BATCH)
        vectors = np.concatenate([_encode(together[start : start + _BATCH], weights) for start in starts])
        return np.split(vectors, np.cumsum([len(each) for each in windows])[:-1])


def _windows(samples: Samples) -> Matrix:
    """The spectra of a passage's windows, (windows, frames, 40)."""
    mels = _mel_frames(_raised(samples))
    if len(mels) < _FRAMES:
        mels = np.resize(mels, (_FRAMES, _MELS))
    return np.lib.stride_tricks.sliding_window_view(mels, _FRAMES, axis=0)[::_STEP].transpose(0, 2, 1)


def _raised(samples: Samples) -> Samples:
    level = float(np.sqrt(np.mean(np.square(samples, dtype=np.float64)))) if len(samples) else 0.0
    return samples * np.float32(_LOUDNESS / level) if 0 < level < _LOUDNESS else samples


def _mel_frames(samples: Samples) -> Matrix:
    """Power in each mel band, (frames, 40): Hann windows of 25 ms every 10 ms."""
    padded = np.pad(samples, _FFT // 2)
    frames = np.lib.stride_tricks.sliding_window_view(padded, _FFT)[::_HOP]
    spectra = np.abs(np.fft.rfft(frames * np.hanning(_FFT + 1)[:-1], axis=1)) ** 2
    return (spectra @ _mel_bands().T).astype(np.float32)


@cache
def _mel_bands() -> npt.NDArray[np.float64]:
    """Triangular bands of equal area on Slaney's mel scale: linear to 1 kHz, logarithmic above; (40, frequencies)."""
    breakpoint_mel, steps = 15.0, np.log(6.4) / 27
    highest = breakpoint_mel + np.log(RATE / 2 / 1000) / steps
    mels = np.linspace(0, highest, _MELS + 2)
    edges = np.where(mels < breakpoint_mel, mels * 200 / 3, 1000 * np.exp(steps * (mels - breakpoint_mel)))
    frequencies = np.linspace(0, RATE / 2, _FFT // 2 + 1)
    rising = (frequencies - edges[:-2, None]) / np.diff(edges)[:-1, None]
    falling = (edges[2:, None] - frequencies) / np.diff(edges)[1:, None]
    return np.maximum(0, np.minimum(rising, falling)) * (2 / (edges[2:] - edges[:-2]))[:, None]


def _encode(windows: Matrix, weights: Mapping[str, Matrix]) -> Matrix:
    """The vectors of windows of shape (n, frames, 40)."""
    sequence = windows
    for layer in range(_LAYERS):
        sequence = _lstm(sequence, *(weights[f"lstm.{name}_l{layer}"] for name in _OF_LAYER))
    linear = np.maximum(0, sequence[:, -1] @ weights["linear.weight"].T + weights["linear.bias"])
    unit: Matrix = linear / np.maximum(np.linalg.norm(linear, axis=1, keepdims=True), 1e-9)
    return unit


_OF_LAYER = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")


def _lstm(sequence: Matrix, inputs: Matrix, recurrent: Matrix, *biases: Matrix) -> Matrix:
    """The hidden states of an LSTM layer, with gates in PyTorch's order: input, forget, cell, output."""
    given: Matrix = sequence @ inputs.T + biases[0] + biases[1]
    hidden = np.zeros((len(sequence), _HIDDEN), np.float32)
    cell = np.zeros_like(hidden)
    states = np.empty((*sequence.shape[:2], _HIDDEN), np.float32)
    for time in range(sequence.shape[1]):
        gates = given[:, time] + (hidden @ recurrent.T).astype(np.float32)
        admit, keep, new, show = (gates[:, start : start + _HIDDEN] for start in range(0, 4 * _HIDDEN, _HIDDEN))
        cell = _sigmoid(keep) * cell + _sigmoid(admit) * np.tanh(new)
        hidden = _sigmoid(show) * np.tanh(cell)
        states[:, time] = hidden
    return states


def _sigmoid(values: Matrix) -> Matrix:
    result: Matrix = np.float32(0.5) * (np.tanh(np.float32(0.5) * values) + np.float32(1))
    return result


@cache
def _weights(file: Path) -> dict[str, Matrix]:
    """The tensors of a file by name."""
    with file.open("rb") as stream:
        for _ in range(3):  # magic number, version and machine
            _Tensors(stream).load()
        state = _Tensors(stream).load()["model_state"]
        stored = {key: _content(stream) for key in _order(stream)}
    return {name: _tensor(stored[key], *shape) for name, (key, *shape) in state.items()}


class _Tensors(pickle.Unpickler):
    """Unpickles tensors as (storage key, offset, size, stride); refuses every other class."""

    def find_class(self, module: str, name: str) -> Any:
        known: Mapping[tuple[str, str], Any] = {
            ("collections", "OrderedDict"): OrderedDict,
            ("torch._utils", "_rebuild_tensor_v2"): lambda *tensor: tensor[:4],
            ("torch", "FloatStorage"): None,
        }
        return known[module, name]

    def persistent_load(self, pid: Any) -> Any:
        return pid[2]  # the storage's key


def _order(stream: BinaryIO) -> Sequence[str]:
    keys: Sequence[str] = _Tensors(stream).load()
    return keys


def _content(stream: BinaryIO) -> bytes:
    (count,) = struct.unpack("<q", stream.read(8))
    return stream.read(4 * count)


def _tensor(content: bytes, offset: int, size: Sequence[int], stride: Sequence[int]) -> Matrix:
    flat = np.frombuffer(content, np.float32)[offset:]
    return np.lib.stride_tricks.as_strided(flat, size, [4 * step for step in stride]).copy()
