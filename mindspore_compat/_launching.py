"""Settings of `mindspore.runtime` for the execution of operations on the device and the cores.

MindSpore launches operations in separate threads, which these settings configure. In this
package, operations are launched in the caller's thread. Large work on the CPU is divided among
threads; `runtime_num_threads` limits their number. Each number can be set once; results do not
depend on it. Cores can be bound for the threads that exist: the main thread and its helpers, and
the workers of data pipelines.
"""

import os
import re

from . import log
from ._backend import arrays
from ._backend.steps import current
from ._backend.threads import affinity, scheduler
from ._core.context.config import config
from ._core.context.settings import DictOf
from ._core.rules.checked import checked
from ._core.rules.vocabulary import Bool, InstanceOf, Int, ListOf, Str
from ._core.without_effect import without_effect
from ._io.reading import json_of, reading

_MODULES = ("main", "runtime", "pynative", "minddata")
_done = set()


def _once(name):
    if name in _done:
        raise RuntimeError(f"For '{name}', a second call is refused: it can be set once.")
    _done.add(name)


def launch_blocking():
    """Makes every operation on a GPU finish before its call returns, so that device errors appear
    at their cause. On the CPU this is always so.

    It stays so until the process ends.

    Examples:
        >>> import mindspore_compat as ms
        >>> ms.runtime.launch_blocking()

    Source: mindspore.runtime.launch_blocking of MindSpore 2.10.
    """
    arrays.block()


@checked
def dispatch_threads_num(threads_num: Int(ge=1)):
    """Sets the maximum number of threads for large operations on the CPU. Stored as
    `runtime_num_threads`.

    Args:
        threads_num (int): the number of threads.

    Raises:
        TypeError: if `threads_num` is not an int.
        ValueError: if `threads_num` is below 1.
        RuntimeError: if an earlier call has set it.

    Source: mindspore.runtime.dispatch_threads_num of MindSpore 2.10.
    """
    _once("dispatch_threads_num")
    config.runtime_num_threads = threads_num
    scheduler.limit(threads_num, "runtime_num_threads")


@without_effect("runtime.set_kernel_launch_group", "each call hands over its own operation")
@checked
def set_kernel_launch_group(thread_num: Int(ge=1) = 2, kernel_group_num: Int(ge=1) = 8):
    """Sets the number of groups and threads that launch the operations of a compiled graph. It has
    no effect here, because each call launches its own operations.

    Args:
        thread_num (int, optional): the number of threads.
        kernel_group_num (int, optional): the number of groups, a multiple of `thread_num`.

    Raises:
        TypeError: if an argument is not an int.
        ValueError: if one is below 1, or `kernel_group_num` is not a multiple of `thread_num`.
        RuntimeError: if an earlier call has set it.

    Source: mindspore.runtime.set_kernel_launch_group of MindSpore 2.10.
    """
    if kernel_group_num % thread_num:
        raise ValueError(
            f"For 'set_kernel_launch_group', 'kernel_group_num' must be a multiple of "
            f"'thread_num', but got {kernel_group_num} and {thread_num}."
        )
    _once("set_kernel_launch_group")


@checked
def set_kernel_launch_capture(
    enable_capture_graph: Bool, op_capture_skip: ListOf(Str) | None = None
):
    """Sets whether the operations of a compiled graph are captured once and replayed.

    Here that is a training step on a GPU, in graph mode or under `jit`, which is captured as a CUDA
    graph unless this is False or the environment variable MINDSPORE_COMPAT_CUDA_GRAPHS is 0.
    Results are the same with any setting.

    Args:
        enable_capture_graph (bool): whether to capture them, which is the default.
        op_capture_skip (list[str], optional): the names of operations not to capture. Here a step
            is captured as a whole, so any name disables capture.

    Raises:
        TypeError: if `enable_capture_graph` is not a bool, or `op_capture_skip` no list of strs.

    Examples:
        >>> import mindspore_compat as ms
        >>> ms.runtime.set_kernel_launch_capture(True)

    Source: mindspore.runtime.set_kernel_launch_capture of MindSpore 2.10.
    """
    current.allow(enable_capture_graph and not op_capture_skip)


@checked
def set_cpu_affinity(
    enable_affinity: Bool,
    affinity_cpu_list: ListOf(Str) | DictOf() | None = None,
    module_to_cpu_dict: DictOf() | None = None,
    bind_file: Str | None = None,
):
    """Binds threads to cores of the CPU.

    Two kinds of threads exist here: the main thread ("main"), which runs the operations and starts
    the threads that share large ones, and the worker threads of data pipelines ("minddata"). Cores
    for the threads of MindSpore's runtime ("runtime", "pynative") are checked; the main thread
    does their work. Running threads are not moved. Only Linux can bind single threads; elsewhere
    there is a warning and nothing is bound.

    Args:
        enable_affinity (bool): whether to bind.
        affinity_cpu_list (list[str], optional): the cores that may be used, in ranges such as
            "0-3" or lists such as "0,2"; by default, as for an empty dict, those the process may
            use.
        module_to_cpu_dict (dict[str, list[int]], optional): cores by kind of thread; by default
            "main" gets all.
        bind_file (str, optional): a JSON file that holds, under "bind_cpu" and "device" with the
            device's number, ranges by kind of thread; then the other two arguments are ignored.

    Raises:
        TypeError: if an argument, a kind of thread or a range is of the wrong type.
        ValueError: if a range is malformed, a core is not a number from 0 on, a kind of thread is
            unknown, or `bind_file` does not exist.
        RuntimeError: if there is no such core, or it is called a second time.

    Source: mindspore.runtime.set_cpu_affinity of MindSpore 2.10.
    """
    api = "set_cpu_affinity"
    if bind_file is not None:
        cores_by_kind = _from_file(api, bind_file)
        ranges = []
    else:
        cores_by_kind = _check_modules(api, module_to_cpu_dict or {})
        ranges = affinity_cpu_list if isinstance(affinity_cpu_list, list) else []
    present = affinity.available()
    cores = [core for text in ranges for core in _cores(api, text)] or present
    cores_by_kind = cores_by_kind or {"main": cores}
    for core in [*cores, *(core for group in cores_by_kind.values() for core in group)]:
        if core not in present:
            raise RuntimeError(
                f"For '{api}', this process has no core {core}: it may use {present}."
            )
    _once(api)
    if enable_affinity and not affinity.bind(cores_by_kind):
        log.warning("This system does not bind single threads to cores: nothing is bound.")
    scheduler.recount()


def _check_modules(api, modules):
    """Checks `module_to_cpu_dict`, the cores for each kind of thread; returns the entries that name
    cores."""
    for name, cores in modules.items():
        Str.called("strs").refuse_part(api, "the keys of 'module_to_cpu_dict'", name)
        InstanceOf(list).called("lists").refuse_part(
            api, "the values of 'module_to_cpu_dict'", cores
        )
    for name, cores in modules.items():
        if name not in _MODULES:
            raise ValueError(
                f"For '{api}', the keys of 'module_to_cpu_dict' must be among "
                f"{', '.join(map(repr, _MODULES))}, but got {name!r}."
            )
        if not all(type(core) is int and core >= 0 for core in cores):
            raise ValueError(
                f"For '{api}', the values of 'module_to_cpu_dict' must hold ints from "
                f"0 on, but got {cores!r}."
            )
    return {name: cores for name, cores in modules.items() if cores}


_MOST_CORES = 1 << 16  # more than any machine has: a longer range names cores that are not there


def _cores(api, text):
    """Returns the cores of a range such as "0-3", or of a list such as "0,2"."""
    if re.fullmatch(r"\d+-\d+", text):
        first, last = map(int, text.split("-"))
        if first <= last:
            return list(range(first, min(last, first + _MOST_CORES) + 1))
    elif re.fullmatch(r"\d+(,\d+)*", text):
        return [int(number) for number in text.split(",")]
    raise ValueError(
        f"For '{api}', 'affinity_cpu_list' must hold ranges such as '0-3', but got {text!r}."
    )


def _from_file(api, path):
    """Reads cores by kind of thread, for the current device, from a file."""
    if not os.path.isfile(path):
        raise ValueError(f"For '{api}', 'bind_file' must be a file, but there is no {path!r}.")
    device = f"device{config.device_id}"
    with reading(path, ValueError, f"is no 'bind_file' with cores for '{device}'", api):
        settings = json_of(path)["bind_cpu"][device]
        return {name: _cores(api, text) for name, text in settings.items() if name in _MODULES}
