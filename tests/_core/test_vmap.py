"""vmap against a loop over slices: alone, inside and outside of a gradient, nested; and rejected
calls.
"""

import re

import numpy
import pytest
from kit import close

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops

pytestmark = pytest.mark.quick

RANDOM = numpy.random.default_rng(3)
X = Tensor(RANDOM.normal(size=(3, 4)).astype(numpy.float32))
W = Tensor(RANDOM.normal(size=(4, 2)).astype(numpy.float32))


def score(x, w=W):
    return ops.tanh(x @ w).sum()


def looped(function, *args):
    return numpy.stack([function(*[a[i] for a in args]).asnumpy() for i in range(args[0].shape[0])])


ONE_INPUT = {  # what runs on a slice of shape (4,)
    "sum": lambda x: x.sum(),
    "mean axis": lambda x: x.mean(0),
    "max": lambda x: x.max(),
    "argmax": lambda x: x.argmax(0),
    "softmax": lambda x: ops.softmax(x),
    "reshape": lambda x: x.reshape(2, 2),
    "transpose": lambda x: x.reshape(2, 2).T,
    "expand": lambda x: ops.expand_dims(x, 0),
    "squeeze": lambda x: ops.squeeze(x.reshape(1, 4)),
    "concat": lambda x: ops.cat((x, x)),
    "stack": lambda x: ops.stack((x, x), 1),
    "slice": lambda x: x[1:3],
    "take": lambda x: x[Tensor([0, 2])],
    "cumsum": lambda x: x.cumsum(0),
    "sort": lambda x: ops.sort(x)[0],
    "topk": lambda x: ops.topk(x, 2)[0],
    "where": lambda x: ops.where(x > 0, x, 0.0),
    "matmul": lambda x: x @ W,
    "vector": lambda x: W.T @ x,
    "pow": lambda x: x**2,
    "flip": lambda x: ops.flip(x, (0,)),
    "tile": lambda x: ops.tile(x, (2,)),
    "norm": lambda x: ops.norm(x),
    "einsum": lambda x: ops.einsum("i,ij->j", x, W),
    "gather": lambda x: ops.gather(x, Tensor([1, 1]), 0),
    "var": lambda x: x.var(),
    "broadcast": lambda x: x.broadcast_to((2, 4)),
    "clamp": lambda x: ops.clamp(x, -0.5, 0.5),
    "any": lambda x: (x > 1).any(),
    "prod": lambda x: x.prod(),
    "pad": lambda x: ops.pad(x, (1, 1)),
    "swap": lambda x: ops.swapaxes(x.reshape(2, 2), 0, 1),
    "logsumexp": lambda x: ops.logsumexp(x, 0),
    "tril": lambda x: ops.tril(x.reshape(2, 2)),
}


@pytest.mark.parametrize("name", ONE_INPUT)
def test_equals_a_loop(name):
    function = ONE_INPUT[name]
    close(ms.vmap(function)(X), looped(function, X), rtol=1e-5, atol=1e-6)


def test_axes():
    close(ms.vmap(lambda a, b: a.sum() * b, (1, 0))(X, W), looped(lambda a, b: a.sum() * b, X.T, W))
    out = ms.vmap(lambda a: a * 2, 1, 1)(X)
    close(out, (X * 2).asnumpy())
    one, two = ms.vmap(lambda a: (a, a.sum()), 0, (1, 0))(X)
    assert (one.shape, two.shape) == ((4, 3), (3,))


def test_chunks_give_the_same():
    close(ms.vmap(score, chunk_size=2)(X), looped(score, X))


def test_over_a_gradient():
    close(ms.vmap(ms.grad(score))(X), looped(ms.grad(score), X))
    close(
        ms.vmap(ms.grad(score, 1), (0, None))(X, W),
        numpy.stack([ms.grad(score, 1)(X[i], W).asnumpy() for i in range(3)]),
    )


def test_weights_have_a_gradient_for_each_slice():
    weight = ms.Parameter(W, name="weight")
    per_slice = ms.vmap(ms.grad(lambda x: score(x, weight), None, weight))(X)
    close(per_slice, numpy.stack([ms.grad(score, 1)(X[i], W).asnumpy() for i in range(3)]))
    assert weight.shape == W.shape and weight._node is None


def test_under_a_gradient():
    def total(x, w):
        return ms.vmap(score, (0, None))(x, w).sum()

    def total_by_loop(x, w):
        return ops.tanh(x @ w).sum()

    close(ms.grad(total, 0)(X, W), ms.grad(total_by_loop, 0)(X, W).asnumpy(), rtol=1e-5, atol=1e-6)
    close(ms.grad(total, 1)(X, W), ms.grad(total_by_loop, 1)(X, W).asnumpy(), rtol=1e-5, atol=1e-6)


def test_nested():
    dots = ms.vmap(ms.vmap(lambda a, b: (a * b).sum(), (None, 0)), (0, None))
    close(dots(X, X), X.asnumpy() @ X.asnumpy().T)


def test_second_order_inside_and_outside():
    def curvature(x):
        return ms.grad(lambda y: ms.grad(score)(y).sum())(x)

    close(ms.vmap(curvature)(X), looped(curvature, X))
    close(ms.grad(lambda x: ms.vmap(ms.grad(score))(x).sum())(X), looped(curvature, X))


def test_jacobians_agree():
    def layer(x):
        return ops.tanh(x @ W)

    rows, columns = ms.jacrev(layer)(X[0]), ms.jacfwd(layer)(X[0])
    assert rows.shape == (2, 4)
    close(rows, columns.asnumpy())
    gradient = (1 - numpy.tanh(X[0].asnumpy() @ W.asnumpy()) ** 2)[:, None] * W.asnumpy().T
    close(rows, gradient)


@pytest.mark.parametrize("axes", [None, (None, None), "a", (0, 1.5), (0, True)])
def test_refused_axes(axes):
    one = Tensor([1.0])
    by_input, by_output = ms.vmap(lambda a, b: a + b, axes), ms.vmap(lambda a, b: a + b, 0, axes)
    with pytest.raises(RuntimeError, match="in_axes"):
        by_input(one, one)
    with pytest.raises(RuntimeError, match="out_axes"):
        by_output(one, one)


@pytest.mark.parametrize("axes", [(0, 0), (2, 0), (0, 0, 0)])
def test_axes_that_do_not_fit(axes):
    with pytest.raises(RuntimeError):
        ms.vmap(lambda a, b: a + b, axes)(X, W)


@pytest.mark.parametrize("axes", [3, -4, (0, None), (0, 0, 0)])
def test_axes_of_outputs_that_do_not_fit(axes):
    with pytest.raises(RuntimeError, match="vmap"):
        ms.vmap(lambda a: (a, a * 2), 0, axes)(X)


@pytest.mark.parametrize("chunk_size", [None, 2])
def test_an_output_that_is_the_same_in_every_slice(chunk_size):
    def parts(a):
        return a * 2, W

    mapped, same = ms.vmap(parts, 0, (0, None), chunk_size)(X)
    close(mapped, (X * 2).asnumpy())
    close(same, W.asnumpy())
    close(ms.vmap(parts, 0, (0, 1), chunk_size)(X)[1], numpy.stack([W.asnumpy()] * 3, 1))


def test_cells_may_share_one_input():
    cells = ms.nn.CellList([ms.nn.ReLU(), ms.nn.Sigmoid()])
    close(ms.vmap(cells, None)(X), numpy.stack([cell(X).asnumpy() for cell in cells]))


def test_an_op_that_looks_at_values():
    """It runs slice by slice, and its gradient with it."""
    matrices = Tensor(numpy.linspace(-1, 1, 12).reshape(3, 2, 2))
    close(ms.vmap(ops.matrix_exp)(matrices), looped(ops.matrix_exp, matrices))

    def total(m):
        return ops.matrix_exp(m).sum()

    close(ms.vmap(ms.grad(total))(matrices), looped(ms.grad(total), matrices))
    close(ms.grad(lambda m: ms.vmap(total)(m).sum())(matrices), looped(ms.grad(total), matrices))


def written(x, i, v):
    y = x * 1
    y[i] = v
    return y


def widened(x, i, v):
    y = x * 1
    y[1:3] = v
    return y


PLACES = Tensor(numpy.array([[0, 2], [1, 1], [3, 0]], numpy.int32))
VALUES = Tensor(numpy.array([[1, 2], [3, 3], [5, 6]], numpy.float32))
BY_PLACE = {
    "read": lambda x, i, v: x[i] * v,
    "written": written,
    "a slice written": widened,
    "gather": lambda x, i, v: ops.gather(x, i, 0) * v,
    "take": lambda x, i, v: x.take(i) * v,
    "embedding": lambda x, i, v: ms.mint.nn.functional.embedding(i, x.reshape(4, 1)),
    "scatter": lambda x, i, v: ops.tensor_scatter_add(x, i.expand_dims(-1), v),
    "product": lambda x, i, v: ops.tensor_scatter_mul(x, i.expand_dims(-1), v),
    "index_add": lambda x, i, v: ms.mint.index_add(x, 0, i, v),
    "rows": lambda x, i, v: ops.scatter_nd(i.expand_dims(-1), v, (4,)) + x,
}


@pytest.mark.parametrize(
    "axes", [(0, 0, 0), (None, 0, 0), (None, 0, None), (0, None, None), (None, None, 0)]
)
@pytest.mark.parametrize("name", BY_PLACE)
def test_indices_and_values_may_be_mapped_or_not(name, axes):
    function = BY_PLACE[name]
    given = [t if axis == 0 else t[0] for t, axis in zip((X, PLACES, VALUES), axes)]

    def total(*inputs):
        return (function(*inputs) ** 2).sum()

    for each in (function, ms.grad(total, (0, 2))):
        wanted = [
            each(*[t[i] if axis == 0 else t for t, axis in zip(given, axes)]) for i in range(3)
        ]
        got = ms.vmap(each, axes)(*given)
        if isinstance(got, tuple):
            got, wanted = got[0], [one[0] for one in wanted]
        close(got, numpy.stack([one.asnumpy() for one in wanted]))


def two(a, b):
    return a + b, b


@pytest.mark.parametrize(
    "in_axes, out_axes, text",
    [
        (None, 0, "The 'in_axes' of 'vmap' cannot be a single None"),
        ((0, None), [None], "The 'out_axes' of 'vmap' cannot be all None"),
        ((1.0, 0), 0, "The axis in vmap's 'in_axes' should be a None or a scalar of type Int64Imm"),
        ((-4, 0), 0, "The axis: -4 in 'in_axes' is out of bounds for array of dimension [-2,2)."),
        (0, (0, 4), "The axis: 4 in 'out_axes' is out of bounds for array of dimension [-2,2)."),
        ((0, 0, 0), 0, "'in_axes' should be equal to the number of arguments of 'fn': 2"),
        (0, (0, 0, 0), "equal to the number of results of 'fn': 2, but got size: 3."),
        (0, (None, 0), "It is invalid that source is not None and dst is None."),
        ((0, 1), 0, "'axis_size' of each argument in the scope of 'vmap' should be equal, but got"),
    ],
)
def test_what_an_error_about_axes_tells(in_axes, out_axes, text):
    x = Tensor(numpy.ones((2, 3), numpy.float32))
    with pytest.raises(RuntimeError, match=re.escape(text)):
        ms.vmap(two, in_axes, out_axes)(x, x)


def test_the_number_of_inputs_must_fit():
    with pytest.raises(TypeError, match="is 2, but the number of provided arguments is 1"):
        ms.vmap(two)(X)
    with pytest.raises(RuntimeError, match="Failed to get 'axis_size'"):
        ms.vmap(lambda *args: X)()
    close(ms.vmap(lambda a, factor=2: a * factor)(X), (X * 2).asnumpy())


@pytest.mark.parametrize("chunk_size", [None, 2])
def test_an_output_that_is_a_number(chunk_size):
    mapped = ms.vmap(lambda a: (a, (3, 2.5, True)), 0, 0, chunk_size)(X)
    assert [each.asnumpy().tolist() for each in mapped[1]] == [
        [3] * len(X),
        [2.5] * len(X),
        [True] * len(X),
    ]
    assert ms.vmap(lambda a: (a, 3), 0, (0, None), chunk_size)(X)[1] == 3
    with pytest.raises(RuntimeError, match=r"The axis: 1 .* of dimension \[-1,1\)"):
        ms.vmap(lambda a: (a, 3), 0, (0, 1), chunk_size)(X)


def test_cell_lists_that_do_not_fit():
    class Sum(nn.Cell):
        def construct(self, a, b):
            return a + b

    with pytest.raises(RuntimeError, match="must be greater than 1, but got 1"):
        ms.vmap(nn.CellList([nn.ReLU()]))(X)
    with pytest.raises(RuntimeError, match="whose elements's inputs should be consistent"):
        ms.vmap(nn.CellList([nn.ReLU(), Sum()]))(X)
    with pytest.raises(ValueError, match="we get axis_size: 5 and the cell size: 2"):
        ms.vmap(nn.CellList([nn.ReLU(), nn.ReLU()]))(Tensor(numpy.ones((5, 2))))


def test_slices_of_several_shapes_are_refused():
    with pytest.raises(ValueError, match="one shape"):
        ms.vmap(ops.nonzero)(Tensor(numpy.array([[1, 0], [1, 1]])))


def test_a_condition_on_a_batch_is_refused():
    with pytest.raises(ValueError, match="vmap"):
        ms.vmap(lambda x: x if x.sum() > 0 else -x)(X)


@pytest.mark.parametrize("size", [3, 200])
def test_gradients_of_several_uses_are_added_whatever_their_size(size):
    x = Tensor(numpy.full((2, size, size), 0.5 / size, numpy.float32))
    gradient = ms.grad(lambda x: ops.matrix_exp(x).sum())
    close(ms.vmap(gradient)(x)[0], gradient(x[0]))
