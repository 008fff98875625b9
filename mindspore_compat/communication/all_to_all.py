"""All-to-all exchanges; public through `comm_func`."""

import math

from .._core.rules.vocabulary import Bool, InstanceOf, Int, ListOf, Str, TupleOf, checked
from .._core.tensor.tensor import Tensor
from . import transfer
from .groups import partners
from .transfer import CommHandle, Given, nothing, under_way

_ATensor = InstanceOf(Tensor)
_Tensors = (ListOf(_ATensor) | TupleOf(_ATensor)).called("a Tensor, or a list of Tensors")
_Sizes = (ListOf(Int) | TupleOf(Int)).called("a list of ints")


def all_to_all_with_output_shape(output_shape_list, input_tensor_list, group=None, async_op=False):
    """Sends one Tensor to each member and receives one from each.

    Args:
        output_shape_list (Union[list, tuple]): for each member the shape, or a Tensor of the
            shape, that it sends here.
        input_tensor_list (Union[list[Tensor], tuple[Tensor]]): for each member what is sent to it;
            of one dtype.
        group (str): the group's name. Default: ``None``, the world.
        async_op (bool): whether to return before the result is complete. Default: ``False``.

    Returns:
        (tuple[Tensor], CommHandle), the handle None unless `async_op` is set.

    Raises:
        TypeError: if a list is not a list or tuple, or holds something else; or the dtypes differ.
        ValueError: if a list has another length than the group.
        RuntimeError: if `init` was not called, or there is no such group.

    Source: mindspore.communication.comm_func.all_to_all_with_output_shape of MindSpore 2.10.
    """
    api = "all_to_all_with_output_shape"
    _check_group(api, group, async_op)
    shapes = _shapes(api, "output_shape_list", output_shape_list)
    check_tensors(api, "input_tensor_list", input_tensor_list)
    members = partners(group)
    for name, argument in (("output_shape_list", shapes), ("input_tensor_list", input_tensor_list)):
        if len(argument) != members.size:
            raise ValueError(
                f"For '{api}', '{name}' must have one entry for each of the "
                f"{members.size} members, but got {len(argument)}."
            )
    flat = transfer.flat_op.run(tuple(input_tensor_list))
    send_counts = [tensor.size for tensor in input_tensor_list]
    receive_counts = [math.prod(shape) for shape in shapes]
    whole, handle = _exchange(flat, send_counts, receive_counts, members, async_op)
    starts = [sum(receive_counts[:index]) for index in range(members.size)]
    return tuple(
        transfer.part_op.run(whole, start, shape)
        for start, shape in zip(starts, shapes, strict=True)
    ), handle


def all_to_all_single_with_output_shape(
    output_shape,
    tensor,
    output_split_sizes=None,
    input_split_sizes=None,
    group=None,
    async_op=False,
):
    """Sends rows of axis 0 to each member and joins the rows from all members along axis 0.

    Args:
        output_shape (Union[Tensor, tuple[int]]): the shape of the result, or a Tensor of it.
        tensor (Tensor): the Tensor to send.
        output_split_sizes (Union[list[int], tuple[int]]): rows from each member. Default: ``None``,
            equally many.
        input_split_sizes (Union[list[int], tuple[int]]): rows to each member. Default: ``None``,
            equally many.
        group (str): the group's name. Default: ``None``, the world.
        async_op (bool): whether to return before the result is complete. Default: ``False``.

    Returns:
        (Tensor, CommHandle), the handle None unless `async_op` is set. A result without elements
        is a Tensor of one number without meaning.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if split sizes do not fit the shapes.
        RuntimeError: if `init` was not called, or there is no such group.

    Source: mindspore.communication.comm_func.all_to_all_single_with_output_shape of MindSpore 2.10.
    """
    api = "all_to_all_single_with_output_shape"
    _check_group(api, group, async_op)
    shape = _shapes(api, "output_shape", (output_shape,))[0]
    check_tensors(api, "tensor", (tensor,))
    members = partners(group)
    send_counts = rows_of(api, "input_split_sizes", input_split_sizes, tensor.shape, members.size)
    received = rows_of(api, "output_split_sizes", output_split_sizes, shape, members.size)
    whole, handle = _exchange(tensor, send_counts, received, members, async_op)
    return (whole if math.prod(shape) else nothing(tensor, ())), handle


@checked
def all_to_all_v_c(
    output: Given,
    input: Given,
    send_count_matrix: ListOf(Int),
    group: Str = None,
    async_op: Bool = False,
):
    """Sends rows of axis 0 to each member and joins the rows from all members in `output`.

    Args:
        output: receives the result.
        input: the Tensor to send.
        send_count_matrix: for each sender, for each receiver, how many rows; one list.
        group: the group's name. By default the world.
        async_op: whether to return before the result is complete.

    Returns:
        CommHandle; None unless `async_op` is set.

    Raises:
        ValueError: if the matrix has another size than the group's squared.
        RuntimeError: if `init` was not called, or there is no such group.

    Source: mindspore.communication.comm_func.all_to_all_v_c of MindSpore 2.10.
    """
    members = partners(group)
    size = members.size
    if len(send_count_matrix) != size * size:
        raise ValueError(
            f"For 'all_to_all_v_c', 'send_count_matrix' must hold {size * size} "
            f"counts, but got {len(send_count_matrix)}."
        )
    send_counts = send_count_matrix[members.rank * size : (members.rank + 1) * size]
    received = send_count_matrix[members.rank :: size]
    handle = CommHandle(_Into(output, members.all_to_all(input._array, send_counts, received)))
    if async_op:
        return handle
    handle.wait()
    return None


class _Into:
    """A pending exchange whose result is written into an existing Tensor."""

    def __init__(self, target, pending):
        self.target = target
        self.pending = pending

    def wait(self):
        """Waits and fills the Tensor."""
        array = self.target._array
        array[...] = self.pending.wait().reshape(array.shape)


def _exchange(tensor, send_counts, receive_counts, group, async_op):
    if async_op:
        return under_way(group.all_to_all(tensor._array, send_counts, receive_counts))
    return transfer.exchange_op.run(tensor, send_counts, receive_counts, group), None


@checked
def _check_group(api: Str, group: Str = None, async_op: Bool = False):
    return api


def check_tensors(api, name, listed):
    """Raises an error unless the value is a list of Tensors of one dtype."""
    _Tensors.refuse(api, name, listed)
    if len({tensor.dtype for tensor in listed}) > 1:
        raise TypeError(f"For '{api}', the Tensors in '{name}' must have one dtype.")


def _shapes(api, name, tensors):
    """Returns the shapes in a list of shapes or Tensors."""
    InstanceOf(list, tuple).called("a list of shapes or Tensors").refuse(api, name, tensors)
    shapes = [item.shape if isinstance(item, Tensor) else item for item in tensors]
    if not all(isinstance(shape, tuple) for shape in shapes):
        raise TypeError(
            f"For '{api}', '{name}' must be shapes (tuples) or Tensors, but got {tensors!r}."
        )
    return shapes


def rows_of(api, name, sizes, shape, count):
    """Returns how many rows of axis 0 each member of the group gets."""
    rows = shape[0] if shape else 0
    if sizes is None:
        if rows % count:
            raise ValueError(
                f"For '{api}', axis 0 must be divisible by the group's size {count} "
                f"where '{name}' is None, but got the shape {shape}."
            )
        return [rows // count] * count
    _Sizes.refuse(api, name, sizes)
    if len(sizes) != count or sum(sizes) != rows:
        raise ValueError(
            f"For '{api}', '{name}' must hold {count} sizes that add up to {rows}, "
            f"but got {sizes!r}."
        )
    return list(sizes)
