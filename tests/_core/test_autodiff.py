"""linearize, jet, derivative, Jacobians by vmap, _Function, saved_tensors_hooks, and the output
gradient as an argument.
"""

import contextlib
import math

import numpy
import pytest
from kit import close

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops
from mindspore_compat._core.autograd import tape
from mindspore_compat._core.autograd.vjp_rule import VjpRule
from mindspore_compat._core.declare.op import Op, op
from mindspore_compat._core.rules.vocabulary import Int, TensorOf

pytestmark = pytest.mark.quick

X, Y = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])


def product(x, y):
    return x * y


def pair(x, y):
    return x * y, x + y


# The sensitivity ----------------------------------------------------------------------------------


def test_sensitivity_by_position_and_by_name():
    sens = Tensor([10.0, 1.0])
    close(ms.grad(product, sens_param=True)(X, Y, sens), [30, 4])
    close(ms.grad(product, sens_param=True)(X, Y, sens=sens), [30, 4])
    value, gradient = ms.value_and_grad(pair, 1, sens_param=True)(X, Y, (sens, sens))
    close(value[0], [3, 8])
    close(gradient, [20, 3])
    gradient, (aux,) = ms.grad(pair, has_aux=True, sens_param=True)(X, Y, sens)
    close(gradient, [30, 4])
    close(aux, [4, 6])


def test_sensitivity_of_grad_operation_by_name():
    net = nn.Dense(2, 1, weight_init="ones")
    by_name = ops.GradOperation(get_by_list=True, sens_param=True)(net)
    close(by_name(X.reshape(1, 2), sens=Tensor([[2.0]]))[0], [[2, 4]])


@pytest.mark.parametrize("flag", ["has_aux", "return_ids", "sens_param"])
def test_flags_are_bools(flag):
    for transform in (ms.grad, ms.value_and_grad):
        with pytest.raises(TypeError):
            transform(product, **{flag: 1})


# Linear maps --------------------------------------------------------------------------------------


def test_linearize_gives_derivatives_along_any_direction():
    runs = []

    def fn(x, y):
        runs.append(1)
        return pair(x, y)

    out, along = ops.linearize(fn, (X, Y))
    close(out[0], [3, 8])
    for direction in ((X, Y), [Y, X]):
        found = along(direction)
        wanted = ops.jvp(pair, (X, Y), direction)[1]
        for f, w in zip(found, wanted):
            close(f, w.asnumpy())
    assert len(runs) == 1


def test_vjp_runs_the_function_once_for_all_vectors():
    runs, weight = [], ms.Parameter(Tensor([2.0, 5.0]), name="w")

    def fn(x):
        runs.append(1)
        return ops.dropout(x * weight, 0.5), x

    ms.set_seed(3)
    out, pull, aux = ms.vjp(fn, X, weights=[weight], has_aux=True)
    saved = out.asnumpy() / (X.asnumpy() * weight.asnumpy())  # 0 or 2, as it was drawn
    for vector in ([1.0, 1.0], [3.0, -1.0]):
        (by_input,), (by_weight,) = pull(Tensor(vector))
        close(by_input, saved * weight.asnumpy() * vector)
        close(by_weight, saved * X.asnumpy() * vector)
    assert len(runs) == 1 and weight._node is None
    close(aux, X.asnumpy())


def test_vjp_within_a_gradient():
    def fn(x):
        out, pull = ms.vjp(lambda a: a**3, x)
        return pull(out)[0]  # 3 x^5

    close(ms.grad(fn)(X), 15 * X.asnumpy() ** 4)


def test_linearize_of_one_input_within_a_gradient():
    def doubled(x):
        out, along = ops.linearize(lambda a: a**3, x)
        return along(x).sum()  # 3 x^3

    close(ms.grad(doubled)(X), 9 * X.asnumpy() ** 2)


def test_linearize_refuses():
    with pytest.raises(TypeError):
        ops.linearize(product, 1)
    along = ops.linearize(product, (X, Y))[1]
    with pytest.raises(TypeError):
        along(1)
    with pytest.raises(ValueError):
        along((X,))


def test_hessian_by_every_pair_of_jacobians():
    def scalar(x):
        return (x**3).prod()

    x = numpy.array([1.0, 2.0, 3.0])
    p = (x**3).prod()
    wanted = p * (9 * numpy.outer(1 / x, 1 / x) - 3 * numpy.diag(1 / x**2))
    for outer in (ms.jacfwd, ms.jacrev):
        for inner in (ms.jacfwd, ms.jacrev):
            close(outer(inner(scalar))(Tensor(x)), wanted)


@pytest.mark.parametrize("jacobian", [ms.jacfwd, ms.jacrev])
def test_jacobians_within_and_around_vmap(jacobian):
    rows = Tensor(numpy.arange(6.0).reshape(3, 2))

    def fn(x):
        return ops.sin(x) * x.sum()

    def by_row(x):
        return ms.vmap(fn)(x)

    each = ms.vmap(jacobian(fn))(rows)
    assert each.shape == (3, 2, 2)
    for i in range(3):
        close(each[i], jacobian(fn)(rows[i]).asnumpy())
    close(jacobian(by_row)(rows)[1, :, 1], each[1].asnumpy())
    assert not jacobian(by_row)(rows)[1, :, 0].asnumpy().any()


def test_jacobian_of_more_directions_than_run_at_once():
    x = Tensor(numpy.linspace(0, 1, 300))
    wanted = numpy.diag(numpy.cos(x.asnumpy()))
    close(ms.jacfwd(ops.sin)(x), wanted)
    close(ms.jacrev(ops.sin)(x), wanted)


@pytest.mark.parametrize("jacobian", [ms.jacfwd, ms.jacrev])
def test_jacobian_runs_the_function_once(jacobian):
    runs = []

    def fn(x, y):
        runs.append(1)
        return x * y, x + y, x

    found, aux = jacobian(fn, (0, 1), has_aux=True)(X, Y)
    assert len(runs) == 1
    close(found[0], numpy.diag([3, 4]))
    close(found[1], numpy.diag([1, 2]))
    close(aux[0], [4, 6])


def test_jacobians_of_a_convolution_agree():
    conv = nn.Conv2d(2, 3, 3)
    x = Tensor(numpy.random.default_rng(0).standard_normal((1, 2, 4, 4)).astype("float32"))
    close(ms.jacfwd(conv)(x), ms.jacrev(conv)(x).asnumpy())


# Curves -------------------------------------------------------------------------------------------


def test_jet_of_a_composite_along_a_curve():
    out, gradients = ops.jet(ops.exp, X, Tensor([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]))
    e = numpy.exp(X.asnumpy())
    close(out, e)
    close(gradients, numpy.stack([e, e * (1 + 2), e * (1 + 3 * 2 + 3)]))


def test_jet_of_several_inputs_and_outputs():
    series = Tensor([[1.0, 1.0], [2.0, 2.0]])
    out, gradients = ops.jet(pair, (X, Y), (series, series))
    assert isinstance(out, list) and isinstance(gradients, list)
    close(gradients[0], [[4, 6], [2 * 1 + 2 * 4, 2 * 1 + 2 * 6]])
    close(gradients[1], [[2, 2], [4, 4]])


def test_derivative_of_every_order_in_float64():
    x = Tensor(numpy.array([0.3, 1.1]))
    for order in range(1, 6):
        value, gradient = ops.derivative(ops.sin, x, order)
        close(value, numpy.sin(x.asnumpy()), 1e-12)
        close(gradient, numpy.sin(x.asnumpy() + order * math.pi / 2), 1e-12)
    assert gradient.dtype == ms.float64


def test_derivative_takes_ints_and_tuples():
    value, gradient = ops.derivative(lambda x, y: x * x * y, (Tensor([2]), Tensor([3])), 2)
    assert value.dtype == ms.float32
    close(gradient, [2 * 3 + 4 * 2])


@pytest.mark.parametrize(
    "args, error",
    [
        ((1.0, X), TypeError),
        ((X, (X,)), TypeError),
        (([X], [X]), TypeError),
        (((X, Y), (X,)), ValueError),
        ((X, Tensor([[1.0]])), ValueError),
        (((X, Y), (Tensor([[1.0, 1.0]]), Tensor([[1.0, 1.0]] * 2))), ValueError),
    ],
)
def test_jet_refuses(args, error):
    with pytest.raises(error):
        ops.jet(product, *args)


@pytest.mark.parametrize(
    "args, error",
    [
        ((1.0, 1), TypeError),
        (([X], 1), TypeError),
        ((X, 1.0), TypeError),
        ((X, True), TypeError),
        ((X, 0), ValueError),
    ],
)
def test_derivative_refuses(args, error):
    with pytest.raises(error):
        ops.derivative(ops.exp, *args)


# _Function ----------------------------------------------------------------------------------------


class Scaled(ms._Function):
    """Returns a * b * k, with gradients that differ from the derivative."""

    @staticmethod
    def forward(ctx, a, b, k):
        ctx.save_for_backward(a, b)
        ctx.k = k
        return a * b * k

    @staticmethod
    def backward(ctx, gradient):
        a, b = ctx.saved_tensors
        return gradient * b * ctx.k * 100, gradient * a * ctx.k, None


def test_function_uses_its_own_gradient():
    value, gradients = ms.value_and_grad(lambda a, b: Scaled.apply(a, b, 3), (0, 1))(X, Y)
    close(value, [9, 24])
    close(gradients[0], [900, 1200])
    close(gradients[1], [3, 6])
    close(Scaled.apply(X, Y, 3), [9, 24])


class Two(ms._Function):
    """Both outputs of `pair`, the context set up apart."""

    @staticmethod
    def forward(a, b):
        return a * b, a + b

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.set_materialize_grads(ctx.fill)

    @staticmethod
    def backward(ctx, g, h):
        ctx.seen.append(h)
        a, b = ctx.saved_tensors
        return g * b, g * a


@pytest.mark.parametrize("fill", [True, False])
def test_outputs_that_no_gradient_reached(fill):
    cls = type("Case", (Two,), {"fill": fill, "seen": []})
    gradient = ms.grad(lambda a, b: cls.apply(a, b)[0])(X, Y)
    close(gradient, [3, 4])
    if fill:
        close(cls.seen[0], [0, 0])
    else:
        assert cls.seen == [None]


def test_function_has_second_derivatives():
    class Cube(ms._Function):
        @staticmethod
        def forward(ctx, x):
            out = x**3
            ctx.save_for_backward(x, out)
            return out

        @staticmethod
        def backward(ctx, gradient):
            x, out = ctx.saved_tensors
            return gradient * 3 * out / x

    def first(x):
        return ms.grad(Cube.apply)(x)

    close(first(X), [3, 12])
    close(ms.grad(first)(X), [6, 12])


def test_non_differentiable_and_other_outputs():
    class Mixed(ms._Function):
        @staticmethod
        def forward(ctx, x):
            fixed = x * 5
            ctx.mark_non_differentiable(fixed)
            return [x * 2, fixed, "text"]

        @staticmethod
        def backward(ctx, g, h, text):
            assert text is None
            return g * 2

    def fn(x):
        one, fixed, text = Mixed.apply(x)
        assert text == "text"
        return one + fixed

    close(ms.grad(fn)(X), [2, 2])


def test_changes_in_place_do_not_reach_what_was_saved():
    class Up(ms._Function):
        @staticmethod
        def forward(ctx, x):
            x.add_(1.0)
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx, gradient):
            return gradient * 7

    def fn(x):
        before = ops.exp(x)  # keeps its result
        after = Up.apply(before)
        assert before.tolist() == after.tolist()
        return after

    close(ms.grad(fn)(X), 7 * numpy.exp(X.asnumpy()))


@pytest.mark.parametrize("gradient", [lambda g: (g, g), lambda g: g.sum()])
def test_backward_must_fit_the_inputs(gradient):
    cls = type(
        "Odd",
        (ms._Function,),
        {
            "forward": staticmethod(lambda ctx, x: x * 1),
            "backward": staticmethod(lambda ctx, g: gradient(g)),
        },
    )
    with pytest.raises(RuntimeError):
        ms.grad(cls.apply)(X)


def test_only_tensors_are_saved():
    cls = type(
        "Odd",
        (ms._Function,),
        {"forward": staticmethod(lambda ctx, x: ctx.save_for_backward(x, 1))},
    )
    with pytest.raises(RuntimeError):
        cls.apply(X)


def test_gradient_within_forward():
    class Inner(ms._Function):
        @staticmethod
        def forward(ctx, x):
            value, gradient = ms.value_and_grad(lambda a: (a**2).sum())(x)
            ctx.save_for_backward(gradient)
            return value

        @staticmethod
        def backward(ctx, g):
            return ctx.saved_tensors[0] * g

    close(ms.grad(Inner.apply)(X), [2, 4])


def test_a_gradient_within_a_pause_has_no_history():
    def fn(x):
        with ms._no_grad():
            value, gradient = ms.value_and_grad(lambda a: a**2)(x)
        return value * gradient * x

    close(ms.grad(fn)(X), 2 * X.asnumpy() ** 3)


# Saved tensors ------------------------------------------------------------------------------------


def test_saved_tensors_are_packed_and_unpacked():
    seen = []

    def pack(saved):
        seen.append(("pack", saved.tolist()))
        return (saved + 1).asnumpy()

    def unpack(packed):
        seen.append(("unpack", packed.tolist()))
        return Tensor(packed)

    def fn(x, y):
        with ms.saved_tensors_hooks(pack, unpack):
            out = x * y
        assert len(seen) == 2
        return out * 1

    gradients = ms.grad(fn, (0, 1))(X, Y)
    close(gradients[0], [4, 5])
    close(gradients[1], [2, 3])
    assert sorted(kind for kind, _ in seen) == ["pack", "pack", "unpack", "unpack"]


def test_nothing_is_packed_without_a_gradient():
    with ms.saved_tensors_hooks(lambda saved: 1 / 0, lambda packed: packed):
        close(X * Y, [3, 8])


def test_packing_reaches_the_parts_of_composed_ops_and_layers():
    net = nn.SequentialCell(nn.Dense(2, 3), nn.LayerNorm((3,)), nn.GELU(), nn.BatchNorm1d(3))
    x = Tensor(numpy.random.default_rng(0).standard_normal((4, 2)).astype("float32"))
    weights = net.trainable_params()

    def plain(x):
        return (net(x) ** 2).sum()

    def packing(x):
        with ms.saved_tensors_hooks(lambda saved: saved.asnumpy().copy(), Tensor):
            return plain(x)

    net.set_train()
    for found, wanted in zip(ms.grad(packing, None, weights)(x), ms.grad(plain, None, weights)(x)):
        close(found, wanted.asnumpy())
    second = [ms.grad(lambda x, f=f: ms.grad(f)(x).sum())(x) for f in (packing, plain)]
    close(second[0], second[1].asnumpy())


def test_the_innermost_hooks_count():
    def fn(x, y):
        with ms.saved_tensors_hooks(lambda saved: saved + 1, lambda saved: saved):
            with ms.saved_tensors_hooks(lambda saved: saved + 10, lambda saved: saved):
                out = x * y
            return out * y

    close(ms.grad(fn)(X, Y), [(3 + 1) * (3 + 10), (4 + 1) * (4 + 10)])


def test_a_pack_hook_cannot_change_what_it_is_shown():
    def fn(x, y):
        with ms.saved_tensors_hooks(lambda saved: saved.add_(1.0), lambda saved: saved):
            return x * y

    close(ms.grad(fn)(X, Y), [4, 5])
    close(Y, [3, 4])


def test_hooks_as_a_decorator():
    fn = ms.register_saved_tensors_hooks(lambda saved: saved + 1, lambda saved: saved)(product)
    close(ms.jit(ms.grad(fn))(X, Y), [4, 5])


def test_hooks_are_refused():
    with pytest.raises(TypeError), ms.saved_tensors_hooks(1, 2):
        raise AssertionError("entered")
    with pytest.raises(TypeError):
        ms.grad(ms.register_saved_tensors_hooks(lambda saved: saved, lambda saved: 5)(product))(
            X, Y
        )
    assert ms._core.autograd.tape.depth.packing is None


# recompute ----------------------------------------------------------------------------------------


def test_contexts_of_both_runs():
    entered = []

    @contextlib.contextmanager
    def noted(name):
        entered.append(name)
        yield

    net = nn.Dense(2, 1, weight_init="ones", has_bias=False)

    def contexts():
        return noted("first"), noted("second")

    def fn(x, **more):
        return ms.recompute(net, x, context_fn=contexts, **more)

    x = X.reshape(1, 2)
    close(ms.grad(lambda x: fn(x, use_reentrant=False))(x), [[1, 1]])
    assert entered == ["first", "second"]
    with pytest.raises(ValueError, match="use_reentrant=False"):
        ms.grad(fn)(x)
    assert entered == ["first", "second"]
    with pytest.raises(ValueError, match="two context managers"):
        ms.recompute(net, x, use_reentrant=False, context_fn=lambda: 1)


def test_a_parameter_that_is_asked_for_twice():
    weight, other = (ms.Parameter(Tensor([1.0, 2.0]), name=name) for name in "wv")

    def function(x):
        return (weight * other * x).sum()

    x = Tensor(3.0)
    for found in (
        ms.grad(function, None, [weight, other, weight])(x),
        ms.ops.GradOperation(get_by_list=True)(function, [weight, other, weight])(x),
        ms.ops.vjp(function, x, weights=[weight, other, weight])[1](Tensor(1.0))[1],
    ):
        assert [each.asnumpy().tolist() for each in found] == [[3.0, 6.0]] * 3


# The backward pass --------------------------------------------------------------------------------


def mixed(x, y):
    """A function with broadcasts, inputs that are used twice, several outputs, and rules of every
    kind."""
    low, high = ops.split(x * y[:1] + ops.tanh(x), 2)
    normal = ops.layer_norm(x * x, (4,), y, y, 1e-5)
    return (low * high).sum() + ops.concat([normal, x]).mean() + ops.matmul(x, y).sum()


def test_the_gradient_of_a_scalar_takes_the_straight_line(monkeypatch):
    """Arithmetic on arrays without axes gives NumPy scalars."""
    monkeypatch.setattr(tape, "as_gradient", lambda g: pytest.fail("took the general path"))
    x, y = Tensor([1.0, 3.0]), Tensor([0.0, 1.0])
    found = ms.grad(lambda x, y: ops.mean(ops.square(x - y)) / 4 * 2, (0, 1))(x, y)
    numpy.testing.assert_array_equal(found[0].asnumpy(), [0.5, 1.0])
    numpy.testing.assert_array_equal(found[1].asnumpy(), [-0.5, -1.0])


def test_several_outputs_are_recorded_by_the_straight_line(monkeypatch):
    monkeypatch.setattr(Op, "_finish", lambda *_: pytest.fail("took the general path"))

    @op(compute="native")
    def product_and_sum(xp, x: TensorOf(), k: Int):
        return x * k, x + k

    product_and_sum.vjp(x=lambda xp, g, k: g[0] * k + g[1])
    found = ms.grad(lambda x: sum(product_and_sum.run(x, 3)).sum())(Tensor([1.0, 2.0]))
    numpy.testing.assert_array_equal(found.asnumpy(), [4.0, 4.0])


def test_straight_line_gradients_have_the_bits_of_the_general_path():
    x = Tensor(numpy.linspace(-1, 2, 16, dtype=numpy.float32).reshape(4, 4))
    y = Tensor(numpy.linspace(0.5, 1, 4, dtype=numpy.float32))
    gradients = ms.grad(mixed, (0, 1))
    straight = gradients(x, y)
    with ms.saved_tensors_hooks(lambda t: t, lambda t: t):  # packed values take the general path
        general = gradients(x, y)
    for one, other in zip(straight, general, strict=True):
        numpy.testing.assert_array_equal(one.asnumpy(), other.asnumpy())


def test_a_leaf_arrives_even_if_a_use_of_it_gets_no_gradient():
    shape, dtype = (2,), numpy.dtype("float32")
    double = VjpRule("double", ["x"], {"x": lambda xp, g: 2 * g})
    end = tape.leaf(None, shape, dtype)
    cut = VjpRule("cut", ["x"], {"x": lambda xp, g: None})
    unused = tape.record(double, (end,), (), ((shape, dtype),))
    roots = [
        tape.record(cut, (unused,), (), ((shape, dtype),)),
        tape.record(double, (end,), (), ((shape, dtype),)),
    ]
    found = []
    ones = numpy.ones(shape, dtype)
    result = tape.backward(
        roots, [ones, ones], [end], False, arrived=lambda node, g: found.append((node, g))
    )
    assert [node for node, _ in found] == [end]
    numpy.testing.assert_array_equal(result[0], [2, 2])
    numpy.testing.assert_array_equal(found[0][1], [2, 2])
