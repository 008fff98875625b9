"""Argument checks for user-defined transforms and datasets, and the limits of number types.

The transforms and datasets of this package have rules in their signatures (`dataset/_rules.py`). A
check returns nothing; it raises TypeError for a wrong type and ValueError for a wrong value.
"""

import inspect
import os

from ..._core.tensor.dtype import Type
from .._rules import INT32_MAX, INT64_MAX
from ..engine.config import UINT32_MAX

INT32_MIN = -INT32_MAX - 1
INT64_MIN = -INT64_MAX - 1
UINT8_MAX = 255
UINT64_MAX = 2**64 - 1
FLOAT_MAX_INTEGER = 2**24  # every integer up to here is a float32
FLOAT_MIN_INTEGER = -FLOAT_MAX_INTEGER
DOUBLE_MAX_INTEGER = 2**53  # every integer up to here is a float64
DOUBLE_MIN_INTEGER = -DOUBLE_MAX_INTEGER

_INT, _NUMBER = (int,), (float, int)
_LIMITS = {  # check: types, lower limit, upper limit, whether the lower limit is excluded
    "int32": (_INT, INT32_MIN, INT32_MAX, False),
    "uint8": (_INT, 0, UINT8_MAX, False),
    "uint32": (_INT, 0, UINT32_MAX, False),
    "pos_uint32": (_INT, 1, UINT32_MAX, False),
    "pos_int32": (_INT, 1, INT32_MAX, False),
    "uint64": (_INT, 0, UINT64_MAX, False),
    "pos_int64": (_INT, 1, INT64_MAX, False),
    "non_negative_int32": (_INT, 0, INT32_MAX, False),
    "float32": (_NUMBER, FLOAT_MIN_INTEGER, FLOAT_MAX_INTEGER, False),
    "float64": (_NUMBER, DOUBLE_MIN_INTEGER, DOUBLE_MAX_INTEGER, False),
    "pos_float32": (_NUMBER, 0, FLOAT_MAX_INTEGER, True),
    "pos_float64": (_NUMBER, 0, DOUBLE_MAX_INTEGER, True),
    "non_negative_float32": (_NUMBER, 0, FLOAT_MAX_INTEGER, False),
    "non_negative_float64": (_NUMBER, 0, DOUBLE_MAX_INTEGER, False),
}
__all__ = [
    "FLOAT_MAX_INTEGER",
    "FLOAT_MIN_INTEGER",
    "INT32_MAX",
    "INT32_MIN",
    "INT64_MAX",
    "INT64_MIN",
    "UINT32_MAX",
    "UINT64_MAX",
    "UINT8_MAX",
    "DOUBLE_MAX_INTEGER",
    "DOUBLE_MIN_INTEGER",
    "check_2tuple",
    "check_columns",
    "check_dataset_num_shards_shard_id",
    "check_dict",
    "check_dir",
    "check_feature_shape",
    "check_file",
    "check_filename",
    "check_float32_not_zero",
    "check_independent_mode",
    "check_int32_not_zero",
    "check_list_same_size",
    "check_num_parallel_workers",
    "check_num_samples",
    "check_odd",
    "check_padding_options",
    "check_positive",
    "check_range",
    "check_sampler_shuffle_shard_options",
    "check_tensor_op",
    "check_valid_detype",
    "check_valid_list_tuple",
    "check_valid_str",
    "check_value",
    "check_value_cutoff",
    "check_value_normalize_std",
    "check_value_ratio",
    "is_iterable",
    "pad_arg_name",
    "parse_user_args",
    "replace_none",
    "type_check",
    "type_check_list",
    "validate_dataset_param_value",
]
__all__ += [f"check_{name}" for name in _LIMITS]


# Types --------------------------------------------------------------------------------------------


def type_check(arg, types, arg_name):
    """Checks the type of a value; a bool counts as an int only if `types` contains bool."""
    wrong_bool = isinstance(arg, bool) and int in types and bool not in types
    if wrong_bool or not isinstance(arg, types):
        names = " or ".join(getattr(type_, "__name__", str(type_)) for type_ in types)
        raise TypeError(
            f"'{arg_name}' must be of type {names}, but got {arg!r} of type {type(arg).__name__}."
        )


def type_check_list(args, types, arg_names):
    """Checks the type of each value of a list or tuple.

    Args:
        args (Union[list, tuple]): the values.
        types (tuple[type]): the types they may have.
        arg_names (Union[str, list[str]]): the name of the list, or of each value.
    """
    type_check(args, (list, tuple), arg_names)
    if isinstance(arg_names, str):
        arg_names = [f"{arg_names}[{index}]" for index in range(len(args))]
    if len(args) != len(arg_names):
        raise ValueError(
            f"'arg_names' must have as many names as there are values, {len(args)}, "
            f"but got {len(arg_names)}."
        )
    for arg, name in zip(args, arg_names, strict=True):
        type_check(arg, types, name)


def check_valid_detype(type_):
    """Checks that a value is a dtype, and returns True."""
    if not isinstance(type_, Type):
        raise TypeError(f"'type_' must be a dtype, but got {type_!r}.")
    return True


def check_tensor_op(param, param_name):
    """Checks that a value is a transform or a function."""
    if not callable(param) and not hasattr(param, "parse"):
        raise TypeError(
            f"'{param_name}' must be a transform or a function, but got {param!r} of "
            f"type {type(param).__name__}."
        )


def check_dict(data, key_type, value_type, param_name):
    """Checks the types of the keys and values of a dict; None is accepted."""
    if data is None:
        return
    type_check(data, (dict,), param_name)
    for key, value in data.items():
        for item, expected, kind in ((key, key_type, "key"), (value, value_type, "value")):
            if not isinstance(item, expected):
                raise TypeError(
                    f"A {kind} of '{param_name}' must be of type {expected}, but got "
                    f"{item!r} of type {type(item).__name__}."
                )


def is_iterable(obj):
    """Returns whether an object is iterable."""
    return _succeeds(iter, obj)


def _succeeds(function, *args):
    try:
        function(*args)
    except TypeError:
        return False
    return True


# Numbers -----------------------------------------------------------------------------------------


def check_value(
    value, valid_range, arg_name="", left_open_interval=False, right_open_interval=False
):
    """Checks that a value lies in an interval; closed ends belong to it, open ends do not."""
    low, high = valid_range[0], valid_range[1]
    above = low < value if left_open_interval else low <= value
    below = value < high if right_open_interval else value <= high
    if not (above and below):
        opening, closing = "(" if left_open_interval else "[", ")" if right_open_interval else "]"
        raise ValueError(
            f"{_subject(arg_name)} must be in {opening}{low}, {high}{closing}, but got {value}."
        )


def _subject(arg_name):
    return f"'{arg_name}'" if arg_name else "The value"


def check_value_cutoff(value, valid_range, arg_name=""):
    """Checks that a value lies in [low, high)."""
    check_value(value, valid_range, arg_name, False, True)


def check_value_ratio(value, valid_range, arg_name=""):
    """Checks that a value lies in (low, high]."""
    check_value(value, valid_range, arg_name, True, False)


check_value_normalize_std = check_value_ratio


def check_range(values, valid_range, arg_name=""):
    """Checks that a pair is in ascending order and within [low, high]."""
    if not valid_range[0] <= values[0] <= values[1] <= valid_range[1]:
        raise ValueError(
            f"{_subject(arg_name)} must be (min, max) with {valid_range[0]} <= min <= "
            f"max <= {valid_range[1]}, but got {values}."
        )


def check_positive(value, arg_name=""):
    """Checks that a number is above zero."""
    if value <= 0:
        raise ValueError(f"{_subject(arg_name)} must be greater than 0, but got {value}.")


def check_odd(value, arg_name=""):
    """Checks that a number is odd."""
    if value % 2 != 1:
        raise ValueError(f"{_subject(arg_name)} must be odd, but got {value}.")


def check_2tuple(value, arg_name=""):
    """Checks that a value is a tuple of two items."""
    if not (isinstance(value, tuple) and len(value) == 2):
        raise ValueError(f"{_subject(arg_name)} must be a tuple of 2 items, but got {value!r}.")


def _interval_check(name):
    types, low, high, is_open = _LIMITS[name]

    def check(value, arg_name=""):
        type_check(value, types, arg_name)
        check_value(value, [low, high], arg_name, is_open)

    check.__name__ = check.__qualname__ = f"check_{name}"
    kind = "An int" if types == _INT else "A number"
    check.__doc__ = f"{kind} in {'(' if is_open else '['}{low}, {high}]."
    return check


for _name in _LIMITS:
    globals()[f"check_{_name}"] = _interval_check(_name)


def check_int32_not_zero(value, arg_name=""):
    """Checks that a value is an int32 other than zero."""
    _check_not_zero("int32", value, arg_name)


def check_float32_not_zero(value, arg_name=""):
    """Checks a number in the range of float32 other than zero."""
    _check_not_zero("float32", value, arg_name)


def _check_not_zero(name, value, arg_name):
    type_check(value, _LIMITS[name][0], arg_name)
    if value == 0:
        raise ValueError(f"{_subject(arg_name)} must not be 0, but got {value}.")
    check_value(value, _LIMITS[name][1:3], arg_name)


def check_num_parallel_workers(value):
    """Checks a number of workers: an int from 1 to the number of cores."""
    type_check(value, _INT, "num_parallel_workers")
    check_value(value, [1, os.cpu_count()], "num_parallel_workers")


def check_num_samples(value):
    """Checks a number of samples: an int that is not negative."""
    type_check(value, _INT, "num_samples")
    check_value(value, [0, INT64_MAX], "num_samples")


# Words, lists and files ---------------------------------------------------------------------------


def check_valid_str(value, valid_strings, arg_name=""):
    """Checks that a str is one of several."""
    type_check(value, (str,), arg_name)
    if value not in valid_strings:
        raise ValueError(f"{_subject(arg_name)} must be one of {valid_strings}, but got {value!r}.")


def check_valid_list_tuple(value, valid_list_tuple, data_type, arg_name=""):
    """Checks that every item of a list or tuple has type `data_type` and is one of
    `valid_list_tuple`."""
    type_check_list(value, data_type, arg_name)
    for item in value:
        if item not in valid_list_tuple:
            raise ValueError(
                f"{_subject(arg_name)} must have items of {valid_list_tuple}, but got {item!r}."
            )


def check_columns(columns, name):
    """Checks a column name, or a list of different non-empty column names."""
    type_check(columns, (str, list), name)
    names = [columns] if isinstance(columns, str) else columns
    type_check_list(names, (str,), name)
    if not names or "" in names:
        raise ValueError(f"'{name}' must have names that are not empty, but got {columns!r}.")
    if len(set(names)) != len(names):
        raise ValueError(f"'{name}' must have each name once, but got {columns}.")


def check_filename(path):
    """Checks the last part of a path: it must contain none of \\/:*?"<>|`&'; and must not begin or
    end with a space.
    """
    type_check(path, (str,), "path")
    name = os.path.basename(os.path.realpath(path))
    if set(name) & set("\\/:*?\"<>|`&';") or name != name.strip(" "):
        raise ValueError(
            "'path' must have a file name without any of \\/:*?\"<>|`&'; and without "
            f"spaces at its ends, but got {path!r}."
        )


def check_dir(dataset_dir):
    """Checks that a path is a folder that can be read."""
    type_check(dataset_dir, (str,), "dataset_dir")
    if not os.path.isdir(dataset_dir) or not os.access(dataset_dir, os.R_OK):
        raise ValueError(
            f"'dataset_dir' must be a folder that can be read, but got {dataset_dir!r}."
        )


def check_file(dataset_file):
    """Checks that a path is a file that can be read."""
    check_filename(dataset_file)
    if not os.path.isfile(dataset_file) or not os.access(dataset_file, os.R_OK):
        raise ValueError(
            f"'dataset_file' must be a file that can be read, but got {dataset_file!r}."
        )


def check_list_same_size(list1, list2, list1_name="", list2_name=""):
    """Checks that two lists have the same length."""
    if len(list1) != len(list2):
        raise ValueError(
            f"'{list1_name}' and '{list2_name}' must have one length, but got "
            f"{len(list1)} and {len(list2)}."
        )


def check_feature_shape(data, shape, param_name):
    """Checks that arrays in a dict have two axes, with the first of the required length."""
    for key, value in data.items() if isinstance(data, dict) else ():
        if len(value.shape) != 2 or value.shape[0] != shape:
            raise ValueError(
                f"'{param_name}[{key!r}]' must have 2 axes, the first of length "
                f"{shape}, but got shape {value.shape}."
            )


# Datasets -----------------------------------------------------------------------------------------


def check_sampler_shuffle_shard_options(param_dict):
    """Checks that `sampler` is used without `shuffle`, shards and `num_samples`, and that
    `num_shards` and `shard_id` are used together.

    Raises:
        RuntimeError: if they cannot be combined.
    """
    arguments = {name for name, value in param_dict.items() if value is not None}
    for name in ("shuffle", "num_shards", "shard_id", "num_samples"):
        if "sampler" in arguments and name in arguments:
            raise RuntimeError(f"'sampler' and '{name}' must not both be given.")
    if ("num_shards" in arguments) != ("shard_id" in arguments):
        raise RuntimeError("'num_shards' and 'shard_id' must be given together.")
    if "num_shards" in arguments:
        globals()["check_pos_int32"](param_dict["num_shards"], "num_shards")
        check_value(param_dict["shard_id"], [0, param_dict["num_shards"] - 1], "shard_id")


def check_padding_options(param_dict):
    """Checks that a padding sample is given with its number and has the required columns.

    Raises:
        RuntimeError: if one of them is given without the others.
        ValueError: if the number is negative, or the sample lacks a column.
    """
    columns, sample, number = (
        param_dict.get(name) for name in ("columns_list", "padded_sample", "num_padded")
    )
    if (sample is None) != (number is None) or (sample is not None and columns is None):
        raise RuntimeError(
            "'padded_sample', 'num_padded' and 'columns_list' must be given together."
        )
    if sample is None:
        return
    if number < 0:
        raise ValueError(f"'num_padded' must not be negative, but got {number}.")
    if not set(columns) <= set(sample):
        raise ValueError(
            f"'padded_sample' must have the columns {columns}, but got those of {sorted(sample)}."
        )


def check_dataset_num_shards_shard_id(num_shards, shard_id):
    """Checks that both or neither are given, and that the shard is in range."""
    if (num_shards is None) != (shard_id is None):
        raise ValueError("'num_shards' and 'shard_id' must be given together.")
    if num_shards is not None:
        globals()["check_pos_int32"](num_shards, "num_shards")
        if shard_id >= num_shards:
            raise ValueError(
                f"'shard_id' must be less than 'num_shards', {num_shards}, but got {shard_id}."
            )


def check_independent_mode(feature_name, condition=True):
    """Raises a RuntimeError for a feature that a dataset in its own processes lacks."""
    independent = os.getenv("MS_INDEPENDENT_DATASET", "").strip() in ("True", "true")
    if condition and independent:
        raise RuntimeError(f"'{feature_name}' is not possible with MS_INDEPENDENT_DATASET.")


def validate_dataset_param_value(param_list, param_dict, param_type):
    """Checks the type of each given parameter of a dataset, and the limits of the numbers of
    workers and samples."""
    for name in param_list:
        value = param_dict.get(name)
        if value is None:
            continue
        if name == "num_parallel_workers":
            check_num_parallel_workers(value)
        if name == "num_samples":
            check_num_samples(value)
        else:
            type_check(value, (param_type,), name)


# Calls --------------------------------------------------------------------------------------------


def parse_user_args(method, *args, **kwargs):
    """Returns the arguments of a call without `self`, defaults included: as a list, and by name."""
    signature = inspect.signature(method)
    names = list(signature.parameters)
    if names[:1] in (["self"], ["cls"]):
        args, names = (method, *args), names[1:]
    call = signature.bind(*args, **kwargs)
    call.apply_defaults()
    return [call.arguments[name] for name in names], call.arguments


def replace_none(value, default):
    """Returns `value`, or `default` for None."""
    return default if value is None else value


def pad_arg_name(arg_name):
    """Returns a name followed by a space; an empty name stays empty."""
    return f"{arg_name} " if arg_name else ""
