"""Reads from a syntax tree which names of `mindspore` a source file uses; the code is not run.

    from mindspore import Tensor, nn      Use(("mindspore", "Tensor")), Use(("mindspore", "nn"))
    layer = nn.Dense(3, 4)                Use(("mindspore", "nn", "Dense"), call=...)
    layer.set_train()                     Use(("mindspore", "nn", "Dense", "()", "set_train"), ...)

`"()"` in a path is the result of a call. A name leads to a path if all bindings of it in its scope
give the same one: imports, assignments, annotations of parameters, `self` and `super()` in classes
of one base.
"""

import ast
import sys
from typing import NamedTuple

TOP = "mindspore"
CALL = "()"
UNKNOWN = "?"  # an argument or a binding whose value is not in the text
SELF = "self"  # the value of a method's first parameter
RESOLVING = ("...",)  # the path of a name that is being resolved; no module has this name
OPERATIONS = set(  # methods of datasets that return a dataset
    """apply batch bucket_batch_by_length concat filter flat_map map padded_batch project rename
    repeat shuffle skip sync_wait take zip""".split()
)
_CATCHES = {"ImportError", "ModuleNotFoundError", "AttributeError", "Exception", "BaseException"}
_ASKS = {"hasattr", "find_spec", "__version__", "TYPE_CHECKING"}  # in the test of an `if`
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Call(NamedTuple):
    """The arguments of a call: literals, or UNKNOWN; names are None where `**` hides them."""

    positional: tuple
    keywords: tuple  # pairs of name and value
    is_statement: bool = False  # nothing reads the result


class Use(NamedTuple):
    """One place that uses a name.

    Args:
        line: the line in the file, from 1 on.
        path: the parts of the name, from "mindspore" on.
        call: how the thing is called, or None.
        optional: whether the file itself expects that the name may be absent.
        sure: False if a subclass may supply the name (`self.name`).
        is_import: whether the path follows `import`, so all of it must be modules.
    """

    line: int
    path: tuple
    call: Call | None = None
    optional: bool = False
    sure: bool = True
    is_import: bool = False


def read(text):
    """Returns the Uses in a source text, and the paths that it assigns to (`Tensor.name = ...`).

    Raises:
        SyntaxError: if the text is not Python.
        ValueError: if it contains null bytes.
    """
    reader = _Reader()
    reader.scan(ast.parse(text))
    return reader.uses(), reader.assigned()


class _Scope:
    """The names that a module, class or function binds, and to which values.

    A value is an absolute path, or a chain (scope, parts) that is resolved when it is asked for.
    """

    def __init__(self, parent=None, of_class=None, bases=None):
        self.parent = parent
        self.of_class = of_class  # the class whose method this scope is
        self.bases = bases  # of a class: chains
        self.is_class = bases is not None
        self.bindings = {}
        self.outside = set()  # names declared global or nonlocal
        self.paths = {}  # of names that were resolved

    def bind(self, name, value=UNKNOWN):
        scope = self
        while name in scope.outside and scope.parent is not None:
            scope = scope.parent
        scope.bindings.setdefault(name, []).append(value)

    def find(self, name):
        """Returns the scope that binds a name, as seen from this one, or None."""
        scope, inner = self, False
        while scope is not None:
            if name in scope.bindings and not (scope.is_class and inner):
                return scope
            inner = inner or not scope.is_class
            scope = scope.parent
        return None


class _Reader:
    def __init__(self):
        self.scope = _Scope()
        self.optional = 0
        self.imports = []
        self.chains = []  # (line, scope, parts, optional); a part is a name or an ast.Call
        self.stores = []
        self.statements = set()  # calls whose result nothing reads

    # The tree, top-down

    def scan(self, node):
        """Visits a node and all nodes below it."""
        method = _VISITS.get(type(node))
        if method is not None:
            method(self, node)
        else:
            self.scan_fields(node)

    def scan_fields(self, node):
        for field in node._fields:
            value = getattr(node, field, None)
            if type(value) is list:
                for item in value:
                    if isinstance(item, ast.AST):
                        self.scan(item)
            elif isinstance(value, ast.AST):
                self.scan(value)

    def scan_all(self, nodes):
        for node in nodes:
            if node is not None:
                self.scan(node)

    def scan_optional(self, nodes, optional):
        self.optional += optional
        self.scan_all(nodes)
        self.optional -= optional

    def visit_import(self, node):
        for alias in node.names:
            path = tuple(alias.name.split("."))
            self.scope.bind(alias.asname or path[0], path if alias.asname else path[:1])
            if path[0] == TOP:
                self.add_import(node, path)

    def visit_import_from(self, node):
        path = tuple((node.module or "").split(".")) if not node.level else ("",)
        ours = path[0] == TOP
        if ours:
            self.add_import(node, path)
        for alias in node.names:
            whole = (*path, alias.name)
            if alias.name != "*":
                self.scope.bind(alias.asname or alias.name, whole if ours else UNKNOWN)
                if ours:
                    self.imports.append(Use(node.lineno, whole, optional=bool(self.optional)))

    def add_import(self, node, path):
        self.imports.append(Use(node.lineno, path, optional=bool(self.optional), is_import=True))

    def visit_chain(self, node):
        """Visits a name, attribute or call, with all attributes and calls on its left."""
        line = (node.func if type(node) is ast.Call else node).end_lineno
        is_store = type(getattr(node, "ctx", None)) in (ast.Store, ast.Del)
        first, rest = _chain(node)
        for part in rest:
            if isinstance(part, ast.Call):
                self.scan_all(part.args)
                self.scan_all(keyword.value for keyword in part.keywords)
        if type(first) is not ast.Name:
            self.scan(first)
        elif is_store and not rest:
            self.scope.bind(first.id)
        else:
            record = (line, self.scope, [first.id, *rest], bool(self.optional))
            (self.stores if is_store else self.chains).append(record)

    def visit_assign(self, node):
        self.scan(node.value)
        targets = node.targets if type(node) is ast.Assign else [node.target]
        parts = _parts(node.value)
        for target in targets:
            if type(target) is ast.Name and parts:
                self.scope.bind(target.id, (self.scope, parts))
            else:
                self.scan(target)

    def visit_annotated(self, node):
        self.scan(node.annotation)
        if node.value is not None:
            self.scan(node.value)
        self.bind_annotated(node.target, node.annotation)

    def bind_annotated(self, target, annotation):
        if type(target) is ast.Name:
            self.bind_instance(target.id, annotation)
        else:
            self.scan(target)

    def bind_instance(self, name, annotation):
        """Binds a name to an instance of Tensor if its annotation says so; other annotated classes
        may have subclasses with more attributes."""
        parts = _parts(annotation)
        is_tensor = parts is not None and parts[-1] == "Tensor"
        self.scope.bind(name, (self.scope, [*parts, CALL]) if is_tensor else UNKNOWN)

    def visit_function(self, node):
        arguments = node.args
        named_arguments = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        self.scan_all(getattr(node, "decorator_list", ()))
        self.scan_all([*arguments.defaults, *arguments.kw_defaults, getattr(node, "returns", None)])
        self.scan_all(argument.annotation for argument in named_arguments)
        outer = self.scope
        if type(node) in _FUNCTIONS:
            outer.bind(node.name)
        of_class = outer if outer.is_class else None
        self.scope = _Scope(outer, of_class or outer.of_class)
        for i, argument in enumerate(named_arguments):
            if argument.annotation is not None:
                self.bind_instance(argument.arg, argument.annotation)
            elif i == 0 and of_class is not None and not _is_static(node):
                self.scope.bind(argument.arg, SELF)
            else:
                self.scope.bind(argument.arg)
        for argument in (arguments.vararg, arguments.kwarg):
            if argument is not None:
                self.scope.bind(argument.arg)
        self.scan_all(node.body if type(node.body) is list else [node.body])
        self.scope = outer

    def visit_class(self, node):
        self.scan_all([*node.decorator_list, *node.bases])
        self.scan_all(keyword.value for keyword in node.keywords)
        self.scope.bind(node.name)
        outer = self.scope
        bases = [(outer, _parts(base)) for base in node.bases]
        bases += [(outer, None) for _ in node.keywords]
        self.scope = _Scope(outer, bases=bases)
        self.scan_all(node.body)
        self.scope = outer

    def visit_try(self, node):
        catches = any(_catches(handler.type) for handler in node.handlers)
        self.scan_optional(node.body, catches)
        for handler in node.handlers:
            if handler.name:
                self.scope.bind(handler.name)
            self.scan_optional([handler.type, *handler.body], _catches(handler.type))
        self.scan_all([*node.orelse, *node.finalbody])

    def visit_if(self, node):
        asks = any(
            getattr(part, "id", getattr(part, "attr", getattr(part, "name", None))) in _ASKS
            for part in ast.walk(node.test)
        )
        self.scan(node.test)
        self.scan_optional([*node.body, *node.orelse], asks)

    def visit_statement(self, node):
        self.statements.add(node.value)
        self.scan(node.value)

    def visit_outside(self, node):
        self.scope.outside.update(node.names)

    # The names that lead to `mindspore`, after the whole file is known

    def uses(self):
        """Returns the Uses in the order of lines."""
        uses = list(self.imports)
        for line, scope, parts, optional in self.chains:
            path, rest, sure = self.start(scope, parts)
            if path is None or path[0] != TOP:
                continue
            for part in rest:
                if isinstance(part, ast.Call):
                    call = _call(part, part in self.statements)
                    uses.append(Use(line, path, call, optional, sure))
                    path = _without_operations((*path, CALL))
                else:
                    path = (*path, part)
            if not rest or not isinstance(rest[-1], ast.Call):
                uses.append(Use(line, path, None, optional, sure))
        return sorted(uses, key=lambda use: use.line)

    def assigned(self):
        """Returns the paths that the file assigns to, or deletes."""
        paths = set()
        for _, scope, parts, _ in self.stores:
            path = self.resolve(scope, parts)
            if path is not None and path[0] == TOP:
                paths.add(path)
        for _, scope, parts, _ in self.chains:
            paths |= self.set_by_call(scope, parts)
        return paths

    def set_by_call(self, scope, parts):
        """Returns the path that `setattr(thing, "name", value)` assigns to."""
        call = parts[-1]
        if parts[0] != "setattr" or not isinstance(call, ast.Call) or len(call.args) != 3:
            return set()
        owner = _parts(call.args[0])
        path = self.resolve(scope, owner) if owner else None
        if path is None or path[0] != TOP:
            return set()
        name = call.args[1].value if isinstance(call.args[1], ast.Constant) else "*"
        return {(*path, name)}

    def start(self, scope, parts):
        """Returns the path that a chain starts with (or None), its other parts, and whether the
        path is sure."""
        name, *rest = parts
        if name == "super" and rest and isinstance(rest[0], ast.Call):
            return self.base_instance(scope.of_class), rest[1:], True
        home = scope.find(name)
        if home is None:
            return None, rest, True
        if home.bindings[name] == [SELF]:
            is_local = (
                not rest or isinstance(rest[0], ast.Call) or rest[0] in home.of_class.bindings
            )
            return None if is_local else self.base_instance(home.of_class), rest, False
        return self.path_of(home, name), rest, True

    def resolve(self, scope, parts):
        """Returns the absolute path of a chain, or None."""
        home = scope.find(parts[0])
        path = None if home is None else self.path_of(home, parts[0])
        if path is None:
            return None
        path = (*path, *(part if isinstance(part, str) else CALL for part in parts[1:]))
        path = _without_operations(path)
        if path[0] == RESOLVING[0] and path != RESOLVING:  # not so in `data = data.batch(2)`
            return None
        return path

    def path_of(self, home, name):
        """Returns the path that a name stands for in a scope, or None if its bindings differ."""
        if name not in home.paths:
            home.paths[name] = RESOLVING  # while the name is resolved
            paths = {self.value(value) for value in home.bindings[name]} - {RESOLVING}
            home.paths[name] = paths.pop() if len(paths) == 1 else None
        return home.paths[name]

    def value(self, value):
        if value in (UNKNOWN, SELF):
            return None
        return self.resolve(*value) if isinstance(value[0], _Scope) else value

    def base_instance(self, of_class):
        """Returns the path of an instance of the only base of a class, or None."""
        if of_class is None or len(of_class.bases) != 1 or not of_class.bases[0][1]:
            return None
        base = self.resolve(*of_class.bases[0])
        return None if base is None else (*base, CALL)


def _chain(node):
    """Returns the leftmost node of `a.b().c`, then the list of the names and ast.Calls that follow
    it.
    """
    rest = []
    while True:
        kind = type(node)
        if kind is ast.Attribute:
            rest.append(node.attr)
            node = node.value
        elif kind is ast.Call:
            rest.append(node)
            node = node.func
        else:
            return node, rest[::-1]


def _parts(node):
    """Returns the parts of `a.b().c`: names, and the ast.Calls; None for other expressions."""
    first, rest = _chain(node)
    return [first.id, *rest] if type(first) is ast.Name else None


def _without_operations(path):
    """Returns the path without calls that turn a dataset into another: the methods are the same."""
    while len(path) > 2 and path[-1] == CALL and path[-2] in OPERATIONS:
        if path[:2] != (TOP, "dataset") and path[0] != RESOLVING[0]:
            break
        path = path[:-2]
    return path


def _call(node, is_statement):
    hidden = any(isinstance(argument, ast.Starred) for argument in node.args)
    return Call(
        () if hidden else tuple(map(_literal, node.args)),
        tuple((keyword.arg, _literal(keyword.value)) for keyword in node.keywords),
        is_statement,
    )


def _literal(node):
    return node.value if type(node) is ast.Constant else UNKNOWN


def _is_static(node):
    marks = getattr(node, "decorator_list", ())
    return any(getattr(mark, "id", None) in ("staticmethod", "classmethod") for mark in marks)


def _catches(handled):
    """Whether a handler of this type catches errors of missing names."""
    if handled is None:
        return True
    names = handled.elts if isinstance(handled, ast.Tuple) else [handled]
    return any(getattr(name, "id", getattr(name, "attr", None)) in _CATCHES for name in names)


_VISITS = {
    ast.Import: _Reader.visit_import,
    ast.ImportFrom: _Reader.visit_import_from,
    ast.Name: _Reader.visit_chain,
    ast.Attribute: _Reader.visit_chain,
    ast.Call: _Reader.visit_chain,
    ast.Assign: _Reader.visit_assign,
    ast.NamedExpr: _Reader.visit_assign,
    ast.AnnAssign: _Reader.visit_annotated,
    ast.FunctionDef: _Reader.visit_function,
    ast.AsyncFunctionDef: _Reader.visit_function,
    ast.Lambda: _Reader.visit_function,
    ast.ClassDef: _Reader.visit_class,
    ast.Try: _Reader.visit_try,
    ast.If: _Reader.visit_if,
    ast.Expr: _Reader.visit_statement,
    ast.Global: _Reader.visit_outside,
    ast.Nonlocal: _Reader.visit_outside,
    ast.Constant: lambda reader, node: None,
}
if sys.version_info >= (3, 11):
    _VISITS[ast.TryStar] = _Reader.visit_try
