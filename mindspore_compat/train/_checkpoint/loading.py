"""load_checkpoint and load_param_into_net: read Parameters from a file, and load them into a
network.

`_io` reads the bytes of the files. Saving is in `saving.py`.
"""

import concurrent.futures
import io
import os

from ... import log
from ..._backend.arrays import SPACES, to_current
from ..._core.declare.library_errors import explain
from ..._core.rules.vocabulary import AsValue, Bool, InstanceOf, Str, checked
from ..._core.sharding.array import Sharded
from ..._core.tensor.tensor import Tensor
from ..._io import checkpoint, safetensors
from ...common.parameter import Parameter, _new_parameter, put_all
from ...nn.cell import Cell
from .saving import check_crc, check_key

# Kinds of types that load_param_into_net converts into one another.
_KINDS = [{"Float16", "Float32", "Float64", "BFloat16"}, {"Int8", "Int16", "Int32", "Int64"}]


def load_checkpoint(
    ckpt_file_name,
    net=None,
    strict_load=False,
    filter_prefix=None,
    dec_key=None,
    dec_mode="AES-GCM",
    specify_prefix=None,
    choice_func=None,
    crc_check=False,
    remove_redundancy=False,
    format="ckpt",
):
    """Loads the parameters of a checkpoint file.

    Args:
        ckpt_file_name (Union[str, io.BytesIO]): the file, whose name ends in ".ckpt" or
            ".safetensors" according to `format`; or a BytesIO with the content of a safetensors
            file.
        net (Cell): a network to load the parameters into, see `load_param_into_net`.
        strict_load (bool): See `load_param_into_net`.
        filter_prefix (Union[str, list[str], tuple[str]]): skip names with one of these prefixes.
            Deprecated, like `specify_prefix`; each of the two overrides `choice_func`.
        dec_key (Union[None, bytes]): the key with which the file was encrypted.
        dec_mode (str): "AES-GCM", "AES-CBC" or "SM4-CBC".
        specify_prefix (Union[str, list[str], tuple[str]]): load only names with one of these
            prefixes.
        choice_func (function): takes a name and returns whether to load the value.
        crc_check (bool): whether to warn about a file without a checksum. An existing checksum is
            always verified, with two exceptions that require True: a safetensors file of which only
            some names are loaded, and a checksum after encrypted values.
        remove_redundancy (bool): whether the file was saved by one of several devices and lacks the
            parameters that the others save.
        format (str): "ckpt" or "safetensors".

    Returns:
        dict from names to Parameters (or str for a saved text), in the order of the file.

    Raises:
        TypeError: if `ckpt_file_name`, `net`, a prefix or `choice_func` is of the wrong type.
        ValueError: if the file is not there, is damaged, has another format or nothing in it is
            wanted; if a prefix is empty; if the key or mode does not fit.

    Examples:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat import Parameter
        >>> ms.save_checkpoint([Parameter(1.0, name="a"), Parameter(2, name="b")], "two.ckpt")
        >>> ms.load_checkpoint("two.ckpt", choice_func=lambda name: name != "a")
        {'b': Parameter (name=b, shape=(), dtype=Int32, requires_grad=True)}
    """
    api = "load_checkpoint"
    _check_file_name(ckpt_file_name, format)
    _check_net(api, net)
    is_wanted = _name_filter(specify_prefix, filter_prefix, choice_func)
    check_key(api, "dec", dec_key, dec_mode, format)
    check_crc(api, crc_check)
    _check_redundancy(api, remove_redundancy)
    _check_file(ckpt_file_name, format)
    if format == "safetensors":
        values, about = safetensors.read(
            ckpt_file_name, crc=crc_check or is_wanted is None, accepts=is_wanted
        )
        remove_redundancy = _lacks_redundancy(about, remove_redundancy, net)
    else:
        if crc_check and dec_key is None and not checkpoint.has_checksum(ckpt_file_name):
            log.warning(f"For '{api}', the file {ckpt_file_name} has no checksum to check.")
        values = checkpoint.read(
            ckpt_file_name,
            crc=crc_check or dec_key is None,
            key=dec_key,
            mode=dec_mode,
            accepts=is_wanted,
        )
    if not values:
        raise ValueError(
            f"For '{api}', nothing of the file {ckpt_file_name} is left to load: it "
            "is empty, or the prefixes or 'choice_func' leave nothing."
        )
    parameters = {
        name: value if type_name == checkpoint.TEXT else _parameter(name, value)
        for name, value, type_name in values
    }
    if net is not None:
        load_param_into_net(net, parameters, strict_load, remove_redundancy)
    return parameters


def _parameter(name, array):
    """Returns a Parameter over an array that nothing else uses."""
    parameter = _new_parameter(to_current(array))
    parameter.name = name
    return parameter


# Checks -------------------------------------------------------------------------------------------


def _check_file_name(file_name, format):
    """Rejects a value that is not a file name, or does not end as the format requires."""
    if isinstance(file_name, io.BytesIO):
        if format != "safetensors":
            raise TypeError(
                "For 'load_checkpoint', 'ckpt_file_name' can be a BytesIO only when "
                "'format' is 'safetensors'."
            )
    else:
        Str.refuse("load_checkpoint", "ckpt_file_name", file_name)


def _check_file(file_name, format):
    """Rejects a missing file, or one whose name does not end as the format requires."""
    if isinstance(file_name, io.BytesIO):
        return
    if not file_name.endswith(f".{format}"):
        raise ValueError(
            f"For 'load_checkpoint', the name of a file of the format {format!r} must "
            f"end in '.{format}', but got {file_name!r}."
        )
    if not os.path.isfile(file_name):
        raise ValueError(
            f"For 'load_checkpoint', the file {os.path.abspath(file_name)} is not there."
        )


def _check_checkpoint_param(ckpt_file_name, filter_prefix=None):
    """Runs the checks of `load_checkpoint`; scripts of releases 1.x import this function.

    Returns:
        The absolute path, and the prefixes as given; a single prefix as a tuple.

    Raises:
        TypeError: if `ckpt_file_name` is not a str, or `filter_prefix` not a str, list or tuple of
            them.
        ValueError: if there is no such file, its name does not end in .ckpt, or a prefix is empty.
    """
    Str.refuse("load_checkpoint", "ckpt_file_name", ckpt_file_name)
    _check_file(ckpt_file_name, "ckpt")
    if filter_prefix is not None:
        _check_prefix("filter_prefix", filter_prefix)
    prefixes = (filter_prefix,) if isinstance(filter_prefix, str) else filter_prefix
    return os.path.realpath(ckpt_file_name), prefixes


def _check_net(api, net):
    if net is not None:
        InstanceOf(Cell).refuse(api, "net", net)


def _check_redundancy(api, value):
    AsValue(Bool).refuse(api, "remove_redundancy", value)


def _name_filter(specify_prefix, filter_prefix, choice_func):
    """Returns a function that decides by name whether to load a value; None to load all."""
    for name, prefix in (("specify_prefix", specify_prefix), ("filter_prefix", filter_prefix)):
        if prefix is not None:
            _check_prefix(name, prefix)
            log.warning(f"For 'load_checkpoint', '{name}' is deprecated; use 'choice_func'.")
    if specify_prefix is None and filter_prefix is None:
        if choice_func is not None and not callable(choice_func):
            raise TypeError(
                "For 'load_checkpoint', 'choice_func' must be a function or None, but "
                f"got {choice_func!r} of type {type(choice_func).__name__}."
            )
        return choice_func
    only, never = (
        prefix if prefix is None or isinstance(prefix, str) else tuple(prefix)
        for prefix in (specify_prefix, filter_prefix)
    )
    return lambda name: (
        (only is None or name.startswith(only)) and (never is None or not name.startswith(never))
    )


def _check_prefix(name, prefix):
    """Rejects a prefix that is empty, or neither a str nor a list of them."""
    InstanceOf(str, list, tuple).called("a str, or a list or tuple of them").refuse(
        "load_checkpoint", name, prefix
    )
    parts = [prefix] if isinstance(prefix, str) else prefix
    for part in parts:
        Str.called("str").refuse_part("load_checkpoint", f"'{name}'", part, verb="hold")
    if not parts or "" in parts:
        raise ValueError(f"For 'load_checkpoint', '{name}' must not be empty, but got {prefix!r}.")


def _lacks_redundancy(about, requested, net):
    """Returns whether the file lacks values that other devices saved; a safetensors file records
    this itself."""
    setting = about.get("remove_redundancy")
    if setting is None or (setting == "True") == requested or net is None:
        return requested
    log.warning(
        f"For 'load_checkpoint', 'remove_redundancy' is {requested}, but the file says "
        f"{setting}, which counts."
    )
    return setting == "True"


# Into a network -----------------------------------------------------------------------------------


def load_param_into_net(net, parameter_dict, strict_load=False, remove_redundancy=False):
    """Loads parameters into a network by their names.

    A parameter of the network that `parameter_dict` lacks may be there under a longer name: unless
    `strict_load`, the first name that ends in the parameter's name gives a prefix, and values under
    that prefix are loaded for all missing parameters. If one does not fit, nothing is loaded.
    A value of the same dtype is not copied, as by `Parameter.set_data`: an update in place of one
    of the two Parameters then changes both.

    Args:
        net (Cell): the network.
        parameter_dict (dict): Parameters by name, as `load_checkpoint` returns them. Texts in it
            are skipped.
        strict_load (bool): whether the dtypes must be equal. Otherwise floats of different widths
            are converted into one another, and so are signed integers.
        remove_redundancy (bool): whether `parameter_dict` lacks what other devices saved.

    Returns:
        (list, list): the names of the network's parameters that were not loaded, and the names in
        `parameter_dict` that the network does not have.

    Raises:
        TypeError: if `net` is not a Cell, `parameter_dict` not a dict of Parameters by str, or
            `strict_load` not a bool; if `remove_redundancy` is True without parallel training.
        ValueError: if `remove_redundancy` is not a bool.
        RuntimeError: if a shape differs (except for trailing ones), or a dtype cannot be converted.

    Examples:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat import nn, Parameter, Tensor
        >>> net = nn.Dense(2, 1)
        >>> ms.load_param_into_net(net, {"bias": Parameter(Tensor([3.0]), name="bias")})
        (['weight'], [])

    Source: mindspore.train.load_param_into_net of MindSpore 2.10.
    """
    api = "load_param_into_net"
    if net is None:
        raise TypeError(f"For '{api}', 'net' must be a Cell, but got None.")
    _check_net(api, net)
    _check_dict(api, parameter_dict)
    Bool.refuse(api, "strict_load", strict_load)
    _check_redundancy(api, remove_redundancy)
    if remove_redundancy:
        raise TypeError(
            f"For '{api}', 'remove_redundancy' can be True only in parallel training, "
            "where parameters come from several devices."
        )
    sources, lacking = _sources(net, parameter_dict, strict_load)
    try:
        fitted = [(param, _fit(param, source, strict_load)) for param, source in sources]
        put_all(fitted)
    except MemoryError as error:
        raise explain(api, error) from error
    names = {param.name for _, param in net.parameters_and_names()}
    if lacking:
        log.warning(
            f"For '{api}', {len(lacking)} parameters of 'net' are not loaded, because they "
            f"are not in 'parameter_dict'.{_prefix_hint(lacking, parameter_dict)}"
        )
        log.warning(f"{lacking} are not loaded.")
    return lacking, [
        name
        for name in parameter_dict
        if name not in names or isinstance(parameter_dict[name], str)
    ]


def _check_dict(api, parameter_dict):
    InstanceOf(dict).refuse(api, "parameter_dict", parameter_dict)
    for name, value in parameter_dict.items():
        if not isinstance(name, str) or not isinstance(value, (Parameter, str)):
            raise TypeError(
                f"For '{api}', 'parameter_dict' must hold Parameters by name, but got "
                f"{value!r} of type {type(value).__name__} by {name!r}."
            )


def _sources(net, parameter_dict, strict_load):
    """Returns pairs (parameter, source), and the names of the parameters without a source."""
    pairs, lacking = [], []
    for _, param in net.parameters_and_names():
        source = parameter_dict.get(param.name)
        if isinstance(source, Parameter):
            pairs.append((param, source))
        elif source is None:
            lacking.append(param)
    if lacking and not strict_load:
        lacking = _by_prefix(lacking, parameter_dict, pairs)
    return pairs, [param.name for param in lacking]


def _prefix_hint(lacking, parameter_dict):
    """Returns a sentence for the warning if names differ by a prefix alone, else ""."""
    for name in lacking:
        for other in parameter_dict:
            if other.endswith(f".{name}"):
                prefix = other[: -len(name)]
                return (
                    f" The names in 'parameter_dict' start with {prefix!r}: remove it, for example "
                    f"{{name.removeprefix({prefix!r}): value for name, value in "
                    "parameter_dict.items()}."
                )
            if name.endswith(f".{other}"):
                prefix = name[: -len(other)]
                return (
                    f" The names in 'net' start with {prefix!r}: add it, for example "
                    f"{{{prefix!r} + name: value for name, value in parameter_dict.items()}}."
                )
    return ""


def _by_prefix(missing, parameter_dict, pairs):
    """Adds to `pairs` the values found under longer names; returns the parameters still missing."""
    remaining = {param.name: param for param in missing}
    for param in missing:
        if param.name not in remaining:
            continue
        longer = next(
            (
                name
                for name, value in parameter_dict.items()
                if name.endswith(param.name) and isinstance(value, Parameter)
            ),
            None,
        )
        if longer is None:
            continue
        prefix = longer[: len(longer) - len(param.name)]
        log.warning(
            f"For 'load_param_into_net', the prefix {prefix!r} of names in "
            "'parameter_dict' is dropped."
        )
        for name in list(remaining):
            source = parameter_dict.get(prefix + name)
            if isinstance(source, Parameter):
                pairs.append((remaining.pop(name), source))
    return [param for param in missing if param.name in remaining]


def _fit(param, source, strict_load):
    """Returns the values of `source` in the shape and dtype of `param`, shared if these agree."""
    shape, source_shape = param.shape, source.shape
    is_slice = _is_slice(param, source_shape)
    if (
        not is_slice
        and shape != source_shape
        and (source_shape[: len(shape)] != shape or any(n != 1 for n in source_shape[len(shape) :]))
    ):
        raise RuntimeError(
            f"For 'load_param_into_net', '{param.name}' has the shape {shape} in "
            f"'net', but {source_shape} in 'parameter_dict'."
        )
    array = source.init_data()._array
    if is_slice:
        shape = source_shape
    if source.dtype == param.dtype:
        return _as_part(param, _shared(array, shape), is_slice)
    names = {str(source.dtype), str(param.dtype)}
    if strict_load or not any(names <= kind for kind in _KINDS):
        raise RuntimeError(
            f"For 'load_param_into_net', '{param.name}' is of type {param.dtype} in "
            f"'net', but of type {source.dtype} in 'parameter_dict'."
        )
    log.warning(
        f"For 'load_param_into_net', '{param.name}' is converted from {source.dtype} to "
        f"{param.dtype}."
    )
    converted = Tensor._wrap(array.reshape(shape)).astype(param.dtype)._array
    return _as_part(param, converted, is_slice)


def _shared(array, shape):
    """Returns `array` itself, or a copy if it has another shape or its memory cannot be updated."""
    if array.shape == shape and type(array) in SPACES:
        flags = array.flags
        if flags.c_contiguous and getattr(flags, "writeable", True):
            return array
    return array.reshape(shape).copy()


def _is_slice(param, shape):
    """Returns whether values of a shape are this rank's part of a divided parameter."""
    array = param._array
    return type(array) is Sharded and shape == array.block.shape != array.shape


def _as_part(param, array, is_slice):
    return param._array.space.like(param._array, array) if is_slice else array


def _update_param(param, new_param, strict_load):
    """Sets a Parameter to the value of another Parameter. Converts the dtype unless `strict_load`
    is True.

    Raises:
        RuntimeError: if the shapes differ, or the dtypes do and are not of one kind or
            `strict_load` is True.
    """
    param.set_data(Tensor._wrap(_fit(param, new_param, strict_load)))


def _load_dismatch_prefix_params(net, parameter_dict, param_not_load, strict_load):
    """Loads the parameters that `parameter_dict` has under longer names, and removes them from the
    list of missing ones.

    Args:
        net (Cell): the network.
        parameter_dict (dict): the Parameters by name.
        param_not_load (list[str]): the names of the parameters not loaded; changed in place.
        strict_load (bool): whether the dtypes must be equal.

    Raises:
        RuntimeError: as for `load_param_into_net`.
    """
    lacking = [param for _, param in net.parameters_and_names() if param.name in param_not_load]
    pairs = []
    still = {param.name for param in _by_prefix(lacking, parameter_dict, pairs)}
    for param, source in pairs:
        _update_param(param, source, strict_load)
    param_not_load[:] = [name for name in param_not_load if name in still]


# In the background, and several files -------------------------------------------------------------


class ParamDictFuture:
    """The pending result of `load_checkpoint_async`."""

    def __init__(self, executor, param_dict_future):
        self.executor = executor
        self.param_dict_future = param_dict_future

    def result(self):
        """Waits until loading ends, and returns the result of `load_checkpoint` or raises its
        error.
        """
        result = self.param_dict_future.result()
        self.executor.shutdown()
        return result


def load_checkpoint_async(
    ckpt_file_name,
    net=None,
    strict_load=False,
    filter_prefix=None,
    dec_key=None,
    dec_mode="AES-GCM",
    specify_prefix=None,
    choice_func=None,
):
    """Loads the parameters of a checkpoint file in a background thread.

    Args:
        ckpt_file_name (str): the file; its name ends in ".ckpt" or ".safetensors".
        net (Cell): like the other arguments, see `load_checkpoint`.

    Returns:
        ParamDictFuture, whose method `result` waits and returns the result of `load_checkpoint`.

    Raises:
        The errors of `load_checkpoint`, from `result`.

    Examples:
        >>> import mindspore_compat as ms
        >>> ms.save_checkpoint([ms.Parameter(1.0, name="a")], "one.ckpt")
        >>> future = ms.load_checkpoint_async("one.ckpt")
        >>> future.result()
        {'a': Parameter (name=a, shape=(), dtype=Float32, requires_grad=True)}

    Source: mindspore.train.load_checkpoint_async of MindSpore 2.10.
    """
    safe = ckpt_file_name.endswith(safetensors.SUFFIX)
    executor = concurrent.futures.ThreadPoolExecutor(1)
    future = executor.submit(
        load_checkpoint,
        ckpt_file_name,
        net,
        strict_load,
        filter_prefix,
        dec_key,
        dec_mode,
        specify_prefix,
        choice_func,
        format="safetensors" if safe else "ckpt",
    )
    return ParamDictFuture(executor, future)


@checked
def load_segmented_checkpoints(
    ckpt_file_dir: Str,
    net=None,
    strict_load=False,
    filter_prefix=None,
    dec_key=None,
    dec_mode="AES-GCM",
    specify_prefix=None,
    choice_func=None,
):
    """Loads all checkpoint files of a directory into one dict; later files override earlier ones.

    Args:
        ckpt_file_dir (str): the directory; files in its sub-directories are not loaded.
        net (Cell): like the other arguments, see `load_checkpoint`.

    Returns:
        dict from names to Parameters or str; empty if there are no such files.

    Raises:
        TypeError: if `ckpt_file_dir` is not a str.
        ValueError: if it is not a directory.

    Example:
        >>> import os
        >>> import mindspore_compat as ms
        >>> os.makedirs("parts")
        >>> for name in ("a", "b"):
        ...     ms.save_checkpoint([{"name": name, "data": ms.Tensor([1.0])}], f"parts/{name}.ckpt")
        >>> sorted(ms.load_segmented_checkpoints("parts"))
        ['a', 'b']

    Source: mindspore.parallel.load_segmented_checkpoints of MindSpore 2.10.
    """
    if not os.path.isdir(ckpt_file_dir):
        raise ValueError(
            "For 'load_segmented_checkpoints', 'ckpt_file_dir' must be a directory, "
            f"but got {ckpt_file_dir!r}."
        )
    parameters = {}
    for file_name in sorted(os.listdir(ckpt_file_dir)):
        if file_name.endswith(checkpoint.SUFFIX):
            parameters.update(
                load_checkpoint(
                    os.path.join(ckpt_file_dir, file_name),
                    net,
                    strict_load,
                    filter_prefix,
                    dec_key,
                    dec_mode,
                    specify_prefix,
                    choice_func,
                )
            )
    return parameters
