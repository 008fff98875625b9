"""Faults in undocumented behaviour that scripts rely on: the cases of the changed name find each of
them.
"""

import numpy as np
import pytest

import mindspore_compat as ms
from conformance import targets
from conformance.kinds import cases
from conformance.reading import specs
from conformance.running import answers
from conformance.worker.worker import Worker


@pytest.fixture(scope="module")
def failing():
    """Returns a function that gives the ids of the failing cases of one name and kind."""
    targets.install("mindspore_compat")
    stored = answers.load()

    def ask(name, kind):
        entries = specs.load_file(specs.FOLDER / f"{cases.area_of(name)}.yaml", check=False)
        worker, found = Worker(ms), cases.of_entry(name, entries[name], (kind,))
        judged = {case["id"]: answers.judge(case, worker.run(case), stored) for case in found}
        return {key for key, result in judged.items() if result["status"] == "fail"}

    return ask


def another_class(patch):
    patch.setattr(ms.nn.layer, "Dense", type("Dense", (ms.nn.Dense,), {}))


def no_prefixes(patch):
    class CellList(ms.nn.CellList):
        def __init__(self, *cells, **given):
            super().__init__(*cells, **{**given, "auto_prefix": False})

    patch.setattr(ms.nn, "CellList", CellList)


def shared_twice(patch):
    def get_parameters(self, expand=True):
        return [p for _, cell in self.cells_and_names() for p in cell._params.values()] * 2

    patch.setattr(ms.nn.Cell, "get_parameters", get_parameters)


def set_once(name, attribute):
    """A fault: an attribute keeps its initial value, whatever is assigned."""

    def plant(patch):
        real = getattr(ms.nn, name)

        def __setattr__(self, key, value):
            if key != attribute or key not in vars(self):
                real.__setattr__(self, key, value)

        patch.setattr(ms.nn, name, type(name, (real,), {"__setattr__": __setattr__}))

    return plant


def constant_value(patch):
    patch.setattr(ms.Parameter, "value", lambda self: ms.Tensor(self.asnumpy()))


def constant_stack(patch):
    def stack(tensors, axis=0):
        return ms.Tensor(np.stack([each.asnumpy() for each in tensors], axis))

    patch.setattr(ms.ops, "stack", stack)


FAULTS = {
    "a path shows another class": ("nn.Dense", "imports", another_class),
    "no prefix in a list": ("nn.CellList", "parameter_names", no_prefixes),
    "Parameters listed twice": ("nn.SequentialCell", "parameter_names", shared_twice),
    "eps set later is ignored": ("nn.GroupNorm", "set_attributes", set_once("GroupNorm", "eps")),
    "delta set later is ignored": (
        "nn.HuberLoss",
        "set_attributes",
        set_once("HuberLoss", "delta"),
    ),
    "no gradient through value()": ("Parameter", "value_gradients", constant_value),
    "no gradient through stack": ("Parameter", "value_gradients", constant_stack),
}


@pytest.mark.parametrize("what", FAULTS)
def test_fault_is_found(what, failing, monkeypatch):
    name, kind, plant = FAULTS[what]
    sound = failing(name, kind)
    plant(monkeypatch)
    assert failing(name, kind) - sound
