"""The types of results for the stubs: what the source of a function shows, and tables.

An expression has the type "Tensor", "tuple[Tensor, ...]" or None, which is unknown. In the body of
an operator an array counts as a Tensor, because the caller gets one.
"""

import ast
import functools
import inspect
import re
from pathlib import Path

from .._core.declare.op import Op
from .._core.rules.base import Rule
from .._core.rules.vocabulary import rules_of
from .result_tables import LAYERS, METHODS, OF_AREA, PARTS, TENSOR, TENSORS, VARIES

OPEN = "open"  # what is being looked up already
_open = set()
_SEVERAL = """split unique nonzero meshgrid unstack linalg.qr linalg.svd ctc_with_slope
    ctc_nll_and_alpha""".split()
_SAME = {"plain", "as_tensor", "own", "wrap", "_wrap", "Tensor"}  # whose result is a Tensor
_OF_ARRAY = """astype reshape sum mean any all max min transpose copy swapaxes squeeze cumsum T real
    imag flatten ravel conj""".split()
_OF_SEVERAL_PARTS = re.compile(
    "attention|moe|indexer|fusion|_norm|sampler|ctc|lstm|gru|rnn|nms|box"
)
_LAYERS_OF_OTHERS = "rnns rnn_cells multi_head timedistributed thor_layer combined".split()


def of_method(name, parameters=()):
    """Returns the type of the result of a method of Tensor: a Tensor, unless a table says more.

    Args:
        name (str): the method.
        parameters (Iterable[str]): the names of the parameters of one of its signatures.
    """
    if name in ("max", "min"):  # a Tensor can be unpacked as the tuple with `return_indices`
        return TENSORS if "dim" in parameters else TENSOR
    if name in ("median", "nanmedian"):
        return TENSORS
    stated = METHODS.get(name) or PARTS.get(name)
    return stated or (None if name in VARIES else TENSOR)


def of_declared(op, name):
    """Returns the type of the result of a declared operator, or None if it depends."""
    stated = PARTS.get(name) or PARTS.get(op.name)
    if stated:
        return stated
    if name in VARIES:
        return None
    return result_of(op) or (None if _OF_SEVERAL_PARTS.search(name) else TENSOR)


def of_layer(cls):
    """Returns the type of a layer's result, or None if it is not known. A loss and a layer that is
    not recurrent return a Tensor. So does a SequentialCell, whose last Cell rarely returns several;
    a Tensor can be unpacked as the tuple.
    """
    construct = getattr(cls, "construct", None)
    package = cls.__module__.removeprefix("mindspore_compat.").removeprefix("mint.")
    area, _, module = package.removeprefix("nn.").rpartition(".")
    plain = area == "loss" or area.startswith("layer") and module not in _LAYERS_OF_OTHERS
    plain = plain or module == "learning_rate_schedule"
    stated = LAYERS.get(cls.__name__)
    return construct and (stated or result_of(construct) or (TENSOR if plain else None))


def of_public(area, name):
    """Returns the type of the result that the table states for a public name of a module."""
    return OF_AREA.get(f"{area}.{name}") or PARTS.get(name)


def result_of(function):
    """Returns the type of a function's result, or None."""
    function = inspect.unwrap(function) if not isinstance(function, Op) else function
    function = function.body if isinstance(function, Op) else function
    if function in _open:  # it calls itself
        return OPEN
    _open.add(function)
    try:
        return _result(function)
    finally:
        _open.discard(function)


def plain_of(function):
    """Returns the type of a function or method whose source shows that its result is not a Tensor:
    "None", "Self", "bool", "str" or a dict or list, with "| None" if it may end without a return;
    otherwise None."""
    node = _definition(inspect.unwrap(function))
    if node is None or any(map(_yields, ast.walk(node))):
        return None
    if isinstance(node.body[-1], ast.Raise):  # abstract
        return None
    returned = [each.value for each in _returns_of(node) if each.value is not None]
    if not returned:
        return "None"
    kind = _common_type(map(_plain, returned))
    may_be_none = _may_end(node.body) or any(each.value is None for each in _returns_of(node))
    return f"{kind} | None" if kind and may_be_none else kind


def _may_end(body):
    """Returns False if statements never run to their end: each way through returns or raises."""
    last = body[-1]
    if isinstance(last, ast.If):
        return not last.orelse or _may_end(last.body) or _may_end(last.orelse)
    if isinstance(last, ast.With):
        return _may_end(last.body)
    if isinstance(last, ast.Try):
        ways = [last.orelse or last.body, *(handler.body for handler in last.handlers)]
        return any(map(_may_end, ways)) and (not last.finalbody or _may_end(last.finalbody))
    if isinstance(last, ast.While) and getattr(last.test, "value", False):
        return any(isinstance(each, ast.Break) for each in ast.walk(last))
    return not isinstance(last, (ast.Return, ast.Raise))


def _plain(node):
    """Returns the type of an expression whose form alone determines it, or None."""
    callee = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
    is_not = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    if is_not or callee in (
        "isinstance",
        "callable",
        "any",
        "all",
        "bool",
        "hasattr",
        "issubclass",
    ):
        return "bool"
    if isinstance(node, ast.Compare):
        sets = (ast.Is, ast.IsNot, ast.In, ast.NotIn)
        return "bool" if all(isinstance(op, sets) for op in node.ops) else None
    if isinstance(node, ast.Name) and node.id == "self":
        return "Self"
    if isinstance(node, ast.JoinedStr) or callee == "str":
        return "str"
    if isinstance(node, ast.Constant) and type(node.value) in (bool, str):
        return type(node.value).__name__
    if callee in ("len", "int"):
        return "int"
    if isinstance(node, (ast.Dict, ast.DictComp)) or callee == "dict":
        return "dict[Any, Any]"
    return "list[Any]" if isinstance(node, ast.ListComp) or callee in ("list", "sorted") else None


def _returns_of(node):
    """Returns the return statements of a function, without those of functions in it."""
    inner = [each for each in ast.walk(node) if isinstance(each, (ast.FunctionDef, ast.Lambda))][1:]
    hidden = {child for each in inner for child in ast.walk(each)}
    return [each for each in ast.walk(node) if isinstance(each, ast.Return) and each not in hidden]


def _definition(function):
    """Returns the syntax tree of a function, or None if it has no source."""
    code = getattr(function, "__code__", None)
    if code is None or not Path(code.co_filename).is_file():
        return None
    node = definitions(code.co_filename)[0].get(code.co_firstlineno)
    return node if isinstance(node, ast.FunctionDef) else None


@functools.cache
def _result(function):
    node = _definition(function)
    if node is None or any(map(_yields, ast.walk(node))):
        return None
    return _Body(node, function).returned()


def _yields(node):
    return isinstance(node, (ast.Yield, ast.YieldFrom))


@functools.cache
def definitions(file):
    """Returns the functions of a file by their first lines, and the classes by name."""
    nodes = [*ast.walk(ast.parse(Path(file).read_text("utf-8")))]
    functions = {
        min([node.lineno, *(d.lineno for d in node.decorator_list)]): node
        for node in nodes
        if isinstance(node, ast.FunctionDef)
    }
    return functions, {node.name: node for node in nodes if isinstance(node, ast.ClassDef)}


class _Body:
    """The source of one function."""

    def __init__(self, node, function):
        self.node, self.function = node, function
        self.open = set()  # the variables that are being looked up
        self.tensors = {
            name for name, rule in _rules(function).items() if "Tensor" in rule.annotation()
        }

    def returned(self):
        """Returns the one type that all return statements have."""
        returned = [node.value for node in _returns_of(self.node)]
        return _common_type(map(self.of, returned)) if returned and all(returned) else None

    def of(self, node):
        """Returns the type of an expression."""
        if isinstance(node, ast.IfExp):
            return _common_type([self.of(node.body), self.of(node.orelse)])
        if isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Compare)):
            return self.of_arithmetic(node)
        if isinstance(node, ast.Tuple):
            return TENSORS if _common_type(map(self.of, node.elts)) == TENSOR else None
        if isinstance(node, ast.Subscript):
            return TENSOR if self.of(node.value) in (TENSOR, TENSORS) else None
        if isinstance(node, ast.Call):
            return self.of_call(node)
        return self.of_name(node.id) if isinstance(node, ast.Name) else None

    def of_arithmetic(self, node):
        if isinstance(node, ast.UnaryOp):
            return None if isinstance(node.op, ast.Not) else self.of(node.operand)
        if isinstance(node, ast.BinOp):
            return TENSOR if TENSOR in (self.of(node.left), self.of(node.right)) else None
        plain = any(isinstance(op, (ast.Is, ast.IsNot, ast.In, ast.NotIn)) for op in node.ops)
        sides = [self.of(operand) for operand in (node.left, *node.comparators)]
        return TENSOR if TENSOR in sides and not plain else None

    def of_call(self, node):
        callee = ast.unparse(node.func)
        if callee.startswith("xp.") or callee.startswith("getattr(xp"):
            return TENSORS if callee.removeprefix("xp.") in _SEVERAL else TENSOR
        last = callee.rpartition(".")[2]
        if last in _SAME:
            return TENSOR
        if isinstance(node.func, ast.Attribute) and last in _OF_ARRAY:
            if self.of(node.func.value) == TENSOR:
                return TENSOR
        target = functools.reduce(
            lambda owner, name: getattr(owner, name, None),
            callee.split(".")[1:],
            getattr(self.function, "__globals__", {}).get(callee.partition(".")[0]),
        )
        if isinstance(target, Op) or inspect.isfunction(target):
            return result_of(target)
        return None

    def of_name(self, name):
        """Returns the type that all assignments to a variable have in common; a parameter that is a
        Tensor counts as one of them."""
        if name in self.open:
            return OPEN
        self.open.add(name)
        kinds = [TENSOR] if name in self.tensors else []
        for node in ast.walk(self.node):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    kinds += self.of_target(target, node.value, name)
        self.open.discard(name)
        return _common_type(kinds) if kinds else None

    def of_target(self, target, value, name):
        """Returns the types that an assignment gives a variable."""
        if isinstance(target, ast.Name) and target.id == name:
            return [self.of(value)]
        if isinstance(target, ast.Tuple):
            names = [element.id if isinstance(element, ast.Name) else "" for element in target.elts]
            if name in names and isinstance(value, ast.Tuple):
                return [self.of(value.elts[names.index(name)])]
            if name in names:
                return [TENSOR if self.of(value) == TENSORS else None]
        return []


def _common_type(types):
    """Returns the type that all have; None if they differ."""
    different = {*types} - {OPEN}
    return different.pop() if len(different) == 1 else None


def _rules(function):
    try:
        rules = rules_of(function)
    except (TypeError, NameError, ValueError):
        return {}
    return {name: rule for name, rule in rules.items() if isinstance(rule, Rule)}


def assignments_of(cls):
    """Yields each assignment to an attribute of `self` in a class's source: its name, and the tree
    of the value, or None."""
    values = {}
    for node in source_of_class(cls):
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            values[node.targets[0]] = node.value
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.ctx, ast.Store)
            and (isinstance(node.value, ast.Name) and node.value.id == "self")
        ):
            yield node.attr, values.get(node)


def source_of_class(cls):
    """Returns the syntax tree nodes of a class's source; none if the class has no source."""
    file = getattr(inspect.getmodule(cls), "__file__", None)
    definition = definitions(file)[1].get(cls.__name__) if file else None
    return ast.walk(definition) if definition else ()
