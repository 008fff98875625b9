"""`ops.GetNext`: the batches of a dataset that feeds a queue (see `train.DatasetHelper`)."""

import weakref

from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Any, Int, ListOf, TupleOf, checked
from ..primitive import Primitive

AnySequence = TupleOf(Any) | ListOf(Any)

_queues = weakref.WeakValueDictionary()  # name -> queue


class Queue:
    """A queue of batches that `GetNext` finds by name; the name is valid while the object exists.

    Args:
        batches (callable): returns the next batch, a list of Tensors.
    """

    def __init__(self, batches):
        self.batches = batches
        self.queue_name = f"queue_{id(self):x}"
        _queues[self.queue_name] = self


@public("ops.GetNext")
class GetNext(Primitive):
    """Returns the next batch of a dataset as a tuple of Tensors; after the last batch comes the
    first.

    Args:
        types (Union[list, tuple]): the dtypes of the batch's Tensors.
        shapes (Union[list, tuple]): their shapes; -1 stands for any length.
        output_num (int): the number of Tensors in a batch.
        shared_name (str): the name of the queue.

    Raises:
        TypeError: if `types` or `shapes` is not a list or tuple, or `output_num` not an int.
        RuntimeError: when called, if there is no such queue, or its batch is not as described.

    Examples:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> import mindspore_compat.dataset as ds
        >>> from mindspore_compat import ops
        >>> data = ds.NumpySlicesDataset({"x": np.arange(4)}).batch(2)
        >>> helper = ms.DatasetHelper(data, dataset_sink_mode=True)
        >>> types, shapes = helper.types_shapes()
        >>> name = helper.iter.dataset.__transfer_dataset__.queue_name
        >>> get_next = ops.GetNext(types, shapes, len(types), name)
        >>> print(get_next()[0].shape)
        (2,)

    Source: mindspore.ops.GetNext of MindSpore 2.10.
    """

    @checked
    def __init__(self, types: AnySequence, shapes: AnySequence, output_num: Int, shared_name):
        super().__init__("GetNext")
        self.types, self.shapes, self.output_num = list(types), list(shapes), output_num
        self.shared_name = shared_name

    def __call__(self):
        queue = _queues.get(self.shared_name)
        if queue is None:
            raise RuntimeError(f"For 'GetNext', there is no queue {self.shared_name!r}.")
        batch = tuple(queue.batches())
        specs = list(zip(self.types, self.shapes))
        if not len(batch) == self.output_num == len(self.types) == len(self.shapes) or not all(
            array.dtype == kind and _fits(array.shape, shape)
            for array, (kind, shape) in zip(batch, specs)
        ):
            actual = [(tensor.dtype, tensor.shape) for tensor in batch]
            raise RuntimeError(
                f"For 'GetNext', the batch must be as declared, {specs}, but it is {actual}."
            )
        return batch


def _fits(shape, spec):
    return len(shape) == len(spec) and all(m in (-1, n) for n, m in zip(shape, spec))
