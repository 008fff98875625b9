"""Callback, the base class of training callbacks.

It is in this package, below datasets and training, and uses no Tensors, because a dataset callback
may also be a training callback (`dataset.WaitedDSCallback`). The other callbacks are in
`train.callback`.
"""

__all__ = ["Callback"]


class Callback:
    """Base class of callbacks for training and evaluation: subclasses override the hooks they need.

    A callback is also a context manager, which is entered before a run and left after it, even if
    an error ends the run. The hooks `on_train_*` and `on_eval_*` call the older hooks without a
    prefix, which serve both kinds of run; `Model.fit` refuses callbacks that override the older
    hooks.

    Examples:
        >>> from mindspore_compat.train import Callback
        >>> class PrintStep(Callback):
        ...     def on_train_step_end(self, run_context):
        ...         print(run_context.original_args().cur_step_num)

    Source: mindspore.train.Callback of MindSpore 2.10.
    """

    def __enter__(self):
        """Called when a run starts; the run calls its result."""
        return self

    def __exit__(self, *err):
        """Called when a run is over; `err` is the exception that ended it, if one did."""

    def begin(self, run_context):
        """Called before training or an evaluation begins."""

    def on_train_begin(self, run_context):
        """Called before training."""
        self.begin(run_context)

    def on_eval_begin(self, run_context):
        """Called before an evaluation."""
        self.begin(run_context)

    def epoch_begin(self, run_context):
        """Called before each epoch of training, and before the pass over the data of an
        evaluation."""

    def on_train_epoch_begin(self, run_context):
        """Called before each epoch of training."""
        self.epoch_begin(run_context)

    def on_eval_epoch_begin(self, run_context):
        """Called before the pass over the data of an evaluation."""
        self.epoch_begin(run_context)

    def step_begin(self, run_context):
        """Called before each step of training or an evaluation."""

    def on_train_step_begin(self, run_context):
        """Called before each step of training."""
        self.step_begin(run_context)

    def on_eval_step_begin(self, run_context):
        """Called before each step of an evaluation."""
        self.step_begin(run_context)

    def step_end(self, run_context):
        """Called after each step of training or an evaluation."""

    def on_train_step_end(self, run_context):
        """Called after each step of training."""
        self.step_end(run_context)

    def on_eval_step_end(self, run_context):
        """Called after each step of an evaluation."""
        self.step_end(run_context)

    def epoch_end(self, run_context):
        """Called after each epoch of training, and after the pass over the data of an
        evaluation."""

    def on_train_epoch_end(self, run_context):
        """Called after each epoch of training."""
        self.epoch_end(run_context)

    def on_eval_epoch_end(self, run_context):
        """Called after the pass over the data of an evaluation."""
        self.epoch_end(run_context)

    def end(self, run_context):
        """Called after training or an evaluation."""

    def on_train_end(self, run_context):
        """Called after training."""
        self.end(run_context)

    def on_eval_end(self, run_context):
        """Called after an evaluation, when the metrics are known."""
        self.end(run_context)
