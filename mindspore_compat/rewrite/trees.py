"""Trees: the computation of one Cell as statements, and its modification."""

import ast
import inspect

from ..nn.cell import Cell
from . import sources
from .api.node_type import NodeType
from .parsing import Body
from .values import expression_of, target_of


class Names:
    """The names in use."""

    def __init__(self):
        self._used = set()

    def add(self, *names):
        """Adds existing names."""
        self._used.update(names)

    def unique(self, wish):
        """Returns an unused name: the preferred one, or that with a number."""
        name, number = wish, 0
        while name in self._used:
            number += 1
            name = f"{wish}_{number}"
        self._used.add(name)
        return name


class Tree:
    """The statements of one Cell.

    Args:
        cell (Cell): the network.
        view (Callable): creates the public view of a Tree.
        known (dict[int, Tree]): the Trees of other Cells, by id, to which this one is added.

    Raises:
        RuntimeError: if the source of its `construct` cannot be read.
    """

    def __init__(self, cell, view, known=None):
        self.cell, self._view = cell, view
        self.names, self.variables = Names(), Names()
        self.bodies = {}  # function -> Body of a method or function
        self.members = {}  # id of a container -> its block
        self.cells = {}  # attribute -> inserted Cell or Primitive
        self.functions = {}  # name -> inserted function
        self.function_names = {}  # function that is read -> its name
        self._used = set()
        self._known = {} if known is None else known
        self._known[id(cell)] = self
        owner = sources.owner_of(type(cell), "construct")
        construct = inspect.unwrap(vars(owner)["construct"])
        self.construct = self.body(construct, owner)

    # reading

    def body(self, function, owner=None):
        """Returns the Body of a function or method, which is read on first use."""
        if function not in self.bodies:
            body_ = Body(self, function, owner)
            self.bodies[function] = body_
            body_.read()
        return self.bodies[function]

    def is_first_use(self, function):
        """Returns whether a function is called for the first time."""
        first = function not in self._used
        self._used.add(function)
        return first

    def function_name(self, function, expression):
        """Returns the name of a function in the generated source."""
        if function not in self.function_names:
            plain = isinstance(expression, ast.Name)
            is_taken = expression.id in self.function_names.values() if plain else True
            wish = function.__name__
            name = self.variables.unique(wish) if is_taken else expression.id
            self.function_names[function] = name
        return self.function_names[function]

    def sub_tree(self, cell):
        """Returns the Tree of another Cell, or None if it cannot be read."""
        if id(cell) not in self._known:
            try:
                Tree(cell, self._view, self._known)
            except RuntimeError:
                self._known[id(cell)] = None
        return self._known[id(cell)]

    # looking

    def shown(self):
        """Returns the public view: a SymbolTree."""
        return self._view(self)

    def statements(self, inner=False):
        """Returns the statements of `construct`, then nested ones, except those of other Trees."""
        blocks = [self.construct.block]
        while blocks:
            for statement in blocks.pop().statements:
                yield statement
                blocks.extend(statement.inner if inner else ())

    def sub_trees(self):
        """Returns the Trees of Cells that its statements call, each once."""
        trees = {
            id(statement.sub_tree): statement.sub_tree for statement in self.statements(inner=True)
        }
        return [tree for tree in trees.values() if tree is not None]

    def find(self, name):
        """Returns the statement of a name, or None."""
        return next(
            (statement for statement in self.statements(inner=True) if statement.name == name), None
        )

    # changing

    def insert(self, statement, block, index):
        """Inserts a new statement into a block of this Tree."""
        preferred_name = statement.name or type(statement.instance).__name__
        statement.name = self.names.unique(preferred_name)
        call = statement.code.value
        if statement.kind is NodeType.CallFunction:
            function = statement.instance
            name = next((n for n, f in self.functions.items() if f is function), None)
            name = name or self.variables.unique(function.__name__)
            self.functions[name] = function
            call.func = ast.Name(name, ast.Load())
        else:
            self._adopt(statement, block)
            call.func = ast.Attribute(ast.Name("self", ast.Load()), statement.name, ast.Load())
        self.variables.add(*(str(target) for target in statement.targets()))
        block.add(statement, index)
        if statement.kind is NodeType.Tree:
            statement.read_sub_tree()

    def _adopt(self, statement, block):
        """Stores the Cell or Primitive of a new statement under an unused attribute."""
        instance = statement.instance
        while hasattr(self.cell, statement.name):
            statement.name = self.names.unique(statement.name)
        if isinstance(instance, Cell):
            instance.update_parameters_name(statement.name + ".")
        if block.kind != "members":
            self.cells[statement.name] = instance


def new_call(targets, args, kwargs):
    """Returns the syntax tree of `targets = _(*args, **kwargs)`; the function is set later."""
    call = ast.Call(
        ast.Name("_", ast.Load()),
        [expression_of("Node", arg) for arg in args],
        [ast.keyword(name, expression_of("Node", value)) for name, value in kwargs.items()],
    )
    return ast.Assign([target_of(targets)], call, lineno=0)
