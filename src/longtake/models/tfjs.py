"""Converts a TensorFlow.js graph model to ONNX: the operations that a convolutional detector such as NanoDet needs.

TensorFlow lays pictures out as (batch, height, width, channels), ONNX convolves (batch, channels, height, width): each
such operation gets a transposition before and after it, which onnxruntime takes out again where two meet.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from longtake.errors import EngineError

Array = npt.NDArray[Any]
Node = dict[str, Any]

_OPSET, _IR = 18, 9  # old enough for every onnxruntime in use
_CHANNELS_FIRST, _CHANNELS_LAST = (0, 3, 1, 2), (0, 2, 3, 1)


def convert_tfjs(model: bytes, weights: bytes) -> bytes:
    """The ONNX file of a graph model. Its inputs and outputs keep their names, such as `Identity:0`.

    Args:
        model: the JSON file with the graph, and the names and shapes of its weights.
        weights: those weights, one after the other, some as half floats.

    Raises:
        EngineError: if the graph has an operation that isn't known here.
    """
    from onnx import TensorProto, checker, helper

    described = json.loads(model)
    graph = _Graph(described["modelTopology"]["node"], _read_weights(described["weightsManifest"], weights))
    ends = {
        kind: [
            helper.make_tensor_value_info(
                name, TensorProto.FLOAT, [int(side["size"]) for side in end["tensorShape"]["dim"]]
            )
            for name, end in described["signature"][kind].items()
        ]
        for kind in ("inputs", "outputs")
    }
    for end in ends["outputs"]:
        graph.add("Identity", [graph.tensor(end.name.partition(":")[0])], end.name)
    made = helper.make_graph(graph.made, "graph", ends["inputs"], ends["outputs"], graph.constants)
    converted = helper.make_model(made, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=_IR)
    checker.check_model(converted)
    content: bytes = converted.SerializeToString(deterministic=True)
    return content


def _read_weights(manifest: list[dict[str, Any]], content: bytes) -> dict[str, Array]:
    """Each weight by its name."""
    arrays: dict[str, Array] = {}
    place = 0
    for each in (each for group in manifest for each in group["weights"]):
        stored = np.dtype(each.get("quantization", each)["dtype"])
        number = int(np.prod(each["shape"]))
        array = np.frombuffer(content, stored, number, place).reshape(each["shape"])
        arrays[each["name"]] = array.astype(each["dtype"])
        place += number * stored.itemsize
    return arrays


class _Graph:
    """The ONNX graph as it grows: a tensor is added with all that it is computed from."""

    def __init__(self, nodes: list[Node], weights: Mapping[str, Array]) -> None:
        self.made: list[Any] = []
        self.constants: list[Any] = []
        self._nodes = {node["name"]: node for node in nodes}
        self._weights = weights
        self._named: dict[str, str] = {}  # names in ONNX by names in the graph

    def tensor(self, reference: str) -> str:
        """The name of a tensor in ONNX; `split:1` is the second output of `split`."""
        node = self._nodes[reference.partition(":")[0]]
        if node["name"] not in self._named:
            make = _OPERATIONS.get(node["op"])
            if make is None:
                raise EngineError(f"The operation {node['op']} of the model can't be converted to ONNX.")
            self._named[node["name"]] = make(self, node)
        return f"{self._named[node['name']]}{reference.removeprefix(node['name'])}"

    def add(self, operation: str, inputs: list[str], *outputs: str, **attributes: Any) -> str:
        """Add an operation; returns the name of its first output."""
        from onnx import helper

        names = outputs or (f"{operation}_{len(self.made)}",)
        self.made.append(helper.make_node(operation, inputs, names, **attributes))
        return names[0]

    def constant(self, value: Array) -> str:
        """The name of a new constant."""
        from onnx import numpy_helper

        name = f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def value(self, reference: str) -> Array:
        """A tensor that doesn't depend on the input, such as a shape."""
        node = self._nodes[reference]
        if node["op"] == "Const":
            return self._weights[node["name"]]
        given = [self.value(each) for each in node["input"]]
        if node["op"] == "AddV2":
            return np.asarray(given[0] + given[1])
        if node["op"] == "SparseToDense":
            places, shape, values, elsewhere = given
            dense = np.full(shape, elsewhere)
            dense[tuple(places.T)] = values
            return dense
        raise EngineError(f"A shape that {node['op']} computes can't be converted to ONNX.")


def _like_in_onnx(operation: str) -> Callable[[_Graph, Node], str]:
    """An operation that ONNX has, too."""
    return lambda graph, node: graph.add(operation, [graph.tensor(each) for each in node["input"]])


def _convolution(graph: _Graph, node: Node) -> str:
    given, weights = node["input"]
    filters = graph.constant(graph.value(weights).transpose(3, 2, 0, 1))
    return _channels_first(graph, given, "Conv", [filters], _window(node))


def _max_pool(graph: _Graph, node: Node) -> str:
    sides = _numbers(node, "ksize")[1:3]
    return _channels_first(graph, node["input"][0], "MaxPool", [], _window(node) | {"kernel_shape": sides})


def _resized(graph: _Graph, node: Node) -> str:
    """Bilinear, with pixels as areas; the other ways of TensorFlow aren't used."""
    given, size = node["input"]
    if not node["attr"]["half_pixel_centers"]["b"]:
        raise EngineError("A ResizeBilinear between corners of pixels can't be converted to ONNX.")
    more = ["", "", graph.constant(graph.value(size).astype(np.int64))]
    how = {"axes": [2, 3], "mode": "linear", "coordinate_transformation_mode": "half_pixel"}
    return _channels_first(graph, given, "Resize", more, how)


def _channels_first(graph: _Graph, given: str, operation: str, more: list[str], attributes: dict[str, Any]) -> str:
    first = graph.add("Transpose", [graph.tensor(given)], perm=_CHANNELS_FIRST)
    return graph.add("Transpose", [graph.add(operation, [first, *more], **attributes)], perm=_CHANNELS_LAST)


def _window(node: Node) -> dict[str, Any]:
    """How the window of a convolution moves. Padding is an operation of its own in these graphs."""
    padding = base64.b64decode(node["attr"]["padding"]["s"]).decode()
    return {"strides": _numbers(node, "strides")[1:3], "auto_pad": {"VALID": "VALID", "SAME": "SAME_UPPER"}[padding]}


def _numbers(node: Node, attribute: str) -> list[int]:
    return [int(each) for each in node["attr"][attribute]["list"]["i"]]


def _transposed(graph: _Graph, node: Node) -> str:
    given, order = node["input"]
    return graph.add("Transpose", [graph.tensor(given)], perm=graph.value(order).tolist())


def _reshaped(graph: _Graph, node: Node) -> str:
    given, shape = node["input"]
    return graph.add("Reshape", [graph.tensor(given), graph.constant(graph.value(shape).astype(np.int64))])


def _padded(graph: _Graph, node: Node) -> str:
    """TensorFlow counts by axis, ONNX first before and then after all axes; the value is 0 unless it is given."""
    given, edges, *value = node["input"]
    widths = graph.constant(graph.value(edges).astype(np.int64).T.ravel())
    return graph.add("Pad", [graph.tensor(given), widths, *(graph.constant(graph.value(each)) for each in value)])


def _joined(graph: _Graph, node: Node) -> str:
    *parts, axis = node["input"]
    return graph.add("Concat", [graph.tensor(each) for each in parts], axis=int(graph.value(axis)))


def _split(graph: _Graph, node: Node) -> str:
    given, lengths, axis = node["input"]
    parts = graph.value(lengths).astype(np.int64)
    name = f"Split_{len(graph.made)}"
    outputs = (name, *(f"{name}:{number}" for number in range(1, len(parts))))
    return graph.add("Split", [graph.tensor(given), graph.constant(parts)], *outputs, axis=int(graph.value(axis)))


def _leaky(graph: _Graph, node: Node) -> str:
    return graph.add("LeakyRelu", [graph.tensor(node["input"][0])], alpha=float(node["attr"]["alpha"]["f"]))


_OPERATIONS: Mapping[str, Callable[[_Graph, Node], str]] = {
    "Placeholder": lambda _, node: f"{node['name']}:0",
    "Const": lambda graph, node: graph.constant(graph.value(node["name"])),
    "Identity": _like_in_onnx("Identity"),
    "Add": _like_in_onnx("Add"),
    "Sigmoid": _like_in_onnx("Sigmoid"),
    "LeakyRelu": _leaky,
    "Conv2D": _convolution,
    "MaxPool": _max_pool,
    "ResizeBilinear": _resized,
    "Transpose": _transposed,
    "Reshape": _reshaped,
    "Pad": _padded,
    "PadV2": _padded,
    "ConcatV2": _joined,
    "SplitV": _split,
}
