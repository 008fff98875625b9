"""`mindspore.dataset.debug`: hooks that inspect rows between the operations of `map`.

Pass them to `config.set_debug_mode`, or place them among the operations.
"""

from abc import ABC, abstractmethod

import numpy as np

from ..log import print_escaped

__all__ = ["DebugHook", "PrintDataHook", "PrintMetaDataHook"]


class DebugHook(ABC):
    """A hook that inspects rows between the operations of `map` in debug mode.

    Subclasses define `compute(self, *args)`, which gets the columns before an operation. A hook
    among the operations of `map` inspects the columns there, with or without debug mode.

    Args:
        prev_op_name (str, optional): the name of the preceding operation.

    Example:
        >>> from mindspore_compat import dataset as ds
        >>> class Largest(ds.debug.DebugHook):
        ...     def compute(self, *args):
        ...         print(max(column.max() for column in args))
        >>> rows = ds.NumpySlicesDataset([[1, 3], [5, 2]], shuffle=False).map([Largest()])
        >>> for row in rows.create_tuple_iterator(num_epochs=1):
        ...     pass
        3
        5

    Source: mindspore.dataset.debug.DebugHook of MindSpore 2.10.
    """

    def __init__(self, prev_op_name=None):
        self.prev_op_name = prev_op_name

    def __call__(self, *args):
        self.compute(*args)
        return args

    @abstractmethod
    def compute(self, *args):
        """Inspects the columns; the result is ignored."""

    def set_previous_op_name(self, prev_op_name):
        """Sets the name of the preceding operation."""
        self.prev_op_name = prev_op_name

    def log_previous_op_name(self):
        """Prints the name of the preceding operation."""
        if self.prev_op_name is not None:
            print_escaped(f"[Dataset debugger] After {self.prev_op_name}")


class PrintMetaDataHook(DebugHook):
    """Prints the shape, dtype and size of each column.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat import dataset as ds
        >>> ds.debug.PrintMetaDataHook().compute(np.zeros((2, 3), np.float32))
        [Dataset debugger] Column 0: shape (2, 3), dtype float32, 24 bytes

    Source: mindspore.dataset.debug.PrintMetaDataHook of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__()

    def compute(self, *args):
        """Prints one line for each column."""
        self.log_previous_op_name()
        for index, column in enumerate(args):
            column = np.asarray(column)
            print(
                f"[Dataset debugger] Column {index}: shape {column.shape}, dtype {column.dtype}, "
                f"{column.nbytes} bytes"
            )


class PrintDataHook(DebugHook):
    """Prints the values of each column.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat import dataset as ds
        >>> ds.debug.PrintDataHook().compute(np.array([1, 2]), np.array("abc"))
        [Dataset debugger] Column 0: [1 2]
        [Dataset debugger] Column 1: abc

    Source: mindspore.dataset.debug.PrintDataHook of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__()

    def compute(self, *args):
        """Prints the values of each column."""
        self.log_previous_op_name()
        for index, column in enumerate(args):
            print_escaped(f"[Dataset debugger] Column {index}: {column}")
