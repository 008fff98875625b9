"""Node: one statement of a forward computation."""

from types import BuiltinFunctionType, FunctionType, MethodType

from ...nn.cell import Cell
from ...ops.primitive import Primitive
from .._checks import need, need_each
from ..parsing import call_places, kind_of
from ..statements import Statement
from ..trees import new_call
from .node_type import NodeType
from .scoped_value import ScopedValue

__all__ = ["Node"]


class Node:
    """One statement of a forward computation, such as a call or an addition.

    Nodes come from a SymbolTree, or are created by `create_call_cell` and `create_call_function`.
    Two Nodes are equal if they represent the same statement.

    Args:
        node (Statement): the statement.

    Raises:
        TypeError: if `node` is not a statement of a SymbolTree.

    Examples:
        >>> from mindspore_compat import nn
        >>> from mindspore_compat.rewrite import Node, ScopedValue
        >>> x = ScopedValue.create_naming_value("x")
        >>> node = Node.create_call_cell(nn.ReLU(), targets=["y"], args=[x], name="new_relu")
        >>> print(node.get_name(), node.get_targets(), node.get_args())
        new_relu [y] [x]

    Source: mindspore.rewrite.Node of MindSpore 2.10.
    """

    def __init__(self, node):
        need("Node", "node", node, Statement)
        self._node = node

    def __eq__(self, other):
        return isinstance(other, Node) and self._node is other._node

    def __hash__(self):
        return id(self._node)

    # making

    @staticmethod
    def create_call_cell(cell, targets, args=None, kwargs=None, name="", is_sub_net=False):
        """Creates a node for the statement `targets = self.name(*args, **kwargs)`.

        Args:
            cell (Cell): the Cell to call, or a Primitive.
            targets (list[Union[ScopedValue, str]]): the outputs.
            args (list[ScopedValue], optional): the arguments.
            kwargs (dict[str, ScopedValue], optional): the keyword arguments.
            name (str, optional): the attribute; by default named after the class. A number is
                appended if it is in use.
            is_sub_net (bool, optional): whether to read also the computation of `cell`.

        Returns:
            Node, not inserted yet.

        Raises:
            TypeError: if an argument is of the wrong type.
        """
        need("Node", "cell", cell, Cell, Primitive)
        need("Node", "name", name, str)
        need("Node", "is_sub_net", is_sub_net, bool)
        kind = kind_of(cell)[0] if isinstance(cell, Primitive) else NodeType.CallCell
        node = _call_node("Node", kind, name, cell, targets, args, kwargs)
        if is_sub_net and isinstance(cell, Cell):
            node._node.kind = NodeType.Tree
        return node

    @staticmethod
    def create_call_function(function, targets, args=None, kwargs=None):
        """Creates a node for the statement `targets = function(*args, **kwargs)`; the body of the
        function is not read.

        Args:
            function (FunctionType): the function to call.
            targets (list[Union[ScopedValue, str]]): the outputs.
            args (list[ScopedValue], optional): the arguments.
            kwargs (dict[str, ScopedValue], optional): the keyword arguments.

        Returns:
            Node, not inserted yet.

        Raises:
            TypeError: if an argument is of the wrong type.
        """
        api = "create_call_function"
        need(api, "function", function, FunctionType, BuiltinFunctionType, type)
        name = function.__name__
        return _call_node(api, NodeType.CallFunction, name, function, targets, args, kwargs)

    # looking

    def get_name(self):
        """Returns the name, unique in its SymbolTree; empty if none was given before insertion.

        Returns:
            str.
        """
        return self._node.name

    def get_node_type(self):
        """Returns the type of the node.

        Returns:
            NodeType.
        """
        return self._node.kind

    def get_instance_type(self):
        """Returns the type of the called Cell or Primitive; for a called function, the function
        itself; otherwise NoneType.

        Returns:
            type.
        """
        instance = self._node.instance
        if isinstance(instance, (FunctionType, BuiltinFunctionType, type)):
            return instance
        return MethodType if isinstance(instance, MethodType) else type(instance)

    def get_args(self):
        """Returns the arguments.

        Returns:
            list[ScopedValue].
        """
        return self._node.arguments()

    def get_kwargs(self):
        """Returns the keyword arguments.

        Returns:
            dict[str, ScopedValue].
        """
        return self._node.keyword_arguments()

    def get_targets(self):
        """Returns the outputs.

        Returns:
            list[ScopedValue].
        """
        return self._node.targets()

    def get_inputs(self):
        """Returns the nodes in the same body whose outputs are arguments of this node.

        Returns:
            list[Node].
        """
        statements = [statement for statement, _ in self._node.providers().values()]
        return [Node(node) for node in dict.fromkeys(statements)]

    def get_users(self):
        """Returns the nodes in the same body that take an output of this node as an argument.

        Returns:
            list[Node].
        """
        statements = [statement for uses in self._node.users().values() for statement, _ in uses]
        return [Node(node) for node in dict.fromkeys(statements)]

    def get_symbol_tree(self):
        """Returns the SymbolTree of the node, or None.

        Returns:
            SymbolTree.
        """
        return None if self._node.block is None else self._node.block.tree.shown()

    def get_sub_tree(self):
        """Returns the SymbolTree of the Cell that a node of type `NodeType.Tree` calls.

        Returns:
            SymbolTree.

        Raises:
            TypeError: if the node is of the wrong type.
            AttributeError: if the Cell has not been read, as the node has not been inserted.
        """
        if self._node.kind is not NodeType.Tree:
            raise TypeError(
                f"For 'get_sub_tree', the node must be of type NodeType.Tree, but got "
                f"{self._node.kind}."
            )
        if self._node.sub_tree is None:
            raise AttributeError(
                f"For 'get_sub_tree', the node must stand in a SymbolTree, but "
                f"{self._node.name!r} has not been inserted."
            )
        return self._node.sub_tree.shown()

    # changing

    def set_arg(self, index, arg):
        """Replaces an argument.

        Args:
            index (int): the index of the argument.
            arg (Union[ScopedValue, str]): the value, or the name of a variable.

        Raises:
            TypeError: if `index` is not an int, or `arg` neither of the two or no name or constant.
            ValueError: if there is no such argument.
        """
        need("Node", "index", index, int)
        need("Node", "arg", arg, ScopedValue, str)
        self._need_below("index", index, len(self._node.places))
        self._node.put_argument(index, arg)

    def set_arg_by_node(self, arg_idx, src_node, out_idx=None):
        """Replaces an argument by an output of another node.

        Args:
            arg_idx (int): the index of the argument.
            src_node (Node): the other node.
            out_idx (int, optional): the index of the output; required if there are several.

        Raises:
            TypeError: if an argument is of the wrong type.
            ValueError: if there is no such argument or output, or there are several outputs.
        """
        need("Node", "arg_idx", arg_idx, int)
        need("Node", "src_node", src_node, Node)
        targets = src_node.get_targets()
        self._need_below("arg_idx", arg_idx, len(self._node.places))
        if out_idx is None:
            if len(targets) != 1:
                raise ValueError(
                    f"For 'Node', 'out_idx' must be given where 'src_node' has not one output, but "
                    f"it has {len(targets)}."
                )
            out_idx = 0
        need("Node", "out_idx", out_idx, int)
        self._need_below("out_idx", out_idx, len(targets))
        self._node.put_argument(arg_idx, targets[out_idx])

    @staticmethod
    def _need_below(name, value, count):
        if not 0 <= value < count:
            raise ValueError(f"For 'Node', '{name}' must be in [0, {count}), but got {value}.")


def _call_node(api, kind, name, instance, targets, args, kwargs):
    """Returns a Node for a new call."""
    args, kwargs = args or [], kwargs or {}
    need_each(api, "targets", targets, ScopedValue, str)
    need_each(api, "args", args, ScopedValue)
    need(api, "kwargs", kwargs, dict)
    need_each(api, "keys of kwargs", list(kwargs), str)
    need_each(api, "values of kwargs", list(kwargs.values()), ScopedValue)
    code = new_call(targets, args, kwargs)
    places, keywords = call_places(code.value)
    return Node(Statement(kind, name, code, places, keywords, instance))
