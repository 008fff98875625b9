"""`mindspore.dataset.engine.validators`: decorators that check arguments like the datasets."""

import collections.abc
import functools
import inspect
import re

from .. import engine
from .._rules import INT32_MAX
from .._validators import validators
from ..core.validator_helpers import (
    check_independent_mode,
    check_pos_int32,
    check_value,
    type_check,
    type_check_list,
)
from .cache import DatasetCache

_METHODS = """batch bucket_batch_by_length concat filter map padded_batch project rename repeat
    shuffle skip split take"""
_TARGETS = f"""
add_column=Schema.add_column dict_iterator=Dataset.create_dict_iterator
mnist_cifar_dataset=MnistDataset output_shape=Dataset.output_shapes
tuple_iterator=Dataset.create_tuple_iterator zip=zip zip_dataset=Dataset.zip
{" ".join(f"{name}=Dataset.{name}" for name in _METHODS.split())}
"""

__getattr__, __dir__, __all__ = validators(
    __name__, {name: getattr(engine, name) for name in engine.__all__}, _TARGETS
)
__all__ += [
    "check_batch_sampler",
    "check_cache_option",
    "check_hostname",
    "check_max_rowsize",
    "check_pad_info",
    "check_positive_int32",
    "check_total_batch",
    "check_valid_map_style_dataset",
]


def check_positive_int32(method):
    """Decorates a method of one argument, which must be a positive int32 or None."""
    signature = inspect.signature(method)

    @functools.wraps(method)
    def checked_method(self, *args, **kwargs):
        call = signature.bind(self, *args, **kwargs)
        call.apply_defaults()
        for name, value in list(call.arguments.items())[1:]:
            if value is not None:
                check_pos_int32(value, name)
        return method(self, *args, **kwargs)

    return checked_method


def check_batch_sampler(
    batch_sampler, num_samples, shuffle, num_shards, shard_id, sampler, collate_fn
):
    """Checks that a batch sampler is iterable and not combined with other selections of rows, and
    that a function for batches has one."""
    others = {
        "num_samples": num_samples,
        "shuffle": shuffle,
        "num_shards": num_shards,
        "shard_id": shard_id,
        "sampler": sampler,
    }
    names = [name for name, value in others.items() if value is not None]
    if batch_sampler is not None and names:
        raise ValueError(
            f"'batch_sampler' and {', '.join(map(repr, names))} must not both be given."
        )
    if not isinstance(batch_sampler, (type(None), engine.Sampler, collections.abc.Iterable)):
        raise TypeError(
            f"'batch_sampler' must be a Sampler or an iterable, but got {batch_sampler!r}."
        )
    if collate_fn is not None and batch_sampler is None:
        raise ValueError("'collate_fn' must be given with 'batch_sampler'.")
    if collate_fn is not None and not callable(collate_fn):
        raise TypeError(f"'collate_fn' must be a function, but got {collate_fn!r}.")


def check_cache_option(cache):
    """Checks a cache: a DatasetCache or None."""
    if cache is not None:
        type_check(cache, (DatasetCache,), "cache")
        check_independent_mode("cache")


def check_hostname(hostname):
    """Returns whether a str can be a host name: words of letters, digits and inner hyphens."""
    words = hostname.removesuffix(".").split(".") if hostname else [""]
    return len(hostname) <= 255 and all(
        re.fullmatch(r"(?!-)[A-Za-z\d-]{1,63}(?<!-)", word) for word in words
    )


def check_max_rowsize(max_rowsize):
    """Checks the size of shared memory: an int of at least -1, or a list of two."""
    if max_rowsize is None:
        return
    type_check(max_rowsize, (int, list), "max_rowsize")
    sizes = max_rowsize if isinstance(max_rowsize, list) else [max_rowsize, max_rowsize]
    if len(sizes) != 2:
        raise TypeError(f"'max_rowsize' must be an int or a list of 2 ints, but got {max_rowsize}.")
    type_check_list(sizes, (int,), "max_rowsize")
    for size in sizes:
        check_value(size, [-1, INT32_MAX], "max_rowsize")


def check_pad_info(key, val):
    """Checks the padding of a column: its name, and a tuple of a shape and a value, or None."""
    type_check(key, (str,), "pad_info")
    if val is None:
        return
    type_check(val, (tuple,), f"pad_info[{key!r}]")
    if len(val) != 2:
        raise ValueError(f"'pad_info[{key!r}]' must have 2 items, but got {len(val)}.")
    shape, value = val
    if shape is not None:
        type_check(shape, (list,), f"pad_info[{key!r}][0]")
        for length in shape:
            if length is not None:
                check_pos_int32(length, f"pad_info[{key!r}][0]")
    if value is not None:
        type_check(value, (int, float, str, bytes), f"pad_info[{key!r}][1]")


def check_total_batch(total_batch):
    """Checks a number of batches: an int32."""
    type_check(total_batch, (int,), "total_batch")
    check_value(total_batch, [-INT32_MAX - 1, INT32_MAX], "total_batch")


def check_valid_map_style_dataset(source, sampler, batch_sampler, num_shards):
    """Checks that a source has `__getitem__` if a sampler or a shard selects its rows."""
    selection = {"sampler": sampler, "batch_sampler": batch_sampler, "num_shards": num_shards}
    for name, value in selection.items():
        if value is not None and not hasattr(source, "__getitem__"):
            raise ValueError(f"'{name}' must not be given for a source without __getitem__.")
