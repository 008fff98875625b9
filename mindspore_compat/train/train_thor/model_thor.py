"""ModelThor: a Model that takes a second-order step only now and then."""

from ...nn.optim.thor import ThorGpu
from ..model import Model

__all__ = ["ModelThor"]


class ModelThor(Model):
    """Model for THOR: its network gathers factors, and its optimizer inverts them, every N steps
    only.

    N is the optimizer's `frequency`. Steps are counted by updates: one that was left out for an
    overflow is made up for, so the first update always finds its inverses.

    Args:
        network (Cell): the network, or a training step that holds it and its optimizer.
        loss_fn (Cell): the loss.
        optimizer (Cell): the optimizer that `nn.thor` returned.
        metrics (Union[dict, set]): what to measure.
        eval_network (Cell): the network for evaluation.
        eval_indexes (list): where its loss, output and label are.
        amp_level (str): the mixed precision.
        **kwargs: as for Model.

    Raises:
        ValueError: if there is no optimizer of THOR's.

    Source: mindspore.train.train_thor.model_thor.ModelThor of MindSpore 2.10.
    """

    def __init__(
        self,
        network,
        loss_fn=None,
        optimizer=None,
        metrics=None,
        eval_network=None,
        eval_indexes=None,
        amp_level="O0",
        **kwargs,
    ):
        super().__init__(
            network, loss_fn, optimizer, metrics, eval_network, eval_indexes, amp_level, **kwargs
        )
        optimizers = [
            cell for _, cell in self._train_network.cells_and_names() if isinstance(cell, ThorGpu)
        ]
        if not optimizers:
            raise ValueError(
                "For 'ModelThor', the network must be trained by an optimizer that "
                "'nn.thor' returned."
            )
        self._thor = optimizers[0]
        self._frequency = self._thor.get_frequency()

    def _run_step(self, inputs):
        """One step of training on a batch; of second order at each `frequency`-th update."""
        self._switch(int(self._thor.cov_step._array[0]) % self._frequency == 0)
        return super()._run_step(inputs)

    def _switch(self, second_order):
        """Tells the layers whether to gather, and the optimizer whether to invert."""
        if self._thor.thor != second_order:
            self._train_network.add_flags_recursive(thor=second_order)
