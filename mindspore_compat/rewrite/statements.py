"""Statements and their blocks.

A Statement is one simple statement of a forward computation: its syntax tree, and the places of
the arguments in it. A Block is a body: of a method or function, of a branch or loop, or the members
of a container. Providers of arguments and users of outputs are computed on demand: the provider is
the nearest preceding statement in the same block that assigns the name.
"""

import ast
from typing import NamedTuple

from .api.node_type import NodeType
from .api.scoped_value import ValueType
from .values import expression_of, value_of


class Place(NamedTuple):
    """The place of an argument: a field of a syntax tree node, or an item of a list in it."""

    holder: ast.AST
    field: str
    index: int | None = None

    @property
    def expression(self):
        node = getattr(self.holder, self.field)
        return node if self.index is None else node[self.index]

    def put(self, expression):
        """Replaces the expression at this place."""
        if self.index is None:
            setattr(self.holder, self.field, expression)
        else:
            getattr(self.holder, self.field)[self.index] = expression


class Block:
    """The statements of one body.

    Args:
        tree (Tree): the Tree of the block.
        kind (str): "method", "function" or "members", including nested blocks.
    """

    def __init__(self, tree, kind):
        self.tree, self.kind = tree, kind
        self.statements = []

    def add(self, statement, index=None):
        """Inserts a statement at an index, by default at the end."""
        statement.block = self
        self.statements.insert(len(self.statements) if index is None else index, statement)

    def remove(self, statement):
        """Removes a statement."""
        self.statements.remove(statement)
        statement.block = None

    def code(self):
        """Returns the syntax trees of its statements; `pass` if there are none."""
        trees = [tree for statement in self.statements for tree in statement.emitted()]
        return trees or [ast.Pass()]


class Statement:
    """One simple statement.

    Args:
        kind (NodeType): the kind of the statement.
        name (str): the name, unique in its tree.
        code (ast.AST): its syntax tree.
        places (list[Place]): the places of the arguments.
        named (dict[str, Place]): the places of the keyword arguments.
        instance (Any): the Cell, Primitive or function that it calls, or None.
    """

    def __init__(self, kind, name, code, places=(), named=None, instance=None):
        self.kind, self.name, self.code, self.instance = kind, name, code, instance
        self.places, self.named = list(places), dict(named or {})
        self.block = None
        self.inner = []  # the blocks inside: of a branch, a loop, a function or a container
        self.sub_tree = None

    def arguments(self):
        """Returns the arguments, as ScopedValues."""
        return [value_of(place.expression) for place in self.places]

    def keyword_arguments(self):
        """Returns the keyword arguments, as ScopedValues by name."""
        return {name: value_of(place.expression) for name, place in self.named.items()}

    def targets(self):
        """Returns the outputs, as ScopedValues."""
        if self.kind is NodeType.Input:
            return [value_of(ast.Name(self.code.arg))]
        if self.kind is NodeType.Python or not isinstance(self.code, ast.Assign):
            return []
        target = self.code.targets[0]
        if isinstance(target, (ast.Tuple, ast.List)):
            return [value_of(element) for element in target.elts]
        return [value_of(target)]

    def put_argument(self, index, value):
        """Replaces an argument by a ScopedValue or a str."""
        self.places[index].put(expression_of("Node", value))

    def read_sub_tree(self):
        """Reads the computation of the Cell that it calls; treats it as an ordinary call if it
        cannot be read."""
        self.sub_tree = self.block.tree.sub_tree(self.instance)
        if self.sub_tree is None:
            self.kind = NodeType.CallCell

    def siblings(self):
        """Returns the statements that are written out together with it, including itself."""
        return [self]

    def emitted(self):
        """Returns the syntax trees of its source."""
        if self.kind is NodeType.Input or isinstance(self.code, ast.arg):
            return []
        if isinstance(self.code, (ast.For, ast.While)):
            self.code.body = self.inner[0].code()
        return [self.code]

    def providers(self):
        """Returns, for each argument by position or name, (Statement, index of its output)."""
        if self.block is None:
            return {}
        before = self.block.statements[: self.block.statements.index(self)]
        arguments = [*enumerate(self.arguments()), *self.keyword_arguments().items()]
        providers_ = {key: _provider(before, value) for key, value in arguments}
        return {key: provider for key, provider in providers_.items() if provider is not None}

    def users(self):
        """Returns, for each output by index, the Statements that use it and the arguments there."""
        if self.block is None:
            return {}
        users_ = {}
        after = self.block.statements[self.block.statements.index(self) + 1 :]
        for statement in after:
            for key, (provider, output) in statement.providers().items():
                if provider is self:
                    users_.setdefault(output, []).append((statement, key))
        return users_


def _provider(before, value):
    """Returns the last of the statements `before` that assigns a name, and the index of the
    output."""
    if value.type is not ValueType.NamingValue:
        return None
    for statement in reversed(before):
        for number, target in enumerate(statement.targets()):
            if target == value:
                return statement, number
    return None


class Branch(Statement):
    """An `if` or its `else`. The two share one syntax tree, which the first of them writes out.

    Args:
        name (str): the name.
        code (ast.If): the syntax tree of both.
        others (list[Branch]): the branches of that tree, to which this one is appended.
    """

    def __init__(self, name, code, others):
        super().__init__(NodeType.ControlFlow, name, code, [Place(code, "test")])
        self.others = others
        others.append(self)

    def siblings(self):
        return self.others

    def emitted(self):
        present = [other for other in self.others if other.block is not None]
        if present[0] is not self:
            return []
        first, *last = self.others
        self.code.body = first.inner[0].code() if first.block is not None else [ast.Pass()]
        self.code.orelse = [
            statement
            for inner in last
            if inner.block is not None
            for statement in inner.inner[0].code()
        ]
        return [self.code]
