"""LambdaCallback: calls given functions as hooks."""

from ._callback import Callback

__all__ = ["LambdaCallback"]


class LambdaCallback(Callback):
    """Calls functions with the RunContext at the times that their names state.

    Args:
        on_train_epoch_begin (Callable): called before each epoch of training.
        on_train_epoch_end (Callable): called after each epoch of training.
        on_train_step_begin (Callable): called before each step of training.
        on_train_step_end (Callable): called after each step of training.
        on_train_begin (Callable): called before training.
        on_train_end (Callable): called after training.
        on_eval_epoch_begin (Callable): called before the pass over the evaluation data.
        on_eval_epoch_end (Callable): called after it.
        on_eval_step_begin (Callable): called before each step of an evaluation.
        on_eval_step_end (Callable): called after each step of an evaluation.
        on_eval_begin (Callable): called before an evaluation, but not in `Model.fit`: as in
            MindSpore, the package's callbacks skip its evaluations.
        on_eval_end (Callable): called after an evaluation, but not in `Model.fit`.

    Examples:
        >>> from mindspore_compat.train import LambdaCallback
        >>> callback = LambdaCallback(on_train_end=lambda run_context: print("done"))

    Source: mindspore.train.LambdaCallback of MindSpore 2.10.
    """

    def __init__(
        self,
        on_train_epoch_begin=None,
        on_train_epoch_end=None,
        on_train_step_begin=None,
        on_train_step_end=None,
        on_train_begin=None,
        on_train_end=None,
        on_eval_epoch_begin=None,
        on_eval_epoch_end=None,
        on_eval_step_begin=None,
        on_eval_step_end=None,
        on_eval_begin=None,
        on_eval_end=None,
    ):
        super().__init__()
        arguments = dict(locals())
        for name in [key for key in arguments if key.startswith("on_")]:
            setattr(self, name, arguments[name] or _do_nothing)


def _do_nothing(run_context):
    """Does nothing: the default hook."""
