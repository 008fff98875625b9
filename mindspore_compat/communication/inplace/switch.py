"""The functions of mindspore.ops.communication that have an in-place and an out-of-place form, and
the switch between the two.

After `set_comm_ops_inplace(False)` they return `(Tensor, CommHandle)` instead of writing into a
Tensor argument, as in `mindspore.communication.comm_func`. By default they behave as in
`mindspore.mint.distributed`.
"""

from ..._core.declare.public_api import PUBLIC, public
from ..._core.rules.vocabulary import Any, Bool, InstanceOf, Int, Str, checked
from ..._core.tensor.tensor import Tensor
from .. import transfer
from ..all_to_all import all_to_all_single_with_output_shape, all_to_all_with_output_shape
from ..groups import partners
from ..transfer import CommHandle, under_way
from . import all_to_all as exchanges
from . import collectives, peers
from .writing import STARTS, Arrived, Given, Several, check_reduction, check_rows

TURNED = (
    "all_gather_into_tensor",
    "all_reduce",
    "all_to_all",
    "all_to_all_single",
    "irecv",
    "recv",
    "reduce_scatter_tensor",
)
_fresh = set()  # the functions that currently return new Tensors


@public("ops.communication.set_comm_ops_inplace", "ops.set_comm_ops_inplace")
def set_comm_ops_inplace(is_enable, func_list=None):
    """Sets whether communication functions of `mindspore.ops` write in place, into their arguments.

    They do so by default. Only `all_reduce`, `all_gather_into_tensor`, `reduce_scatter_tensor`,
    `all_to_all`, `all_to_all_single`, `irecv` and `recv` have the other form; the others always
    write in place.

    Args:
        is_enable (bool): True to write into the Tensor arguments, False to return new Tensors.
        func_list (list[str]): the names of the functions to switch. Default: ``None``, all.

    Raises:
        TypeError: if `is_enable` is not a bool, or `func_list` neither None nor a list.
        ValueError: if `func_list` names an unknown function.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.mint import distributed as dist
        >>> dist.init_process_group(init_method="tcp://127.0.0.1:10667", world_size=1, rank=0)
        >>> ms.ops.set_comm_ops_inplace(False)
        >>> x = ms.Tensor([1.0, 2.0])
        >>> total, handle = ms.ops.all_reduce(x)
        >>> print(total, total is x)
        [1. 2.] False
        >>> ms.ops.set_comm_ops_inplace(True)
        >>> dist.destroy_process_group()

    Source: mindspore.ops.communication.set_comm_ops_inplace of MindSpore 2.10.
    """
    api = "set_comm_ops_inplace"
    if type(is_enable) is not bool:
        raise TypeError(f"For '{api}', 'is_enable' must be a bool, but got {is_enable!r}.")
    if func_list is not None:
        InstanceOf(list).refuse(api, "func_list", func_list)
    for name in func_list or ():
        if name not in _switchable():
            raise ValueError(
                f"For '{api}', 'func_list' must name communication functions, but got {name!r}."
            )
    operations = TURNED if func_list is None else func_list
    if is_enable:
        _fresh.difference_update(operations)
    else:
        _fresh.update(name for name in operations if name in TURNED)


@public("ops.communication.all_reduce", "ops.all_reduce")
@checked
def all_reduce(tensor: Given, op: Str = "sum", group: Str = None, async_op: Bool = False):
    """Reduces the members' Tensors element by element; every member gets the result.

    Args:
        tensor: this member's part, overwritten by the result; of equal shape and dtype on all.
        op: "sum", "prod", "max", "min" or "avg", the sum divided by the group's size.
        group: the group's name.
        async_op: whether to return before the result is complete.

    Returns:
        CommHandle; None unless `async_op` is set. After `set_comm_ops_inplace(False)`, a pair of a
        new Tensor and this handle.

    Raises:
        TypeError: if `op` is not one of the five.
        RuntimeError: if the processes are not connected, or there is no such group.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.mint import distributed as dist
        >>> dist.init_process_group(init_method="tcp://127.0.0.1:10667", world_size=1, rank=0)
        >>> x = ms.Tensor([1.0, 2.0])
        >>> ms.ops.all_reduce(x, op="max")
        >>> print(x)
        [1. 2.]
        >>> dist.destroy_process_group()

    Source: mindspore.ops.communication.all_reduce of MindSpore 2.10.
    """
    if "all_reduce" not in _fresh:
        return collectives.all_reduce(tensor, op, group, async_op)
    check_reduction("all_reduce", op)
    return _new(transfer.all_reduce_op, tensor, op, group=partners(group), async_op=async_op)


@public("ops.communication.all_gather_into_tensor", "ops.all_gather_into_tensor")
@checked
def all_gather_into_tensor(
    output_tensor: Any, input_tensor: Given, group: Str = None, async_op: Bool = False
):
    """Gathers the members' Tensors along axis 0; every member gets the result.

    Args:
        output_tensor: the Tensor that receives the result; ignored after
            `set_comm_ops_inplace(False)`.
        input_tensor: this member's part; of equal shape and dtype on all.
        group: the group's name.
        async_op: whether to return before the result is complete.

    Returns:
        CommHandle; None unless `async_op` is set. After `set_comm_ops_inplace(False)`, a pair of a
        new Tensor and this handle.

    Raises:
        TypeError: if `output_tensor` is not a Tensor, or the dtypes differ.
        ValueError: if `output_tensor` has another shape.
        RuntimeError: if the processes are not connected, or there is no such group.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.mint import distributed as dist
        >>> dist.init_process_group(init_method="tcp://127.0.0.1:10667", world_size=1, rank=0)
        >>> whole = ms.ops.zeros(2)
        >>> ms.ops.all_gather_into_tensor(whole, ms.Tensor([1.0, 2.0]))
        >>> print(whole)
        [1. 2.]
        >>> dist.destroy_process_group()

    Source: mindspore.ops.communication.all_gather_into_tensor of MindSpore 2.10.
    """
    if "all_gather_into_tensor" not in _fresh:
        return collectives.all_gather_into_tensor(output_tensor, input_tensor, group, async_op)
    return _new(transfer.all_gather_op, input_tensor, group=partners(group), async_op=async_op)


@public("ops.communication.reduce_scatter_tensor", "ops.reduce_scatter_tensor")
@checked
def reduce_scatter_tensor(
    output: Any, input: Given, op: Str = "sum", group: Str = None, async_op: Bool = False
):
    """Reduces the members' Tensors and splits the result along axis 0; each member gets its part.

    Args:
        output: the Tensor that receives this member's part of the result; ignored after
            `set_comm_ops_inplace(False)`.
        input: this member's part of the combination; of equal shape and dtype on all.
        op: "sum", "prod", "max", "min" or "avg", the sum divided by the group's size.
        group: the group's name.
        async_op: whether to return before the result is complete.

    Returns:
        CommHandle; None unless `async_op` is set. After `set_comm_ops_inplace(False)`, a pair of a
        new Tensor and this handle.

    Raises:
        TypeError: if `op` is not one of the five, `output` is not a Tensor, or the dtypes differ.
        ValueError: if axis 0 of `input` cannot be split into equal parts, or `output` has another
            shape than a part.
        RuntimeError: if the processes are not connected, or there is no such group.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.mint import distributed as dist
        >>> dist.init_process_group(init_method="tcp://127.0.0.1:10667", world_size=1, rank=0)
        >>> part = ms.ops.zeros(2)
        >>> ms.ops.reduce_scatter_tensor(part, ms.Tensor([1.0, 2.0]))
        >>> print(part)
        [1. 2.]
        >>> dist.destroy_process_group()

    Source: mindspore.ops.communication.reduce_scatter_tensor of MindSpore 2.10.
    """
    if "reduce_scatter_tensor" not in _fresh:
        return collectives.reduce_scatter_tensor(output, input, op, group, async_op)
    check_reduction("reduce_scatter_tensor", op)
    members = partners(group)
    check_rows("reduce_scatter_tensor", "input", input, members.size)
    return _new(transfer.reduce_scatter_op, input, op, group=members, async_op=async_op)


@public("ops.communication.all_to_all", "ops.all_to_all")
@checked
def all_to_all(
    output_tensor_list: Any, input_tensor_list: Several, group: Str = None, async_op: Bool = False
):
    """Sends one Tensor to each member and receives one from each.

    Args:
        output_tensor_list: for each member, the Tensor that receives its data; after
            `set_comm_ops_inplace(False)`, a Tensor of its shape, or the shape.
        input_tensor_list: for each member, the Tensor to send to it; all of one dtype.
        group: the group's name.
        async_op: whether to return before the result is complete.

    Returns:
        CommHandle; None unless `async_op` is set. After `set_comm_ops_inplace(False)`, a pair of a
        tuple of new Tensors and this handle.

    Raises:
        TypeError: if `output_tensor_list` is not as described above, a list has another length than
            the group, or the dtypes differ.
        RuntimeError: if the processes are not connected, or there is no such group.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.mint import distributed as dist
        >>> dist.init_process_group(init_method="tcp://127.0.0.1:10667", world_size=1, rank=0)
        >>> received = [ms.ops.zeros(2)]
        >>> ms.ops.all_to_all(received, [ms.Tensor([1.0, 2.0])])
        >>> print(*received)
        [1. 2.]
        >>> dist.destroy_process_group()

    Source: mindspore.ops.communication.all_to_all of MindSpore 2.10.
    """
    if "all_to_all" not in _fresh:
        return exchanges.all_to_all(output_tensor_list, input_tensor_list, group, async_op)
    return all_to_all_with_output_shape(output_tensor_list, input_tensor_list, group, async_op)


@public("ops.communication.all_to_all_single", "ops.all_to_all_single")
@checked
def all_to_all_single(
    output: Any,
    input: Given,
    output_split_sizes: exchanges.Sizes = None,
    input_split_sizes: exchanges.Sizes = None,
    group: Str = None,
    async_op: Bool = False,
):
    """Sends rows of axis 0 to each member and joins the rows from all members along axis 0.

    Args:
        output: the Tensor that receives the data; after `set_comm_ops_inplace(False)`, a Tensor of
            its shape, or the shape.
        input: the Tensor to send.
        output_split_sizes: the rows from each member. If None or empty, equal parts.
        input_split_sizes: the rows to each member. If None or empty, equal parts.
        group: the group's name.
        async_op: whether to return before the result is complete.

    Returns:
        CommHandle; None unless `async_op` is set. After `set_comm_ops_inplace(False)`, a pair of a
        new Tensor and this handle.

    Raises:
        TypeError: if `output` is not as described above, or the dtypes differ.
        ValueError: if split sizes do not fit the shapes, or axis 0 cannot be cut into equal parts.
        RuntimeError: if the processes are not connected, or there is no such group.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.mint import distributed as dist
        >>> dist.init_process_group(init_method="tcp://127.0.0.1:10667", world_size=1, rank=0)
        >>> received = ms.ops.zeros(2)
        >>> ms.ops.all_to_all_single(received, ms.Tensor([1.0, 2.0]))
        >>> print(received)
        [1. 2.]
        >>> dist.destroy_process_group()

    Source: mindspore.ops.communication.all_to_all_single of MindSpore 2.10.
    """
    if "all_to_all_single" not in _fresh:
        return exchanges.all_to_all_single(
            output, input, output_split_sizes, input_split_sizes, group, async_op
        )
    return all_to_all_single_with_output_shape(
        output, input, output_split_sizes or None, input_split_sizes or None, group, async_op
    )


@public("ops.communication.recv", "ops.recv")
@checked
def recv(tensor: Given, src: Int = 0, group: Str = None, tag: Int = 0):
    """Receives a Tensor from another rank.

    Args:
        tensor: receives the data; of the shape and dtype of the sent Tensor.
        src: the world rank of the sender.
        group: the group's name.
        tag: the tag that the sender uses.

    Returns:
        int, 0. After `set_comm_ops_inplace(False)`, a new Tensor.

    Raises:
        ValueError: if `src` is this process, or not in the group.
        RuntimeError: if the processes are not connected, or there is no such group.

    Source: mindspore.ops.communication.recv of MindSpore 2.10.
    """
    if "recv" not in _fresh:
        return peers.recv(tensor, src, group, tag)
    members = partners(group)
    peer = peers.peer_of("recv", "src", members, group, src)
    return Tensor._wrap(members.receive(tensor._array, peer, tag).wait())


@public("ops.communication.irecv", "ops.irecv")
@checked
def irecv(tensor: Given, src: Int = 0, group: Str = None, tag: Int = 0):
    """Non-blocking `recv`: returns immediately.

    Args:
        tensor: receives the data, which is complete after the handle's `wait()`.
        src: the world rank of the sender.
        group: the group's name.
        tag: the tag that the sender uses.

    Returns:
        CommHandle. After `set_comm_ops_inplace(False)`, a new Tensor and this handle.

    Raises:
        ValueError: if `src` is this process, or not in the group.
        RuntimeError: if the processes are not connected, or there is no such group.

    Source: mindspore.ops.communication.irecv of MindSpore 2.10.
    """
    if "irecv" not in _fresh:
        return peers.irecv(tensor, src, group, tag)
    members = partners(group)
    peer = peers.peer_of("irecv", "src", members, group, src)
    return under_way(members.receive(tensor._array, peer, tag))


def _new(operation, tensor, *arguments, group, async_op):
    """Returns the result of an exchange as a new Tensor, and the handle where `async_op` is set."""
    if async_op and tensor._node is None and "avg" not in arguments:
        return under_way(getattr(group, STARTS[operation])(tensor._array, *arguments))
    return operation.run(tensor, *arguments, group), CommHandle(Arrived()) if async_op else None


def _switchable():
    """Returns the names of all functions that exchange something."""
    return {
        name
        for name, thing in PUBLIC["ops.communication"].items()
        if not isinstance(thing, type) and name not in _ABOUT
    }


_ABOUT = {
    "destroy_process_group",
    "get_backend",
    "get_global_rank",
    "get_group_rank",
    "get_process_group_ranks",
    "get_rank",
    "get_world_size",
    "init_process_group",
    "is_available",
    "is_initialized",
    "new_group",
    "set_comm_ops_inplace",
}
