"""RunContext, the context of a run that is passed to callbacks, and CallbackManager, which calls
several callbacks in order.

The callbacks of the package are in the other files of this folder; `train.model` calls them.
"""

from contextlib import ExitStack

import numpy as np

from ..._core.callback import Callback
from ..._core.rules.vocabulary import InstanceOf, ListOf, TupleOf, checked
from ..._core.tensor.tensor import Tensor

__all__ = [
    "Callback",
    "CallbackManager",
    "InternalCallbackParam",
    "RunContext",
    "checkpoint_cb_for_save_op",
    "set_cur_net",
]

_TIMES = ("begin", "epoch_begin", "epoch_end", "step_begin", "step_end", "end")


class CallbackManager(Callback):
    """Calls each hook of several callbacks in order.

    Args:
        callbacks (Union[Callback, list[Callback], tuple[Callback]]): the callbacks; None for none.

    Raises:
        TypeError: if something else is given, or is among them.
    """

    def __init__(self, callbacks):
        self._callbacks = as_list(callbacks)
        self._stack = None

    def __enter__(self):
        self._stack, entered = ExitStack().__enter__(), []
        try:
            for callback in self._callbacks:
                entered.append(self._stack.enter_context(callback))
        except Exception:
            self._stack.close()
            raise
        except BaseException as interrupt:  # the stack may lack a callback that has been entered
            for callback in self._callbacks[len(entered) : len(entered) + 1]:
                self._stack.push(callback)
            self._stack.__exit__(type(interrupt), interrupt, interrupt.__traceback__)
            raise
        self._callbacks = entered
        return self

    def __exit__(self, *err):
        return self._stack.__exit__(*err)


def _forward_hook(name):
    """Returns a hook that calls the same hook of every callback."""

    def hook(self, run_context):
        for callback in self._callbacks:
            getattr(callback, name)(run_context)

    hook.__name__ = name
    hook.__doc__ = f"Calls `{name}` of each callback."
    return hook


for _name in [prefix + time for prefix in ("", "on_train_", "on_eval_") for time in _TIMES]:
    setattr(CallbackManager, _name, _forward_hook(_name))


_Callback = InstanceOf(Callback)
_Callbacks = (ListOf(_Callback) | TupleOf(_Callback)).called("a Callback, or a list of Callbacks")


def as_list(callbacks):
    """Returns the callbacks as a new list.

    Raises:
        TypeError: if `callbacks` is not a Callback, list or tuple of them.
    """
    if callbacks is None:
        return []
    if isinstance(callbacks, Callback):
        return [callbacks]
    _Callbacks.refuse("Model", "callbacks", callbacks)
    return list(callbacks)


class MissingAttribute(KeyError, AttributeError):
    """Raised for a missing attribute of a run: a KeyError as in MindSpore, and an AttributeError
    for `hasattr`."""


class InternalCallbackParam(dict):
    """The parameters that a run passes to its callbacks: a dict whose keys are also attributes."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise MissingAttribute(name) from None

    def __setattr__(self, name, value):
        self[name] = value


class RunContext:
    """The context of a run, passed to callbacks: its attributes, and methods to stop the run.

    Args:
        original_args (dict): the attributes. A run passes an InternalCallbackParam, whose keys are
            also attributes: `run_context.original_args().cur_step_num`.

    Raises:
        TypeError: if `original_args` is not a dict.

    Example:
        >>> import mindspore_compat as ms
        >>> context = ms.train.RunContext({"cur_epoch_num": 3})
        >>> context.original_args()["cur_epoch_num"], context.get_stop_requested()
        (3, False)

    Source: mindspore.train.RunContext of MindSpore 2.10.
    """

    @checked
    def __init__(self, original_args: InstanceOf(dict)):
        self._original_args = original_args
        self._stop_requested = False

    def original_args(self):
        """Returns the attributes of the run."""
        return self._original_args

    def request_stop(self):
        """Asks the run to end after the current step or epoch."""
        self._stop_requested = True

    def get_stop_requested(self):
        """Returns whether the run was requested to end."""
        return self._stop_requested


def _handle_loss(net_outputs):
    """Returns the loss among the outputs of a training step (the first or only one) as a number.

    A Tensor of several numbers gives their mean. Anything that is neither a Tensor nor a sequence
    of Tensors is returned unchanged.
    """
    if isinstance(net_outputs, (tuple, list)):
        first = net_outputs[0]
        return first if isinstance(first, Tensor) else net_outputs
    if isinstance(net_outputs, Tensor):
        return mean_of(net_outputs)
    return net_outputs


def mean_of(tensor):
    """Returns the mean of a Tensor as a float; float16 keeps its precision, as in MindSpore."""
    values = tensor.asnumpy()
    if values.dtype.kind == "V" or values.dtype.name == "bfloat16":
        values = values.astype(np.float32)
    return float(np.mean(values))


_current_net = None


def set_cur_net(net):
    """Stores the network that a checkpoint requested from outside a run would save."""
    global _current_net
    _current_net = net


def checkpoint_cb_for_save_op(parameter_list):
    """Loads values by name into the network stored by `set_cur_net`.

    Args:
        parameter_list (list[dict]): dicts with the keys "name" and "data", a Tensor.

    Returns:
        bool, whether there is such a network.
    """
    if _current_net is None:
        return False
    values = {parameter["name"]: parameter["data"] for parameter in parameter_list}
    for parameter in _current_net.get_parameters():
        if parameter.name in values:
            parameter.set_data(values[parameter.name])
    return True
