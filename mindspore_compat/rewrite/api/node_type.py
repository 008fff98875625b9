"""NodeType: what a statement of a forward computation does."""

from enum import Enum

__all__ = ["NodeType"]


class NodeType(Enum):
    """What a node does.

    - `CallCell`: calls a Cell of this package.
    - `CallPrimitive`: calls a Primitive.
    - `CallFunction`: calls a function, or a method of the network.
    - `CallMethod`: makes a tuple, list, dict or slice, or gives a value another name.
    - `Python`: a statement that is kept as it stands.
    - `Input`: an argument of the forward method.
    - `Output`: a return statement.
    - `Tree`: calls a Cell of the user, whose own computation is read too.
    - `CellContainer`: calls a SequentialCell, or names a CellList.
    - `MathOps`: arithmetic, a comparison or a logical operation.
    - `ControlFlow`: an `if`, its `else`, a `for` or a `while`.
    - `CallModule` and `Unknown`: are given to no node.

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
