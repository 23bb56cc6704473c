"""A small TensorFlow.js graph with every operation that NanoDet's has, and what it computes."""

from __future__ import annotations

import base64
import json
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
SIDE = 8


def _node(name: str, op: str, *inputs: str, **attributes: Any) -> dict[str, Any]:
    return {"name": name, "op": op, "input": list(inputs), "attr": attributes}


def _window(stride: int, **more: Any) -> dict[str, Any]:
    valid = {"s": base64.b64encode(b"VALID").decode()}
    return {"padding": valid, "strides": {"list": {"i": ["1", str(stride), str(stride), "1"]}}, **more}


class TinyGraph:
    """Its two files, and its outputs in numpy."""

    def __init__(self, seed: int = 0, unknown: str = "Sigmoid") -> None:
        """Use another operation in place of the sigmoid to have one that isn't known."""
        numbers = np.random.default_rng(seed)
        self.filters = numbers.normal(size=(3, 3, 3, 4)).astype(np.float16)
        self.bias = numbers.normal(size=4).astype(np.float16)
        arrays: dict[str, Array] = {
            "edges": np.array([[0, 0], [0, 0], [1, 1], [1, 1]], np.int32),
            "last": np.array([0, 2, 3, 1], np.int32),
            "first": np.array([0, 3, 1, 2], np.int32),
            "filters": self.filters,
            "bias": self.bias,
            "low": np.array(-9, np.float16),
            "size": np.array([SIDE, SIDE], np.int32),
            "parts": np.array([2, 6], np.int32),
            "axis": np.array(3, np.int32),
            "places": np.array([[1]], np.int64),
            "rank": np.array([3], np.int64),
            "columns": np.array([3], np.int64),
            "zero": np.array(0, np.int64),
            "rest": np.array([1, 0, SIDE * SIDE * 2], np.int64),
        }
        pool = _window(2, ksize={"list": {"i": ["1", "2", "2", "1"]}})
        halves = {"half_pixel_centers": {"b": True}, "align_corners": {"b": False}}
        nodes = [
            *(_node(name, "Const") for name in arrays),
            _node("input", "Placeholder"),
            _node("padded", "Pad", "input", "edges"),
            _node("turned", "Transpose", "padded", "last"),
            _node("convolved", "Conv2D", "turned", "filters", **_window(1)),
            _node("added", "Add", "convolved", "bias"),
            _node("bent", "LeakyRelu", "added", alpha={"f": 0.1}),
            _node("back", "Transpose", "bent", "first"),
            _node("widened", "PadV2", "back", "edges", "low"),
            _node("again", "Transpose", "widened", "last"),
            _node("pooled", "MaxPool", "again", **pool),
            _node("resized", "ResizeBilinear", "pooled", "size", **halves),
            _node("joined", "ConcatV2", "resized", "bent", "axis"),
            _node("split", "SplitV", "joined", "parts", "axis"),
            _node("likely", unknown, "split"),
            _node("places_of_rest", "SparseToDense", "places", "rank", "columns", "zero"),
            _node("shape", "AddV2", "rest", "places_of_rest"),
            _node("flat", "Reshape", "split:1", "shape"),
            _node("Identity", "Identity", "likely"),
            _node("Identity_1", "Identity", "flat"),
        ]
        self.weights = b"".join(array.tobytes() for array in arrays.values())
        manifest = [
            {"name": name, "shape": list(array.shape), "dtype": "float32", "quantization": {"dtype": "float16"}}
            if array.dtype == np.float16
            else {"name": name, "shape": list(array.shape), "dtype": str(array.dtype)}
            for name, array in arrays.items()
        ]
        self.graph = json.dumps(
            {
                "modelTopology": {"node": nodes},
                "weightsManifest": [{"weights": manifest}],
                "signature": {
                    "inputs": {"input:0": _sides(1, 3, SIDE, SIDE)},
                    "outputs": {
                        "Identity:0": _sides(1, SIDE, SIDE, 2),
                        "Identity_1:0": _sides(1, 3, SIDE * SIDE * 2),
                    },
                },
            }
        ).encode()

    def outputs(self, given: Array) -> tuple[Array, Array]:
        """What it computes of an input, (1, 3, SIDE, SIDE)."""
        padded = np.pad(given[0], ((0, 0), (1, 1), (1, 1)))
        windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(1, 2))
        convolved = np.einsum("cyxij,ijco->yxo", windows, self.filters.astype(np.float32)) + self.bias
        bent = np.where(convolved > 0, convolved, 0.1 * convolved)
        widened = np.pad(bent, ((1, 1), (1, 1), (0, 0)), constant_values=-9)
        pooled = widened.reshape(SIDE // 2 + 1, 2, SIDE // 2 + 1, 2, 4).max(axis=(1, 3))
        resized = cv2.resize(pooled.astype(np.float32), (SIDE, SIDE), interpolation=cv2.INTER_LINEAR)
        joined = np.concatenate([resized, bent], axis=2)
        return 1 / (1 + np.exp(-joined[None, ..., :2])), joined[..., 2:].reshape(1, 3, -1)


def _sides(*sides: int) -> dict[str, Any]:
    return {"tensorShape": {"dim": [{"size": str(side)} for side in sides]}}
