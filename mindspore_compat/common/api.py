"""The facade `mindspore.common.api`: decorators of graph mode, and execution without recording."""

import contextlib
import inspect
import threading

from .._backend import device
from .._core.autograd.tape import depth
from .jit import JitConfig, jit, jit_class, ms_class, ms_function, ms_memory_recycle

__all__ = ["JitConfig", "jit", "jit_class", "ms_class", "ms_function", "ms_memory_recycle"]

cells_compile_cache = {}  # the graphs of Cells, by Cell: nothing is compiled here


class _no_grad(contextlib.ContextDecorator):
    """Context, and decorator, in which nothing is recorded for gradients.

    Many projects import this private name, and some derive a class from it.
    """

    def __init__(self):
        self._outer = {}  # thread -> the settings before each entry

    def __enter__(self):
        self._outer.setdefault(threading.get_ident(), []).append(depth.paused)
        depth.paused = True

    def __exit__(self, *error):
        entries = self._outer[threading.get_ident()]
        depth.paused = entries.pop()
        if not entries:
            del self._outer[threading.get_ident()]


def _function_forbid_reuse(func):
    """Marks a function whose graph must be built for each call, and returns it. No graph is shared
    here.

    Raises:
        TypeError: if `func` is not a function.
    """
    if not inspect.isfunction(func):
        raise TypeError(
            f"For '_function_forbid_reuse', 'func' must be a function, but got {func!r} of type "
            f"{type(func).__name__}."
        )
    func.__function_forbid_reuse__ = True
    return func


class _PyNativeExecutor:
    """The eager executor of MindSpore as used by scripts; the only instance is
    `_pynative_executor`.

    MindSpore records a function between `new_graph` and `end_graph` and differentiates it in
    `grad`. Here a gradient makes its own recording, so `grad` runs the function again, except for a
    Cell after `set_grad` whose call has been saved.
    """

    def __init__(self):
        self._grad_flag = False
        self._async_for_graph = False

    @staticmethod
    def new_graph(obj, *args, **kwargs):
        """Announces a call of a function or Cell; does nothing."""

    @staticmethod
    def end_graph(obj, output, *args, **kwargs):
        """Announces the end of a call; does nothing."""

    @staticmethod
    def call_custom_bprop(obj, output, *args, **kwargs):
        """Announces a Cell with a custom gradient; does nothing, since its call has recorded it."""

    @staticmethod
    def check_run(grad, obj, weights, grad_position, *args, **kwargs):
        """Returns (False, None): the caller need not run the function before `grad`, and there is
        no key."""
        return False, None

    @staticmethod
    def grad(obj, grad, weights, grad_position, has_aux, *args):
        """Returns the gradients of a function at these inputs.

        Args:
            obj (Union[Cell, Callable]): the function.
            grad (GradOperation): selects the gradients and their form.
            weights (Union[ParameterTuple, None]): the Parameters, for gradients of Parameters.
            grad_position (Union[int, tuple[int]]): unused, since `grad` determines it.
            has_aux (bool): whether only the first output is differentiated.
            *args: the inputs.

        Raises:
            TypeError: if `grad` is not a GradOperation.
        """
        if not hasattr(grad, "get_by_list"):
            raise TypeError(
                f"For '_pynative_executor.grad', 'grad' must be a GradOperation, but got {grad!r} "
                f"of type {type(grad).__name__}."
            )
        first = (lambda *inputs: obj(*inputs)[0]) if has_aux else obj
        return grad(first, weights)(*args)

    @staticmethod
    def run_op_async(*args):
        """Runs a Primitive: takes the Primitive, its name and a tuple of its inputs; returns its
        output.

        Raises:
            RuntimeError: if there are not three arguments.
        """
        if len(args) != 3:
            raise RuntimeError(
                f"For '_pynative_executor.run_op_async', there must be three arguments, but got "
                f"{len(args)}."
            )
        primitive, _, inputs = args
        return primitive(*inputs)

    def set_async_for_graph(self, flag):
        """Sets whether compiled graphs run in a separate thread; calls here never do."""
        self._async_for_graph = bool(flag)

    def set_grad_flag(self, flag):
        """Sets the value that `grad_flag` returns outside gradients."""
        self._grad_flag = bool(flag)

    @staticmethod
    def set_enable_grad(flag):
        """Sets whether gradients may be recorded from now on, in this thread.

        Args:
            flag (bool): False has the effect of `_no_grad`.
        """
        depth.paused = not flag

    @staticmethod
    def sync():
        """Waits until the device has completed all submitted work."""
        if device.in_force() == "GPU":
            device.cuda().runtime.deviceSynchronize()

    @staticmethod
    def enable_grad():
        """Returns whether gradients may be recorded, which is False within `_no_grad`."""
        return not depth.paused

    def grad_flag(self):
        """Returns whether a gradient is being recorded, or the value set by `set_grad_flag`."""
        return self._grad_flag or depth.open > 0 and not depth.paused

    requires_grad = grad_flag


_pynative_executor = _PyNativeExecutor()


class _CellGraphExecutor:
    """MindSpore's compiler of whole graphs as used by scripts; the only instance is
    `_cell_graph_executor`. Nothing is compiled: a Cell runs as it is written.

    A call takes a Cell or function and its inputs, and returns its result.
    """

    def __init__(self):
        self._phases = {}
        self.compiled = {}  # name of a phase -> (Cell or function, its inputs)

    def __call__(self, obj, *args, phase="predict"):
        return obj(*args)

    def compile(self, obj, *args, phase="predict", do_convert=True, jit_config_dict=None, **kwargs):
        """Records that a Cell is to run with inputs of these kinds.

        Args:
            obj (Union[Cell, Callable]): the Cell or function.
            *args: its inputs.
            phase (str): the purpose of the run.
            do_convert (bool): unused.
            jit_config_dict (dict): unused.
            **kwargs: its keyword inputs.

        Returns:
            tuple[str, bool]: a name for the phase, Cell and kinds of inputs, and whether it is new.
        """
        kinds = tuple(
            (getattr(argument, "shape", argument), str(type(argument))) for argument in args
        )
        key = (phase, id(obj), repr(kinds), repr(sorted(kwargs)))
        new = key not in self._phases
        if new:
            self._phases[key] = f"{phase}.{id(obj)}.{len(self._phases)}"
            self.compiled[self._phases[key]] = obj, args
        return self._phases[key], new

    @staticmethod
    def init_dataset(
        queue_name,
        dataset_size,
        batch_size,
        dataset_types,
        dataset_shapes,
        input_indexs,
        phase="dataset",
        need_run=True,
    ):
        """Announces a dataset whose rows reach the device through a queue.

        Rows are handed over as they are read, so nothing needs preparing.

        Returns:
            bool, True.
        """
        return True


_cell_graph_executor = _CellGraphExecutor()
