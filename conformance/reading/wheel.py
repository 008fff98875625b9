"""Finds the names of a MindSpore wheel by parsing its source with `ast`; nothing of it is imported.

`Wheel(folder)` reads an installed or unpacked `mindspore` folder. `wheel.public()` yields every
documented public name with the syntax tree that defines it. Modules are evaluated only as far as
names require: imports, `__all__` arithmetic, plain assignments. `docs.py` reads the docstrings.
"""

import ast
import subprocess
import sys
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import BadInput

# Public modules; an object that several of them expose belongs to the first.
FACADES = """
mindspore nn ops mint mint.nn mint.nn.functional mint.optim mint.linalg mint.special
mint.distributed numpy scipy scipy.linalg scipy.optimize scipy.sparse scipy.fft dataset
dataset.transforms dataset.transforms.utils dataset.vision dataset.vision.utils dataset.text
dataset.text.utils dataset.audio dataset.audio.utils dataset.config dataset.debug dataset.utils
dataset.dataloader train train.mind_ir train.summary common.initializer amp boost communication
communication.comm_func communication.management experimental experimental.optim
experimental.optim.lr_scheduler experimental.es experimental.map_parameter experimental.llm_boost
hal runtime mindrecord multiprocessing nn.probability.distribution nn.probability.bijector
nn.probability.bnn_layers nn.utils parallel parallel.nn parallel.function parallel.distributed
parallel.auto_parallel parallel.nn.parallel_cell_wrapper parallel.strategy profiler rewrite
safeguard utils utils.dryrun log context device_context.cpu.op_precision
device_context.cpu.op_tuning device_context.gpu.op_precision device_context.gpu.op_tuning
device_context.ascend.op_precision device_context.ascend.op_tuning device_context.ascend.op_debug
device_manager graph onnx
""".split()

MAX_DEPTH = 40  # of class inheritance; a deeper one is circular


@dataclass
class Definition:
    """The target of a name: a module, or a node of a module's tree."""

    kind: str  # module | function | class | value
    module: "Module"
    node: ast.AST = None

    @property
    def key(self):
        return (
            self.module.name,
            self.kind,
            getattr(self.node, "lineno", 0),
            getattr(self.node, "col_offset", 0),
        )


@dataclass
class Module:
    """One source file: its tree, and the names that it defines, read from top to bottom."""

    name: str
    path: Path
    tree: ast.Module
    is_package: bool
    names: dict = field(default_factory=dict)
    lists: dict = field(default_factory=dict)
    complete: bool = False


@dataclass
class Public:
    """One public name, its definition, and the docstring with the line on which it starts."""

    name: str  # full path without the leading "mindspore."
    facade: str
    definition: Definition
    doc: str
    line: int
    same_as: str = None
    owner: Definition = None  # the class, for a method

    @property
    def path(self):
        return self.definition.module.path


class Wheel:
    """The source files of one release, read lazily."""

    def __init__(self, folder):
        folder = Path(folder)
        if (folder / "mindspore" / "__init__.py").is_file():
            folder = folder / "mindspore"
        if not (folder / "__init__.py").is_file():
            raise BadInput(folder, "no __init__.py: not a mindspore package")
        self.folder = folder
        self._modules = {}
        self._late = []  # imports from modules that were being read, because they are circular
        self.release = self._read_release()

    def _read_release(self):
        path = self.folder / "version.py"
        if not path.is_file():
            raise BadInput(self.folder, "no version.py: the wheel is truncated or is not MindSpore")
        for node in self._parse(path).body:
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
                return str(node.value.value)
        raise BadInput(path, "names no release")

    @staticmethod
    def _parse(path):
        try:
            return ast.parse(path.read_text(encoding="utf-8"))
        except (SyntaxError, ValueError) as error:
            raise BadInput(
                path, f"cannot be parsed: {error.args[0]}", getattr(error, "lineno", None)
            ) from None

    def module(self, name):
        """Returns the module with that dotted name (without "mindspore."), or None."""
        if name not in self._modules:
            base = self.folder.joinpath(*name.split(".")) if name else self.folder
            package = base / "__init__.py"
            path = package if package.is_file() else base.with_suffix(".py") if name else package
            if not path.is_file():
                self._modules[name] = None
            else:
                new = Module(name, path, self._parse(path), path.name == "__init__.py")
                self._modules[name] = new
                _Reader(self, new).block(new.tree.body)
                new.complete = True
        return self._modules[name]

    def defer(self, reader, node):
        """Repeats an import after all modules are read."""
        self._late.append((reader, node))

    def lookup(self, module, name):
        """Returns the definition of `name` in a module: a binding, else a submodule."""
        if name in module.names:
            return module.names[name]
        if module.is_package:
            below = self.module(f"{module.name}.{name}" if module.name else name)
            if below is not None:
                return Definition("module", below)
        return None

    def public(self):
        """Yields every documented public name; an object exposed twice belongs to its first
        module."""
        first = {}
        self.module("")  # before its parts, like Python, because imports are circular
        for facade in FACADES:
            self.module("" if facade == "mindspore" else facade)
        while self._late:
            reader, node = self._late.pop(0)
            reader.on_ImportFrom(node)
        self._tensor_docs = self._read_tensor_docs()
        for facade in FACADES:
            module = self.module("" if facade == "mindspore" else facade)
            if module is None:
                continue
            for name in self._shown(module):
                definition = self.lookup(module, name)
                if definition is None or definition.kind == "module":
                    continue
                yield from self._name(facade, name, definition, first)

    def _shown(self, module):
        listed = module.lists.get("__all__")
        if not listed:
            listed = [
                n
                for n, d in module.names.items()
                if d.kind != "module" and (module.is_package or d.module is module)
            ]
        seen = dict.fromkeys(n for n in listed if n.isidentifier() and not n.startswith("_"))
        return list(seen)

    def _name(self, facade, name, definition, first):
        public = name if facade == "mindspore" else f"{facade}.{name}"
        doc, line = docstring(definition.node)
        if not doc and definition.kind != "value":
            return
        item = Public(public, facade, definition, doc, line, first.get(definition.key))
        first.setdefault(definition.key, public)
        yield item
        if definition.kind == "class" and item.same_as is None:
            yield from self._methods(facade, public, definition)

    def _methods(self, facade, public, definition):
        seen = set()
        for owner, node in self.members(definition):
            if node.name in seen or node.name.startswith("_") or _is_setter(node):
                continue
            seen.add(node.name)
            doc, line = docstring(node)
            if doc:
                yield Public(
                    f"{public}.{node.name}",
                    facade,
                    Definition("method", owner.module, node),
                    doc,
                    line,
                    owner=definition,
                )
        if public == "Tensor":
            module = self.module("common._tensor_docs")
            for name, (doc, line, node) in self._tensor_docs.items():
                if name not in seen and not name.startswith("_"):
                    yield Public(
                        f"Tensor.{name}",
                        facade,
                        Definition("value", module, node),
                        doc,
                        line,
                        owner=definition,
                    )

    def members(self, definition):
        """Returns the methods defined in the class itself, and in bases that no public module
        exposes."""
        for node in definition.node.body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield definition, node

    def bases(self, definition, depth=0):
        """Returns the class and its base classes, nearest first, as far as the source shows."""
        yield definition
        if depth > MAX_DEPTH:
            return
        for base in definition.node.bases:
            above = self.resolve(definition.module, base)
            if above is not None and above.kind == "class":
                yield from self.bases(above, depth + 1)

    def resolve(self, module, expression):
        """Returns the definition of a name or dotted name."""
        if isinstance(expression, ast.Name):
            return self.lookup(module, expression.id)
        if isinstance(expression, ast.Attribute):
            owner = self.resolve(module, expression.value)
            if owner is not None and owner.kind == "module":
                return self.lookup(owner.module, expression.attr)
        return None

    def _read_tensor_docs(self):
        """Returns the docstrings that a file of `attach_docstr("name", text)` calls assigns to
        Tensor's built-in methods."""
        module, docs = self.module("common._tensor_docs"), {}
        for node in module.tree.body if module else ():
            call = getattr(node, "value", None)
            if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "attach_docstr":
                name, text = (a.value for a in call.args)
                docs[name] = (text, call.args[1].lineno, call)
        return docs


class _Reader:
    """Walks a module's statements and records their effect on the namespace."""

    def __init__(self, wheel, module):
        self.wheel, self.module = wheel, module

    def block(self, body):
        for node in body:
            getattr(self, "on_" + type(node).__name__, lambda node: None)(node)

    def on_FunctionDef(self, node):
        self.module.names[node.name] = Definition("function", self.module, node)

    def on_ClassDef(self, node):
        self.module.names[node.name] = Definition("class", self.module, node)

    def on_If(self, node):
        self.block(node.orelse)
        self.block(node.body)

    def on_Try(self, node):
        for handler in node.handlers:
            self.block(handler.body)
        self.block(node.body)

    def on_Import(self, node):
        for alias in node.names:
            if alias.name.split(".")[0] == "mindspore" and alias.asname:
                module = self.wheel.module(alias.name.partition(".")[2])
                if module:
                    self.module.names[alias.asname] = Definition("module", module)

    def on_ImportFrom(self, node):
        source = self._source(node)
        if source is None:
            return
        if not source.complete:
            self.wheel.defer(self, node)
        for alias in node.names:
            if alias.name == "*":
                self._star(source)
                continue
            definition = self.wheel.lookup(source, alias.name)
            if definition is not None:
                self.module.names[alias.asname or alias.name] = definition

    def _source(self, node):
        if node.level:
            here = self.module.name.split(".") if self.module.name else []
            up = node.level - (1 if self.module.is_package else 0)
            here = here[: len(here) - up] if up else here
            parts = here + (node.module.split(".") if node.module else [])
        elif node.module and node.module.split(".")[0] == "mindspore":
            parts = node.module.split(".")[1:]
        else:
            return None
        return self.wheel.module(".".join(parts))

    def _star(self, source):
        shown = source.lists.get("__all__")
        if shown is None:
            shown = [n for n in source.names if not n.startswith("_")]
        for name in shown:
            definition = self.wheel.lookup(source, name)
            if definition is not None:
                self.module.names[name] = definition

    def on_Assign(self, node):
        for target in node.targets:
            if isinstance(target, ast.Name):
                self._bind(target.id, node)

    def on_AnnAssign(self, node):
        if node.value is not None and isinstance(node.target, ast.Name):
            self._bind(node.target.id, node)

    def _bind(self, name, node):
        value = self.items(node.value)
        if value is not None:
            self.module.lists[name] = value
        definition = self.wheel.resolve(self.module, node.value)
        self.module.names[name] = definition or Definition("value", self.module, node)

    def on_AugAssign(self, node):
        more = self.items(node.value)
        if more and isinstance(node.target, ast.Name):
            self.module.lists[node.target.id] = self.module.lists.get(node.target.id, []) + more

    def on_Delete(self, node):
        for target in node.targets:
            if isinstance(target, ast.Name):
                self.module.names.pop(target.id, None)

    def on_Expr(self, node):
        call = node.value
        if not (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and isinstance(call.func.value, ast.Name)
            and call.func.value.id in self.module.lists
        ):
            return
        elements = self.module.lists[call.func.value.id]
        given = self.items(call.args[0]) if call.args else None
        if call.func.attr == "extend" and given:
            elements.extend(given)
        elif call.func.attr == "append" and isinstance(call.args[0], ast.Constant):
            elements.append(call.args[0].value)
        elif call.func.attr == "remove" and call.args[0].value in elements:
            elements.remove(call.args[0].value)

    def items(self, node):
        """Returns the strings of a list expression, or None if it is not such a list."""
        if isinstance(node, (ast.List, ast.Tuple)):
            parts = [
                e.value
                for e in node.elts
                if isinstance(e, ast.Constant) and isinstance(e.value, str)
            ]
            for element in node.elts:
                if isinstance(element, ast.Starred):
                    parts += self.items(element.value) or []
            return parts
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            left, right = self.items(node.left), self.items(node.right)
            return None if left is None and right is None else (left or []) + (right or [])
        if isinstance(node, ast.Name):
            return list(self.module.lists[node.id]) if node.id in self.module.lists else None
        if isinstance(node, ast.Attribute):
            owner = self.wheel.resolve(self.module, node.value)
            if owner is not None and owner.kind == "module":
                return list(owner.module.lists.get(node.attr) or ())
        return None


def docstring(node):
    """Returns (docstring as written, the line on which it starts) of a function, class or assigned
    value.
    """
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) or not node.body:
        return "", getattr(node, "lineno", 0)
    first = node.body[0]
    if (
        isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    ):
        return first.value.value, first.lineno
    return "", node.lineno


def _is_setter(node):
    return any(
        isinstance(d, ast.Attribute) and d.attr in ("setter", "deleter")
        for d in node.decorator_list
    )


def fetch(release, cache):
    """Download the wheel of a release with pip and extract its .py files; returns the folder."""
    folder = Path(cache) / f"mindspore-{release}"
    if (folder / "mindspore" / "version.py").is_file():
        return folder / "mindspore"
    folder.mkdir(parents=True, exist_ok=True)
    reason = ""
    for options in _PLATFORMS:
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", *options]
        command += ["--only-binary=:all:", "-d", str(folder), f"mindspore=={release}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        wheels = sorted(folder.glob("mindspore-*.whl"))
        if done.returncode == 0 and wheels:
            unpack(wheels[0], folder)
            wheels[0].unlink()
            return folder / "mindspore"
        reason = (done.stderr.strip().splitlines() or ["no wheel was downloaded"])[-1]
    raise BadInput(f"mindspore {release}", f"cannot be fetched: {reason}")


# The documentation is the same in every wheel, so any wheel of this index will do.
_PLATFORMS = [
    [],
    ["--platform=manylinux1_x86_64", "--python-version=3.11", "--implementation=cp"],
    ["--platform=any", "--python-version=3.11", "--implementation=cp"],
]


def unpack(wheel, folder):
    """Extracts the Python files of a wheel."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                if name.startswith("mindspore/") and name.endswith(".py"):
                    archive.extract(name, folder)
    except (zipfile.BadZipFile, OSError, EOFError) as error:
        raise BadInput(wheel, f"truncated or no wheel: {error}") from None
