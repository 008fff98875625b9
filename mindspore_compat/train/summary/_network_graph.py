"""Converts a network's graph to the message in summary files.

The network is traced as `export` does it (see `mind_ir.tracing`): it runs once in inference mode,
and its computation becomes nodes. The field numbers come from MindSpore's anf_ir.proto.
"""

import numpy as np

from ..._io.protobuf import bytes_field, float_field, int_field
from ...common.generator import get_rng_state, set_rng_state
from ...ops._debug import print_summary
from ..mind_ir.tracing import Value, trace
from ._events import type_number

_TENSOR, _TUPLE, _LIST, _NONE = 14, 31, 32, 34
_BOOL, _INT, _FLOAT, _TEXT = 1, 5, 11, 13


def network_graph(network, inputs):
    """Returns a message whose field 4 is the graph of a network for inputs of these shapes.

    The run has no side effects: the state of random numbers is restored, and values of summary ops
    are not recorded.

    Args:
        network (Cell): the network.
        inputs (list[Tensor]): the inputs of the network.

    Raises:
        RuntimeError: if the network does something that a graph cannot express.
    """
    sinks, state = list(print_summary.summary_sinks), get_rng_state()
    print_summary.summary_sinks.clear()
    try:
        graph = trace(network, list(inputs))
    finally:
        print_summary.summary_sinks.extend(sinks)
        set_rng_state(state)
    return bytes_field(4, _Writer(graph).message())


class _Writer:
    """Converts a traced Graph to the message; nodes are numbered, constants are named when first
    used."""

    def __init__(self, graph):
        self.graph, self.names = graph, {}
        self.nodes, self.constants = [], []

    def message(self):
        """Returns the whole graph as a message."""
        graph = self.graph
        inputs = [(value.name, shape, dtype) for value, shape, dtype in graph.inputs]
        weights = [(name, array.shape, array.dtype) for _, name, array in graph.parameters]
        for node in graph.nodes:
            self._node(node.op, node.operands, node.attributes, node.result)
        result = self._operand(graph.outputs)
        output_shape = (
            graph.shapes.get(graph.outputs.name) if isinstance(graph.outputs, Value) else None
        )
        return b"".join(
            [
                *self.nodes,
                bytes_field(2, graph.name),
                *(
                    bytes_field(
                        3, bytes_field(1, name) + bytes_field(2, _tensor_type(shape, dtype))
                    )
                    for name, shape, dtype in inputs + weights
                ),
                bytes_field(
                    4,
                    bytes_field(1, result)
                    + (bytes_field(2, _tensor_type(*output_shape)) if output_shape else b""),
                ),
                *self.constants,
            ]
        )

    def _node(self, op, operands, attributes, result):
        """Adds a node, and returns its name."""
        before = [self._operand(operand) for operand in operands]
        name = str(len(self.nodes) + 1)
        parts = [bytes_field(1, bytes_field(1, name) + int_field(2, 0)) for name in before]
        parts += [bytes_field(2, name), bytes_field(3, op), bytes_field(4, "Default")]
        parts += [
            bytes_field(5, bytes_field(1, key) + bytes_field(2, _value(value)))
            for key, value in attributes.items()
        ]
        if result is not None:
            self.names[result.name] = name
            if result.name in self.graph.shapes:
                parts.append(bytes_field(6, _tensor_type(*self.graph.shapes[result.name])))
        parts.append(bytes_field(8, f"Default/{op}-op{len(self.nodes)}"))
        self.nodes.append(bytes_field(1, b"".join(parts)))
        return name

    def _operand(self, value):
        """Returns the name of a Value; adds a constant or a tuple first."""
        if isinstance(value, Value):
            return self.names.get(value.name, value.name)
        if isinstance(value, tuple) and any(isinstance(item, (Value, tuple)) for item in value):
            return self._node("MakeTuple", value, {}, None)
        name = f"cst{len(self.constants) + 1}"
        self.constants.append(bytes_field(5, bytes_field(1, name) + bytes_field(2, _value(value))))
        return name


def _tensor_type(shape, dtype):
    dims = b"".join(bytes_field(1, int_field(1, length)) for length in shape)
    tensor = int_field(1, type_number(dtype)) + bytes_field(2, dims)
    return int_field(1, _TENSOR) + bytes_field(2, tensor)


def _value(value):
    """Returns a constant as a message, preceded by its type."""
    if isinstance(value, (np.ndarray, np.generic)):
        array = np.asarray(value)
        dims = b"".join(int_field(1, length) for length in array.shape)
        content = dims + int_field(2, type_number(array.dtype)) + bytes_field(8, array.tobytes())
        return int_field(1, _TENSOR) + bytes_field(8, content)
    if isinstance(value, (tuple, list)):
        kind = _TUPLE if isinstance(value, tuple) else _LIST
        return int_field(1, kind) + b"".join(bytes_field(18, _value(item)) for item in value)
    if isinstance(value, bool):
        return int_field(1, _BOOL) + int_field(2, value)
    if isinstance(value, int):
        return int_field(1, _INT) + int_field(3, value)
    if isinstance(value, float):
        return int_field(1, _FLOAT) + float_field(5, value)
    if value is None:
        return int_field(1, _NONE)
    return int_field(1, _TEXT) + bytes_field(7, str(value))
