"""Converts a dataset's pipeline to the message in lineage files: its nodes and their settings.

For each node, operation and sampler it writes the kind, and those settings that are numbers, texts
or lists of them. Other settings, such as functions and arrays, are omitted.
"""

import json
from enum import Enum

import numpy as np

from ..._io.protobuf import bytes_field, double_field, float_field, int_field
from ._lineage import Packed, entry

_PACKAGE = __name__.partition(".")[0]
_NOT_SETTINGS = {
    "children",
    "operations",
    "sampler",
    "source",
    "padded_samples",
    "callbacks",
    "python_multiprocessing",
    "num_parallel_workers",
}
_WITHOUT_WORKERS = {"Shuffle", "Repeat", "Take", "Skip", "Rename", "Project", "Concat"}


def dataset_graph(dataset):
    """Returns the message of a dataset: the node itself, with the messages of its inputs inside."""
    return Packed(_node(dataset))


def _node(node):
    parts = [bytes_field(1, _node(child)) for child in node.children]
    parts.append(bytes_field(2, _parameters(_settings_of_node(node))))
    parts += [
        bytes_field(3, _operation(_describe(operation)))
        for operation in getattr(node, "operations", ())
    ]
    sampler = getattr(node, "sampler", None)
    if sampler is not None:
        parts.append(bytes_field(4, _operation(_described_sampler(sampler))))
    return b"".join(parts)


def _kind(node):
    """Returns the kind of a node: for an operation without "Dataset", for a source its class
    name."""
    mro = [cls.__name__ for cls in type(node).__mro__]
    if "GeneratorDataset" in mro:
        return "GeneratorDataset"
    return mro[0].removesuffix("Dataset") if node.children else mro[0]


def _settings_of_node(node):
    from ...dataset import config

    kind = _kind(node)
    description = {"op_type": kind}
    if kind != "GeneratorDataset":  # the settings of GeneratorDataset describe a Python object
        description.update(
            {
                name: value
                for name, value in vars(node).items()
                if not name.startswith("_")
                and name not in _NOT_SETTINGS
                and (value is None or _is_plain(value))
            }
        )
    if kind == "Map":
        description["output_columns"] = (
            description["output_columns"] or description["input_columns"]
        )
    if kind not in _WITHOUT_WORKERS:
        description["connector_queue_size"] = config.get_prefetch_size()
        description["num_parallel_workers"] = (
            node.num_parallel_workers or config.get_num_parallel_workers()
        )
    return description


def _describe(operation):
    """Describes an operation of `map` as a dict: a transform with its settings, or a function's
    place."""
    kind = type(operation)
    if kind.__module__.startswith(_PACKAGE):
        settings = _settings(operation)
        return {"tensor_op_name": kind.__name__, "tensor_op_params": settings or None}
    name = getattr(operation, "__name__", kind.__name__)
    module = getattr(operation, "__module__", None) or kind.__module__
    return {"python_module": module, "tensor_op_name": name}


def _described_sampler(sampler):
    return {"sampler_name": type(sampler).__name__, **_settings(sampler)}


def _settings(thing):
    """Returns the settings of a transform or sampler that JSON can represent."""
    settings = {name: _as_json(value) for name, value in vars(thing).items() if name[0] != "_"}
    return {name: value for name, value in settings.items() if value is not None}


def _as_json(value):
    """Converts a value for JSON; None for a kind without information for a reader."""
    if isinstance(value, Enum):
        value = value.value
    if isinstance(value, np.dtype):
        return value.name
    if isinstance(value, np.ndarray):
        return value.tolist() if value.size <= 16 else None
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (list, tuple)):
        return [_as_json(item) for item in value]
    if _is_plain(value):
        return value
    return _describe(value) if callable(value) else None


def _is_plain(value):
    if isinstance(value, (list, tuple)):
        return all(_is_plain(item) for item in value)
    return isinstance(value, (str, bool, int, float)) and not isinstance(value, Enum)


def _operation(description):
    """Returns a message of one operation or sampler; lists of numbers have separate fields."""
    lists = {name: value for name, value in description.items() if isinstance(value, list)}
    parts = [
        bytes_field(
            1,
            _parameters({name: value for name, value in description.items() if name not in lists}),
        )
    ]
    for numbers in lists.values():
        whole = all(isinstance(number, int) for number in numbers)
        write = (
            (lambda number: int_field(2, number))
            if whole
            else (lambda number: float_field(3, float(number)))
        )
        parts += [write(number) for number in numbers]
    return b"".join(parts)


def _parameters(description):
    """Returns the maps of settings by kind; empty lists are omitted."""
    parts = []
    for name, value in description.items():
        if isinstance(value, bool):
            parts.append(entry(3, name, int_field(2, value)))
        elif isinstance(value, int):
            parts.append(entry(4, name, int_field(2, value)))
        elif isinstance(value, float):
            parts.append(entry(5, name, double_field(2, value)))
        elif isinstance(value, (list, tuple)):
            texts = b"".join(bytes_field(1, json.dumps(text)) for text in value)
            parts += [entry(2, name, bytes_field(2, texts))] if value else []
        else:
            text = value if isinstance(value, str) else json.dumps(value) if value else "None"
            parts.append(entry(1, name, bytes_field(2, text)))
    return b"".join(parts)
