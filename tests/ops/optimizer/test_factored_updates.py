"""Adafactor as a primitive against MindSpore's numbers; dtypes of the updates; what SGD leaves
unchanged.
"""

import numpy as np
import pytest
from kit import close, same

from mindspore_compat import Parameter, Tensor, ops

# MindSpore's results: (scale_parameter, first_moment, weight_decay), shape, param, exp_avg (None
# if it is unchanged)
OBSERVED = [
    (
        (False, False, False),
        (3, 2),
        [0.11487137, 0.20739111, 0.3, 0.39242861, 0.48578265, 0.57880181],
        None,
    ),
    (
        (True, True, True),
        (3, 2),
        [-0.07953767, 0.02005419, 0.11964951, 0.21923782, 0.31886214, 0.41847348],
        [0.17942083, 0.17971215, 0.17999999, 0.18029486, 0.18055367, 0.18082555],
    ),
    (
        (False, True, False),
        (4,),
        [-0.07879516, 0.02060984, 0.12000002, 0.21939018],
        [0.17879516, 0.17939016, 0.17999999, 0.18060982],
    ),
    ((True, False, True), (4,), [0.1032174, 0.2015058, 0.29975355, 0.39800125], None),
]


def parameter(values, dtype=np.float32):
    return Parameter(Tensor(np.array(values).astype(dtype)), name="p")


def factored(shape, dtype=np.float32):
    """A gradient, and the parameter with its states."""
    count = np.arange(np.prod(shape)).reshape(shape)
    states = [
        parameter((count + 1) / 10, dtype),
        parameter(np.full(shape, 0.2)),
        parameter(np.full(shape[:-1] or 1, 0.1)),
        parameter(np.full(shape[:-2] + shape[-1:], 0.2)),
        parameter(np.full(shape, 0.3)),
    ]
    return Tensor(((count - 2) / 10).astype(dtype)), states


def numbers(clip=1.0):
    return Tensor(np.float32([1e-30, 1e-3])), clip, 0.9, 0.8, 0.1, 0.03


@pytest.mark.parametrize("flags, shape, param, average", OBSERVED, ids=str)
def test_adafactor_in_place(flags, shape, param, average):
    gradient, states = factored(shape)
    out = ops.FusedAdaFactor(*flags)(*numbers(), gradient, *states)
    assert out is states[0]
    close(states[0].asnumpy().ravel(), param, atol=0)
    wanted = np.full(np.prod(shape), 0.2) if average is None else average
    close(states[1].asnumpy().ravel(), wanted)
    if len(shape) == 2:
        close(states[2], [0.085, 0.081, 0.093], atol=0)
        close(states[3], [0.16533335, 0.16733335], atol=0)
        np.testing.assert_array_equal(states[4].asnumpy(), np.full(shape, 0.3, np.float32))
    else:
        np.testing.assert_array_equal(states[2].asnumpy(), np.float32([0.1]))
        close(states[4], [0.248, 0.242, 0.24, 0.242], atol=0)


def test_adafactor_with_a_global_norm():
    gradient, states = factored((3, 2))
    ops.FusedAdaFactorWithGlobalNorm(enable_first_moment=True)(
        *numbers(), gradient, *states, Tensor(2.0)
    )
    close(
        states[0].asnumpy().ravel(),
        [-0.07925157, 0.02037364, 0.12000002, 0.21962406, 0.31926063, 0.41889268],
        atol=0,
    )


def test_adafactor_of_halves_is_worked_out_in_float32():
    gradient, states = factored((3, 2), np.float16)
    ops.FusedAdaFactor()(*numbers(), gradient, *states)
    assert states[0].dtype.__str__() == "Float16"
    close(states[0].asnumpy().ravel(), OBSERVED[0][2])


@pytest.mark.parametrize("which", [1, 2, 3, "gradient"])
def test_adafactor_refuses_shapes_and_changes_nothing(which):
    gradient, states = factored((3, 2))
    if which == "gradient":
        gradient = Tensor(np.ones((2, 2), np.float32))
    else:
        states[which] = parameter(np.ones(7))
    before = [state.asnumpy().copy() for state in states]
    with pytest.raises(ValueError, match="FusedAdaFactor"):
        ops.FusedAdaFactor(enable_first_moment=True)(*numbers(), gradient, *states)
    for state, old in zip(states, before, strict=True):
        np.testing.assert_array_equal(state.asnumpy(), old)


def test_adafactor_takes_the_elements_of_a_gradient_in_order():
    gradient, states = factored((3, 2))
    ops.FusedAdaFactor()(*numbers(), gradient, *states)
    _, others = factored((3, 2))
    ops.FusedAdaFactor()(*numbers(), gradient.reshape(1, 6), *others)
    np.testing.assert_array_equal(states[0].asnumpy(), others[0].asnumpy())


def test_adafactor_wants_two_numbers_of_epsilon():
    gradient, states = factored((4,))
    with pytest.raises(ValueError, match="epsilon"):
        ops.FusedAdaFactor()(Tensor(1e-30), *numbers()[1:], gradient, *states)


@pytest.mark.parametrize("dtype", [np.int32, np.int8, np.float64, np.complex64])
def test_momentum_of_any_number(dtype):
    variable, accumulation = parameter([5, 7], dtype), parameter([2, 3], dtype)
    ops.ApplyMomentum()(variable, accumulation, 2, Tensor(np.array([3, -1], dtype)), 3)
    assert variable.asnumpy().dtype == dtype
    np.testing.assert_array_equal(accumulation.asnumpy(), np.array([9, 8], dtype))
    np.testing.assert_array_equal(variable.asnumpy(), np.array([-13, -9], dtype))


def test_adagrad_of_complex_numbers_but_of_no_integers():
    var, accum = parameter([5 + 1j], np.complex64), parameter([2], np.complex64)
    ops.ApplyAdagrad()(var, accum, 0.5, Tensor(np.array([1j], np.complex64)))
    close(accum, [1], atol=0)
    close(var, [5 + 0.5j], atol=0)
    with pytest.raises(TypeError, match="var"):
        ops.ApplyAdagrad()(parameter([5], np.int32), parameter([2], np.int32), 0.5, Tensor([1]))


def test_a_gradient_is_converted_and_a_parameter_never():
    narrow, wide = Tensor(np.float16([0.5])), Tensor(np.float32([0.5]))
    var, accum = parameter([1.0]), parameter([0.0])
    ops.ApplyMomentum()(var, accum, 0.5, narrow, 0.9)
    same(var, [0.75])
    half, accum = parameter([1.0], np.float16), parameter([0.0], np.float16)
    with pytest.raises(TypeError, match="wider"):
        ops.ApplyMomentum()(half, accum, 0.5, wide, 0.9)
    np.testing.assert_array_equal(half.asnumpy(), np.float16([1.0]))
    m, v = parameter([0.0]), parameter([0.0])  # float32 averages with a float16 parameter
    ops.Adam()(half, m, v, 0.9, 0.999, 0.1, 0.9, 0.999, 1e-8, wide)
    close(half, [0.9], atol=0)


def test_sgd_without_momentum_leaves_its_states_alone():
    parameters, accum, stat = parameter([1.0]), parameter([0.3]), parameter([1.0])
    ops.SGD(weight_decay=0.5)(parameters, Tensor([1.0]), Tensor(0.1), accum, Tensor(0.0), stat)
    close(parameters, [0.85], atol=0)
    assert accum.asnumpy() == np.float32(0.3) and stat.asnumpy() == 1.0


def test_momentum_with_scale_and_decay():
    variable, accumulation = parameter([2.0]), parameter([1.0])
    ops.FusedWeightScaleApplyMomentum()(
        Tensor(0.1), Tensor(0.5), variable, accumulation, 0.1, Tensor([4.0]), 0.9
    )
    close(accumulation, [0.9 + 0.5 * (4 + 0.2)], atol=0)
    close(variable, [2 - 0.1 * 3.0], atol=0)
