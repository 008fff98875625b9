"""Helpers for building networks."""

from ...common.parameter import no_init_parameters

__all__ = ["no_init_parameters"]
