"""The fake cuDNN raises an error for every input that real cuDNN rejects, and for every input that
real cuDNN silently misreads."""

import ctypes

import cupy
import numpy as np
import pytest

from mindspore_compat._backend.cuda import cudnn
from mindspore_compat._backend.cuda.handles import Handles

FLOAT32 = cudnn.FLOAT32
X, W, Y = (2, 4, 5, 5), (6, 2, 3, 3), (2, 6, 5, 5)
SIZES = (1, 1), (1, 1), (1, 1), 2
BAD_PARAM, NOT_SUPPORTED, EXECUTION_FAILED = 2000, 3000, 5000


@pytest.fixture
def library():
    return cudnn.load(cupy)


@pytest.fixture
def call(library):
    """Runs the forward pass of a case; parts of it may be replaced."""

    def run(x=X, w=W, y=Y, sizes=SIZES, last=False, algorithm=1, offset=0, room=None, **numbers):
        shapes = (x, w, y)
        dtypes = numbers.get("dtypes", (FLOAT32,) * 3)
        described = [
            describe(shape, dtype, last)
            for describe, shape, dtype in zip(
                (library.images, library.filters, library.images), shapes, dtypes, strict=True
            )
        ]
        convolution = library.convolution(*sizes, FLOAT32, cudnn.FMA_MATH)
        arrays = [
            cupy.zeros(int(np.prod(shape)) + 8, dtype) for shape, dtype in zip(shapes, dtypes)
        ]
        pointers = [array.data.ptr + offset for array in arrays]
        pointers = numbers.get("pointers", pointers)
        room = 4096 if room is None else room
        workspace = cupy.zeros(4096, np.uint8)
        one, zero = cudnn.SCALARS[FLOAT32]
        return library.cudnnConvolutionForward(
            *(library.handle()[1], numbers.get("alpha", one)),
            *(described[0].address, pointers[0], described[1].address, pointers[1]),
            *(convolution.address, algorithm, workspace.data.ptr, room, zero),
            *(described[2].address, pointers[2]),
        )

    return run


def test_what_is_right_is_done(call):
    assert call() == 0
    assert call(algorithm=0, room=0) == 0


@pytest.mark.parametrize(
    "wrong, status",
    {
        "channels": ({"x": (2, 3, 5, 5)}, BAD_PARAM),
        "filters": ({"w": (5, 2, 3, 3), "y": (2, 5, 5, 5)}, BAD_PARAM),
        "size": ({"y": (2, 6, 5, 4)}, BAD_PARAM),
        "batch": ({"y": (3, 6, 5, 5)}, BAD_PARAM),
        "axes": ({"sizes": ((1,) * 3, (1,) * 3, (1,) * 3, 2)}, BAD_PARAM),
        "dtypes": ({"dtypes": (FLOAT32, FLOAT32, np.dtype("float64"))}, BAD_PARAM),
        "sums": ({"dtypes": (np.dtype("float64"),) * 3}, NOT_SUPPORTED),
        "algorithm": ({"algorithm": 3}, NOT_SUPPORTED),
        "workspace": ({"room": 16}, BAD_PARAM),
        "alignment": ({"offset": 4}, EXECUTION_FAILED),
        "memory of the host": ({"pointers": [ctypes.addressof(ctypes.c_int())] * 3}, 5000),
        "factors": ({"alpha": cudnn.SCALARS[FLOAT32][1]}, NOT_SUPPORTED),
    }.items(),
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_wrong_is_refused(call, wrong, status):
    changes, code = status
    assert call(**changes) == code


@pytest.mark.parametrize("values", [((-1, 1), (1, 1), (1, 1)), ((1, 1), (0, 1), (1, 1))])
def test_descriptors_are_checked(library, values):
    with pytest.raises(cudnn.Refused, match="BAD_PARAM"):
        library.convolution(*values, 1, FLOAT32, cudnn.FMA_MATH)
    with pytest.raises(cudnn.Refused, match="BAD_PARAM"):
        library.images((2, 0, 3, 3), FLOAT32, False)
    with pytest.raises(cudnn.Refused, match="NOT_SUPPORTED"):
        library.images((1, 1, 1 << 16, 1 << 15), FLOAT32, False)


STEPS, BATCH, INPUTS, UNITS = 3, 2, 4, 5


@pytest.fixture
def recur(library):
    """Runs the forward pass of an LSTM; parts of the call may be replaced."""

    def data(steps, batch, width, lengths=None):
        descriptor = cudnn.Descriptor(library, "RNNData")
        lengths = cudnn.ints(lengths or [steps] * batch)
        descriptor.set("Descriptor", 0, 0, steps, batch, width, lengths, None)
        return descriptor

    def states(shape):
        descriptor = cudnn.Descriptor(library, "Tensor")
        sizes, strides = cudnn.ints(shape), cudnn.ints((shape[1] * shape[2], shape[2], 1))
        descriptor.set("NdDescriptor", 0, 3, sizes, strides)
        return descriptor

    def run(
        x=(STEPS, BATCH, INPUTS),
        y=(STEPS, BATCH, UNITS),
        h=(1, BATCH, UNITS),
        has_cells=True,
        weights=4 * UNITS * (INPUTS + UNITS + 2),
        offset=0,
        room=None,
        kept=None,
        pointer=None,
    ):
        handle = library.handle()[1]
        network, dropout = (cudnn.Descriptor(library, kind) for kind in ("RNN", "Dropout"))
        dropout.set("Descriptor", handle, 0.0, None, 0, 0)
        network.set(
            "Descriptor_v8", 0, 2, 2, 0, 0, 0, 0, 3, INPUTS, UNITS, UNITS, 1, dropout.address, 1
        )
        xs, ys, hs = data(*x), data(*y), states(h)
        work, reserve = ctypes.c_size_t(), ctypes.c_size_t()
        sizes = ctypes.byref(work), ctypes.byref(reserve)
        library.refuse(
            library.cudnnGetRNNTempSpaceSizes(handle, network.address, 1, xs.address, *sizes)
        )
        memory = cupy.zeros(1 << 14, np.uint8)
        arrays = [cupy.zeros(256, np.float32) for _ in range(4)]
        inputs, outputs, state, parameters = (array.data.ptr + offset for array in arrays)
        room = work.value if room is None else room
        kept = reserve.value if kept is None else kept
        cells = (hs.address, state, None) if has_cells else (None,) * 3
        return library.cudnnRNNForward(
            *(handle, network.address, 1, None, xs.address, pointer or inputs),
            *(ys.address, outputs, hs.address, state, None, *cells),
            *(4 * weights, parameters, room, memory.data.ptr, kept, memory.data.ptr + 8192),
        )

    return run


def test_a_right_layer_is_run(recur):
    assert recur() == 0


@pytest.mark.parametrize(
    "wrong, status",
    {
        "width": ({"x": (STEPS, BATCH, INPUTS + 1)}, BAD_PARAM),
        "outputs": ({"y": (STEPS, BATCH, UNITS + 1)}, BAD_PARAM),
        "steps": ({"y": (STEPS + 1, BATCH, UNITS)}, BAD_PARAM),
        "batch": ({"h": (1, BATCH + 1, UNITS)}, BAD_PARAM),
        "directions": ({"h": (2, BATCH, UNITS)}, BAD_PARAM),
        "cells": ({"has_cells": False}, BAD_PARAM),
        "weights": ({"weights": 4 * UNITS * (INPUTS + UNITS)}, BAD_PARAM),
        "workspace": ({"room": 0}, BAD_PARAM),
        "reserve": ({"kept": 4}, BAD_PARAM),
        "alignment": ({"offset": 4}, EXECUTION_FAILED),
        "memory of the host": ({"pointer": ctypes.addressof(ctypes.c_int())}, EXECUTION_FAILED),
    }.items(),
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_wrong_layer_is_refused(recur, wrong, status):
    changes, code = status
    if "x" in changes:
        with pytest.raises(cudnn.Refused, match="BAD_PARAM"):
            recur(**changes)
    else:
        assert recur(**changes) == code


def test_wrong_descriptors_of_layers_are_refused(library):
    data, network = (cudnn.Descriptor(library, kind) for kind in ("RNNData", "RNN"))
    lengths = cudnn.ints([3, 2])
    for values, status in (
        ((0, 0, 0, 2, 4, lengths, None), "BAD_PARAM"),
        ((0, 0, 3, 2, 4, lengths, None), "NOT_SUPPORTED"),
        ((0, 1, 3, 2, 4, cudnn.ints([3, 3]), None), "NOT_SUPPORTED"),
    ):
        with pytest.raises(cudnn.Refused, match=status):
            data.set("Descriptor", *values)
    with pytest.raises(cudnn.Refused, match="BAD_PARAM"):
        network.set("Descriptor_v8", 0, 2, 2, 0, 0, 0, 0, 3, INPUTS, UNITS, UNITS, 1, None, 1)


def test_heuristics_list_what_must_be_passed_over(library):
    described = library.images(X, FLOAT32, False), library.images(Y, FLOAT32, False)
    operands = (*described, library.filters(W, FLOAT32, False))
    convolution = library.convolution(*SIZES, FLOAT32, cudnn.FMA_MATH)
    listed = library._ranked_algorithms("BackwardFilter", operands, convolution)
    assert any(entry.status for entry in listed)
    assert any(entry.determinism != cudnn.DETERMINISTIC for entry in listed)
    assert any(entry.memory > 1 << 32 for entry in listed)
    kept = library.algorithms("BackwardFilter", operands, SIZES, FLOAT32, False, 1 << 20)
    assert 0 < len(kept) < len(listed)


def test_a_handle_cannot_be_made_in_a_capture(library, monkeypatch):
    monkeypatch.setattr(library, "handles", Handles(library._new_handle))
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        stream.begin_capture(cupy.cuda.runtime.streamCaptureModeGlobal)
        with pytest.raises(cudnn.Refused):
            library.handle()
        with pytest.raises(cupy.cuda.runtime.CUDARuntimeError):
            stream.end_capture()
