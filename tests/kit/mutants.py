"""Mutation testing: generates small faults in functions of the package.

`mutants(module, names)` yields one `Mutant` per fault: a changed operator, sign or constant, an
inverted condition, a removed check, rule, statement or keyword-only mark, an ignored argument, two
swapped arguments. Messages, representations and primitives made only for subclasses are left alone.
"""

import ast
import copy
import hashlib
import importlib.util
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

SPARED = {"extend_repr", "__repr__", "_make_reducers", "_average"}  # the last: of many processes
_OPERATORS = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
_BOUNDS = {"ge": "gt", "gt": "ge", "le": "lt", "lt": "le"}
_WORDS = {
    "max": "min",
    "min": "max",
    "maximum": "minimum",
    "minimum": "maximum",
    "any": "all",
    "all": "any",
}


@dataclass
class Mutant:
    """One fault: its place (a module and a function), the old text and the new text.

    `shown_by` is the public module of the function if `module` is private. `count` numbers the
    mutants of a function with equal texts, `ordinal` the mutants of one kind.
    """

    module: str
    where: str
    kind: str
    old: str
    new: str
    tree: ast.Module = field(repr=False)
    edit: tuple = field(repr=False)
    count: int = 1
    ordinal: int = 1
    shown_by: str = ""

    @property
    def key(self):
        """Returns a name that does not depend on line numbers: the function and the change."""
        shown = (
            f"{self.shown_by or self.module}.{self.where}: {self.kind}: {self.old} -> {self.new}"
        )
        return shown if self.count == 1 else f"{shown} #{self.count}"

    def source(self):
        """Returns the text of the module with the fault."""
        holder, name, index, new = self.edit
        current = getattr(holder, name)
        changed = new if index is None else [*current[:index], *new, *current[index + 1 :]]
        setattr(holder, name, changed)
        try:
            return ast.unparse(ast.fix_missing_locations(self.tree))
        finally:
            setattr(holder, name, current)


def mutants(module, names):
    """Yields the mutants of the named classes and functions, in the order of the source.

    The names may be defined in `module` or in private modules beside it from which it imports. All
    keys begin with `module`, so they stay the same when code moves to a private module.

    Raises:
        LookupError: if none of these modules defines a name.
    """
    seen, trees = Counter(), _with_private(module)
    defined = {getattr(node, "name", None) for tree in trees.values() for node in tree.body}
    if absent := sorted({*names} - defined):
        raise LookupError(f"{module} and the private modules beside it define no {absent}")
    for home, tree in trees.items():
        for where, node, is_public in _functions(tree, set(names)):
            for kind, old, new, edit in _edits(node, is_public):
                signature, of_kind = (where, kind, old, new), (where, kind)
                seen.update([signature, of_kind])
                yield Mutant(home, *signature, tree, edit, seen[signature], seen[of_kind], module)


def _with_private(module):
    """Returns {module: syntax tree} of a module of the package and of the private modules beside
    it, or in private packages beside it, from which it imports directly or indirectly."""
    package = Path(importlib.util.find_spec("mindspore_compat").origin).parent
    private = f"{module.rpartition('.')[0]}._"
    trees, unread = {}, [module]
    while unread:
        home = unread.pop()
        path = package.joinpath(*home.split(".")).with_suffix(".py")
        trees[home] = ast.parse(path.read_text(encoding="utf-8"))
        for node in trees[home].body:
            if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module:
                sibling = f"{home.rpartition('.')[0]}.{node.module}"
                if sibling.startswith(private) and sibling not in {*trees, *unread}:
                    unread.append(sibling)
    return trees


def sample(candidates, count):
    """Draws `count` mutants at random. The choice depends neither on the module of a function nor
    on its local names.
    """

    def rank(mutant):
        shown = f"{mutant.where}: {mutant.kind} {mutant.ordinal}"
        return hashlib.sha1(shown.encode()).hexdigest()

    return sorted(candidates, key=rank)[:count]


def _functions(tree, names):
    """Yields (qualified name, node, whether the signature is public) of the named functions, and of
    the methods of the named classes.
    """
    for node in tree.body:
        if getattr(node, "name", None) not in names:
            continue
        if isinstance(node, ast.FunctionDef):
            yield node.name, node, _is_marked(node, "public")
            continue
        for inner in node.body:
            if isinstance(inner, ast.FunctionDef) and not _is_spared(inner):
                is_public = inner.name == "__init__" and _is_marked(node, "public")
                yield f"{node.name}.{inner.name}", inner, is_public or _is_marked(inner, "checked")


def _is_marked(node, decorator):
    return any(decorator in ast.unparse(mark) for mark in node.decorator_list)


def _is_spared(function):
    cached = any("cached_property" in ast.unparse(d) for d in function.decorator_list)
    return cached or function.name in SPARED


def _edits(function, is_public):
    """Yields (kind, old text, new text, edit) of every fault in a function."""
    yield from _ignored_arguments(function)
    yield from _keyword_marks(function)
    skipped = () if is_public else ("args", "decorator_list")
    for holder, name, index, node in _walk(function, skipped):
        for kind, new in _faults(node):
            replaced = [] if new is None else [new]
            shown = "nothing" if new is None else _short(new)
            edit = (holder, name, index, new if index is None else replaced)
            yield kind, _short(node), shown, edit


def _walk(node, skipped=()):
    """Yields (parent, field, index in its list or None, node) of the nodes below a node.

    Nodes that only produce text, such as docstrings and messages, are left out.
    """
    for name, value in ast.iter_fields(node):
        if name in skipped:
            continue
        current = value if isinstance(value, list) else [value]
        for index, child in enumerate(current):
            if not isinstance(child, ast.AST) or _is_text(child):
                continue
            yield node, name, index if isinstance(value, list) else None, child
            yield from _walk(child)


def _is_text(node):
    docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    logged = isinstance(node, ast.Expr) and ast.unparse(node).startswith("log.")
    strict = isinstance(node, ast.keyword) and node.arg == "strict"
    return docstring or logged or strict or isinstance(node, (ast.Raise, ast.JoinedStr))


def _faults(node):
    """Yields (kind, replacement or None) for each fault of one node."""
    if isinstance(node, (ast.BinOp, ast.AugAssign, ast.BoolOp)) and type(node.op) in _OPERATORS:
        yield "operator", _with(node, op=_OPERATORS[type(node.op)]())
    elif isinstance(node, ast.Compare) and type(node.ops[0]) in _OPERATORS:
        yield "operator", _with(node, ops=[_OPERATORS[type(node.ops[0])](), *node.ops[1:]])
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.Not)):
        yield "sign", node.operand
    elif isinstance(node, ast.Constant) and isinstance(node.value, (bool, int, float)):
        yield "constant", ast.Constant(_other(node.value))
    elif isinstance(node, ast.Name) and node.id in _WORDS:
        yield "operator", ast.Name(_WORDS[node.id], node.ctx)
    elif isinstance(node, ast.Attribute) and node.attr in _WORDS:
        yield "operator", _with(node, attr=_WORDS[node.attr])
    elif isinstance(node, ast.keyword) and node.arg in _BOUNDS:
        yield "bound", _with(node, arg=_BOUNDS[node.arg])
    elif isinstance(node, ast.arg) and getattr(node.annotation, "id", "Any") != "Any":
        yield "rule removed", _with(node, annotation=None)
    elif isinstance(node, ast.IfExp) and not _has_inverse(node.test):
        yield "condition", _with(node, test=ast.UnaryOp(ast.Not(), node.test))
    elif isinstance(node, ast.Call):
        yield from _call_faults(node)
    elif isinstance(node, ast.stmt):
        yield from _statement_faults(node)


def _call_faults(node):
    if len(node.args) > 1 and _are_plain(*node.args[:2]):
        first, second, *rest = node.args
        if ast.unparse(first) != ast.unparse(second):
            yield "swapped", _with(node, args=[second, first, *rest])
    if getattr(node.func, "id", "") == "checked":
        for index in range(len(node.args)):
            left = node.args[:index] + node.args[index + 1 :]
            yield "check removed", _with(node, args=left)


def _are_plain(*nodes):
    """Returns whether all nodes are names, elements or attributes, but not `self`, `cls`, `xp` or a
    class."""
    return all(
        isinstance(n, (ast.Name, ast.Attribute, ast.Subscript))
        and getattr(n, "id", "") not in ("self", "xp", "cls")
        and not getattr(n, "id", "a")[0].isupper()
        for n in nodes
    )


def _has_inverse(test):
    """Returns whether the fault of a condition's own operator already inverts the condition."""
    return isinstance(test, (ast.Compare, ast.UnaryOp))


def _statement_faults(node):
    if isinstance(node, ast.If):
        if isinstance(node.body[-1], ast.Raise) and not node.orelse:
            yield "check removed", ast.Pass()
        elif not _has_inverse(node.test):
            yield "condition", _with(node, test=ast.UnaryOp(ast.Not(), node.test))
    elif isinstance(node, (ast.Expr, ast.AugAssign)) or _writes_elsewhere(node):
        yield "statement removed", ast.Pass()


def _writes_elsewhere(node):
    """Returns whether an assignment has only attributes or elements as targets. Without an
    assignment to a local name, the function would fail at once."""
    targets = getattr(node, "targets", ())
    return bool(targets) and not any(isinstance(t, (ast.Name, ast.Tuple)) for t in targets)


def _ignored_arguments(function):
    """Yields a fault per argument with a default: its value is ignored."""
    arguments = function.args.posonlyargs + function.args.args
    positional = zip(
        arguments[len(arguments) - len(function.args.defaults) :],
        function.args.defaults,
        strict=True,
    )
    keyword = zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True)
    for argument, default in [*positional, *keyword]:
        if default is not None:
            assignment = ast.Assign([ast.Name(argument.arg, ast.Store())], copy.deepcopy(default))
            body = [assignment, *function.body]
            text = f"{argument.arg} = {_short(default)}"
            yield "argument ignored", argument.arg, text, (function, "body", None, body)


def _keyword_marks(function):
    """Yields a fault per keyword-only mark `*`, which is dropped from a signature or from the text
    of a declaration."""
    arguments = function.args
    if arguments.kwonlyargs and all(default is not None for default in arguments.kw_defaults):
        changed = copy.deepcopy(arguments)
        changed.args += changed.kwonlyargs
        changed.defaults += changed.kw_defaults
        changed.kwonlyargs, changed.kw_defaults = [], []
        yield "mark removed", "*", "", (function, "args", None, changed)
    for decorator in function.decorator_list:
        for index, text in enumerate(getattr(decorator, "args", ())):
            if isinstance(text, ast.Constant) and re.search(r"\*, ", str(text.value)):
                new = ast.Constant(text.value.replace("*, ", "", 1))
                yield "mark removed", _short(text), "", (decorator, "args", index, [new])


def _with(node, **changes):
    """Returns a copy of a node with other fields."""
    fields = {name: getattr(node, name) for name in node._fields if hasattr(node, name)}
    return type(node)(**{**fields, **changes})


def _other(value):
    if isinstance(value, bool):
        return not value
    return value + 1 if isinstance(value, int) else 2 * value if value else 1.0


def _short(node):
    text = " ".join(ast.unparse(ast.fix_missing_locations(copy.copy(node))).split())
    return text if len(text) <= 70 else text[:67] + "..."
