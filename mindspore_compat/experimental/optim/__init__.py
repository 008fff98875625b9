"""mindspore.experimental.optim: optimizers whose parameter groups may change during training. Each
is declared in the file named after it; the schedulers are in lr_scheduler.py.
"""

from . import lr_scheduler  # noqa: F401 - reached as an attribute
from .adadelta import Adadelta
from .adagrad import Adagrad
from .adam import Adam
from .adamax import Adamax
from .adamw import AdamW
from .asgd import ASGD
from .nadam import NAdam
from .optimizer import Optimizer
from .radam import RAdam
from .rmsprop import RMSprop
from .rprop import Rprop
from .sgd import SGD

__all__ = [
    "Optimizer",
    "AdamW",
    "SGD",
    "Adam",
    "Adadelta",
    "Adagrad",
    "ASGD",
    "Adamax",
    "RMSprop",
    "Rprop",
    "RAdam",
    "NAdam",
]
