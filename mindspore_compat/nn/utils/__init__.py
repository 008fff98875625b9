"""Helpers for the making of networks."""

from ...common.parameter import no_init_parameters

__all__ = ["no_init_parameters"]
