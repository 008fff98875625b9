"""AdaFactor as two kernels for all tensors gives the CPU's numbers for any shapes."""

import faulthandler

import numpy as np
import pytest
from fakecupy import counting, rawkernels
from kit import close

from mindspore_compat import Parameter, Tensor, nn
from mindspore_compat._backend import arrays
from mindspore_compat._backend.updates import factored
from mindspore_compat._backend.updates.complete import complete
from mindspore_compat._backend.updates.whole_tensors import kernels_take

pytestmark = [
    pytest.mark.device,
    pytest.mark.skipif(rawkernels.compiler() is None, reason="no C++ compiler"),
]
SHAPES = [
    (),
    (1,),
    (9,),
    (4, 5),
    (1, 7),
    (2, 3, 4, 5),
    (1100, 1, 2, 3),
    (2, 70, 150),
    (300, 3),
    (40, 65, 2),
    (64, 128),
]
RELATIVE = {"weight_decay": 0.1, "loss_scale": 2.0}
GIVEN = {"learning_rate": 0.1, "relative_step": False}
SETTINGS = [
    RELATIVE,
    {"beta1": None, "warmup_init": True, "clip_threshold": 0.5},
    {**GIVEN, "scale_parameter": False, "compression": True},
]


def stepped(dtype, settings):
    """Returns the optimizer's parameters and states after two steps, and the launches of the second
    step."""
    rng = np.random.default_rng(0)

    def random():
        return [Tensor(np.asarray(rng.standard_normal(shape), dtype)) for shape in SHAPES]

    weights = [Parameter(value, name=f"w{index}") for index, value in enumerate(random())]
    optimizer = nn.AdaFactor(weights, **settings)
    optimizer(tuple(random()))
    with counting.counted() as counts:
        optimizer(tuple(random()))
    params = [*weights, *optimizer.get_parameters()]
    return {each.name: each.asnumpy().astype(float) for each in params}, counts


@pytest.mark.parametrize("settings", SETTINGS, ids=["relative", "warming up", "given"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_a_step_is_that_of_the_host(space, dtype, settings):
    found, counts = stepped(dtype, settings)
    for name in factored._KERNELS:  # kept in float16, vectors are another kind
        assert counts.names["launches"][name] <= 2
    arrays.set_target("CPU")
    wanted, _ = stepped(dtype, settings)
    assert found.keys() == wanted.keys()
    rtol = 1e-2 if dtype == "float16" or settings.get("compression") else 1e-5
    for name, value in wanted.items():
        close(found[name], value, rtol=rtol, atol=1e-3 * rtol + 1e-7)


@pytest.mark.skipif(not arrays.gpu_available(), reason="no GPU computes")
@pytest.mark.parametrize("space", ["cupy"], indirect=True)
def test_blocks_may_begin_in_any_order(space, monkeypatch):
    """The simulated CUDA runs each block to its end before it begins the next, so a block that
    waited for a later block would never end. In that case faulthandler ends the process."""
    usual, _ = stepped("float32", RELATIVE)
    monkeypatch.setenv("CUDA_ON_HOST_REVERSED", "1")  # the last block begins first
    faulthandler.dump_traceback_later(120, exit=True)
    try:
        found, _ = stepped("float32", RELATIVE)
    finally:
        faulthandler.cancel_dump_traceback_later()
    for name, value in usual.items():
        np.testing.assert_array_equal(found[name], value)


@pytest.mark.parametrize("space", ["fakecupy"], indirect=True)
def test_a_large_matrix_is_divided_among_blocks(space, monkeypatch):
    grids, run = {}, rawkernels.RawKernel._run

    def noted(kernel, grid, block, args):
        grids[kernel.name] = grid[0]
        return run(kernel, grid, block, args)

    monkeypatch.setattr(rawkernels.RawKernel, "_run", noted)
    weight = Parameter(Tensor(np.ones((300, 200), np.float32)), name="w")
    nn.AdaFactor([weight])((Tensor(np.ones((300, 200), np.float32)),))
    assert grids == {"adafactor_sums": 5 * 2, "adafactor": 2 * 8}  # tiles; chunks, twice


def test_a_flag_leaves_all_as_it_is(space):
    rows = [[space.array(np.full((2, 3), 2.0, np.float32)) for _ in range(2)]]
    rows[0] += [None, space.zeros(2, "float32"), space.zeros(3, "float32")]
    numbers = {"taken": 0.0, "decay_rate": 0.8, "eps": 0.0, "least": 0.0, "clip": 1.0}
    chosen = {"relative": False, "warmup": False, "scaled": False, "beta1": None}
    for flag in (True, False):
        units = factored.units(
            rows, [0.1], [None], None, space.array(flag), scale=1.0, **numbers, **chosen
        )
        complete(units)
        close(arrays.to_host(rows[0][0]), 2.0 if flag else 1.9, rtol=1e-6, atol=0)
        close(arrays.to_host(rows[0][3]), 0.0 if flag else 4.0, rtol=1e-6, atol=0)


def test_what_is_not_contiguous_or_on_the_host_is_not_taken(space):
    array = space.zeros((4, 4), "float32")
    assert kernels_take([(array, array, None)])
    assert not kernels_take([(array, array[::2], None)])
    assert not kernels_take([(array, np.zeros((4, 4)), None)])
