"""SymbolTree: the statements of one network; Position: a place before or after a statement."""

import ast
from typing import NamedTuple

from ...log import print_escaped
from ...nn.cell import Cell
from .. import table
from .._checks import need, need_each
from ..generating import Generation
from ..statements import Statement
from ..trees import Tree
from .node import Node
from .node_type import NodeType

__all__ = ["Position", "SymbolTree"]


class Position(NamedTuple):
    """A place before or after a statement, as `SymbolTree.before` and `after` return it."""

    tree: Tree
    statement: Statement
    before_node: bool

    def index(self):
        """Returns the index in the block at which a node is inserted. An `if` and its `else` are
        two statements of the block: a place is before both or after both."""
        places = [
            self.statement.block.statements.index(sibling)
            for sibling in self.statement.siblings()
            if sibling.block is not None
        ]
        return min(places) if self.before_node else max(places) + 1


class SymbolTree:
    """The forward computation of a network as nodes, which can be inserted, erased and replaced.

    Args:
        handler (Tree): the object that holds the nodes; `create` creates it.

    Raises:
        TypeError: if `handler` is something else.

    Examples:
        >>> from mindspore_compat import nn
        >>> from mindspore_compat.rewrite import SymbolTree
        >>> class Net(nn.Cell):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.fc = nn.Dense(2, 2)
        ...         self.relu = nn.ReLU()
        ...     def construct(self, x):
        ...         return self.relu(self.fc(x))
        >>> tree = SymbolTree.create(Net())
        >>> print([node.get_name() for node in tree.nodes()])
        ['input_x', 'fc', 'relu', 'return']

    Source: mindspore.rewrite.SymbolTree of MindSpore 2.10.
    """

    def __init__(self, handler):
        need("SymbolTree", "handler", handler, Tree)
        self._tree = handler

    @classmethod
    def create(cls, network):
        """Reads the forward computation of a network.

        User-defined Cells that it calls are read too, as are its methods, user-defined functions,
        branches and loops. Other code is kept unchanged: statements in a `with` or `try`, functions
        with decorators or a closure, lambdas and comprehensions. Inputs and users of a node are
        searched only in its own body: not across the borders of branches and loops.

        Args:
            network (Cell): the network.

        Returns:
            SymbolTree.

        Raises:
            TypeError: if `network` is not a Cell.
            RuntimeError: if the source of its `construct` cannot be read.
        """
        need("SymbolTree", "network", network, Cell)
        return cls(Tree(network, cls))

    # looking

    def nodes(self, all_nodes=False):
        """Returns an iterator over the nodes.

        Args:
            all_nodes (bool, optional): whether to include nodes within functions, branches, loops,
                containers and Cells that are read, after the others.

        Returns:
            Iterator[Node].

        Raises:
            TypeError: if `all_nodes` is not a bool.
        """
        need("SymbolTree", "all_nodes", all_nodes, bool)
        return self._nodes(all_nodes)

    def _nodes(self, all_nodes):
        trees = [self._tree]
        while trees:
            tree = trees.pop()
            yield from map(Node, tree.statements() if not all_nodes else tree.statements(True))
            trees.extend(tree.sub_trees() if all_nodes else ())

    def get_node(self, node_name):
        """Returns the node with a name; None if there is none.

        Args:
            node_name (str): the name.

        Returns:
            Node.

        Raises:
            TypeError: if `node_name` is not a str.
        """
        need("SymbolTree", "node_name", node_name, str)
        statement = self._tree.find(node_name)
        return None if statement is None else Node(statement)

    def unique_name(self, name="output"):
        """Returns an unused variable name.

        Args:
            name (str, optional): the prefix; a number is appended if it is in use.

        Returns:
            str.

        Raises:
            TypeError: if `name` is not a str.
        """
        need("SymbolTree", "name", name, str)
        return self._tree.variables.unique(name)

    def print_node_tabulate(self, all_nodes=False):
        """Prints a table of the nodes: type, name, source, and for each argument its provider and
        for each output its users, by name and index.

        Args:
            all_nodes (bool, optional): as for `nodes`.

        Raises:
            TypeError: if `all_nodes` is not a bool.
        """
        need("print_node_tabulate", "all_nodes", all_nodes, bool)
        print_escaped(table.text_of([node._node for node in self._nodes(all_nodes)]))

    # changing

    def before(self, node):
        """Returns the place before a node, for `insert`.

        Args:
            node (Union[Node, str]): the node, or its name.

        Returns:
            Position.

        Raises:
            TypeError: if `node` is neither.
            RuntimeError: if `node` is not a node of this SymbolTree.
        """
        return Position(self._tree, self._own_statement(node), True)

    def after(self, node):
        """Returns the place after a node, for `insert`. Argument, result and errors as for
        `before`.
        """
        return Position(self._tree, self._own_statement(node), False)

    def insert(self, position, node):
        """Inserts a node.

        Args:
            position (Position): the place.
            node (Node): a result of `Node.create_call_cell` or `create_call_function`.

        Returns:
            Node, the inserted one.

        Raises:
            TypeError: if an argument is of the wrong type, or a call of a Cell is inserted in a
                function that is not a method.
            ValueError: if the position is of another SymbolTree, or the node stands in one.
            RuntimeError: if the place is before or between the inputs.
        """
        need("SymbolTree", "position", position, Position)
        need("SymbolTree", "node", node, Node)
        block = position.statement.block
        if position.tree is not self._tree or block is None:
            raise ValueError(
                "For 'SymbolTree', 'position' must be before or after a node of this SymbolTree."
            )
        self._need_new("node", node, block)
        index = position.index()
        if any(statement.kind is NodeType.Input for statement in block.statements[index:]):
            raise RuntimeError(
                "For 'SymbolTree', 'position' must not be before or between the inputs."
            )
        self._tree.insert(node._node, block, index)
        return node

    @staticmethod
    def _need_new(name, node, block):
        """Rejects a Node that cannot be inserted into a block."""
        if node._node.block is not None or node._node.instance is None:
            raise ValueError(
                f"For 'SymbolTree', '{name}' must be made by 'create_call_cell' or "
                f"'create_call_function' and not stand in a SymbolTree, but got "
                f"{node.get_name()!r}, which does."
            )
        if block.kind == "function" and node._node.kind is not NodeType.CallFunction:
            raise TypeError(
                f"For 'SymbolTree', '{name}' must call a function where it is inserted in one that "
                f"is no method, but got {node.get_node_type()}."
            )

    def erase(self, node):
        """Erases a node.

        Args:
            node (Union[Node, str]): the node, or its name.

        Returns:
            Node, the erased one.

        Raises:
            TypeError: if `node` is neither.
            RuntimeError: if `node` is not a node of this SymbolTree, or an input.
        """
        statement = self._own_and_no_input(node)
        statement.block.remove(statement)
        return Node(statement)

    def replace(self, old_node, new_nodes):
        """Replaces a node by others.

        Args:
            old_node (Node): the node to erase.
            new_nodes (list[Node]): the nodes to insert, in order.

        Returns:
            Node, the last inserted one.

        Raises:
            TypeError: if an argument is of the wrong type.
            ValueError: if there is no new node, or one stands in a SymbolTree.
            RuntimeError: if `old_node` is not a node of this SymbolTree, or an input.
        """
        need("SymbolTree", "old_node", old_node, Node)
        need_each("SymbolTree", "new_nodes", new_nodes, Node)
        if not new_nodes:
            raise ValueError("For 'SymbolTree', 'new_nodes' must not be empty.")
        block = self._own_and_no_input(old_node).block
        if len(set(new_nodes)) != len(new_nodes):
            raise ValueError("For 'SymbolTree', 'new_nodes' must not hold a node twice.")
        for new_node in new_nodes:
            self._need_new("new_nodes", new_node, block)
        for new_node in new_nodes:
            self._tree.insert(new_node._node, block, block.statements.index(old_node._node))
        block.remove(old_node._node)
        return new_nodes[-1]

    def _own_statement(self, node):
        """Returns the statement of a Node, or of a name, in this SymbolTree."""
        need("SymbolTree", "node", node, Node, str)
        statement = self._tree.find(node) if isinstance(node, str) else node._node
        if statement is None or statement.block is None or statement.block.tree is not self._tree:
            name = node if isinstance(node, str) else node.get_name()
            raise RuntimeError(f"For 'SymbolTree', {name!r} is no node of this SymbolTree.")
        return statement

    def _own_and_no_input(self, node):
        statement = self._own_statement(node)
        if isinstance(statement.code, ast.arg):
            raise RuntimeError(f"For 'SymbolTree', the input {statement.name!r} cannot be erased.")
        return statement

    # what comes out

    def get_code(self):
        """Returns the current source of the network.

        Returns:
            str, a class with the methods that were read, after the classes of Cells that it calls.
        """
        return Generation(self._tree).text()

    def get_network(self):
        """Returns the current network.

        It shares Parameters and Cells with the original network, which should no longer be used.
        Its source is written to a file in the folder "rewritten_network".

        Returns:
            Cell.

        Raises:
            OSError: if the file cannot be written.
        """
        return Generation(self._tree).network(self._tree)
