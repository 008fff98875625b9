"""Syntax trees of methods and functions, in a form that can be written into a derived class."""

import ast
import inspect
import os
import site
import sys
import sysconfig
from types import FunctionType

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def definition_of(function, owner=None):
    """Returns the syntax tree of a function's definition, without annotations and docstring.

    Args:
        function (FunctionType): the function.
        owner (type, optional): the class that defines it.

    Raises:
        RuntimeError: if its source cannot be read.
    """
    try:
        text = inspect.getsource(function)
    except (OSError, TypeError) as error:
        raise RuntimeError(
            f"The source of {function.__qualname__!r} cannot be read: {error}."
        ) from error
    is_indented = text[:1].isspace()
    tree = ast.parse("if True:\n" + text if is_indented else text)
    definition = tree.body[0].body[0] if is_indented else tree.body[0]
    if not isinstance(definition, ast.FunctionDef):
        raise RuntimeError(f"The source of {function.__qualname__!r} is no function definition.")
    definition = ast.fix_missing_locations(_Independent(owner).visit(definition))
    if ast.get_docstring(definition, clean=False) is not None and len(definition.body) > 1:
        del definition.body[0]
    return definition


class _Independent(ast.NodeTransformer):
    """Makes a body independent of its class: writes out the arguments of `super`, and the class in
    names that start with two underscores. Removes annotations of arguments."""

    def __init__(self, owner):
        self.owner = owner

    def visit_arg(self, node):
        node.annotation = None
        return node

    def visit_FunctionDef(self, node):
        node.returns = None
        return self.generic_visit(node)

    def visit_Call(self, node):
        self.generic_visit(node)
        if self.owner and isinstance(node.func, ast.Name) and node.func.id == "super":
            if not node.args:
                node.args = [
                    ast.Name(self.owner.__name__, ast.Load()),
                    ast.Name("self", ast.Load()),
                ]
        return node

    def visit_Attribute(self, node):
        self.generic_visit(node)
        node.attr = self._mangle(node.attr)
        return node

    def visit_Name(self, node):
        node.id = self._mangle(node.id)
        return node

    def _mangle(self, name):
        if self.owner and name.startswith("__") and not name.endswith("__"):
            return f"_{self.owner.__name__.lstrip('_')}{name}"
        return name


def owner_of(cls, method):
    """Returns the class, among `cls` and its bases, that defines a method; None if none does."""
    return next((class_ for class_ in cls.__mro__ if method in vars(class_)), None)


def is_users(thing):
    """Returns whether a class or function is user-defined: neither of this package nor of a
    library."""
    module = sys.modules.get(thing.__module__)
    file = getattr(module, "__file__", None)
    if file is None:
        return thing.__module__ == "__main__"
    file = os.path.abspath(file)
    libraries = [_PACKAGE, sysconfig.get_path("stdlib"), *site.getsitepackages()]
    return not any(file.startswith(os.path.abspath(library) + os.sep) for library in libraries)


def is_readable(function, owner=None):
    """Returns whether the body of a function or method can be read: it is user-defined and has no
    decorators; a function has no closure either."""
    if not isinstance(function, FunctionType) or not is_users(owner or function):
        return False
    if hasattr(function, "__wrapped__") or function.__name__ == "<lambda>":
        return False
    if function.__closure__ and owner is None:
        return False
    try:
        return not definition_of(function, owner).decorator_list
    except RuntimeError:
        return False


def visible_to(function):
    """Returns the names visible in a function: globals, and those of its closure."""
    names = dict(function.__globals__)
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    for name, cell in cells:
        if name != "__class__":
            names[name] = cell.cell_contents
    return names
