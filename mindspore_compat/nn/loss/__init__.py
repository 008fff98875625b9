"""mindspore.nn.loss: the losses of mindspore.nn."""

from .loss import *  # noqa: F403
from .loss import __all__  # noqa: F401
