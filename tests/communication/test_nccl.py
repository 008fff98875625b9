"""NCCL as the package uses it, simulated by objects that record their calls."""

import types

import numpy as np
import pytest

from mindspore_compat._backend.arrays import current_space
from mindspore_compat._backend.ranks import nccl

pytestmark = pytest.mark.parametrize("space", ["fakecupy"], indirect=True)


class Library(types.ModuleType):
    """`cupy.cuda.nccl`, with the codes of older releases of CuPy."""

    available = True

    def __init__(self):
        super().__init__("cupy.cuda.nccl")
        self.NCCL_FLOAT32, self.NCCL_MAX, self.NCCL_SUM = 7, 2, 0
        self.open = 0

    def groupStart(self):
        self.open += 1

    def groupEnd(self):
        self.open -= 1

    def get_unique_id(self):
        return "name"

    def NcclCommunicator(self, size, name, rank):
        return types.SimpleNamespace(size=lambda: size, rank_id=lambda: rank)


class Ranks:
    """MPI's communicator of rank 0 among ranks whose GPUs are given."""

    rank = 0

    def __init__(self, gpus):
        self.gpus, self.size = gpus, len(gpus)

    def allgather(self, own):
        return [own if gpu is None else gpu for gpu in self.gpus]

    def bcast(self, value, root):
        return value


@pytest.fixture
def library(space, monkeypatch):
    made = Library()
    find = nccl.importlib.import_module
    monkeypatch.setattr(
        nccl.importlib,
        "import_module",
        lambda name, *rest: made if name == "cupy.cuda.nccl" else find(name, *rest),
    )
    return made


def test_ranks_that_each_see_one_gpu_use_nccl(space, library):
    """Each rank sees its GPU as number 0; the GPUs have different bus addresses."""
    assert nccl.connect(Ranks([None, (0, "0000:41:00.0", b"")]), 0).size == 2
    own = nccl.own_gpu(0)
    other_machine = (1, *own[1:])
    assert nccl.connect(Ranks([None, other_machine]), 0).size == 2


def test_ranks_that_share_a_gpu_go_over_the_host_and_say_so(space, library, monkeypatch):
    messages = []
    monkeypatch.setattr(nccl._log, "warning", lambda text, *values: messages.append(text % values))
    assert nccl.connect(Ranks([None, None]), 0) is None
    library.available = False
    assert nccl.connect(Ranks([None, None]), 0) is None
    assert "share a GPU" in messages[0] and "not installed" in messages[1]


def operations(space, library):
    return nccl.Nccl(space.module, library, library.NcclCommunicator(2, "name", 0))


def test_an_error_ends_the_group_of_sends(space, library):
    found = operations(space, library)
    with pytest.raises(KeyError), found.together():
        assert library.open == 1
        raise KeyError
    assert library.open == 0


def test_codes_of_dtypes_and_operations(space, library):
    found = operations(space, library)
    for dtype, operation, codes in (
        ("float32", "avg", (7, 0)),
        ("uint64", "max", (5, 2)),  # ncclUint64 is 5 whether or not CuPy has a name for it
    ):
        array = current_space().zeros(2, np.dtype(dtype))
        assert found._reduction(array, operation) == codes
    with pytest.raises(TypeError, match="complex64"):
        found._reduction(current_space().zeros(2, np.complex64), "sum")
