"""Callbacks: what takes part in a run of `Model` without being the network, each kind in a file."""

from ._callback import Callback, RunContext
from ._callback import CallbackManager as _CallbackManager
from ._callback import InternalCallbackParam as _InternalCallbackParam
from ._callback import checkpoint_cb_for_save_op as _checkpoint_cb_for_save_op
from ._callback import set_cur_net as _set_cur_net
from ._loss_monitor import LossMonitor
from ._time_monitor import TimeMonitor

__all__ = ["Callback", "LossMonitor", "RunContext", "TimeMonitor"]
