"""Counts the floating-point operations of a network's matrix products and convolutions.

The network is traced as `export` does it. A product counts a multiplication and an addition for
each term; in the backward pass it counts once more for each factor that has a gradient. Nothing
else is counted, not even recomputation.
"""

import math

from ..mind_ir.tracing import Value, trace

_PRODUCTS = ("MatMul", "BatchMatMul")
_CONVOLUTIONS = ("Conv2D", "Conv3D")


def count_flops(network, inputs, backward):
    """Returns the number of operations for inputs of these shapes.

    Args:
        network (Cell): the network.
        inputs (list[Tensor]): the inputs of the network.
        backward (bool): whether to count the gradients of the trainable parameters too.

    Raises:
        RuntimeError: if the network does something that a graph cannot express.
    """
    graph = trace(network, list(inputs))
    shapes = {name: shape for name, (shape, _) in graph.shapes.items()}
    shapes.update({value.name: shape for value, shape, _ in graph.inputs})
    shapes.update({name: array.shape for _, name, array in graph.parameters})
    trained = {param.name for param in network.trainable_params()} if backward else set()
    total = 0
    for node in graph.nodes:
        if _depends(node.operands, trained):
            trained.add(node.result.name)
        if node.op in (*_PRODUCTS, *_CONVOLUTIONS):
            times = 1 + sum(_depends((factor,), trained) for factor in node.operands[:2])
            total += times * _forward(node, shapes)
    return total


def _depends(operands, names):
    """Returns whether some of the operands, or members of tuples among them, have these names."""
    return any(
        _depends(operand, names)
        if isinstance(operand, (tuple, list))
        else isinstance(operand, Value) and operand.name in names
        for operand in operands
    )


def _forward(node, shapes):
    """Counts two operations for each term of the sums that form the result."""
    second = node.operands[1]
    shape = shapes[second.name] if isinstance(second, Value) else second.shape
    terms = shape[-2] if node.op in _PRODUCTS else math.prod(shape[1:])
    return 2 * math.prod(shapes[node.result.name]) * terms
