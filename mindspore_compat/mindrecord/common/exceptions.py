"""Errors of MindRecord files and their writers."""

from ..._io.mindrecord_errors import *  # noqa: F403
