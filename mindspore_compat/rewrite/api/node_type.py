"""NodeType: the kinds of statements of a forward computation."""

from enum import Enum

__all__ = ["NodeType"]


class NodeType(Enum):
    """The kind of a node.

    - `CallCell`: calls a Cell of this package.
    - `CallPrimitive`: calls a Primitive.
    - `CallFunction`: calls a function, or a method of the network.
    - `CallMethod`: creates a tuple, list, dict or slice, or assigns a value to another name.
    - `Python`: a statement that is kept unchanged.
    - `Input`: an argument of the forward method.
    - `Output`: a return statement.
    - `Tree`: calls a user-defined Cell whose own computation is read too.
    - `CellContainer`: calls a SequentialCell, or refers to a CellList.
    - `MathOps`: arithmetic, a comparison or a logical operation.
    - `ControlFlow`: an `if`, its `else`, a `for` or a `while`.
    - `CallModule` and `Unknown`: not used.

    Examples:
        >>> from mindspore_compat.rewrite import NodeType
        >>> print(NodeType.CallCell)
        NodeType.CallCell

    Source: mindspore.rewrite.NodeType of MindSpore 2.10.
    """

    Unknown = 0
    CallCell = 1
    CallPrimitive = 2
    CallModule = 3
    CallFunction = 4
    CallMethod = 5
    Python = 6
    Input = 7
    Output = 8
    Tree = 9
    CellContainer = 10
    MathOps = 11
    ControlFlow = 12
