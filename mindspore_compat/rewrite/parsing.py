"""Converts the body of a method or function to Statements."""

import ast
import builtins
from types import BuiltinFunctionType, FunctionType, MethodType

from ..nn import CellList, SequentialCell
from ..nn.cell import Cell
from ..ops.primitive import Primitive
from . import sources
from .api.node_type import NodeType
from .common.namespace import is_subtree
from .flattening import assignment, flatten, is_path, last_name, operator_name
from .statements import Block, Branch, Place, Statement

_FUNCTIONS = (FunctionType, MethodType, BuiltinFunctionType)


class Body:
    """The definition of a method or function with its block.

    Args:
        tree (Tree): the Tree that it belongs to.
        function (FunctionType): the function to read.
        owner (type): the class of which it is a method, or None.
    """

    def __init__(self, tree, function, owner=None):
        self.tree, self.function, self.owner = tree, function, owner
        self.definition = sources.definition_of(function, owner)
        self.block = Block(tree, "method" if owner else "function")
        self.called = {}  # names of calls -> the functions that they call, which are read too
        self._visible = sources.visible_to(function)
        names = [node for node in ast.walk(self.definition) if isinstance(node, ast.Name)]
        self._local = {node.id for node in names if isinstance(node.ctx, ast.Store)}
        self._local |= {
            node.arg for node in ast.walk(self.definition.args) if isinstance(node, ast.arg)
        }
        self.tree.variables.add(*self._local, *(node.id for node in names))

    def read(self):
        """Fills the block."""
        arguments = self.definition.args
        plain = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        for parameter in plain[1 if self.owner else 0 :]:
            self._put(self.block, NodeType.Input, "input_" + parameter.arg, parameter)
        for parameter in (arguments.vararg, arguments.kwarg):
            if parameter is not None:
                self._put(self.block, NodeType.Python, "arg", parameter)
        self._read(self.definition.body, self.block)
        self.definition.body = []

    def _read(self, body, block):
        for statement in body:
            for simple in flatten(statement, self.tree.variables.unique):
                self._add(simple, block)

    def _put(self, block, kind, name, code, *details):
        statement = Statement(kind, self.tree.names.unique(name), code, *details)
        block.add(statement)
        return statement

    def _add(self, statement, block):
        if isinstance(statement, ast.Assign):
            self._add_assignment(statement, block)
        elif isinstance(statement, ast.Return):
            places = [Place(statement, "value")] if statement.value is not None else []
            self._put(block, NodeType.Output, "return", statement, places)
        elif isinstance(statement, ast.If):
            self._add_branches(statement, block)
        elif isinstance(statement, (ast.For, ast.While)) and not statement.orelse:
            self._add_loop(statement, block)
        else:
            self._put(block, NodeType.Python, type(statement).__name__, statement)

    def _add_branches(self, statement, block):
        others = []
        for name, body in (("if_node", statement.body), ("else_node", statement.orelse)):
            if body:
                branch = Branch(self.tree.names.unique(name), statement, others)
                branch.inner.append(Block(self.tree, block.kind))
                block.add(branch)
                self._read(body, branch.inner[0])

    def _add_loop(self, statement, block):
        is_for = isinstance(statement, ast.For)
        container = self.resolve(statement.iter) if is_for else None
        if isinstance(container, CellList):
            path = ast.unparse(statement.iter)
            name = self.tree.variables.unique(path.replace(".", "_"))
            code = assignment(name, statement.iter)
            node = self._put(block, NodeType.CellContainer, path, code, (), None, container)
            node.inner.append(self._members(container, name))
            statement.iter = ast.Name(name, ast.Load())
        places = [Place(statement, "iter" if is_for else "test")]
        name = "for_node" if is_for else "while_node"
        node = self._put(block, NodeType.ControlFlow, name, statement, places)
        node.inner.append(Block(self.tree, block.kind))
        self._read(statement.body, node.inner[0])

    def _add_assignment(self, statement, block):
        value = statement.value
        if isinstance(value, ast.Call):
            self._add_call(statement, block)
            return
        parts = _parts_of(statement)
        if parts is None:
            self._put(block, NodeType.Python, "Assign", statement)
            return
        kind, name, places, keywords = parts
        self._put(block, kind, name, statement, places, keywords)

    def _add_call(self, statement, block):
        call = statement.value
        places, keywords = call_places(call)
        function = self.resolve(call.func)
        name = last_name(call.func) or "call"
        kind, instance = kind_of(function)
        node = self._put(block, kind, name, statement, places, keywords, instance)
        if kind is NodeType.Tree:
            node.read_sub_tree()
        elif kind is NodeType.CellContainer:
            node.inner.append(self._members(function, ast.unparse(statement.targets[0])))
        elif kind is NodeType.CallFunction and instance is not None:
            node.inner.extend(self._body_of(call, instance))

    def _body_of(self, call, function):
        """Returns the block of a user-defined function or method, which is read at its first
        call."""
        owner = None
        if isinstance(function, MethodType):
            owner = sources.owner_of(type(self.tree.cell), function.__name__)
            if function.__self__ is not self.tree.cell or owner is None:
                return []
            function = vars(owner)[function.__name__]
        if not sources.is_readable(function, owner):
            return []
        body = self.tree.body(function, owner)
        if owner is None:
            name = self.tree.function_name(function, call.func)
            call.func = ast.Name(name, ast.Load())
            self.called[name] = function
        return [body.block] if self.tree.is_first_use(function) else []

    def _members(self, container, name):
        """Returns the block of the Cells of a container, each as a separate call; all uses share
        it."""
        if id(container) in self.tree.members:
            return self.tree.members[id(container)]
        block = self.tree.members[id(container)] = Block(self.tree, "members")
        for cell in container.cells():
            kind, _ = kind_of(cell)
            argument = [ast.Name(name, ast.Load())] if isinstance(container, SequentialCell) else []
            call = ast.Call(ast.Name(type(cell).__name__, ast.Load()), argument, [])
            places, keywords = call_places(call)
            node = self._put(
                block, kind, type(cell).__name__, assignment(name, call), places, keywords, cell
            )
            if kind is NodeType.Tree:
                node.read_sub_tree()
        return block

    def resolve(self, expression):
        """Returns the object that a path refers to while the network is read, or None."""
        if not is_path(expression):
            return None
        first, *attributes = ast.unparse(expression).split(".")
        if self.owner and first == "self":
            target = self.tree.cell
        elif first in self._local:
            return None
        else:
            target = self._visible.get(first, getattr(builtins, first, None))
        for attribute in attributes:
            target = getattr(target, attribute, None)
        return target


def call_places(call):
    """Returns the places of a call's arguments: by position, and by name."""
    places = [Place(call, "args", index) for index in range(len(call.args))]
    keywords = {
        keyword.arg: Place(keyword, "value") for keyword in call.keywords if keyword.arg is not None
    }
    return places, keywords


def kind_of(called):
    """Returns the kind of a call of an object, and the object if a node exposes it."""
    if isinstance(called, Cell) and type(called).construct is SequentialCell.construct:
        return NodeType.CellContainer, called
    if isinstance(called, Cell):
        return (NodeType.Tree if is_subtree(called) else NodeType.CallCell), called
    if isinstance(called, Primitive):
        return NodeType.CallPrimitive, called
    return NodeType.CallFunction, called if isinstance(called, _FUNCTIONS) else None


def _parts_of(statement):
    """Returns (kind, name, places of the arguments, places of keyword arguments) of an assignment
    without a call; None for one that is kept unchanged."""
    value, whole = statement.value, [Place(statement, "value")]
    if isinstance(value, ast.BinOp):
        places = [Place(value, "left"), Place(value, "right")]
        return NodeType.MathOps, "binop_" + operator_name(value.op), places, None
    if isinstance(value, ast.UnaryOp):
        return (
            NodeType.MathOps,
            "unaryop_" + operator_name(value.op),
            [Place(value, "operand")],
            None,
        )
    if isinstance(value, ast.BoolOp):
        name = "boolop_" + operator_name(value.op)
        return NodeType.MathOps, name, _items(value, "values"), None
    if isinstance(value, ast.Compare):
        name = "_".join(["compare", *map(operator_name, value.ops)])
        return NodeType.MathOps, name, [Place(value, "left"), *_items(value, "comparators")], None
    if isinstance(value, (ast.Tuple, ast.List)):
        return NodeType.CallMethod, operator_name(value), _items(value, "elts"), None
    if isinstance(value, ast.Dict) and all(isinstance(key, ast.Constant) for key in value.keys):
        values = _items(value, "values")
        keywords = {str(key.value): place for key, place in zip(value.keys, values, strict=True)}
        return NodeType.CallMethod, "dict", (), keywords
    if isinstance(value, ast.Subscript):
        return NodeType.CallMethod, "subscript_var", whole, None
    if is_path(value) or isinstance(value, ast.Constant):
        return NodeType.CallMethod, operator_name(value) + "_assign", whole, None
    return None


def _items(holder, field):
    return [Place(holder, field, index) for index in range(len(getattr(holder, field)))]
