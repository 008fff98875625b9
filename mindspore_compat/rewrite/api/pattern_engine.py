"""PatternEngine: replaces the nodes of a SymbolTree that match a pattern.

A pattern is a tree of PatternNodes, which names the types of a node and of its inputs. The list
`[nn.Conv2d, nn.BatchNorm2d]` is a chain: a batch normalization of the output of a convolution.
"""

from abc import ABC, abstractmethod
from collections import OrderedDict

from ...nn import SequentialCell
from ...nn.cell import Cell
from .._checks import need, need_each
from .node import Node
from .symbol_tree import SymbolTree

__all__ = ["PatternEngine", "PatternNode", "Replacement", "VarNode"]


class PatternNode:
    """A node of a pattern: it matches calls of one type whose inputs match its inputs.

    Args:
        pattern_node_name (str): the name, by which `Replacement.build` finds the matched node.
        match_type (type, optional): the type of the Cell or Primitive that is called, not of a
            base class. By default nothing matches.
        inputs (list[PatternNode], optional): the patterns of all inputs, in order; by default the
            inputs are not compared.

    Raises:
        TypeError: if an argument is of the wrong type.

    Examples:
        >>> from mindspore_compat import nn
        >>> from mindspore_compat.rewrite import PatternNode
        >>> root = PatternNode.create_pattern_from_list([nn.Conv2d, nn.ReLU])
        >>> print(root.type().__name__, [node.type().__name__ for node in root.get_inputs()])
        ReLU ['Conv2d']

    Source: mindspore.rewrite.PatternNode of MindSpore 2.10.
    """

    def __init__(self, pattern_node_name, match_type=type[None], inputs=None):
        need("PatternNode", "pattern_node_name", pattern_node_name, str)
        self._name, self._type = pattern_node_name, match_type
        self.set_inputs([] if inputs is None else inputs)

    @staticmethod
    def from_node(node):
        """Returns a pattern that matches a node, whatever its inputs are.

        Args:
            node (Node): the node.

        Returns:
            PatternNode, named as the node.

        Raises:
            TypeError: if `node` is not a Node.
        """
        need("PatternNode", "node", node, Node)
        return PatternNode(node.get_name(), node.get_instance_type())

    @staticmethod
    def create_pattern_from_node(node):
        """Returns a pattern that matches a node, its inputs, their inputs and so on.

        Args:
            node (Node): the node.

        Returns:
            PatternNode, the root of the pattern.

        Raises:
            TypeError: if `node` is not a Node.
        """
        root = PatternNode.from_node(node)
        root.set_inputs(
            [PatternNode.create_pattern_from_node(input_node) for input_node in node.get_inputs()]
        )
        return root

    @staticmethod
    def create_pattern_from_list(type_list):
        """Returns the pattern of a chain of calls.

        Args:
            type_list (list[type]): the types of the calls, in the order of computation. Each call
                has the preceding one as its only input.

        Returns:
            PatternNode for the last type; None for an empty list.

        Raises:
            TypeError: if `type_list` is not a list.
        """
        need("PatternNode", "type_list", type_list, list)
        root = None
        for index, match_type in enumerate(type_list):
            root = PatternNode(f"{index}-{match_type}", match_type, root and [root])
        return root

    def add_input(self, node):
        """Appends the pattern of a further input.

        Args:
            node (PatternNode): the pattern.

        Raises:
            TypeError: if `node` is not a PatternNode.
        """
        need("PatternNode", "node", node, PatternNode)
        self._inputs.append(node)

    def set_inputs(self, inputs):
        """Replaces the patterns of the inputs.

        Args:
            inputs (list[PatternNode]): the patterns.

        Raises:
            TypeError: if `inputs` holds something else.
        """
        need_each("PatternNode", "inputs", inputs, PatternNode)
        self._inputs = list(inputs)

    def match(self, node):
        """Returns whether the type of a node matches, without regard to its inputs.

        Args:
            node (Node): the node.

        Returns:
            bool.

        Raises:
            TypeError: if `node` is not a Node.
        """
        need("PatternNode", "node", node, Node)
        return self._type == node.get_instance_type()

    def get_inputs(self):
        """Returns the patterns of the inputs.

        Returns:
            list[PatternNode].
        """
        return self._inputs

    def name(self):
        """Returns the name.

        Returns:
            str.
        """
        return self._name

    def type(self):
        """Returns the type that matches.

        Returns:
            type.
        """
        return self._type


class VarNode(PatternNode):
    """A node of a pattern that matches every node, and is not part of the result."""

    def __init__(self):
        super().__init__("placeholder", Cell)

    def match(self, node):
        """Returns True.

        Args:
            node (Node): the node.

        Returns:
            bool.
        """
        return True


class Replacement(ABC):
    """Base class of functions that create the replacement of matched nodes.

    Examples:
        >>> from mindspore_compat import nn
        >>> from mindspore_compat.rewrite import Node, Replacement
        >>> class Clipped(Replacement):
        ...     def build(self, pattern, is_chain_pattern, matched):
        ...         old = matched[pattern.name()]
        ...         return [Node.create_call_cell(nn.ReLU6(), old.get_targets(), old.get_args())]

    Source: mindspore.rewrite.Replacement of MindSpore 2.10.
    """

    @abstractmethod
    def build(self, pattern, is_chain_pattern, matched):
        """Creates the nodes that replace a match; a subclass defines it.

        Users of the match find its result by name: the last new node has the targets of the
        matched root.

        Args:
            pattern (PatternNode): the root of the pattern.
            is_chain_pattern (bool): whether the pattern was given as a list.
            matched (OrderedDict): the matched nodes by the names in the pattern, inputs first.

        Returns:
            list[Node], as for `SymbolTree.replace`; an empty list or None leaves the match.
        """

    def __call__(self, pattern, is_chain_pattern, members):
        return self.build(pattern, is_chain_pattern, members)


class PatternEngine:
    """Replaces the nodes of a SymbolTree that match a pattern.

    Args:
        pattern (Union[PatternNode, list[type]]): the root of the pattern, or a chain as for
            `PatternNode.create_pattern_from_list`.
        replacement (Replacement): creates the replacement of each match.

    Raises:
        TypeError: if an argument is of the wrong type.

    Examples:
        >>> from mindspore_compat import nn
        >>> from mindspore_compat.rewrite import Node, PatternEngine, Replacement, SymbolTree
        >>> class Clipped(Replacement):
        ...     def build(self, pattern, is_chain_pattern, matched):
        ...         old = matched[pattern.name()]
        ...         return [Node.create_call_cell(nn.ReLU6(), old.get_targets(), old.get_args())]
        >>> tree = SymbolTree.create(net)  # doctest: +SKIP
        >>> changed = PatternEngine([nn.ReLU], Clipped()).apply(tree)  # doctest: +SKIP

    Source: mindspore.rewrite.PatternEngine of MindSpore 2.10.
    """

    def __init__(self, pattern, replacement=None):
        need("PatternEngine", "pattern", pattern, PatternNode, list)
        need("PatternEngine", "replacement", replacement, Replacement)
        self._is_chain = isinstance(pattern, list)
        self._pattern = PatternNode.create_pattern_from_list(pattern) if self._is_chain else pattern
        self._replacement = replacement

    def pattern(self):
        """Returns the root of the pattern.

        Returns:
            PatternNode.
        """
        return self._pattern

    def apply(self, stree):
        """Replaces all matches in the forward method of a network and in its SequentialCells.

        Nodes are visited in the order of computation; new ones are not visited. A match is left
        as it is if another node uses one of its results, except that of the root. Cells that are
        read as trees, CellLists, branches, loops and called functions are not searched. In a
        SequentialCell only patterns without inputs match.

        Args:
            stree (SymbolTree): the SymbolTree.

        Returns:
            bool, whether something was replaced.

        Raises:
            TypeError: if `stree` is not a SymbolTree.
        """
        need("PatternEngine", "stree", stree, SymbolTree)
        is_changed = False
        for node in list(stree.nodes()):
            if node._node.block is None:
                continue
            if isinstance(node._node.instance, SequentialCell):
                is_changed |= self._apply_to_members(stree, node)
            else:
                is_changed |= self._replace(stree, node, self._match(self._pattern, node))
        return is_changed

    def _apply_to_members(self, stree, container):
        """Replaces the matching members of a container."""
        is_changed = False
        for block in container._node.inner:
            for member in map(Node, list(block.statements)):
                is_match = not self._pattern.get_inputs() and self._pattern.match(member)
                members = OrderedDict([(self._pattern.name(), member)])
                is_changed |= self._replace(stree, member, (is_match, members))
        return is_changed

    def _replace(self, stree, root, match):
        """Replaces a match below `root`; returns whether it did."""
        is_match, members = match
        if not is_match or not self._check_match(self._pattern, members):
            return False
        new_nodes = self._replacement(self._pattern, self._is_chain, members)
        if not new_nodes:
            return False
        stree.replace(root, new_nodes)
        for node in members.values():
            if node != root:
                stree.erase(node)
        return True

    def _match(self, pattern, node):
        """Compares a node and its inputs with a pattern.

        Args:
            pattern (PatternNode): the root of the pattern.
            node (Node): the node.

        Returns:
            tuple[bool, OrderedDict], whether they match, and the matched nodes by their names in
            the pattern, inputs first.
        """
        members = OrderedDict()
        if not pattern.match(node):
            return False, members
        if isinstance(pattern, VarNode):
            return True, members
        if pattern.get_inputs():
            inputs = node.get_inputs()
            if len(inputs) != len(pattern.get_inputs()):
                return False, OrderedDict()
            for input_pattern, input_node in zip(pattern.get_inputs(), inputs, strict=True):
                is_match, below = self._match(input_pattern, input_node)
                if not is_match:
                    return False, OrderedDict()
                members.update(below)
        members[pattern.name()] = node
        return True, members

    @staticmethod
    def _check_match(pattern, match_dict):
        """Returns whether no node outside a match uses a result of it, except that of the root.

        Args:
            pattern (PatternNode): the root of the pattern.
            match_dict (OrderedDict): the matched nodes by their names in the pattern.

        Returns:
            bool.
        """
        inside = set(match_dict.values())
        return all(
            name == pattern.name() or inside.issuperset(node.get_users())
            for name, node in match_dict.items()
        )
