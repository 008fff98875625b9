"""`mindspore.device_manager`: the current device; a facade of `context`."""

from .context import get_current_device, set_deterministic, set_device

__all__ = ["get_current_device", "set_deterministic", "set_device"]
