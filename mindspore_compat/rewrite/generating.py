"""Writes Trees as source and builds the network from it.

A Tree is written as a subclass of its Cell's class with the methods that were read, preceded by
functions that were read and by the classes of the Cells that it calls. Each method is compiled
separately, so it sees the names of its origin. The network is a copy of the Cell that shares
Parameters and unchanged Cells with it.
"""

import ast
import os
import textwrap

from .._io.files import atomic_write
from ..nn.cell import Cell
from . import sources
from .trees import Names

FOLDER = "rewritten_network"


class Generation:
    """The source of a Tree and of everything that it calls.

    Args:
        tree (Tree): the Tree of the whole network.
    """

    def __init__(self, tree):
        self._names = Names()
        self._class_names = {}  # Tree -> name
        self._order = []  # the Trees and Bodies of functions, in the order of their definitions
        self._parts = []
        self._imports = []
        self._write(tree)

    def text(self):
        """Returns the source."""
        return "\n\n\n".join(["\n".join(dict.fromkeys(self._imports)), *self._parts]) + "\n"

    def _write(self, tree):
        if tree in self._class_names:
            return
        self._class_names[tree] = self._names.unique(type(tree.cell).__name__ + "Opt")
        for sub_tree in tree.sub_trees():
            self._write(sub_tree)
        for thing in (type(tree.cell), *tree.functions.values()):
            self._import(thing)
        methods = []
        for body in tree.bodies.values():
            body.definition.body = body.block.code()
            text = ast.unparse(ast.fix_missing_locations(body.definition))
            if body.owner is None:
                self._add(body, text)
            else:
                methods.append(textwrap.indent(text, "    "))
        head = f"class {self._class_names[tree]}({type(tree.cell).__name__}):\n"
        self._add(tree, head + "\n\n".join(methods[1:] + methods[:1]))

    def _add(self, thing, text):
        self._order.append(thing)
        self._parts.append(text)

    def _import(self, thing):
        """Adds an import of a class or function to the text, unless it is a builtin or local. The
        import only tells readers where a name comes from; the network is built without it."""
        if "<" not in thing.__qualname__ and thing.__module__ != "builtins":
            self._imports.append(f"from {thing.__module__} import {thing.__qualname__}")

    # making

    def network(self, tree):
        """Writes the generated source to a file, and returns the network that it defines."""
        path = _save(self.text(), f"{self._class_names[tree]}_{id(tree)}.py")
        with open(path, encoding="utf-8") as file:
            module = ast.parse(file.read(), path)
        definitions = [node for node in module.body if not isinstance(node, ast.ImportFrom)]
        functions, classes = {}, {}
        for thing, definition in zip(self._order, definitions, strict=True):
            if isinstance(definition, ast.FunctionDef):
                functions[thing.function] = _compile(definition, thing, path)
            else:
                classes[thing] = self._class(thing, definition.body, path)
        for class_tree in classes:
            for body in class_tree.bodies.values():
                functions_by_name = {
                    name: functions[function] for name, function in body.called.items()
                }
                body.namespace.update(functions_by_name)
        return _Making(classes).made(tree)

    def _class(self, tree, definitions, path):
        """Returns the class of a Tree."""
        bodies = {body.definition.name: body for body in tree.bodies.values() if body.owner}
        members = {
            definition.name: _compile(definition, bodies[definition.name], path)
            for definition in definitions
        }
        base = type(tree.cell)
        members["__module__"], members["__doc__"] = base.__module__, base.__doc__
        return type(base)(self._class_names[tree], (base,), members)


def _save(text, name):
    """Writes the source to a file in the folder of rewritten networks, and returns its path."""
    folder = os.path.abspath(FOLDER)
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, name)
    with atomic_write(path, durable=False) as file:
        file.write(text.encode())
    return path


def _compile(definition, body, path):
    """Compiles the function of a definition with the globals of its origin."""
    body.namespace = {**sources.visible_to(body.function), **body.tree.functions}
    if body.owner is not None:
        body.namespace.setdefault(body.owner.__name__, body.owner)
    exec(compile(ast.Module([definition], []), path, "exec"), body.namespace)  # noqa: S102
    return body.namespace[definition.name]


class _Making:
    """Creates networks from generated classes.

    Args:
        classes (dict[Tree, type]): the class of each Tree.
    """

    def __init__(self, classes):
        self._classes = classes
        self._made = {}

    def made(self, tree):
        """Returns the network of a Tree."""
        if id(tree.cell) not in self._made:
            network = _copy(tree.cell, self._classes[tree])
            self._made[id(tree.cell)] = network
            for sub_tree in tree.sub_trees():
                self.made(sub_tree)
            for statement in tree.statements(inner=True):
                if statement.inner and statement.inner[0].kind == "members":
                    self._rebuild(statement.instance, statement.inner[0])
            for name, cell in network._cells.items():
                network._cells[name] = self._replace(cell)
            for name, instance in tree.cells.items():
                if isinstance(instance, Cell):
                    network._cells[name] = self._replace(instance)
                else:
                    setattr(network, name, instance)
        return self._made[id(tree.cell)]

    def _rebuild(self, container, block):
        """Rebuilds a container whose members were changed."""
        members = [self._replace(statement.instance) for statement in block.statements]
        if members == container.cells() or id(container) in self._made:
            return
        out = _copy(container, type(container))
        out._cells.clear()
        for number, member in enumerate(members):
            out._cells[str(number)] = member
        self._made[id(container)] = out

    def _replace(self, cell):
        """Returns a Cell with all changes below it; the Cell itself if nothing changed."""
        if cell is None or id(cell) in self._made:
            return self._made.get(id(cell))
        below = {name: self._replace(member) for name, member in cell._cells.items()}
        if all(below[name] is member for name, member in cell._cells.items()):
            return cell
        out = _copy(cell, type(cell))
        for name, member in below.items():
            out._cells[name] = member
        return out


def _copy(cell, cls):
    """Returns a Cell of another class with the same members."""
    out = cls.__new__(cls)
    out.__setstate__(cell.__getstate__())
    return out
