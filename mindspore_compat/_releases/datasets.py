"""Earlier meanings of datasets and of their transforms."""

import functools
import inspect
import os

from .earlier import unchanged


def with_column_order(today):
    """Accepts `column_order`, the order of the columns of the result."""

    @functools.wraps(today)
    def call(self, *args, column_order=None, **kwargs):
        result = today(self, *args, **kwargs)
        return result if column_order is None else result.project(column_order)

    return call


with_column_order.needs = {"column_order"}


def with_pad_info(today):
    """Accepts `column_order`, and `pad_info`: the shapes to which columns are padded."""
    ordered = with_column_order(today)

    @functools.wraps(today)
    def batch(self, *args, pad_info=None, **kwargs):
        if pad_info is None:
            return ordered(self, *args, **kwargs)
        return with_column_order(type(self).padded_batch)(
            self, *args, pad_info=pad_info or None, **kwargs
        )

    return batch


with_pad_info.needs = {"column_order", "pad_info"}


def pads_of_two_sides(today):
    """Reads a padding of two numbers as (left and top, right and bottom)."""
    signature = inspect.signature(today)

    @functools.wraps(today)
    def call(*args, **kwargs):
        bound = signature.bind(*args, **kwargs)
        padding = bound.arguments.get("padding")
        if isinstance(padding, (tuple, list)) and len(padding) == 2:
            bound.arguments["padding"] = (padding[0], padding[0], padding[1], padding[1])
        return today(*bound.args, **bound.kwargs)

    return call


pads_of_two_sides.needs = {"padding"}


def in_blocks(today):
    """Gives each process a block of rows, as the environment variable asks for."""
    os.environ.setdefault("MS_DEV_MINDRECORD_SHARD_BY_BLOCK", "True")
    return unchanged(today)


in_blocks.needs = {"num_shards"}


def with_status(today):
    """Returns `mindrecord.SUCCESS`, which is 0."""

    @functools.wraps(today)
    def call(*args, **kwargs):
        today(*args, **kwargs)
        return 0

    return call


with_status.is_of_result = True
