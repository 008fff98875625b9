"""Steps of training with what AutoBoost requests: frozen groups, gradients of several steps."""

import itertools

from .. import ops
from ..nn.optim import adasum
from ..nn.wrap.cell_wrapper import TrainOneStepCell
from ..nn.wrap.loss_scale import TrainOneStepWithLossScaleCell
from .boost import AutoBoost
from .grad_accumulation import GradientAccumulation
from .grad_freeze import FreezeOpt, freeze_cell

__all__ = ["BoostTrainOneStepCell", "BoostTrainOneStepWithLossScaleCell"]


class BoostTrainOneStepCell(TrainOneStepCell):
    """One training step with what the AutoBoost of this process requests.

    With a FreezeOpt, each step trains the group that its strategy names. Otherwise gradients are
    added up over several steps (`grad_accumulation`) or combined by the adaptive sum (`adasum`), if
    that is requested, and else applied as they are.

    Args:
        network (Cell): the network with its loss.
        optimizer (Cell): what updates the parameters.
        sens (numbers.Number, optional): what the gradients are multiplied by; None for 1.

    Inputs:
        - **\\*inputs** (tuple[Tensor]) - the inputs of the network.

    Outputs:
        Tensor, the loss.

    Raises:
        ValueError: `sens` is 0.

    Examples:
        >>> from mindspore_compat import boost, nn
        >>> net = nn.WithLossCell(nn.Dense(2, 3), nn.MSELoss())
        >>> step = boost.BoostTrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.1))
        >>> step.check_adasum_enable()
        False

    Source: mindspore.boost.BoostTrainOneStepCell of MindSpore 2.10.
    """

    def __init__(self, network, optimizer, sens=None):
        super().__init__(network, optimizer, sens)
        self._take_requests()

    def _take_requests(self):
        """Reads what is requested, and makes what that needs."""
        optimizer = self.optimizer
        self.auto_boost = AutoBoost()
        self.freeze = isinstance(optimizer, FreezeOpt)
        self.train_strategy = getattr(optimizer, "train_strategy", None)
        self.use_grad_accumulation = bool(self.auto_boost.boost_config["grad_accumulation"])
        self.max_accumulation_step = 1
        if self.use_grad_accumulation:
            self.max_accumulation_step = self.auto_boost.grad_accumulation_step
        self.enable_adasum = self.check_adasum_enable()
        self.enable_dim_reduce = self.check_dim_reduce_enable()
        self.freeze_nets, self._turns = None, None
        if self.freeze:
            self.freeze_nets = freeze_cell(
                self.reducer_flag,
                self.network,
                optimizer,
                self.sens,
                self.grad,
                self.use_grad_accumulation,
                getattr(self, "mean", None),
                getattr(self, "degree", None),
                self.max_accumulation_step,
            )
            self._turns = itertools.cycle(self.train_strategy or [0])
        elif self.use_grad_accumulation:
            self.grad_accumulation = GradientAccumulation(self.max_accumulation_step, optimizer)

    def construct(self, *inputs):
        """The loss of a batch, after one update."""
        if self.freeze:
            return self.gradient_freeze_process(*inputs)
        loss = self.network(*inputs)
        sens = ops.ones_like(loss) * self.sens
        grads = self.grad(self.network, self.weights)(*inputs, sens)
        return self._updated(loss, grads, sens, *inputs)

    def _updated(self, loss, grads, sens, *inputs):
        """The loss, after the update that is requested."""
        if self.use_grad_accumulation:
            return self.gradient_accumulation_process(loss, grads, sens, *inputs)
        if self.enable_adasum:
            return self.adasum_process(loss, grads)
        self.optimizer(self.grad_reducer(grads))
        return loss

    def gradient_freeze_process(self, *inputs):
        """Trains the group whose turn it is.

        Args:
            *inputs (tuple[Tensor]): the inputs of the network.

        Returns:
            Tensor, the loss.
        """
        return self.freeze_nets[next(self._turns)](*inputs)

    def gradient_accumulation_process(self, loss, grads, sens, *inputs):
        """Adds gradients to those of the steps before, and lets the optimizer act on their mean
        when there are enough.

        Args:
            loss (Tensor): the loss.
            grads (tuple[Tensor]): its gradients.
            sens (Tensor): what they have been multiplied by; is not read.
            *inputs (tuple[Tensor]): the inputs of the network; are not read.

        Returns:
            Tensor, the loss.
        """
        return self.grad_accumulation(loss, self.grad_reducer(grads))

    def adasum_process(self, loss, grads):
        """Takes the optimizer's step, and puts the adaptive sum of all processes' steps in its
        place.

        Args:
            loss (Tensor): the loss.
            grads (tuple[Tensor]): its gradients in this process.

        Returns:
            Tensor, the loss.

        Raises:
            RuntimeError: the processes cannot combine their steps so: there is one, say, or their
                number is no power of 2 from 16 on.
        """
        reason = adasum.refusal()
        if reason is not None:
            raise RuntimeError(f"For 'adasum_process', {reason}.")
        before = adasum.copies(self.weights)
        self.optimizer(grads)
        adasum.combine_steps(self.weights, before)
        return loss

    def check_adasum_enable(self):
        """Returns whether the adaptive sum is requested and possible.

        Returns:
            bool.
        """
        return bool(self.auto_boost.boost_config["adasum"]) and adasum.refusal() is None

    def check_dim_reduce_enable(self):
        """Returns whether training in few dimensions is requested, which AutoBoost refuses.

        Returns:
            bool.
        """
        return bool(self.auto_boost.boost_config["dim_reduce"])


class BoostTrainOneStepWithLossScaleCell(BoostTrainOneStepCell, TrainOneStepWithLossScaleCell):
    """One training step with a scaled loss and what the AutoBoost of this process requests.

    Gradients are taken of scale times loss, divided by the scale and looked at. They are used if
    they are finite; what for, `BoostTrainOneStepCell` says.

    Args:
        network (Cell): the network with its loss.
        optimizer (Cell): what updates the parameters.
        scale_sense (Union[Tensor, Cell]): the loss scale, of shape () or (1,), or a Cell that
            changes it.

    Inputs:
        - **\\*inputs** (tuple[Tensor]) - the inputs of the network.

    Outputs:
        tuple of 3 Tensors: the loss, whether it overflowed, and the loss scale of this step.

    Raises:
        TypeError: `scale_sense` is neither a Cell nor a Tensor.
        ValueError: its shape is neither (1,) nor ().

    Examples:
        >>> from mindspore_compat import boost, nn
        >>> net = nn.WithLossCell(nn.Dense(2, 3), nn.MSELoss())
        >>> scale = nn.DynamicLossScaleUpdateCell(2 ** 12, 2, 1000)
        >>> step = boost.BoostTrainOneStepWithLossScaleCell(
        ...     net, nn.SGD(net.trainable_params(), 0.1), scale_sense=scale)

    Source: mindspore.boost.BoostTrainOneStepWithLossScaleCell of MindSpore 2.10.
    """

    def __init__(self, network, optimizer, scale_sense):
        TrainOneStepWithLossScaleCell.__init__(self, network, optimizer, scale_sense)
        self._take_requests()

    def construct(self, *inputs):
        """The loss of a batch, whether it overflowed, and the loss scale, after one update."""
        loss = self.network(*inputs)
        status, scale = self.start_overflow_check(loss, self.scale_sense.value())
        sens = ops.ones_like(loss) * ops.cast(scale, loss.dtype)
        grads = self.grad(self.network, self.weights)(*inputs, sens)
        grads = self.hyper_map(
            lambda grad: grad * ops.cast(1 / scale, grad.dtype).reshape(()), grads
        )
        is_overflow = self.get_overflow_status(status, grads)
        if not self.process_loss_scale(is_overflow):
            if self.freeze:
                self.gradient_freeze_process(*inputs)
            else:
                self._updated(loss, grads, sens, *inputs)
        return loss, is_overflow, scale
