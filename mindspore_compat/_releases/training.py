"""Earlier meanings in training: the context, Model, checkpoints, callbacks."""

import contextlib
import functools
import inspect
import io

from .._core.context.config import GRAPH_MODE, config
from .earlier import instead, unchanged, with_defaults

data_sinking = with_defaults(dataset_sink_mode=True)


def graph_mode_by_default(set_context):
    """Starts in graph mode."""
    config.mode = GRAPH_MODE
    return unchanged(set_context)


def only_missing(today):
    """Returns only the parameters of the network that were not loaded."""

    @functools.wraps(today)
    def load_param_into_net(*args, **kwargs):
        return today(*args, **kwargs)[0]

    return load_param_into_net


only_missing.is_of_result = True


def whole_names(today):
    """Leaves out parameters whose name is a prefix of `filter_prefix`, or continues it by a dot."""
    signature = inspect.signature(today)

    @functools.wraps(today)
    def load_checkpoint(*args, **kwargs):
        bound = signature.bind(*args, **kwargs)
        prefixes = bound.arguments.get("filter_prefix")
        if prefixes is None:
            return today(*args, **kwargs)
        net = bound.arguments.pop("net", None)
        del bound.arguments["filter_prefix"]
        prefixes = [prefixes] if isinstance(prefixes, str) else prefixes
        ends = tuple(prefix.rstrip(".") + "." for prefix in prefixes if prefix)
        loaded = today(*bound.args, **bound.kwargs)
        loaded = {name: value for name, value in loaded.items() if not f"{name}.".startswith(ends)}
        if net is not None:
            from ..train import load_param_into_net

            load_param_into_net(net, loaded, bound.arguments.get("strict_load", False))
        return loaded

    return load_checkpoint


whole_names.needs = {"filter_prefix"}
air = with_defaults(file_format="AIR")


@instead
def data_sink(today, fn, dataset, steps, sink_size=1, jit=False):
    """Accepts the number of steps, which has no effect: the loop of the caller decides it."""
    return today(fn, dataset, sink_size)


@instead
def jit(
    today,
    fn=None,
    *settings,
    mode=None,
    input_signature=None,
    hash_args=None,
    jit_config=None,
    compile_once=False,
):
    """Takes settings of a compiler, which have no effect here."""
    return today(fn)


def time_without_phase(today):
    """Prints the time without the word "Train" or "Eval" before it."""

    @functools.wraps(today)
    def epoch_end(self, run_context):
        with contextlib.redirect_stdout(io.StringIO()) as output:
            today(self, run_context)
        print(output.getvalue().partition(" ")[2], end="", flush=True)

    return epoch_end


def cores_by_device(today):
    """Takes the cores of each device: `{"device0": ["0-3"]}`."""

    @functools.wraps(today)
    def set_cpu_affinity(enable_affinity, affinity_cpu_list=None, *args, **kwargs):
        if isinstance(affinity_cpu_list, dict):
            affinity_cpu_list = affinity_cpu_list.get(f"device{config.device_id}")
        return today(enable_affinity, affinity_cpu_list, *args, **kwargs)

    return set_cpu_affinity


def same_as_tensorboard_trace_handler(today):
    """Gives `tensorboard_trace_handler` its first name."""
    from ..profiler import tensorboard_trace_handler

    return unchanged(tensorboard_trace_handler)
