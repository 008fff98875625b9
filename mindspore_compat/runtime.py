"""`mindspore.runtime`: streams, events and memory of the device, under their newer path."""

import re

from ._backend import device
from .hal import (
    Event,
    Stream,
    StreamCtx,
    communication_stream,
    current_stream,
    default_stream,
    empty_cache,
    set_cur_stream,
    synchronize,
)

__all__ = ["Event", "Stream", "StreamCtx", "communication_stream", "current_stream",
           "default_stream", "empty_cache", "memory_allocated", "memory_reserved",
           "set_cur_stream", "set_memory", "synchronize"]


def memory_allocated():
    """Returns how many bytes of the GPU's memory hold arrays; 0 on the CPU."""
    return device.memory()[0]


def memory_reserved():
    """Returns how many bytes the memory pool has from the GPU; 0 on the CPU."""
    return device.memory()[1]


def set_memory(init_size="2GB", increase_size="2GB", max_size="1024GB", optimize_level="O0",
               huge_page_reserve_size="0GB"):
    """Sets how much memory of the GPU in force may be used.

    Args:
        init_size (str, optional): is checked; memory is taken as it is needed.
        increase_size (str, optional): is checked.
        max_size (str, optional): the most, such as "30GB".
        optimize_level (str, optional): "O0" or "O1"; is checked.
        huge_page_reserve_size (str, optional): is checked.

    Raises:
        TypeError: an argument is no str.
        ValueError: a size is not a number and "GB", is 0 where it may not be, or `optimize_level`
            is something else.
    """
    sizes = {"init_size": init_size, "increase_size": increase_size, "max_size": max_size,
             "huge_page_reserve_size": huge_page_reserve_size}
    for name, text in {**sizes, "optimize_level": optimize_level}.items():
        if not isinstance(text, str):
            raise TypeError(f"For 'set_memory', '{name}' must be a str, but got {text!r}.")
    for name, text in sizes.items():
        if not re.fullmatch(r"\d+(\.\d+)?GB", text) or (
                name != "huge_page_reserve_size" and float(text[:-2]) == 0):
            raise ValueError(f"For 'set_memory', '{name}' must be a number followed by 'GB', but "
                             f"got {text!r}.")
    if optimize_level not in ("O0", "O1"):
        raise ValueError(f"For 'set_memory', 'optimize_level' must be 'O0' or 'O1', but got "
                         f"{optimize_level!r}.")
    device.limit_memory(int(float(max_size[:-2]) * (1 << 30)))
