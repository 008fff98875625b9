"""data_sink: a function whose arguments a dataset supplies; in MindSpore through a device
queue."""

import functools

from .._core.rules.checked import checked
from .._core.rules.vocabulary import Any, Callable, Int
from .._core.without_effect import without_effect
from .dataset_helper import DatasetHelper, check_dataset

__all__ = ["data_sink"]


@without_effect("data_sink(jit_config, input_signature)", "no graph is compiled")
@checked
def data_sink(
    fn: Callable,
    dataset,
    sink_size: Int(ge=1) = 1,
    jit_config: Any = None,
    input_signature: Any = None,
):
    """Wraps a function so that a dataset supplies its arguments.

    The batches are read when the function is called; nothing is sent in advance on any device.

    Args:
        fn (Callable): the function; its arguments are the columns of a batch.
        dataset (Dataset): the batches; after the last one it starts again.
        sink_size (int): the number of batches per call.
        jit_config (JitConfig): compilation settings of MindSpore; unused here.
        input_signature (Union[Tensor, list, tuple]): shapes and dtypes for which MindSpore
            compiles `fn`; unused here.

    Returns:
        Callable, which takes no arguments and returns the result of `fn` for the last batch.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if `sink_size` is not positive; in a call, if the dataset is empty.

    Examples:
        >>> import numpy as np
        >>> import mindspore_compat.dataset as ds
        >>> from mindspore_compat.train import data_sink
        >>> data = ds.NumpySlicesDataset({"x": np.arange(3), "y": np.arange(3)}, shuffle=False)
        >>> add = data_sink(lambda x, y: x + y, data, sink_size=2)
        >>> print(add(), add())
        2 0

    Source: mindspore.train.data_sink of MindSpore 2.10.
    """
    check_dataset("data_sink", "dataset", dataset)
    helper = DatasetHelper(dataset, True, sink_size)

    @functools.wraps(fn)
    def sink_process():
        for batch in helper.next_batches(sink_size):
            outputs = fn(*batch)
        return outputs

    return sink_process
