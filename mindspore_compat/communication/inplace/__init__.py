"""The functional collectives: mindspore.mint.distributed and mindspore.ops.communication.

They put what arrives into the Tensors, or lists, that they are given, and return a handle where
`async_op` is set, else None. Process groups are in `process_groups`, exchanges of one Tensor in
`collectives`, of lists of Tensors in `lists`, of all with all in `all_to_all`, sends and receives
in `peers`, objects that pickle in `objects`, the key-value store in `store`; what
`mindspore.ops` has besides, the results that are new Tensors, is in `switch`. The exchanges
themselves are those of `..transfer`.

All arguments are checked before anything is sent, so a refused call changes nothing here and is
not half done elsewhere. Members that call different functions, or with other shapes, dtypes or
roots, all get a RuntimeError that names them. Where a rank's own error ends it, the others end too.
"""

from . import all_to_all, collectives, lists, objects, peers, process_groups, store, switch  # noqa: F401 - their declarations make the public names
