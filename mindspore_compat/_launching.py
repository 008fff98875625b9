"""How work is handed to the device and to the cores: `mindspore.runtime`'s settings of it.

The original hands operations over in threads of its own, which settings here speak of. In this
package a call of an operation hands it over itself, in the thread of the caller, and shares large
work on the CPU among threads: those are what `runtime_num_threads` limits. Each number can be set
once, and results are the same with any. Cores are bound for what there is: the main thread and
those that share its work, and the workers of data pipelines.
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
    """Has every operation on a GPU finished before its call returns, so that an error of the device
    shows where its cause is. On the CPU it always is.

    It stays so until the process ends.

    Examples:
        >>> import mindspore_compat as ms
        >>> ms.runtime.launch_blocking()

    Source: mindspore.runtime.launch_blocking of MindSpore 2.10.
    """
    arrays.block()


@checked
def dispatch_threads_num(threads_num: Int(ge=1)):
    """Sets how many threads operations run on at most: those that large work on the CPU is shared
    among. Kept as `runtime_num_threads`.

    Args:
        threads_num (int): how many.

    Raises:
        TypeError: `threads_num` is no int.
        ValueError: it is below 1.
        RuntimeError: it has been set before.

    Source: mindspore.runtime.dispatch_threads_num of MindSpore 2.10.
    """
    _once("dispatch_threads_num")
    config.runtime_num_threads = threads_num
    scheduler.limit(threads_num, "runtime_num_threads")


@without_effect("runtime.set_kernel_launch_group", "each call hands over its own operation")
@checked
def set_kernel_launch_group(thread_num: Int(ge=1) = 2, kernel_group_num: Int(ge=1) = 8):
    """Sets in how many groups, by how many threads, a compiled graph hands over its operations.
    Here each call hands over its own.

    Args:
        thread_num (int, optional): how many threads.
        kernel_group_num (int, optional): how many groups, a multiple of `thread_num`.

    Raises:
        TypeError: an argument is no int.
        ValueError: one is below 1, or `kernel_group_num` is no multiple of `thread_num`.
        RuntimeError: it has been set before.

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
    """Sets whether the operations that a compiled graph hands over are captured once and replayed.

    Here that is a training step on a GPU, in graph mode or under `jit`, which is captured as a CUDA
    graph unless this is False or the environment variable MINDSPORE_COMPAT_CUDA_GRAPHS is 0.
    Results are the same with any setting.

    Args:
        enable_capture_graph (bool): whether they are captured. Before any call they are.
        op_capture_skip (list[str], optional): the names of operations that are not. A step is
            captured as a whole here, so with any name none is.

    Raises:
        TypeError: `enable_capture_graph` is no bool, or `op_capture_skip` no list of strs.

    Examples:
        >>> import mindspore_compat as ms
        >>> ms.runtime.set_kernel_launch_capture(True)

    Source: mindspore.runtime.set_kernel_launch_capture of MindSpore 2.10.
    """
    current.allow(enable_capture_graph and not op_capture_skip)


@checked
def set_cpu_affinity(
    enable_affinity: Bool,
    affinity_cpu_list: ListOf(Str) | None = None,
    module_to_cpu_dict: DictOf() | None = None,
    bind_file: Str | None = None,
):
    """Binds threads to cores of the CPU.

    There are two kinds of them here: the main thread ("main"), which runs the operations and starts
    the threads that share large ones, and the worker threads of data pipelines ("minddata"). Cores
    for the threads of the original's runtime ("runtime", "pynative") are checked; the work those do
    is the main thread's. Threads that have started already stay where they are. Only Linux binds
    single threads; elsewhere a warning says that nothing is bound.

    Args:
        enable_affinity (bool): whether to bind.
        affinity_cpu_list (list[str], optional): the cores that may be used, in ranges such as
            "0-3" or lists such as "0,2"; by default those the process may use.
        module_to_cpu_dict (dict[str, list[int]], optional): cores by kind of thread; by default
            "main" gets all.
        bind_file (str, optional): a JSON file that holds, under "bind_cpu" and "device" with the
            device's number, ranges by kind of thread; then the other two are not read.

    Raises:
        TypeError: an argument, a kind of thread or a range is of another type.
        ValueError: a range is no range, a core no number from 0 on, a kind of thread unknown, or
            `bind_file` no such file.
        RuntimeError: there is no such core, or it is called a second time.

    Source: mindspore.runtime.set_cpu_affinity of MindSpore 2.10.
    """
    api = "set_cpu_affinity"
    if bind_file is not None:
        given = _from_file(api, bind_file)
        ranges = []
    else:
        given = _checked_modules(api, module_to_cpu_dict or {})
        ranges = affinity_cpu_list or []
    present = affinity.available()
    allowed = [core for text in ranges for core in _cores(api, text)] or present
    given = given or {"main": allowed}
    for core in [*allowed, *(core for cores in given.values() for core in cores)]:
        if core not in present:
            raise RuntimeError(
                f"For '{api}', this process has no core {core}: it may use {present}."
            )
    _once(api)
    if enable_affinity and not affinity.bind(given):
        log.warning("This system does not bind single threads to cores: nothing is bound.")
    scheduler.recount()


def _checked_modules(api, given):
    """Cores by kind of thread, checked."""
    for name, cores in given.items():
        Str.called("strs").refuse_part(api, "the keys of 'module_to_cpu_dict'", name)
        InstanceOf(list).called("lists").refuse_part(
            api, "the values of 'module_to_cpu_dict'", cores
        )
    for name, cores in given.items():
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
    return {name: cores for name, cores in given.items() if cores}


def _cores(api, text):
    """The cores of a range such as "0-3", or of a list such as "0,2"."""
    if re.fullmatch(r"\d+-\d+", text):
        first, last = map(int, text.split("-"))
        if first <= last:
            return list(range(first, last + 1))
    elif re.fullmatch(r"\d+(,\d+)*", text):
        return [int(each) for each in text.split(",")]
    raise ValueError(
        f"For '{api}', 'affinity_cpu_list' must hold ranges such as '0-3', but got {text!r}."
    )


def _from_file(api, path):
    """Cores by kind of thread, for the device in force, as a file lists them."""
    if not os.path.isfile(path):
        raise ValueError(f"For '{api}', 'bind_file' must be a file, but there is no {path!r}.")
    device = f"device{config.device_id}"
    with reading(path, ValueError, f"is no 'bind_file' with cores for '{device}'", api):
        settings = json_of(path)["bind_cpu"][device]
        return {name: _cores(api, text) for name, text in settings.items() if name in _MODULES}
