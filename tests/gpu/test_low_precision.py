"""Operators on float16 and bfloat16 launch one kernel in each pass and give the host's numbers:
elementwise operators, and those that pass their arrays to a kernel. None casts arrays to float32.
"""

import ml_dtypes
import numpy as np
import pytest
from kit import close

import mindspore_compat as ms
from mindspore_compat import mint, nn, ops
from mindspore_compat._backend import arrays
from mindspore_compat._backend.bodies import upcast

from . import counters
from .host import agree as agree_as_sums
from .host import flat, host

HALVES = {"bfloat16": ml_dtypes.bfloat16, "float16": np.float16}
in_halves = pytest.mark.parametrize("half", HALVES)
on_devices = pytest.mark.parametrize("space", counters.DEVICES, indirect=True)
RNG = np.random.default_rng(0)
X, Y = (RNG.uniform(-2, 2, (3, 4)).astype(np.float32) for _ in range(2))
MASK = X > 0.5
FUNCTIONS = {
    "add": lambda x, y: x + y,
    "multiply": lambda x, y: x * y,
    "divide": lambda x, y: x / y,  # an operator without a rule of its own
    "power": lambda x, y: ops.abs(x) ** y,
    "maximum": ops.maximum,
    "remainder": ops.remainder,
    "squared difference": ops.SquaredDifference(),
    "exp": lambda x, y: ops.exp(x),
    "log1p": lambda x, y: ops.log1p(ops.square(x)),
    "sigmoid": lambda x, y: ops.sigmoid(100 * x),  # of large numbers, too
    "softplus": lambda x, y: mint.nn.functional.softplus(x),
    "relu": lambda x, y: ops.relu(x),
    "gelu": lambda x, y: ops.gelu(x),
    "gelu by tanh": lambda x, y: mint.nn.functional.gelu(x, approximate="tanh"),
    "silu": lambda x, y: ops.silu(x),
    "mish": lambda x, y: ops.mish(x),
    "elu": lambda x, y: ops.elu(x),
    "leaky relu": lambda x, y: ops.leaky_relu(x, 0.1),
    "hardswish": lambda x, y: ops.hardswish(x),
    "erf": lambda x, y: ops.erf(x),
    "clamp": lambda x, y: ops.clamp(x, None, y),
    "clamp by numbers": lambda x, y: ops.clamp(x, -1.0, 0.5),
    "sine": lambda x, y: ops.sin(x),
    "arc tangent": lambda x, y: ops.atan2(x, y),
    "where": lambda x, y: ops.where(ms.Tensor(MASK), x, y),
    "weighted": lambda x, y: ops.addcmul(x, x, y, 0.5),
}
ONE = {"add", "multiply", "divide", "exp", "gelu", "silu", "mish", "elu", "erf", "sine"}
ONE |= {
    "relu",
    "squared difference",
    "maximum",
    "softplus",
    "hardswish",
    "leaky relu",
    "arc tangent",
}


IMAGE, SLOPES = RNG.normal(size=(2, 4, 8, 8)).astype(np.float32), Y[0]
CLASSES, PIXELS = np.array([3, 0, -100], np.int32), RNG.integers(0, 4, (2, 8, 8), dtype=np.int32)
SHARES, LONG = np.abs(X) / 2.1 + 0.01, RNG.normal(size=100_000).astype(np.float32)
KERNELS = {  # name: (function, arrays, launches forward, launches backward)
    "softmax": (lambda x: ops.softmax(x), [X], 1, 1),
    "softmax of rows": (lambda x: ops.softmax(x, 0), [X], 1, 1),
    "softmax of two axes": (lambda x: ops.Softmax((0, 1))(x), [X], 7, 7),  # by functions
    "softmin": (lambda x: ops.softmin(x), [X], 1, 1),
    "softmax of pixels": (nn.Softmax2d(), [IMAGE], 2, 2),  # one copies the channels together
    "log softmax": (lambda x: ops.log_softmax(x), [X], 1, 1),
    "glu": (lambda x: ops.glu(x), [X], 1, 1),
    "glu of channels": (lambda x: ops.glu(x, 1), [IMAGE], 1, 3),
    "swiglu": (lambda x: ops.swiglu(x), [X], 1, 1),
    "prelu": (mint.nn.functional.prelu, [X, SLOPES], 1, 4),
    "prelu of images": (mint.nn.functional.prelu, [IMAGE, SLOPES], 2, 4),
    "max pool": (lambda x: mint.nn.functional.max_pool2d(x, 2), [IMAGE], 1, 2),
    "max pool layer": (nn.MaxPool2d(3, 2), [IMAGE], 1, 2),
    "max pool of volumes": (nn.MaxPool3d(2, 2), [IMAGE[None]], 1, 2),
    "average pool": (lambda x: mint.nn.functional.avg_pool2d(x, 3, 2, 1), [IMAGE], 1, 1),
    "average pool layer": (nn.AvgPool2d(3, 2), [IMAGE], 1, 1),
    "average pool of volumes": (nn.AvgPool3d(2, 2), [IMAGE[None]], 1, 1),
    "adaptive average": (lambda x: ops.adaptive_avg_pool2d(x, 3), [IMAGE], 1, 1),
    "adaptive average of planes": (lambda x: ops.adaptive_avg_pool2d(x, 1), [IMAGE], 1, 1),
    "adaptive maximum": (lambda x: ops.adaptive_max_pool2d(x, 3), [IMAGE], 2, 1),
    "cross entropy": (lambda x: ops.cross_entropy(x, ms.Tensor(CLASSES)), [X], 7, 4),
    "cross entropy, weighted": (
        lambda x, weight: ops.cross_entropy(x, ms.Tensor(CLASSES), weight),
        [X, np.abs(SLOPES)],
        12,
        16,  # 12 of them compute the gradient of the weights
    ),
    "cross entropy, smoothed": (
        lambda x: ops.cross_entropy(x, ms.Tensor(CLASSES), label_smoothing=0.1),
        [X],
        13,
        4,
    ),
    "cross entropy of pixels": (lambda x: ops.cross_entropy(x, ms.Tensor(PIXELS)), [IMAGE], 9, 4),
    "cross entropy of shares": (lambda x, y: ops.cross_entropy(x, y), [X, SHARES], 4, 6),
    "cross entropy of shares, smoothed": (
        lambda x, y: ops.cross_entropy(x, y, label_smoothing=0.1),
        [X, SHARES],
        4,
        6,
    ),
    "cross entropies of shares": (
        lambda x, y, weight: ops.cross_entropy(x, y, weight, reduction="none"),
        [X, SHARES, np.abs(SLOPES)],
        6,
        9,
    ),
    "likelihood": (lambda x: ops.nll_loss(x, ms.Tensor(CLASSES)), [X], 11, 7),
    "likelihood of pixels": (lambda x: ops.nll_loss(x, ms.Tensor(PIXELS)), [IMAGE], 11, 7),
    "sum": (lambda x, y: ops.addn([x, y, x]), [X, Y], 1, 2),
    "squared error": (lambda x, y: ops.mse_loss(x, y), [X, Y], 1, 1),
    "squared errors": (lambda x, y: ops.mse_loss(x, y, "none"), [X, Y], 1, 1),
    "absolute error": (lambda x, y: ops.l1_loss(x, y, "sum"), [X, Y], 1, 1),
    "smooth absolute error": (lambda x, y: mint.nn.functional.smooth_l1_loss(x, y), [X, Y], 1, 1),
    "Huber loss": (lambda x, y: ops.huber_loss(x, y, delta=0.5), [X, Y], 1, 1),
    "binary cross entropy": (lambda x, y: ops.binary_cross_entropy(x, y), [SHARES, SHARES], 1, 1),
    "binary cross entropy of logits": (
        lambda x, y: ops.binary_cross_entropy_with_logits(x, y),
        [X, SHARES],
        1,
        1,
    ),
    "binary cross entropies of logits": (
        lambda x, y: ops.binary_cross_entropy_with_logits(x, y, None, None, "none"),
        [X, SHARES],
        1,
        1,
    ),
    "binary cross entropy of logits, weighted": (
        lambda x, y, weight, share: ops.binary_cross_entropy_with_logits(x, y, weight, share),
        [X, SHARES, np.abs(SLOPES), np.abs(SLOPES[::-1].copy())],
        4,
        5,  # the gradients of the weights are summed
    ),
    "soft margin": (lambda x, y: ops.soft_margin_loss(x, y), [X, np.sign(Y)], 1, 1),
    "hinge": (lambda x, y: ops.hinge_embedding_loss(x, y), [X, np.sign(Y)], 1, 2),
    "mean": (lambda x: ops.mean(x), [X], 1, 1),
    "a long mean": (lambda x, y: ops.mse_loss(x, y), [LONG, LONG[::-1].copy()], 2, 1),
}


def run(function, half, given=(X, Y)):
    """Returns the result and the gradients in a dtype, and the launches of both."""
    dtype = getattr(ms, half)
    tensors = [ms.Tensor(one).astype(dtype) for one in given]
    out, pull = ms.vjp(function, *tensors)
    numbers = np.linspace(-1, 1, max(1, out.size), dtype=np.float32)
    sens = ms.Tensor(numbers.reshape(out.shape)).astype(dtype)
    pull(sens)
    with counters.counted() as forward:
        out, pull = ms.vjp(function, *tensors)
    with counters.counted() as backward:
        gradients = pull(sens)
    gradients = gradients if isinstance(gradients, tuple) else (gradients,)
    values = [one.asnumpy() for one in (out, *gradients)]
    return values, forward.launches, backward.launches


@on_devices
@in_halves
@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_operator_is_one_kernel_with_the_numbers_of_the_host(space, name, half):
    found, forward, backward = run(FUNCTIONS[name], half)
    with host():
        expected, _, _ = run(FUNCTIONS[name], half)
    agree(found, expected, half)
    if name in ONE:
        assert forward == 1 and backward <= 2  # zeros are the gradient of an unused argument


@on_devices
@in_halves
@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_reads_and_writes_halves_itself(space, name, half):
    function, given, most_forward, most_backward = KERNELS[name]
    found, forward, backward = run(function, half, given)
    with host():
        expected, _, _ = run(function, half, given)
    agree(found, expected, half)
    assert 1 <= forward <= most_forward and 1 <= backward <= most_backward


SEQUENCE, LENGTHS = RNG.normal(size=(6, 3, 4)).astype(np.float32), np.array([6, 2, 4], np.int32)
RECURRENT = {
    "LSTM": lambda dtype: nn.LSTM(4, 5, dtype=dtype),
    "LSTM both ways": lambda dtype: nn.LSTM(4, 5, bidirectional=True, dtype=dtype),
    "GRU": lambda dtype: nn.GRU(4, 5, dtype=dtype),
    "RNN": lambda dtype: nn.RNN(4, 5, dtype=dtype),
}


def run_recurrent(name, dtype, lengths):
    """Returns outputs, states and gradients of a layer with half-precision weights, and the
    launches of both passes."""
    ms.set_seed(2)
    layer, x = RECURRENT[name](dtype), ms.Tensor(SEQUENCE).astype(dtype)
    rng = np.random.default_rng(3)
    for weight in layer.get_parameters():
        rounded = rng.uniform(-0.5, 0.5, weight.shape).astype(ml_dtypes.bfloat16)
        weight.set_data(ms.Tensor(rounded.astype(np.float32)).astype(dtype))

    def everything(x):
        out, states = layer(x, None, None if lengths is None else ms.Tensor(lengths))
        return out, *(states if isinstance(states, tuple) else (states,))

    weights = list(layer.trainable_params())
    for _ in range(2):  # the first run compiles
        with counters.counted() as forward:
            out, pull = ms.vjp(everything, x, weights=weights)
        sens = tuple(ms.Tensor(np.ones(one.shape, np.float32)).astype(dtype) for one in out)
        with counters.counted() as backward:
            gradients = pull(sens)
    return flat((out, gradients)), forward.launches, backward.launches


@on_devices
@in_halves
@pytest.mark.parametrize("lengths", [None, LENGTHS], ids=["whole", "masked"])
@pytest.mark.parametrize("name", RECURRENT)
def test_a_recurrent_layer_reads_halves_step_by_step(space, name, lengths, half):
    """Halves take a few more launches than float32, whatever the number of steps: they round the
    last states and the gradients."""
    found, forward, backward = run_recurrent(name, getattr(ms, half), lengths)
    _, usual_forward, usual_backward = run_recurrent(name, ms.float32, lengths)
    with host():
        expected, _, _ = run_recurrent(name, getattr(ms, half), lengths)
    agree_as_sums(found, expected)
    if arrays.current_space().products.library is None:
        return  # the library has no product of halves with a float32 result
    ways = 1 + ("both" in name)
    assert forward <= usual_forward + ways and backward <= usual_backward + 5 * ways


def agree(found, expected, half):
    """Asserts that halves equal the expected ones up to rounding in the last bits."""
    bits = {"bfloat16": 8, "float16": 11}[half]  # of the significand
    for value, right in zip(found, expected, strict=True):
        assert value.dtype == right.dtype == HALVES[half]
        value, right = value.astype(np.float64), right.astype(np.float64)
        close(value, right, rtol=2.0 ** (1 - bits), atol=2.0 ** (-1 - bits))


@on_devices
@pytest.mark.parametrize("other", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize(
    "function", [ops.divide, ops.mse_loss, ops.huber_loss, ops.smooth_l1_loss, ops.add]
)
@in_halves
def test_gradients_have_the_dtypes_of_operands_that_differ(space, half, function, other):
    x, y = ms.Tensor(X).astype(getattr(ms, half)), ms.Tensor(Y).astype(getattr(ms, other))
    gradients = ms.grad(lambda x, y: function(x, y).sum(), (0, 1))(x, y)
    assert [gradient.dtype for gradient in gradients] == [x.dtype, y.dtype]


@on_devices
def test_a_gradient_that_is_summed_stays_float32_until_then(space):
    x = ms.Tensor(np.ones((4096, 2), np.float32)).astype(ms.bfloat16)
    bias = ms.Tensor(np.ones(2, np.float32)).astype(ms.bfloat16)
    gradient = ms.grad(lambda bias: (x * bias).astype(ms.float32).sum())(bias)
    np.testing.assert_array_equal(gradient.asnumpy().astype(np.float32), [4096, 4096])


@on_devices
@pytest.mark.parametrize("name", ["divide", "squared difference", "gelu", "softmax", "glu"])
def test_derivatives_of_second_order(space, name):
    def second(dtype):
        x, y = (ms.Tensor(one).astype(dtype) for one in (X, Y))
        function = FUNCTIONS[name] if name in FUNCTIONS else lambda x, y: KERNELS[name][0](x)
        slope = ms.grad(lambda x: function(x, y).astype(ms.float32).sum())
        return ms.grad(lambda x: (slope(x) ** 2).astype(ms.float32).sum())(x).asnumpy()

    close(second(ms.bfloat16).astype(np.float64), second(ms.float32), rtol=0.2, atol=0.2)


@on_devices
def test_a_new_number_needs_no_new_kernel(space):
    x = ms.Tensor(X).astype(ms.bfloat16)
    ops.leaky_relu(x, 0.3)
    kernels = arrays.space_of(x._array).upcast_kernels._kernels
    count = len(kernels)
    result = ops.leaky_relu(x, 0.25)
    assert len(kernels) == count
    rounded = X.astype(ml_dtypes.bfloat16).astype(np.float32)
    expected = np.where(rounded > 0, rounded, 0.25 * rounded).astype(ml_dtypes.bfloat16)
    np.testing.assert_array_equal(result.asnumpy(), expected)


@pytest.mark.parametrize(
    "body",
    [
        lambda xp, x: xp.sum(x, 1),
        lambda xp, x: xp.sum(x) * 2,
        lambda xp, x: xp.reshape(x, (-1,)),
        lambda xp, x: xp.where(x > 0, 1, 0),  # float64 on the host
        lambda xp, x: (x > 0) + (x < 1),
        lambda xp, x: xp.exp(x > 0),
        lambda xp, x: xp.cast(x, "int32"),
        lambda xp, x: x if x > 0 else -x,
    ],
)
@on_devices
def test_what_is_not_elementwise_is_left_to_the_caller(space, body):
    x = space.array(X).astype(ml_dtypes.bfloat16)
    assert space.upcast_kernels.run(body, (x,), x.dtype) is None


@on_devices
def test_a_function_that_asks_for_a_shape_is_traced_for_each(space):
    def body(xp, x):
        return x * x.shape[0]

    kernels = space.upcast_kernels
    for rows in (3, 2):
        x = space.array(X[:rows]).astype(ml_dtypes.bfloat16)
        result = kernels.run(body, (x,), x.dtype)
        expected = X[:rows].astype(ml_dtypes.bfloat16).astype(np.float32) * rows
        np.testing.assert_array_equal(arrays.to_host(result), expected.astype(ml_dtypes.bfloat16))


@on_devices
def test_a_total_of_arrays_of_several_shapes_is_a_kernel_and_a_sum(space):
    x, y = (space.array(one).astype(ml_dtypes.bfloat16) for one in (X, X[:1]))
    kernels = space.upcast_kernels
    total = kernels.run(lambda xp, x, y: xp.sum(x * y), (x, y), x.dtype)
    x, y = (arrays.to_host(one).astype(np.float32) for one in (x, y))
    assert arrays.to_host(total) == (x * y).sum().astype(ml_dtypes.bfloat16)


def test_calls_that_are_remembered_are_bounded(monkeypatch):
    monkeypatch.setattr(upcast, "MOST", 3)
    kernels = upcast.UpcastKernels(np, frozenset())
    for number in range(5):
        assert kernels.run(lambda xp, x: x, (number,), np.dtype("float32")) is None
    assert len(kernels._calls) <= 3
