"""Cells around networks: their results, and that a training step runs its network once."""

import numpy as np
import pytest
from kit import close

from mindspore_compat import Tensor, nn, ops, parallel
from mindspore_compat.common.parameter import Parameter

pytestmark = pytest.mark.quick


class Squares(nn.Cell):
    """A loss: the mean square of the difference."""

    def construct(self, out, label):
        return ((out - label) ** 2).mean()


class Counting(nn.Cell):
    """A network that counts its calls, with a batch norm and a dropout inside."""

    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(3, 4)
        self.norm = nn.BatchNorm1d(4, momentum=0.5)
        self.drop = nn.Dropout(p=0.5)
        self.calls = 0

    def construct(self, x):
        self.calls += 1
        return self.drop(self.norm(self.dense(x)))


def data(rows=6, columns=3, out=4):
    rng = np.random.default_rng(1)
    return (
        Tensor(rng.standard_normal((rows, columns)).astype(np.float32)),
        Tensor(rng.standard_normal((rows, out)).astype(np.float32)),
    )


def test_with_loss_and_with_eval(space):
    net, loss = nn.Dense(3, 4), Squares()
    x, y = data()
    with_loss = nn.WithLossCell(net, loss)
    assert with_loss.backbone_network is net
    assert [p.name for p in with_loss.trainable_params()] == ["weight", "bias"]
    expected = ((net(x).asnumpy() - y.asnumpy()) ** 2).mean()
    assert with_loss(x, y).asnumpy() == pytest.approx(expected, rel=1e-5)
    value, out, label = nn.WithEvalCell(net, loss)(x, y)
    assert value.asnumpy() == pytest.approx(expected, rel=1e-5) and label is y
    half = nn.WithEvalCell(net.to_float(Tensor(np.float16(0)).dtype), loss, True)(x, y)
    assert str(half[1].dtype) == "Float32"
    with pytest.raises(TypeError, match="add_cast_fp32"):
        nn.WithEvalCell(net, loss, 1)
    assert nn.WithEvalCell(net, None)(x, y)[0] == 0


def test_with_grad_and_forward_value_and_grad(space):
    net, loss = nn.Dense(3, 4), Squares()
    x, y = data()
    both = nn.WithLossCell(net, loss)
    weights = net.trainable_params()
    value, gradients = ops.value_and_grad(both, (0, 1), weights)(x, y)
    for found, expected in zip(nn.WithGradCell(net, loss)(x, y), gradients[1], strict=True):
        np.testing.assert_array_equal(found.asnumpy(), expected.asnumpy())
    doubled = nn.WithGradCell(both, sens=Tensor(2.0))(x, y)
    close(doubled[0], 2 * gradients[1][0].asnumpy())
    whole = nn.ForwardValueAndGrad(both, weights, get_all=True, get_by_list=True)(x, y)
    assert whole[0].asnumpy() == value.asnumpy() and len(whole[1][0]) == 2
    np.testing.assert_array_equal(whole[1][1][1].asnumpy(), gradients[1][1].asnumpy())
    first = nn.ForwardValueAndGrad(both)(x, y)
    np.testing.assert_array_equal(first[1].asnumpy(), gradients[0][0].asnumpy())
    scaled = nn.ForwardValueAndGrad(both, weights, get_by_list=True, sens_param=True)(
        x, y, Tensor(3.0)
    )
    close(scaled[1][0], 3 * gradients[1][0].asnumpy())
    function = nn.ForwardValueAndGrad(lambda a: (a * a).sum())(x)
    close(function[1], 2 * x.asnumpy(), rtol=1e-6, atol=0)


@pytest.mark.parametrize(
    "arguments",
    [
        (1,),
        (nn.ReLU(), None, 1),
        (nn.ReLU(), None, False, 1),
        (nn.ReLU(), 1, False, True),
        (nn.ReLU(), None, False, True),
        (nn.ReLU(), None, False, False, 1),
    ],
    ids=str,
)
def test_forward_value_and_grad_refuses(arguments):
    with pytest.raises(TypeError, match="ForwardValueAndGrad"):
        nn.ForwardValueAndGrad(*arguments)


def test_a_training_step_runs_its_network_once(space):
    net = Counting()
    x, y = data()
    both = nn.WithLossCell(net, Squares())
    step = nn.TrainOneStepCell(both, nn.SGD(net.trainable_params(), 0.1)).set_train()
    mean = net.norm.moving_mean.asnumpy().copy()
    batch_mean = net.dense(x).asnumpy().mean(0)
    for count in range(1, 4):
        step(x, y)
        assert net.calls == count
        if count == 1:
            close(net.norm.moving_mean, 0.5 * (mean + batch_mean))
    net(x)
    assert net.calls == 4 and not net.__dict__.get("_cell_around")


def test_the_gradient_is_that_of_the_loss_returned():
    """A second forward pass would draw other dropout masks, and the loss would not match the
    update."""
    net = nn.Dropout(p=0.5).set_train()

    class Scaled(nn.Cell):
        def __init__(self):
            super().__init__()
            self.scale = Parameter(Tensor(np.ones(2000, np.float32)), name="scale")
            self.drop = net

        def construct(self, x):
            return self.drop(self.scale * x).sum()

    inner = Scaled()
    step = nn.TrainOneStepCell(inner, nn.SGD(inner.trainable_params(), 1.0), return_grad=True)
    loss, grads = step(Tensor(np.ones(2000, np.float32)))
    assert grads["scale"].asnumpy().sum() == pytest.approx(float(loss), rel=1e-6)


@pytest.mark.parametrize("sens", [None, 1, 8.0])
def test_the_sensitivity_of_a_step(sens):
    net, (x, y) = nn.Dense(3, 4), data()
    both = nn.WithLossCell(net, Squares())
    expected = ops.grad(both, None, net.trainable_params())(x, y)
    step = nn.TrainOneStepCell(both, nn.SGD(net.trainable_params(), 0.1), sens, True)
    _, found = step(x, y)
    for name, gradient in zip(("weight", "bias"), expected, strict=True):
        close(found[name], gradient.asnumpy() * (sens or 1))


def test_a_step_that_fails_leaves_no_trace():
    net, (x, y) = nn.Dense(3, 4), data()
    both = nn.WithLossCell(net, Squares())
    step = nn.TrainOneStepCell(both, nn.SGD(net.trainable_params(), 0.1))
    with pytest.raises((ValueError, TypeError)):
        step(x, Tensor(np.ones((5, 7), np.float32)))
    assert not both.__dict__.get("_cell_around") and net.weight._node is None
    step(x, y)


class OtherInputs(nn.TrainOneStepCell):
    """Computes loss and gradient at different inputs, so no pass may be reused."""

    def construct(self, x, y):
        loss = self.network(x, y)
        grads = self.grad_no_sens(self.network, self.weights)(x * 2, y)
        self.optimizer(grads)
        return loss


def test_a_gradient_at_other_inputs_is_taken_there():
    net, (x, y) = nn.Dense(3, 4), data()
    both = nn.WithLossCell(net, Squares())
    before = net.weight.asnumpy().copy()
    expected = ops.grad(both, None, net.trainable_params())(x * 2, y)[0].asnumpy()
    OtherInputs(both, nn.SGD(net.trainable_params(), 1.0))(x, y)
    close(before - net.weight.asnumpy(), expected)


def test_parameter_update():
    net = nn.Dense(3, 4)
    update = nn.ParameterUpdate(net.weight)
    update.phase = "update_param"
    values = Tensor(np.arange(12, dtype=np.float32).reshape(4, 3))
    np.testing.assert_array_equal(update(values).asnumpy(), net.weight.asnumpy())
    np.testing.assert_array_equal(net.weight.asnumpy(), values.asnumpy())
    with pytest.raises(ValueError):
        update(Tensor(np.ones((2, 2), np.float32)))
    with pytest.raises(TypeError, match="ParameterUpdate"):
        nn.ParameterUpdate(1)


@pytest.mark.parametrize(
    "make",
    [
        nn.MicroBatchInterleaved,
        nn.GradAccumulationCell,
        nn.PipelineCell,
        parallel.nn.GradAccumulation,
        parallel.nn.MicroBatchInterleaved,
        parallel.nn.Pipeline,
        parallel.nn.PipelineCell,
    ],
)
def test_slices_of_a_batch(make):
    both, (x, y) = nn.WithLossCell(nn.Dense(3, 4), Squares()), data()
    expected = sum(float(both(x[i : i + 2], y[i : i + 2])) for i in (0, 2, 4))
    assert float(make(both, 3)(x, y)) == pytest.approx(expected, rel=1e-5)
    assert float(make(both, True)(x, y)) == pytest.approx(float(both(x, y)), rel=1e-5)
    for size, error in ((0, ValueError), (False, ValueError), (1.5, TypeError), ("a", TypeError)):
        with pytest.raises(error, match=make.__name__):
            make(both, size)
    with pytest.raises(ValueError, match="divisible"):
        make(both, 4)(x, y)


@pytest.mark.parametrize("make", [nn.PipelineCell, parallel.nn.Pipeline])
def test_a_pipeline_notes_its_stages(make):
    net = nn.SequentialCell(nn.Dense(3, 4), nn.Dense(4, 2))
    make(net, 2, stage_config={"0": 0, "1": 1}, segment_config={"1": 2})
    assert net[1].pipeline_stage == 1 and net[1].pipeline_segment == 2
    with pytest.raises(KeyError, match="missing"):
        make(net, 2, stage_config={"missing": 0})


def test_virtual_dataset_cell_triple():
    class Sum(nn.Cell):
        def construct(self, a, b, c):
            return a + b + c

    assert float(nn.VirtualDatasetCellTriple(Sum())(*[Tensor(1.0)] * 3)) == 3


@pytest.mark.parametrize("degree", [0, -1, 1.5, "a", True])
def test_degrees_refused(degree):
    with pytest.raises(ValueError, match="degree"):
        nn.DistributedGradReducer([], degree=degree)


def test_a_process_alone_reduces_nothing():
    weights = nn.Dense(3, 4).trainable_params()
    grads = tuple(Tensor(np.ones(p.shape, np.float32)) for p in weights)
    for found, grad in zip(nn.DistributedGradReducer(weights)(grads), grads, strict=True):
        np.testing.assert_array_equal(found.asnumpy(), grad.asnumpy())
    weights[1].layerwise_parallel = True
    halved = nn.DistributedGradReducer(weights, mean=True, degree=2)(grads)
    assert [float(each.asnumpy().flat[0]) for each in halved] == [0.5, 1.0]
