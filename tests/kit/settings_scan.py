"""Finds public functions that only store what they are given, or do nothing at all.

The sources are parsed. A function is listed if each of its statements only checks, stores or
returns an argument, and if the stored values are read only by getters that nothing in the package
calls. Names are compared without their owners, so a setting with a common name may be missed.
"""

import ast
import collections
from pathlib import Path

import mindspore_compat
from kit.sources import parse

PACKAGE = Path(mindspore_compat.__file__).parent
INTERNAL = (
    "_backend",
    "_startup",
    "_paths",
    *(f"_core/{name}" for name in ("autograd", "context/settings", "declare", "rules", "vmap")),
)
CHECKS = ("check_", "checked_", "need_", "refuse", "raise_", "type_check")
STORES = ("store_once", "setattr", "update", "append", "add", "setdefault", "add_prim_attr")
ANSWERS = ("get_", "is_", "has_", "supports_")

REASONS = {
    "a hook: subclasses and scripts define it": """
        Callback.begin Callback.epoch_begin Callback.step_begin Callback.step_end
        Callback.epoch_end Callback.end DSCallback.ds_begin DSCallback.ds_epoch_begin
        DSCallback.ds_epoch_end DSCallback.ds_step_begin DSCallback.ds_step_end
        WaitedDSCallback.sync_epoch_begin WaitedDSCallback.sync_step_begin Sampler.reset
        LossScaleManager.update_loss_scale PrimitiveWithInfer.infer_shape
        PrimitiveWithInfer.infer_dtype PrimitiveWithInfer.infer_value""",
    "its purpose is to return its argument": """
        identity Identity.construct FixedLossScaleUpdateCell.construct
        FixedLossScaleManager.update_loss_scale Optimizer.flatten_gradients Sketch.copy
        find_file folder InfersMomentum.infer_dtype
        Xdivy.infer_dtype distinct""",
    "its purpose is to store a value for scripts": """
        Naming.update_cell_prefix Primitive.set_prim_instance_name""",
    "other classes with this method do something in it": """
        Arrived.wait MapDatasetFetcher.restart""",
    "classes without this mark may be used in graph mode, too": "jit_class",
}
EXEMPT = {name for names in REASONS.values() for name in names.split()}


def unmarked():
    """Returns {qualified name: file} of the functions without effect that no decorator marks."""
    sources = {
        str(file.relative_to(PACKAGE)): parse(file) for file in sorted(PACKAGE.rglob("*.py"))
    }
    functions, readers = collect(sources)
    storing = {}
    for place, node in functions.items():
        names = set()
        if (
            is_public(place, node)
            and all([only_stores(statement, names) for statement in body_of(node)])
            and computes_nothing(node, names)
        ):
            storing[place] = names
    called = {name for name, places in readers.items() if places}
    hands_back = {
        place
        for place, node in functions.items()
        if is_answer(place, node) and place[1].rpartition(".")[2] not in called
    }
    ignored = storing.keys() | hands_back
    return {
        name.rstrip("="): file
        for (file, name), names in storing.items()
        if not is_marked(functions[file, name])
        and not any(readers[stored] - ignored for stored in names)
    }


def collect(sources):
    """Returns the outermost functions by (file, qualified name), and the readers of each name."""
    functions, readers = {}, collections.defaultdict(set)

    def visit(node, file, prefix, owner):
        for child in ast.iter_child_nodes(node):
            inner, place = prefix, owner
            if isinstance(child, ast.ClassDef):
                inner = f"{prefix}{child.name}."
            elif isinstance(child, ast.FunctionDef) and owner is None:
                place = (file, f"{prefix}{child.name}{'=' * is_setter(child)}")
                functions[place] = child
            elif isinstance(child, (ast.Attribute, ast.Name)) and isinstance(child.ctx, ast.Load):
                readers[getattr(child, "attr", None) or child.id].add(owner or (file, ""))
            elif isinstance(child, ast.Constant) and isinstance(child.value, str) and owner:
                readers[child.value].add(owner)  # as in `getattr(options, "depth")`
            visit(child, file, inner, place)

    for file, tree in sources.items():
        visit(tree, file, "", None)
    return functions, readers


def is_setter(node):
    """Returns whether a function is the setter of a property. Its getter has the same name."""
    return any(ast.unparse(mark).endswith(".setter") for mark in node.decorator_list)


def is_public(place, node):
    """Returns whether scripts can call the function, and it is neither a check nor a getter."""
    file, name = place
    parts = name.split(".")
    declared = any("public(" in ast.unparse(mark) for mark in node.decorator_list)
    return (
        not file.startswith(INTERNAL)
        and not any(part.startswith("_") for part in parts)
        and not parts[-1].startswith((*CHECKS, *ANSWERS))
        and [argument.arg for argument in node.args.args[:1]] != ["xp"]  # an operator's body
        and (declared or len(parts) > 1 or "/_" not in f"/{file}")
    )


def computes_nothing(node, names):
    """Returns whether the function returns nothing or an unchanged parameter. A function that ends
    with `raise` does not count."""
    arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    parameters = {argument.arg for argument in arguments}
    changed = {
        inner.id
        for inner in ast.walk(node)
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store)
    }
    body = body_of(node)
    returned = [inner.value for inner in ast.walk(node) if isinstance(inner, ast.Return)]
    return not (body and isinstance(body[-1], ast.Raise)) and all(
        value is None
        or isinstance(value, ast.Constant)
        and (value.value is None or names)
        or isinstance(value, ast.Name)
        and value.id in parameters - changed
        for value in returned
    )


def is_answer(place, node):
    """Returns whether the function is a getter: it only returns a stored value."""
    last, body = place[1].rpartition(".")[2], body_of(node)
    if last.startswith(("get_", "reset_")):
        return True
    if len(body) != 1 or not isinstance(body[0], ast.Return):
        return False
    value = body[0].value
    is_get = isinstance(value, ast.Call) and getattr(value.func, "attr", "") == "get"
    return is_get or isinstance(value, (ast.Attribute, ast.Subscript, ast.Name))


def is_marked(node):
    """Returns whether a decorator says that the function has no effect, or needs a subclass."""
    names = {ast.unparse(mark).partition("(")[0] for mark in node.decorator_list}
    return bool(names & {"without_effect", "keys_without_effect", "abstractmethod"})


def body_of(node):
    """Returns the statements without the docstring."""
    return node.body[1:] if ast.get_docstring(node) is not None else node.body


def only_stores(statement, names):
    """Returns whether a statement only checks, stores or returns a value. Adds the names that it
    stores to `names`."""
    if isinstance(statement, ast.Global):
        names.update(statement.names)
    if isinstance(statement, (ast.Pass, ast.Raise, ast.Global, ast.Assert)):
        return True
    if isinstance(statement, ast.Return):
        value = statement.value
        return value is None or isinstance(value, (ast.Constant, ast.Name))
    if isinstance(statement, (ast.If, ast.For)):
        return all([only_stores(inner, names) for inner in [*statement.body, *statement.orelse]])
    if isinstance(statement, (ast.Assign, ast.AugAssign)):
        if any(isinstance(inner, (ast.BinOp, ast.Compare)) for inner in ast.walk(statement.value)):
            return False  # it computes
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        return all([stored_name(part, names) for target in targets for part in parts(target)])
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        return is_check_or_store(statement.value, names)
    return False


def parts(target):
    """Returns the single targets of an assignment."""
    return target.elts if isinstance(target, ast.Tuple) else [target]


def stored_name(target, names):
    """Adds the attribute or key that an assignment sets to `names`.

    Returns whether the assignment only stores a value. One that changes an element of an argument
    does more.
    """
    if isinstance(target, ast.Attribute):
        names.add(target.attr)
    if not isinstance(target, ast.Subscript):
        return True
    key = target.slice.value if isinstance(target.slice, ast.Constant) else None
    names.add(key if isinstance(key, str) else getattr(target.value, "attr", ""))
    return isinstance(target.value, ast.Attribute)


def is_check_or_store(call, names):
    """Returns whether a call checks a value or stores it in an object."""
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    if name.lstrip("_").startswith(CHECKS):
        return True
    if name not in STORES:
        return False
    if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Call):
        return False  # a method of another call's result
    texts = [argument.value for argument in call.args if isinstance(argument, ast.Constant)]
    names.update(text for text in texts if isinstance(text, str))
    if isinstance(call.func, ast.Attribute) and not texts:
        names.add(ast.unparse(call.func.value).rpartition(".")[2])
    return True
