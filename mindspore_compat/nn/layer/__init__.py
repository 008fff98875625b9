"""Layers, one file per public module of the original."""

from . import container  # noqa: F401 - the declarations
