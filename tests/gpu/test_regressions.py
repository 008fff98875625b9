"""What went wrong on real CuPy while a stand-in alone ran the tests: one test for each defect.

Each test but the last fails on commit 39c3f7bd, the last one before CuPy itself ran them. They use
public names and the counters of the simulated CUDA only, so that they run against that commit, too:

    PYTHONPATH=OLD_CHECKOUT PYTHON -m pytest --noconftest tests/gpu/test_regressions.py

where PYTHON is what `python -m tests.cuda_on_host` prints. Some defects have their tests elsewhere:
those of the tests themselves in tests/gpu/test_report.py, of set-ups in
tests/_backend/test_no_gpu.py, of exchanges between ranks in tests/communication/test_nccl.py, and
of launches that need too many registers, which a simulation does not count, in
tests/_backend/bodies/test_nvrtc.py.
"""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops

simulated_cuda = pytest.importorskip("simulated_cuda", reason="only on CuPy without a GPU")
RNG = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def on_the_gpu():
    """Computes on the GPU, and leaves target and mode as they were."""
    target, mode = ms.get_context("device_target"), ms.get_context("mode")
    ms.set_context(device_target="GPU")
    yield
    ms.set_context(device_target=target, mode=mode)


def step_of(network, optimizer, **options):
    """A training step of a network, as a function of data and labels."""
    loss = nn.WithLossCell(network, nn.MSELoss())
    return nn.TrainOneStepCell(loss, optimizer(network.trainable_params(), **options)).set_train()


def batch(width=3):
    return (Tensor(RNG.normal(size=(4, n)).astype(np.float32)) for n in (width, 2))


def counted(function):
    """What a call asks of the device, by kind of event."""
    before = simulated_cuda.counters()
    function()
    after = simulated_cuda.counters()
    return {name: after[name] - before[name] for name in before}


def test_matrices_are_multiplied():
    """CuPy's `matmul` takes `out` by name only."""
    x, y = (RNG.normal(size=(5, 5)).astype(np.float32) for _ in range(2))
    np.testing.assert_allclose(ops.matmul(Tensor(x), Tensor(y)).asnumpy(), x @ y, rtol=1e-5)


def test_a_step_with_products_is_captured():
    """CuPy refuses its own calls of cuBLAS during a capture."""
    ms.set_context(mode=ms.GRAPH_MODE)
    step, (x, y) = step_of(nn.Dense(3, 2), nn.Momentum, learning_rate=0.1, momentum=0.9), batch()
    for _ in range(3):
        step(x, y)
    assert counted(lambda: step(x, y))["graph_launches"] == 1


def test_subnormal_halves_are_kept():
    """Kernels flush subnormal float32 numbers, by way of which halves were read."""
    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    halves = halves[np.isfinite(halves)].reshape(-1, 2)
    ones = Tensor(np.ones(2, np.float16))
    np.testing.assert_array_equal(ops.prelu(Tensor(halves), ones).asnumpy(), halves)


@pytest.mark.parametrize("largest", [1 / 3, np.nan])
def test_extremes_of_float64_at_indices(largest):
    """CuPy's atomics round to float32, and ignore NaN."""
    x = Tensor(np.zeros(2))
    found = ops.tensor_scatter_max(x, Tensor([[1], [1]]), Tensor(np.array([0.1, largest])))
    np.testing.assert_array_equal(found.asnumpy(), [0, largest])


def test_the_gradient_of_digamma():
    """CuPy's `polygamma` takes no Python number."""
    gradient = ms.grad(ops.digamma)(Tensor(np.array([1.0], np.float32)))
    np.testing.assert_allclose(gradient.asnumpy(), [np.pi**2 / 6], rtol=1e-5)


def test_bits_are_packed_row_by_row():
    """CuPy's `packbits` has no axis."""
    packed = ops.CompareAndBitpack()(Tensor([[1.0, 0.0] * 4, [0.0, 1.0] * 4]), Tensor(0.5))
    assert packed.asnumpy().tolist() == [[170], [85]]


def test_vmap_of_a_solver():
    """CuPy's `solve` wants as many leading axes in both operands."""
    a = np.eye(2, dtype=np.float32) * np.arange(1, 4, dtype=np.float32)[:, None, None]
    b = np.ones((2, 1), np.float32)
    solve = ms.vmap(lambda a: ops.matrix_solve(a, Tensor(b)))
    np.testing.assert_allclose(solve(Tensor(a)).asnumpy(), np.linalg.solve(a, b), rtol=1e-6)


def test_bools_are_divided_by_the_longest_integers():
    bools, longest = Tensor(np.array([True, False])), Tensor(np.array([3, 2], np.uint64))
    assert (bools // longest).asnumpy().tolist() == [0, 0]
    assert (longest // bools).asnumpy().tolist() == [3, 2**64 - 1]


def test_bfloat16_stays_beside_a_number():
    """CuPy widens it to float32 where it selects between the two."""
    x, mask = (
        Tensor(np.array([[1.0, -2.0]], np.float32)).astype(ms.bfloat16),
        Tensor([[True, False]]),
    )
    for result, values in (
        (ops.masked_fill(x, mask, 0.3), [[0.30078125, -2]]),
        (ops.tril(x), [[1, 0]]),
    ):
        assert result.dtype == ms.bfloat16
        np.testing.assert_array_equal(result.asnumpy().astype(np.float32), values)


def test_a_singular_matrix_has_no_inverse():
    with pytest.raises(np.linalg.LinAlgError, match="[Ss]ingular"):
        ops.inverse(Tensor(np.zeros((2, 2), np.float32)))


def test_adam_offload_copies_once_in_each_direction():
    step, (x, y) = step_of(nn.Dense(3, 2), nn.AdamOffload), batch()
    for _ in range(3):
        step(x, y)
    found = counted(lambda: step(x, y))
    copies = found["host_to_device"], found["device_to_host"]
    assert copies == (1, 1) and found["synchronizations"] <= 2


class Guarded(nn.Optimizer):
    """An optimizer of a user's, whose step takes more than gradients."""

    def construct(self, gradients, overflow):
        for parameter, gradient in zip(self.parameters, gradients, strict=True):
            ops.assign_sub(parameter, ops.select(overflow, gradient * 0, gradient * 0.1))
        return True


class GuardedStep(nn.TrainOneStepCell):
    def construct(self, x, y):
        loss, grads = ms.value_and_grad(self.network, None, self.weights)(x, y)
        self.optimizer(grads, ops.isnan(loss))
        return loss


def test_an_optimizer_that_takes_more_than_gradients():
    ms.set_context(mode=ms.GRAPH_MODE)
    network = nn.Dense(3, 2)
    loss = nn.WithLossCell(network, nn.MSELoss())
    step = GuardedStep(loss, Guarded(0.1, network.trainable_params()))
    x, y = batch()
    losses = [float(step(x, y).asnumpy()) for _ in range(4)]
    assert losses[-1] < losses[0]


def test_an_array_of_numpys_is_refused_as_on_the_host():
    """The package refuses it before CuPy, which answers in other ways; it did so then, too."""
    x = Tensor(np.ones(2, np.float32))
    for operation in (lambda y: x + y, lambda y: ops.maximum(x, y)):
        with pytest.raises(TypeError, match="must be a Tensor or a number"):
            operation(np.ones(2, np.float32))
