"""A TensorFlow.js graph computes the same in ONNX."""

from __future__ import annotations

import numpy as np
import onnxruntime
import pytest
from helpers.models.tiny_tfjs import SIDE, TinyGraph

from longtake.errors import EngineError
from longtake.models.tfjs import convert_tfjs

pytest.importorskip("onnx", reason="needs the extra `nanodet`")


def test_every_operation_computes_the_same() -> None:
    tiny = TinyGraph()
    given = np.random.default_rng(1).normal(size=(1, 3, SIDE, SIDE)).astype(np.float32)
    session = onnxruntime.InferenceSession(convert_tfjs(tiny.graph, tiny.weights), providers=["CPUExecutionProvider"])
    found = session.run(["Identity:0", "Identity_1:0"], {"input:0": given})
    for mine, expected in zip(found, tiny.outputs(given), strict=True):
        assert np.asarray(mine) == pytest.approx(expected, abs=1e-4)


def test_the_same_model_has_the_same_file() -> None:
    tiny = TinyGraph()
    assert convert_tfjs(tiny.graph, tiny.weights) == convert_tfjs(tiny.graph, tiny.weights)


def test_an_operation_that_is_not_known_is_named() -> None:
    tiny = TinyGraph(unknown="Erf")
    with pytest.raises(EngineError, match="Erf"):
        convert_tfjs(tiny.graph, tiny.weights)
