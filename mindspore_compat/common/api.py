"""The facade `mindspore.common.api`: the marks of graph mode, and running without
recording."""

from .._backend import device
from .._core.autograd.tape import depth
from .._core.autograd.transforms import unrecorded
from .jit import JitConfig, jit, jit_class, ms_class, ms_function, ms_memory_recycle

__all__ = ["JitConfig", "jit", "jit_class", "ms_class", "ms_function", "ms_memory_recycle"]

_no_grad = unrecorded  # the private name that many projects import
cells_compile_cache = {}  # the graphs of Cells, by Cell: nothing is compiled here


class _PyNativeExecutor:
    """The eager executor of the original, as scripts use it; there is one, `_pynative_executor`.

    The original records a function between `new_graph` and `end_graph` and walks back at `grad`.
    Here a gradient records for itself, so `grad` runs the function once more, unless it is a Cell
    after `set_grad` whose call has been kept.
    """

    def __init__(self):
        self._grad_flag = False
        self._async_for_graph = False

    @staticmethod
    def new_graph(obj, *args, **kwargs):
        """Announces a call of a function or Cell with these inputs; nothing needs preparing."""

    @staticmethod
    def end_graph(obj, output, *args, **kwargs):
        """Announces the end of a call; nothing is left to clean up."""

    @staticmethod
    def call_custom_bprop(obj, output, *args, **kwargs):
        """Announces that a Cell has a gradient of its own, which its call has recorded."""

    @staticmethod
    def check_run(grad, obj, weights, grad_position, *args, **kwargs):
        """Returns whether the caller must run the function before `grad`, and its key: (False,
        None), for `grad` runs it."""
        return False, None

    @staticmethod
    def grad(obj, grad, weights, grad_position, has_aux, *args):
        """Returns gradients of a function at these inputs.

        Args:
            obj (Union[Cell, Callable]): the function.
            grad (GradOperation): which gradients, and in what form.
            weights (Union[ParameterTuple, None]): the Parameters, if it is of Parameters.
            grad_position (Union[int, tuple[int]]): is not read, as `grad` says it.
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
        """Returns the output of a Primitive, given it, its name and a tuple of its inputs.

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
        """Sets whether compiled graphs run in a thread of their own; calls here never do."""
        self._async_for_graph = bool(flag)

    def set_grad_flag(self, flag):
        """Sets what `grad_flag` returns outside gradients."""
        self._grad_flag = bool(flag)

    @staticmethod
    def set_enable_grad(flag):
        """Sets whether gradients may be recorded from now on, in this thread.

        Args:
            flag (bool): False does what `_no_grad` does in its block.
        """
        depth.paused = not flag

    @staticmethod
    def sync():
        """Waits until everything that was given to the device is done."""
        if device.in_force() == "GPU":
            device.cuda().runtime.deviceSynchronize()

    @staticmethod
    def enable_grad():
        """Whether gradients may be recorded: not within `_no_grad`."""
        return not depth.paused

    def grad_flag(self):
        """Whether a gradient is being recorded, or `set_grad_flag` has said so."""
        return self._grad_flag or depth.open > 0 and not depth.paused

    requires_grad = grad_flag


_pynative_executor = _PyNativeExecutor()


class _CellGraphExecutor:
    """What scripts ask of the original's compiler of whole graphs; there is one,
    `_cell_graph_executor`. Nothing is compiled: a Cell runs as it is written.

    Args of a call are a Cell or function and its inputs, and the result is what it returns.
    """

    def __init__(self):
        self._phases = {}

    def __call__(self, obj, *args, phase="predict"):
        return obj(*args)

    def compile(self, obj, *args, phase="predict", do_convert=True, jit_config_dict=None, **kwargs):
        """Notes that a Cell is to run with inputs of these kinds.

        Args:
            obj (Union[Cell, Callable]): the function or Cell to run.
            *args: its inputs.
            phase (str): what it runs for.
            do_convert (bool): is not read.
            jit_config_dict (dict): is not read.
            **kwargs: its keyword inputs.

        Returns:
            tuple[str, bool], the name of the phase, Cell and inputs, and whether it is a new one.
        """
        kinds = tuple(
            (getattr(argument, "shape", argument), str(type(argument))) for argument in args
        )
        key = (phase, id(obj), repr(kinds), repr(sorted(kwargs)))
        new = key not in self._phases
        if new:
            self._phases[key] = f"{phase}.{id(obj)}.{len(self._phases)}"
        return self._phases[key], new


_cell_graph_executor = _CellGraphExecutor()
