"""mindspore.parallel.nn: networks on slices of a batch, parameters shared by pipeline stages."""

import numpy as np
import pytest
from kit import same

import mindspore_compat as ms
from mindspore_compat import Tensor, nn
from mindspore_compat.parallel import nn as parallel_nn
from mindspore_compat.parallel.nn import parallel_cell_wrapper


class Total(nn.Cell):
    """Multiplies a batch by a weight, squares it, and sums over the first axis."""

    def __init__(self):
        super().__init__()
        self.weight = ms.Parameter(Tensor([2.0, 3.0]), "weight")

    def construct(self, x):
        return (x * x * self.weight).sum(0)


BATCH = np.arange(8, dtype=np.float32).reshape(4, 2)


@pytest.mark.parametrize(
    "wrapper",
    [
        parallel_nn.GradAccumulation,
        parallel_nn.MicroBatchInterleaved,
        parallel_nn.Pipeline,
        parallel_nn.PipelineCell,
    ],
)
@pytest.mark.parametrize("slices", [1, 2, 4])
def test_slices_make_the_whole(space, wrapper, slices):
    net = Total()
    whole, wrapped = net, wrapper(net, slices)
    x = Tensor(BATCH)
    same(wrapped(x), whole(x).asnumpy())
    gradients = [ms.grad(each, None, net.trainable_params())(x) for each in (whole, wrapped)]
    same(gradients[1][0], gradients[0][0].asnumpy())


@pytest.mark.parametrize(
    "wrapper",
    [parallel_nn.GradAccumulation, parallel_nn.MicroBatchInterleaved, parallel_nn.Pipeline],
)
def test_slices_are_of_one_length(wrapper):
    with pytest.raises(ValueError):
        wrapper(Total(), 3)(Tensor(BATCH))
    with pytest.raises(ValueError, match=wrapper.__name__):
        wrapper(Total(), 0)
    with pytest.raises(TypeError, match=wrapper.__name__):
        wrapper(Total(), "2")


def test_stages_are_noted():
    net = nn.SequentialCell(nn.Dense(2, 2), nn.Dense(2, 2))
    parallel_nn.Pipeline(net, 2, stage_config={"1": 1}, segment_config={"0": 3})
    assert net[1].pipeline_stage == 1 and net[0].pipeline_segment == 3
    with pytest.raises(KeyError, match="absent"):
        parallel_nn.Pipeline(net, 2, stage_config={"absent": 0})
    for wrapper in (parallel_nn.Pipeline, parallel_nn.GradAccumulation):
        with pytest.raises(TypeError, match="network"):
            wrapper(3, 2)


def test_the_classes_are_those_of_nn_too():
    assert issubclass(parallel_nn.Pipeline, parallel_nn.PipelineCell)
    assert issubclass(parallel_nn.PipelineCell, nn.PipelineCell)
    assert parallel_cell_wrapper.GradAccumulation is parallel_nn.GradAccumulation


def test_shared_parameters_are_one_object():
    net = nn.SequentialCell(Total(), Total())
    net[1].weight = net[0].weight
    net[0].weight.set_data(Tensor([5.0, 6.0]))
    ms.parallel.sync_pipeline_shared_parameters(net)
    np.testing.assert_array_equal(net[1].weight.asnumpy(), [5.0, 6.0])
    with pytest.raises(TypeError, match="'net'"):
        ms.sync_pipeline_shared_parameters(3)
