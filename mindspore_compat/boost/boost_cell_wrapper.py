"""Training steps with the features of AutoBoost: frozen groups, gradients of several steps."""

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
    """A training step with the features that the AutoBoost of this process requests.

    With a FreezeOpt, each step trains the group of its strategy. Otherwise, gradients are
    accumulated over several steps (`grad_accumulation`) or combined by the adaptive sum (`adasum`),
    if requested.

    Args:
        network (Cell): the network with its loss.
        optimizer (Cell): the optimizer.
        sens (numbers.Number, optional): the factor of the gradients; None for 1.

    Inputs:
        - **\\*inputs** (tuple[Tensor]) - the inputs of the network.

    Outputs:
        Tensor, the loss.

    Raises:
        ValueError: if `sens` is 0.

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
        """Reads the requests and prepares the features."""
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
        """Updates the weights once, and returns the loss of the batch."""
        if self.freeze:
            return self.gradient_freeze_process(*inputs)
        loss = self.network(*inputs)
        sens = ops.ones_like(loss) * self.sens
        grads = self.grad(self.network, self.weights)(*inputs, sens)
        return self._update(loss, grads, sens, *inputs)

    def _update(self, loss, grads, sens, *inputs):
        """Applies the requested update and returns the loss."""
        if self.use_grad_accumulation:
            return self.gradient_accumulation_process(loss, grads, sens, *inputs)
        if self.enable_adasum:
            return self.adasum_process(loss, grads)
        self.optimizer(self.grad_reducer(grads))
        return loss

    def gradient_freeze_process(self, *inputs):
        """Trains the group of the current step.

        Args:
            *inputs (tuple[Tensor]): the inputs of the network.

        Returns:
            Tensor, the loss.
        """
        return self.freeze_nets[next(self._turns)](*inputs)

    def gradient_accumulation_process(self, loss, grads, sens, *inputs):
        """Accumulates gradients, and after enough steps applies their mean by the optimizer.

        Args:
            loss (Tensor): the loss.
            grads (tuple[Tensor]): its gradients.
            sens (Tensor): the factor of the gradients; unused.
            *inputs (tuple[Tensor]): the inputs of the network; unused.

        Returns:
            Tensor, the loss.
        """
        return self.grad_accumulation(loss, self.grad_reducer(grads))

    def adasum_process(self, loss, grads):
        """Computes the optimizer's step and replaces it by the adaptive sum of the steps of all
        processes.

        Args:
            loss (Tensor): the loss.
            grads (tuple[Tensor]): its gradients in this process.

        Returns:
            Tensor, the loss.

        Raises:
            RuntimeError: if the processes cannot combine their steps, for example because there is
                only one, or their number is not a power of 2 from 16 on.
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
    """A training step with loss scaling and the features that the AutoBoost of this process
    requests.

    Gradients of scale times loss are divided by the scale and checked. If they are finite, they are
    used as in `BoostTrainOneStepCell`.

    Args:
        network (Cell): the network with its loss.
        optimizer (Cell): the optimizer.
        scale_sense (Union[Tensor, Cell]): the loss scale, of shape () or (1,), or a Cell that
            changes it.

    Inputs:
        - **\\*inputs** (tuple[Tensor]) - the inputs of the network.

    Outputs:
        tuple of 3 Tensors: the loss, whether it overflowed, and the loss scale of this step.

    Raises:
        TypeError: if `scale_sense` is neither a Cell nor a Tensor.
        ValueError: if its shape is neither (1,) nor ().

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
        """Updates the weights once; returns the loss, whether the step overflowed, and the loss
        scale."""
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
                self._update(loss, grads, sens, *inputs)
        return loss, is_overflow, scale
