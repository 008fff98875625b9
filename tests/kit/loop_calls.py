"""One call for each function that compiled loops serve: a call of a public operator, or of a
function that optimizers call. This module imports no module of loops.
"""

import numpy as np

import mindspore_compat as ms
from kit import normal
from mindspore_compat import Tensor, mint, nn, ops
from mindspore_compat._backend import block_inverse


def float32(*shape, seed=0):
    return Tensor(normal(*shape, seed=seed).astype(np.float32))


def indices(count, *shape):
    rng = np.random.default_rng(1)
    return Tensor(rng.integers(0, count, shape))


def gradients(function, *tensors):
    """Returns the value of a function and its gradients with respect to all tensors."""
    value, grads = ms.value_and_grad(function, tuple(range(len(tensors))))(*tensors)
    return value, *grads


def convolution(groups, *size):
    """Returns a convolution of images, and its gradients."""
    x, w = float32(2, 16, *size), float32(16, 16 // groups, 3, 3, seed=1)
    return gradients(lambda x, w: ops.conv2d(x, w, padding=1, pad_mode="pad", groups=groups), x, w)


def lstm():
    """Returns an LSTM, and its gradients."""
    layer = nn.LSTM(4, 8)
    for seed, weight in enumerate(layer.trainable_params()):
        weight.set_data(float32(*weight.shape, seed=seed))
    states = float32(1, 6, 8), float32(1, 6, 8)
    return gradients(lambda x: layer(x, states)[0], float32(5, 6, 4))


def ctc():
    """Returns a CTC loss, and its gradient."""
    labels = Tensor(np.array([[1, 2, 2], [3, 1, 0]], np.int32))
    return gradients(
        lambda x: ops.ctc_loss(ops.log_softmax(x, 2), labels, (9, 7), (3, 2))[0], float32(9, 2, 5)
    )


def grid_sample():
    """Returns samples of images at the points of a grid, and their gradients."""
    return gradients(ops.grid_sample, float32(2, 3, 5, 6), float32(2, 4, 3, 2, seed=1))


def between_blocks():
    blocks = [normal(2, 128, 128, seed=seed).astype(np.float32) for seed in (1, 2)]
    x = normal(200, 256).astype(np.float32)
    products = block_inverse.between_blocks([(blocks[0], x, blocks[1])])
    return [Tensor(product) for product in products]


def drawn(draw, *args):
    """Returns random numbers of a seed."""
    ms.set_seed(3)
    return draw(*args)


# name at the door -> a call that asks the door for that name
CALLS = {
    "add_along_axis": lambda: ops.tensor_scatter_elements(
        float32(9, 5), indices(9, 7, 5), float32(7, 5, seed=1), 0, "add"
    ),
    "segment_sum": lambda: gradients(lambda x: ops.embedding(indices(9, 30), x), float32(9, 20)),
    "add_slices": lambda: gradients(
        lambda x: ops.index_select(x, 1, indices(9, 30)), float32(40, 9, 5)
    ),
    "argmax": lambda: ops.argmax(float32(9, 20), 0),
    "broadcast": lambda: float32(512, 128) * float32(128, seed=1),  # large: see Least.SPACE
    "bodies": lambda: ops.softmax(float32(9, 20)),
    "cast_float16": lambda: float32(100).astype(ms.float16).astype(ms.float32),
    "clip_one_side": lambda: ops.relu(float32(9, 20)),
    "columns": lambda: ops.unfold(float32(2, 3, 6, 6), 2),
    "convolve": lambda: convolution(1, 8, 8)[0],
    "convolve_input_gradient": lambda: convolution(1, 8, 8),
    "convolve_weight_gradient": lambda: convolution(1, 8, 8),
    "ctc_losses": ctc,
    "ctc_occupation": ctc,
    "cumprod": lambda: ops.cumprod(float32(9, 20), 1),
    "cumsum": lambda: ops.cumsum(float32(9, 20), 1),
    "depthwise_convolve": lambda: convolution(16, 8, 8)[0],
    "depthwise_input_gradient": lambda: convolution(16, 8, 8),
    "depthwise_weight_gradient": lambda: convolution(16, 8, 8),
    "differences_of_rows": lambda: mint.diff(float32(300, 128)),  # large: see Least.SPACE
    "extreme_of_rows": lambda: ops.amax(float32(9, 1 << 15), 1),
    "reversed_rows": lambda: ops.flip(float32(300, 128), (1,)),  # large: see Least.SPACE
    "row_sums": lambda: ops.sum(float32(9, 1 << 15), 1),
    "float32_pairs": lambda: ops.hypot(float32(9, 20), float32(9, 20, seed=1)),
    "extremes_so_far": lambda: ops.cummax(float32(9, 20), 1),
    "linear_recurrence": lambda: ops.logcumsumexp(float32(9, 20), 1),
    "matmul": lambda: (
        ops.matmul(float32(9, 20), float32(20, 32, seed=1)),
        ops.matmul(float32(300, 20), float32(20, 32, seed=1)),
    ),
    "matmul_between_blocks": between_blocks,
    "matmul_stack": lambda: ops.matmul(float32(3, 9, 16), float32(3, 16, 16, seed=1)),
    "average_pool": lambda: ops.avg_pool2d(float32(2, 3, 8, 8), 2),
    "average_pool_gradient": lambda: gradients(
        lambda x: ops.avg_pool2d(x, 2, 2), float32(2, 3, 8, 8)
    ),
    "max_pool": lambda: ops.max_pool2d(float32(2, 3, 8, 8), 2),
    "max_pool_gradient": lambda: gradients(lambda x: ops.max_pool2d(x, 2), float32(2, 3, 8, 8)),
    "prod": lambda: ops.prod(float32(3000, 20), 1),  # large: see Least.SPACE
    "products_of_others": lambda: gradients(lambda x: ops.prod(x, 1), float32(9, 20)),
    "recurrence": lambda: lstm()[0],
    "recurrence_vjp": lstm,
    "standard_normal": lambda: drawn(ops.randn, 9),
    "sum": lambda: ops.sum(float32(3000, 20), 0),  # large: see Least.SPACE
    "sample_points": lambda: grid_sample()[0],
    "set_along_axis": lambda: ops.tensor_scatter_elements(
        float32(9, 5), indices(9, 7, 5), float32(7, 5, seed=1), 0
    ),
    "slope_points": grid_sample,
    "spread_points": grid_sample,
    "take": lambda: ops.embedding(indices(9, 30), float32(9, 20)),
    "apply_taps": lambda: ops.interpolate(
        float32(1, 1, 9, 20), size=(18, 40), mode="bilinear", align_corners=False
    ),
    "take_columns": lambda: mint.index_select(float32(40, 9), 1, indices(9, 30)),
    "take_along_axis": lambda: ops.gather_elements(float32(9, 5), 0, indices(9, 7, 5)),
    "top_k": lambda: ops.topk(float32(9, 20), 3),
    "total": lambda: ops.sum(float32(300, 500)),  # large: see Least.SPACE
    "twister": lambda: drawn(ops.rand, 3000),
    "where": lambda: ops.where(float32(9, 20) > 0, float32(9, 20), float32(9, 20, seed=1)),
}


def values(result):
    """Returns the arrays of a result."""
    if isinstance(result, (tuple, list)):
        return [array for part in result for array in values(part)]
    return [result.asnumpy()]
