"""Parameters: construction, assignment, names, copies, and delayed initialization."""

import pickle

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, ParameterTuple, Tensor, nn, ops
from mindspore_compat.common.initializer import initializer

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    "value, dtype, shape",
    [
        (3, ms.int32, ()),
        (0.5, ms.float32, ()),
        ([1.0, 2.0], ms.float32, (2,)),
        (np.ones((2, 3)), ms.float64, (2, 3)),
        (Tensor([1, 2], ms.float16), ms.float16, (2,)),
        (initializer("ones", (4,)), ms.float32, (4,)),
    ],
)
def test_made_from(value, dtype, shape):
    param = Parameter(value, name="p")
    assert (param.dtype, param.shape, param.name, param.requires_grad) == (dtype, shape, "p", True)


@pytest.mark.parametrize(
    "arguments, error",
    [
        ({"default_input": "text"}, TypeError),
        ({"default_input": None}, TypeError),
        ({"default_input": True}, ValueError),
        ({"default_input": 1, "name": 3}, ValueError),
        ({"default_input": 1, "requires_grad": 1}, TypeError),
    ],
)
def test_refusals(arguments, error):
    with pytest.raises(error):
        Parameter(**arguments)


def test_a_parameter_does_not_share_its_tensor():
    source = Tensor([1.0, 2.0])
    ops.assign_add(Parameter(source), Tensor([1.0, 1.0]))
    assert source.asnumpy().tolist() == [1, 2]


def test_ops_write_in_place():
    param = Parameter(Tensor([1.0, 2.0], ms.float32))
    array = param._array
    ops.assign_add(param, Tensor([1.0, 1.0]))
    ops.assign(param, param + 1)
    param[0] = 7.0
    assert param._array is array
    assert param.asnumpy().tolist() == [7, 4]


def test_new_values_are_cast_and_may_have_another_shape():
    param = Parameter(Tensor([1.0, 2.0], ms.float32))
    assert param.set_data(Tensor([[3], [4], [5]], ms.int32)) is param
    assert (param.shape, param.dtype) == ((3, 1), ms.float32)


def test_new_values_are_taken_over_where_the_dtype_fits():
    param, source = Parameter(Tensor([1.0, 2.0])), Tensor([3.0, 4.0])
    param.set_data(source)
    param[0] = 9.0
    assert source.asnumpy().tolist() == [9, 4]


@pytest.mark.parametrize("wrong", [0.5, "text", [1], None])
def test_new_values_of_another_type(wrong):
    with pytest.raises(TypeError):
        Parameter(Tensor([1, 2], ms.int32)).set_data(wrong)


def test_arithmetic_gives_tensors():
    param = Parameter(Tensor([1.0]))
    assert type(param + 1) is Tensor
    assert type(-param) is Tensor


def test_a_clone_has_values_and_flags_of_its_own():
    param = Parameter(Tensor([1.0, 2.0]), name="w", requires_grad=False)
    same, zero = param.clone(), param.clone("zeros")
    param.set_data(Tensor([9.0, 9.0]))
    assert same.asnumpy().tolist() == [1, 2]
    assert zero.asnumpy().tolist() == [0, 0]
    assert not same.requires_grad


def test_pickling_keeps_name_flags_and_values():
    param = Parameter(Tensor([1.0, 2.0]), name="w", requires_grad=False, layerwise_parallel=True)
    other = pickle.loads(pickle.dumps(param))
    assert isinstance(other, Parameter)
    assert (other.name, other.requires_grad, other.layerwise_parallel) == ("w", False, True)
    assert other.asnumpy().tolist() == [1, 2]


def test_a_tuple_clones_under_a_prefix():
    params = ParameterTuple([Parameter(Tensor([1.0]), name=name) for name in "ab"])
    moments = params.clone("moment", "zeros")
    assert [p.name for p in moments] == ["moment.a", "moment.b"]
    assert all(p.asnumpy().tolist() == [0] for p in moments)


@pytest.mark.parametrize("wrong", [[1], [Tensor([1.0])], 3])
def test_a_tuple_holds_parameters_only(wrong):
    with pytest.raises(TypeError):
        ParameterTuple(wrong)


# Putting off the draw -----------------------------------------------------------------------------


def test_values_are_drawn_when_they_are_needed():
    with nn.no_init_parameters():
        layer = nn.Dense(3, 2)
    assert layer.weight.has_init
    assert (layer.weight.shape, layer.weight.dtype) == ((2, 3), ms.float32)
    assert layer.weight.has_init  # neither shape nor dtype needs the values
    assert layer(ops.ones((1, 3))).shape == (1, 2)
    assert not layer.weight.has_init


def test_values_that_are_set_need_no_draw():
    with nn.no_init_parameters():
        layer = nn.Dense(3, 2)
    state = ms.get_rng_state()
    layer.weight.set_data(ops.ones((2, 3)))
    layer.bias.set_data(ops.zeros((2,)))
    assert layer(ops.ones((1, 3))).asnumpy().tolist() == [[3, 3]]
    assert ms.get_rng_state().asnumpy().tolist() == state.asnumpy().tolist()


def test_all_values_of_a_cell_are_drawn_at_once():
    with nn.no_init_parameters():
        net = nn.SequentialCell(nn.Dense(3, 2), nn.Dense(2, 1))
    net.init_parameters_data()
    assert not any(p.has_init for p in net.get_parameters())


def test_outside_of_the_context_values_are_drawn_at_once():
    with nn.no_init_parameters():
        pass
    assert not nn.Dense(3, 2).weight.has_init


class Scaled(nn.Cell):
    """Returns the sum of the inputs times the parameter, as the function `read` reads it."""

    def __init__(self, read):
        super().__init__()
        self.weight = Parameter(Tensor([1.0, 2.0, 3.0]), name="weight")
        self.read = read

    def construct(self, x):
        """One number."""
        return (self.read(self.weight) * x).sum()


@pytest.mark.parametrize(
    "read",
    [
        lambda w: w,
        lambda w: w.value(),
        lambda w: w.init_data(),
        lambda w: w[...],
        lambda w: w.view(3),
        lambda w: w.astype(ms.float32),
        lambda w: ops.depend(w, 1),
        lambda w: ops.stack(list(w)),
        lambda w: ms.numpy.array(w),
        lambda w: ms.mutable(w),
        lambda w: ParameterTuple((w,))[0],
    ],
    ids=[
        "itself",
        "value",
        "init_data",
        "index",
        "view",
        "astype",
        "depend",
        "rows",
        "array",
        "mutable",
        "tuple",
    ],
)
def test_a_gradient_goes_through_every_way_to_the_values(read):
    net = Scaled(read)
    x = Tensor([2.0, 5.0, 7.0])
    (by_list,) = ops.GradOperation(get_by_list=True)(net, net.trainable_params())(x)
    assert by_list.asnumpy().tolist() == [2, 5, 7]
    (by_name,) = ms.grad(net, None, net.trainable_params())(x)
    assert by_name.asnumpy().tolist() == [2, 5, 7]


def test_data_and_values_that_are_read_unrecorded_carry_no_gradient():
    def unrecorded(weight):
        with ms._no_grad():
            return weight.value()

    for read in (lambda w: w.data, lambda w: ops.stop_gradient(w.value()), unrecorded):
        net = Scaled(read)
        (gradient,) = ms.grad(net, None, net.trainable_params())(Tensor([2.0, 5.0, 7.0]))
        assert gradient.asnumpy().tolist() == [0, 0, 0]
