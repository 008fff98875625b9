"""The functional collectives: mindspore.mint.distributed and mindspore.ops.communication.

They write received data into the given Tensors or lists, and return a handle if `async_op` is set,
else None. Process groups are in `process_groups`, collectives on one Tensor in `collectives`, on
lists of Tensors in `lists`, all-to-all exchanges in `all_to_all`, sends and receives in `peers`,
collectives on pickled objects in `objects`, the key-value store in `store`. `switch` has the form
that returns new Tensors, which only `mindspore.ops` has. The exchanges themselves are in
`..transfer`.

All arguments are checked before anything is sent, so a rejected call changes nothing on this rank
and starts nothing on others. If the functions that members call, or their shapes, dtypes or roots,
differ, each member gets a RuntimeError that names them. If an error ends one rank, the others end
too.
"""

from . import all_to_all, collectives, lists, objects, peers, process_groups, store, switch  # noqa: F401 - their declarations make the public names
