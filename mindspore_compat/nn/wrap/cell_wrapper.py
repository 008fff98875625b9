"""Cells that add to a network a loss, a gradient, a training step, or the splitting of a batch.

Training steps with loss scaling are in loss_scale.py; grad_reducer.py reduces gradients over
processes.
"""

import numbers
from types import FunctionType, MethodType

from ... import ops
from ..._backend.steps.journal import whole_step
from ..._core.context import config
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Any, Bool, CellOf, InstanceOf, Int, checked
from ..._core.sharding.micro_batches import run_pipeline
from ..._core.sharding.network import parts_of_first_axis
from ..._core.sharding.staged import flow
from ..._core.tensor.tensor import Tensor
from ...common._graph_mode import steps
from ...common.jit import building
from ...common.parameter import Parameter, ParameterTuple
from ...communication.groups import device_count
from ..cell import Cell
from ..layer.basic import Identity
from ..layer.container import CellList
from .grad_reducer import DistributedGradReducer, Overlapped

__all__ = [
    "WithLossCell",
    "WithEvalCell",
    "WithGradCell",
    "ForwardValueAndGrad",
    "TrainOneStepCell",
    "ParameterUpdate",
    "VirtualDatasetCellTriple",
    "MicroBatchInterleaved",
    "GradAccumulationCell",
    "PipelineCell",
]

DIVIDED = ("data_parallel", "hybrid_parallel")


@public("nn.WithLossCell")
class WithLossCell(Cell):
    """Network followed by its loss: `loss_fn(backbone(data), label)`.

    Args:
        backbone (Cell): the network.
        loss_fn (Cell): the loss.

    Inputs:
        - **data** (Tensor) - the input of the network.
        - **label** (Tensor) - the target of the loss.

    Outputs:
        Tensor, the loss.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.WithLossCell(ms.nn.Identity(), ms.nn.MSELoss())(ms.Tensor([1.0]),
        ...         ms.Tensor([3.0])))
        4.0

    Source: mindspore.nn.WithLossCell of MindSpore 2.10.
    """

    def __init__(self, backbone, loss_fn):
        super().__init__(auto_prefix=False)
        self._backbone, self._loss_fn = backbone, loss_fn

    def construct(self, data, label):
        """Returns the loss of a batch."""
        return self._loss_fn(self._backbone(data), label)

    @property
    def backbone_network(self):
        """The network without the loss."""
        return self._backbone


@public("nn.WithEvalCell")
class WithEvalCell(Cell):
    """Network for evaluation: returns the loss, the output and the label.

    Args:
        network (Cell): the network.
        loss_fn (Cell): the loss; None for no loss, then the returned loss is 0.
        add_cast_fp32 (bool): whether to cast output and label to float32 for the loss.

    Inputs:
        - **data** (Tensor) - the input of the network.
        - **label** (Tensor) - the target of the loss.

    Outputs:
        tuple[Tensor], of the loss, the output and the label.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.WithEvalCell(ms.nn.Identity(), ms.nn.MSELoss())(ms.Tensor([1.0]),
        ...         ms.Tensor([3.0]))[0])
        4.0

    Source: mindspore.nn.WithEvalCell of MindSpore 2.10.
    """

    @checked
    def __init__(self, network, loss_fn, add_cast_fp32: Bool = False):
        super().__init__(auto_prefix=False)
        self._network, self._loss_fn = network, loss_fn
        self.add_cast_fp32 = add_cast_fp32

    def construct(self, data, label):
        """Returns the loss, the output and the label of a batch."""
        outputs = self._network(data)
        if self.add_cast_fp32:
            outputs, label = _as_float32(outputs), _as_float32(label)
        loss = self._loss_fn(outputs, label) if self._loss_fn is not None else 0
        return loss, outputs, label


def _as_float32(value):
    """Returns `value` with its float Tensors cast to float32."""
    if isinstance(value, (tuple, list)):
        return type(value)(_as_float32(item) for item in value)
    if isinstance(value, Tensor) and value.dtype.is_floating_point:
        return value.astype("float32")
    return value


@public("nn.WithGradCell")
class WithGradCell(Cell):
    """Computes the gradients of a network's loss with respect to its weights.

    Args:
        network (Cell): the network, with its loss if `loss_fn` is None.
        loss_fn (Cell): the loss.
        sens (Union[None, Tensor, Scalar, tuple]): the gradient at the output; None for ones.

    Inputs:
        - **\\*inputs** (tuple[Tensor]) - the inputs of the network, and the label with a loss.

    Outputs:
        tuple[Tensor], one gradient for each trainable parameter.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.WithGradCell(ms.nn.Dense(2, 1), ms.nn.MSELoss())(ms.ops.ones((3, 2)),
        ...         ms.ops.ones((3, 1)))[0].shape)
        (1, 2)

    Source: mindspore.nn.WithGradCell of MindSpore 2.10.
    """

    def __init__(self, network, loss_fn=None, sens=None):
        super().__init__(auto_prefix=False)
        self.grad = ops.GradOperation(get_by_list=True, sens_param=sens is not None)
        self.network, self.loss_fn, self.sens = network, loss_fn, sens
        self.network_with_loss = network if loss_fn is None else WithLossCell(network, loss_fn)
        self.network_with_loss.set_train()
        self.weights = ParameterTuple(network.trainable_params())

    def construct(self, *inputs):
        """Returns the gradients of the weights."""
        arguments = inputs if self.sens is None else (*inputs, self.sens)
        return self.grad(self.network_with_loss, self.weights)(*arguments)


@public("nn.ForwardValueAndGrad")
class ForwardValueAndGrad(Cell):
    """Computes the value of a network together with its gradients.

    Args:
        network (Union[Cell, Function, MethodType]): the network.
        weights (ParameterTuple): the weights to differentiate with respect to, if `get_by_list`.
        get_all (bool): whether to return the gradients of all inputs.
        get_by_list (bool): whether to return the gradients of `weights`.
        sens_param (bool): whether the last input is the gradient at the output.

    Inputs:
        - **\\*inputs** (tuple[Tensor]) - the inputs of the network.
        - **sens** - the gradient at the output, with `sens_param`.

    Outputs:
        tuple of the value and the gradients. The gradients are those of the first input, of all
        inputs with `get_all`, of the weights with `get_by_list`, and a pair (inputs, weights) with
        both.

    Raises:
        TypeError: if `network` is not a Cell, function or method, a flag is not a bool, or
            `weights` are not Parameters with `get_by_list`.

    Example:
        >>> import mindspore_compat as ms
        >>> net = ms.nn.Dense(2, 1, weight_init="ones", bias_init="zeros")
        >>> step = ms.nn.ForwardValueAndGrad(net, net.trainable_params(), get_by_list=True)
        >>> value, gradients = step(ms.Tensor([[2.0, 3.0]]))
        >>> print(value, gradients[0])
        [[5.]] [[2. 3.]]

    Source: mindspore.nn.ForwardValueAndGrad of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        network,
        weights=None,
        get_all: Bool = False,
        get_by_list: Bool = False,
        sens_param: Bool = False,
    ):
        InstanceOf(Cell, FunctionType, MethodType).called("a Cell, a function or a method").refuse(
            "ForwardValueAndGrad", "network", network
        )
        if get_by_list and not _are_parameters(weights):
            raise TypeError(
                "For 'ForwardValueAndGrad', 'weights' must be Parameters with "
                f"'get_by_list', but got {weights!r}."
            )
        super().__init__(auto_prefix=False)
        self.network = network
        self.weights = weights
        self.get_all, self.get_by_list, self.sens_param = get_all, get_by_list, sens_param
        self.grad = ops.GradOperation(get_all, get_by_list, sens_param)
        if isinstance(network, Cell):
            network.set_grad()

    def construct(self, *inputs):
        """Returns the value and the gradients."""
        return self.grad.value_and_gradient(self.network, self.weights, *inputs)


def _are_parameters(weights):
    return isinstance(weights, (ParameterTuple, tuple, list)) and all(
        isinstance(weight, Parameter) for weight in weights
    )


@public("nn.TrainOneStepCell")
class TrainOneStepCell(Cell):
    """Training step: computes the loss of a batch and its gradients, and updates the weights.

    The network runs once per step, even if a subclass calls it for the loss and then again for the
    gradients.

    Args:
        network (Cell): the network with its loss.
        optimizer (Cell): the optimizer that updates the parameters.
        sens (numbers.Number): a factor of the gradients; None for 1.
        return_grad (bool): whether to return the gradients too.

    Inputs:
        - **\\*inputs** (tuple[Tensor]) - the inputs of the network.

    Outputs:
        Tensor, the loss; with `return_grad` a pair (loss, dict of gradients by name).

    Raises:
        ValueError: if `sens` is 0.

    Examples:
        >>> from mindspore_compat import nn
        >>> net = nn.WithLossCell(nn.Dense(2, 3), nn.MSELoss())
        >>> step = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.1))

    Source: mindspore.nn.TrainOneStepCell of MindSpore 2.10.
    """

    _cell_captures_itself = True

    def __init__(self, network, optimizer, sens=None, return_grad=False):
        if isinstance(sens, numbers.Number) and sens == 0:
            raise ValueError(
                f"For '{type(self).__name__}', 'sens' must not be 0, but got {sens!r}."
            )
        super().__init__(auto_prefix=False)
        network.set_grad()
        self.network, self.optimizer = network, optimizer
        self.weights = optimizer.parameters
        self.grad_no_sens = ops.GradOperation(get_by_list=True)
        self.grad = ops.GradOperation(get_by_list=True, sens_param=True)
        self.sens = 1.0 if sens is None else sens
        self.sense_flag = isinstance(self.sens, numbers.Number) and self.sens != 1.0
        self.return_grad = return_grad
        self.parallel_mode = config.get_auto_parallel_context("parallel_mode")
        self.reducer_flag = self.parallel_mode in DIVIDED
        self.grad_reducer = Identity()
        if self.reducer_flag:
            self.mean = config.get_auto_parallel_context("gradients_mean")
            self.degree = device_count()
            self.grad_reducer = DistributedGradReducer(self.weights, self.mean, self.degree)

    def _cell_inside(self, args, kwargs):
        """The call of a step, which in graph mode a GPU replays (common/_graph_mode/steps.py)."""
        step = self._cell_eagerly
        if steps.captures(building.depth):
            return steps.run(self, type(self).__name__, step, args, kwargs, trains=True)
        return whole_step(step, args, kwargs)

    def _cell_eagerly(self, *args, **kwargs):
        return super()._cell_inside(args, kwargs)

    def construct(self, *inputs):
        """Updates the weights once, and returns the loss of the batch."""
        if not self.sense_flag:
            return self._no_sens_impl(*inputs)
        loss = self.network(*inputs)
        with Overlapped(self.grad_reducer, self.weights) as reduced:
            sens = ops.ones_like(loss) * self.sens
            grads = self.grad(self.network, self.weights)(*inputs, sens)
        return self._cell_updated(loss, reduced(grads))

    def _no_sens_impl(self, *inputs):
        """The step without a factor of the gradients; a subclass may replace it."""
        loss = self.network(*inputs)
        with Overlapped(self.grad_reducer, self.weights) as reduced:
            grads = self.grad_no_sens(self.network, self.weights)(*inputs)
        return self._cell_updated(loss, reduced(grads))

    def _cell_updated(self, loss, grads):
        """Updates the weights; returns the outputs of the step."""
        self.optimizer(grads)
        if self.return_grad:
            names = [weight.name for weight in self.weights]
            return loss, dict(zip(names, grads, strict=True))
        return loss


@public("nn.ParameterUpdate")
class ParameterUpdate(Cell):
    """Writes values into a parameter.

    Args:
        param (Parameter): the parameter.

    Inputs:
        - **x** (Tensor) - the values, of its shape and dtype.

    Outputs:
        Tensor, the values.

    Example:
        >>> import mindspore_compat as ms
        >>> net = ms.nn.Dense(2, 1)
        >>> print(ms.nn.ParameterUpdate(net.weight)(ms.Tensor([[1.0, 2.0]])).shape)
        (1, 2)

    Source: mindspore.nn.ParameterUpdate of MindSpore 2.10.
    """

    @checked
    def __init__(self, param: InstanceOf(Parameter)):
        super().__init__(auto_prefix=False)
        self._param = param

    def construct(self, x):
        """Writes the values and returns them."""
        ops.assign(self._param, x)
        return x


class _VirtualDatasetCell(Cell):
    """Wraps a network whose inputs a parallel planner would split. Here it only calls the
    network."""

    def __init__(self, backbone):
        super().__init__(auto_prefix=False)
        self._backbone = backbone

    def construct(self, *inputs):
        """Returns the network's output."""
        return self._backbone(*inputs)


@public("nn.VirtualDatasetCellTriple")
class VirtualDatasetCellTriple(Cell):
    """Calls a network of three inputs. In MindSpore a parallel planner splits these inputs.

    Args:
        backbone (Cell): the network.

    Inputs:
        - **a**, **b**, **c** (Tensor): what the network takes.

    Outputs:
        What the network returns.

    Source: mindspore.nn.VirtualDatasetCellTriple of MindSpore 2.10.
    """

    def __init__(self, backbone):
        super().__init__(auto_prefix=False)
        self._backbone = backbone

    def construct(self, a, b, c):
        """Returns the network's output."""
        return self._backbone(a, b, c)


class _MicroBatch(Cell):
    """Returns one of several equal slices of each input along the first axis."""

    def __init__(self, count):
        super().__init__()
        self.count = count

    def construct(self, index, *inputs):
        """Returns slice `index` of every Tensor."""
        return tuple(self._slice(index, value) for value in inputs)

    def _slice(self, index, tensor):
        if not isinstance(tensor, Tensor) or tensor.ndim == 0:
            return tensor
        shares = parts_of_first_axis(tensor)  # each process's share is cut
        if tensor.shape[0] % (self.count * shares):
            raise ValueError(
                f"The length {tensor.shape[0]} of the first axis must be divisible by "
                f"the number of slices, {self.count * shares}."
            )
        size = tensor.shape[0] // self.count
        if shares == 1:
            return tensor[index * size : (index + 1) * size]
        rest = tensor.shape[1:]
        rows = ops.reshape(tensor, (shares, self.count, size // shares, *rest))[:, index]
        return ops.reshape(rows, (size, *rest))


class _Sliced(Cell):
    """Base class: calls a network on slices of a batch and sums the outputs."""

    def _cut(self, name, count):
        """Creates the Cells that slice the inputs; like MindSpore, counts True as one."""
        if count is False:
            raise ValueError(f"For '{type(self).__name__}', '{name}' must be >= 1, but got False.")
        return CellList([_MicroBatch(int(count)) for _ in range(count)])

    def _call_on_slices(self, slices, inputs):
        output = None
        for index, micro_batch in enumerate(slices):
            part = self.network(*micro_batch(index, *inputs))
            output = part if output is None else output + part
        return output


@public("nn.MicroBatchInterleaved")
class MicroBatchInterleaved(_Sliced):
    """Splits the batch into slices, calls a network on each and returns the sum of its outputs.

    Args:
        network (Cell): the network; it returns one Tensor.
        interleave_num (int): the number of slices of the first axis.

    Inputs:
        tuple[Tensor], the inputs of the network.

    Outputs:
        Tensor, the sum of the outputs.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.MicroBatchInterleaved(ms.nn.Dense(2, 1), 2)(ms.ops.ones((4, 2))).shape)
        (2, 1)

    Source: mindspore.nn.MicroBatchInterleaved of MindSpore 2.10.
    """

    @checked
    def __init__(self, network: Any, interleave_num: Int(ge=1) | Bool = 2):
        super().__init__(auto_prefix=False)
        self.network = network
        self.interleave_num = interleave_num
        self.interleave_inputs = self._cut("interleave_num", interleave_num)

    def construct(self, *inputs):
        """Returns the sum of the outputs."""
        return self._call_on_slices(self.interleave_inputs, inputs)


@public("nn.GradAccumulationCell")
class GradAccumulationCell(_Sliced):
    """Splits the batch into slices, calls a network on each and returns the sum of its outputs.

    Args:
        network (Cell): the network; it returns one Tensor.
        micro_size (int): the number of slices of the first axis.

    Inputs:
        - **inputs** (Tensor): what the network takes; the first axis is the batch.

    Outputs:
        The sum of the outputs of the network.

    Example:
        >>> import mindspore_compat as ms
        >>> net = ms.nn.WithLossCell(ms.nn.Dense(2, 1), ms.nn.MSELoss())
        >>> cell = ms.nn.GradAccumulationCell(net, micro_size=2)
        >>> print(cell(ms.ops.ones((4, 2)), ms.ops.ones((4, 1))).shape)
        ()

    Source: mindspore.nn.GradAccumulationCell of MindSpore 2.10.
    """

    @checked
    def __init__(self, network: CellOf, micro_size: Int(ge=1) | Bool):
        super().__init__(auto_prefix=False)
        self.network = network
        self.micro_size = micro_size
        self.micro_inputs = self._cut("micro_size", micro_size)

    def construct(self, *inputs):
        """Returns the sum of the outputs."""
        return self._call_on_slices(self.micro_inputs, inputs)


@public("nn.PipelineCell")
class PipelineCell(_Sliced):
    """Splits the batch into micro-batches, and returns the sum of the outputs for them.

    If the processes are divided into stages (`AutoParallel.pipeline`, or `pipeline_stages` of the
    context), they work on different micro-batches at a time, and all processes get the result.

    Args:
        network (Cell): the network; it returns one Tensor.
        micro_size (int): the number of slices of the first axis, at least the number of stages.
        stage_config (dict): the `pipeline_stage` of sub-cells by name.
        segment_config (dict): the `pipeline_segment` of sub-cells by name.

    Inputs:
        - **inputs** (Tensor): what the network takes; the first axis is the batch.

    Outputs:
        The sum of the outputs of the network.

    Raises:
        KeyError: if a sub-cell named in a config does not exist.
        ValueError: when called: the length of the first axis is not divisible by `micro_size`.
        RuntimeError: when called: there are fewer micro-batches than stages, a stage has no Cell,
            a `pipeline_stage` is too large, or a Cell takes a result of a later stage.

    Example:
        >>> import mindspore_compat as ms
        >>> net = ms.nn.WithLossCell(ms.nn.Dense(2, 1), ms.nn.MSELoss())
        >>> cell = ms.nn.PipelineCell(net, micro_size=2)
        >>> print(cell(ms.ops.ones((4, 2)), ms.ops.ones((4, 1))).shape)
        ()

    Source: mindspore.nn.PipelineCell of MindSpore 2.10.
    """

    _cell_pipelines = True

    @checked
    def __init__(
        self, network: CellOf, micro_size: Int(ge=1) | Bool, stage_config=None, segment_config=None
    ):
        super().__init__(auto_prefix=False)
        cells = dict(network.cells_and_names())
        for attribute, settings in (
            ("pipeline_stage", stage_config),
            ("pipeline_segment", segment_config),
        ):
            for name, number in (settings or {}).items():
                if name not in cells:
                    raise KeyError(f"For 'PipelineCell', the network has no sub-cell '{name}'.")
                setattr(cells[name], attribute, number)
        self.network = network
        self.micro_size = micro_size
        self.micro_inputs = self._cut("micro_size", micro_size)

    def construct(self, *inputs):
        """Returns the sum of the outputs."""
        if flow.stages is None or flow.micro is not None:
            return self._call_on_slices(self.micro_inputs, inputs)
        batches = [cut(index, *inputs) for index, cut in enumerate(self.micro_inputs)]
        return run_pipeline(self.network, batches, config.config.parallel.pipeline_scheduler)
