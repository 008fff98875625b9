"""`mindspore.parallel._ps_context`: queries of scripts about parameter servers.

There are no parameter servers here: the settings are stored in `context`, but have no effect.
"""

import os

from .._core.context.config import get_ps_context as _get_ps_context
from .._core.context.config import reset_ps_context as _reset_ps_context
from .._core.context.config import set_ps_context as _set_ps_context

__all__ = ["_get_ps_context", "_is_role_sched", "_reset_ps_context", "_set_ps_context"]


def _is_role_sched():
    """Returns whether this process is a scheduler: parameter servers are enabled and the
    environment says so."""
    return bool(_get_ps_context("enable_ps")) and os.environ.get("MS_ROLE") == "MS_SCHED"
