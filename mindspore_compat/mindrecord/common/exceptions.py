"""What MindRecord files and their writers raise."""

from ..._io.mindrecord_errors import *  # noqa: F403
