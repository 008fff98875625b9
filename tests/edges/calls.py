"""Chooses the calls to vary: for each public operator and layer its first documented call, with
different numbers in each Tensor."""

import re

import numpy as np

import mindspore_compat as ms
from conformance.reading import specs
from conformance.varied.bases import bases
from mindspore_compat._core.declare.op import DECLARED
from tests import census

from .worker import Maker

AREAS = ("ops.", "mint.", "nn.", "Tensor.", "numpy.", "scipy.")
MOST = 4096  # elements of a call's Tensors, so that the sweep is short
# Excluded: names that draw, print, communicate, train or write files, or take no numbers.
_APART = re.compile(
    r"(?i)print|summary|dump|distributed|collective|all_?gather|all_?reduce|all_?to_?all"
    r"|broadcast$|reduce_?scatter|neighbor|send|receive|barrier|hook|insertgrad|custom"
    r"|optim|py_?func|hyper|cell_?list|set_|_startup|offload|tofile|probability|bfgs"
    r"|tensor_dump|window|forkjoin|nn\.thor|TrainOneStep|WithEval|move_to|save|load|pin_memory"
)

_IMAGES = {"x": "T('float32', spread((2, 4, 5, 6), -2, 2, 1))"}
_VOLUMES = {"x": "T('float32', spread((2, 2, 3, 4, 5), -2, 2, 1))"}
_SEQUENCE = "T('float32', spread((3, 2, 4), -2, 2, 1))"
_CONV = {"weight": "T('float32', spread((4, 4, 3, 3), -1, 1, 2))"}
# Smaller calls of names whose documented calls are large.
FURTHER = {
    "ops.conv2d": {"call": {"input": _IMAGES["x"], **_CONV, "pad_mode": "'same'"}},
    "ops.conv3d": {
        "call": {
            "input": _VOLUMES["x"],
            "weight": "T('float32', spread((3, 2, 2, 2, 2), -1, 1, 2))",
        }
    },
    "mint.nn.functional.conv2d": {"call": {"input": _IMAGES["x"], **_CONV, "padding": "1"}},
    "mint.nn.functional.conv3d": {
        "call": {
            "input": _VOLUMES["x"],
            "weight": "T('float32', spread((3, 2, 2, 2, 2), -1, 1, 2))",
        }
    },
    "nn.Conv2d": {
        "init": {"in_channels": "4", "out_channels": "4", "kernel_size": "3", "group": "2"},
        "call": _IMAGES,
    },
    "nn.Conv3d": {
        "init": {"in_channels": "2", "out_channels": "3", "kernel_size": "2"},
        "call": _VOLUMES,
    },
    "ops.unfold": {"call": {"input": _IMAGES["x"], "kernel_size": "3"}},
    "ops.fold": {
        "call": {
            "input": "T('float32', spread((2, 8, 12), -2, 2, 1))",
            "output_size": "T('int32', [4, 5])",
            "kernel_size": "2",
        }
    },
    "ops.stft": {
        "call": {"x": "T('float32', spread((2, 40), -2, 2, 1))", "n_fft": "8", "hop_length": "4"}
    },
    "nn.MultiheadAttention": {
        "init": {"embed_dim": "4", "num_heads": "2"},
        "call": {"query": _SEQUENCE, "key": _SEQUENCE, "value": _SEQUENCE},
    },
    "nn.TransformerEncoderLayer": {
        "init": {"d_model": "4", "nhead": "2", "dim_feedforward": "6", "dropout": "0.0"},
        "call": {"src": _SEQUENCE},
    },
    "nn.TransformerDecoderLayer": {
        "init": {"d_model": "4", "nhead": "2", "dim_feedforward": "6", "dropout": "0.0"},
        "call": {"tgt": _SEQUENCE, "memory": _SEQUENCE},
    },
}


def cases(wanted=()):
    """Returns [{"name", "init", "call", "owner"}] of the names that match one of the patterns. If
    an operator has several names, only the first is used, functions before primitives."""
    patterns, seen, found = [re.compile(pattern) for pattern in wanted], set(), []
    entries, operators = specs.load(), _operators()
    for name in sorted(filter(_is_swept, entries), key=_place):
        chosen = not patterns or any(pattern.fullmatch(name) for pattern in patterns)
        operator = operators.get(name, name)
        if not chosen or "kind" not in entries[name] or operator in seen:
            continue
        for call in [FURTHER[name]] if name in FURTHER else _documented(name, entries):
            case = {"name": name, "init": None, "owner": None, **call}
            if _runs(case):
                seen.add(operator)
                found.append(case)
                break
    return found


def _runs(case):
    """Returns True if the call gives a result. A call of another name of the operator may not suit
    this one."""
    outcome = next(iter(Maker(ms, "pynative").results(case)))[1]
    return not isinstance(outcome, str) and isinstance(outcome["result"], list)


def _is_swept(name):
    return name.startswith(AREAS) and not _APART.search(name)


def _place(name):
    """Returns the position of a name in the order: areas as in AREAS, functions first."""
    area = next(i for i, area in enumerate(AREAS) if name.startswith(area))
    return area, name.rpartition(".")[2][:1].isupper(), name


def _operators():
    """Returns {public name: key of its operator}."""
    census.table()  # imports all modules
    return {
        f"{area}.{name}": id(op)
        for area, names in DECLARED.items()
        for name, (op, _) in names.items()
    }


def _documented(name, entries):
    """Yields the calls that the pages of a name and of its counterparts show, if they are small."""
    for _, call, more in bases(name, entries):
        if call.call is not None and "then" not in more and 0 < _elements(call) <= MOST:
            yield {"init": call.init, "call": call.call, "owner": call.owner}


def _elements(call):
    """Returns how many elements the Tensors of a call have."""
    values = [call.value(name) for name in ["self"] * bool(call.owner) + list(call.call)]
    return sum(np.size(leaf) for leaf in _leaves(values) if isinstance(leaf, np.ndarray))


def _leaves(value):
    if isinstance(value, (tuple, list)):
        return [leaf for part in value for leaf in _leaves(part)]
    return [value]
