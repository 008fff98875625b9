"""Callbacks of `Model`, which act at certain times of a run; one file per callback."""

from ._backup_and_restore import BackupAndRestore
from ._callback import Callback, RunContext
from ._callback import CallbackManager as _CallbackManager
from ._callback import InternalCallbackParam as _InternalCallbackParam
from ._callback import checkpoint_cb_for_save_op as _checkpoint_cb_for_save_op
from ._callback import set_cur_net as _set_cur_net
from ._checkpoint import CheckpointConfig, ModelCheckpoint
from ._checkpoint import CheckpointManager as _CheckpointManager
from ._early_stop import EarlyStopping
from ._flops_utilization import FlopsUtilizationCollector
from ._history import History
from ._lambda_callback import LambdaCallback
from ._loss_monitor import LossMonitor
from ._lr_scheduler_callback import LearningRateScheduler
from ._on_request_exit import OnRequestExit
from ._reduce_lr_on_plateau import ReduceLROnPlateau
from ._summary_collector import SummaryCollector
from ._summary_landscape import SummaryLandscape
from ._time_monitor import TimeMonitor

__all__ = [
    "BackupAndRestore",
    "Callback",
    "CheckpointConfig",
    "EarlyStopping",
    "FlopsUtilizationCollector",
    "History",
    "LambdaCallback",
    "LearningRateScheduler",
    "LossMonitor",
    "ModelCheckpoint",
    "OnRequestExit",
    "ReduceLROnPlateau",
    "RunContext",
    "SummaryCollector",
    "SummaryLandscape",
    "TimeMonitor",
]

# Private names that scripts import from here.
_FURTHER = (
    _CallbackManager,
    _CheckpointManager,
    _InternalCallbackParam,
    _checkpoint_cb_for_save_op,
    _set_cur_net,
)
