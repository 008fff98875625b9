"""Checks of the primitives that send to some other ranks, and of their gradients, on two or three
ranks; test_inplace_ranks.py starts them through mpiexec and reads the output.
"""

import numpy
from kit import same
from kit.rank_checks import check, refused, run_named_checks

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, communication, nn, ops
from mindspore_compat.communication import comm_func

communication.init()
RANK, SIZE = communication.get_rank(), communication.get_group_size()
FOLLOWING, BEFORE = (RANK + 1) % SIZE, (RANK - 1) % SIZE


def floats(values):
    return Tensor(numpy.asarray(values, numpy.float32))


X = numpy.array([[1.0, 2.0], [3.0, 4.0]])


class Pipeline(nn.Cell):
    """sum((w1 w0 x)^2) over two ranks: rank 0 multiplies by w0 = 2, rank 1 by w1 = 3."""

    def __init__(self):
        super().__init__()
        self.weight = Parameter(floats(numpy.full((2, 2), RANK + 2)), name="weight")
        self.send = ops.Send(sr_tag=3, dest_rank=1)
        self.depend = ops.Depend()
        self.receive = ops.Receive(sr_tag=3, src_rank=0, shape=[2, 2], dtype=ms.float32)

    def construct(self, x):
        if RANK == 0:
            product = self.weight * x
            return self.depend(product * 0, self.send(product)).sum()
        product = self.weight * self.receive()
        return (product * product).sum()


@check
def gradients_of_send_and_receive():
    if RANK > 1:
        return
    net = Pipeline()
    gradients = ms.grad(net, 0, net.trainable_params())(floats(X))
    if RANK == 0:
        same(gradients[0], 72 * X)
        same(gradients[1][0], 36 * X * X)
    else:
        same(gradients[0], 0 * X)
        same(gradients[1][0], 24 * X * X)


@check
def no_gradient_is_sent_where_none_is_taken():
    if RANK > 1:
        return
    net = Pipeline()
    for _ in range(3):
        found = net(floats(X))
    same(found, 36 * (X * X).sum() if RANK else 0)
    if RANK == 0:
        stopped = ms.grad(lambda x: x.sum() + ops.stop_gradient(net.send(x)).sum())
        same(stopped(floats(X)), X**0)
    else:
        received = ms.grad(lambda x: x.sum() + ops.stop_gradient(net.receive()).sum())
        same(received(floats(X)), X**0)


@check
def gradient_through_a_group_of_its_own():
    if RANK > 1:
        return
    communication.create_group("forth", [0, 1])
    communication.create_group("back", [0, 1])
    communication.create_group("turned", [1, 0])
    if RANK == 0:
        send = ops.Send(1, 1, "forth", "back")
        gradient = ms.grad(lambda x: send(x * x).sum())
        same(gradient(floats(X)), 2 * X * (1 + 5))
        refused(RuntimeError, lambda: ops.Send(1, 1, "forth", "turned")(floats(X)))
    else:
        receive = ops.Receive(1, 0, (2, 2), ms.float32, "forth", "back")
        same(ms.grad(lambda x: (x + 5 * receive()).sum())(floats(X)), X**0)
        refused(RuntimeError, ops.Receive(1, 0, (2, 2), ms.float32, "forth", "turned"))


@check
def second_order_is_refused():
    if RANK > 1:
        return

    def cube(x):
        if RANK == 0:
            return ops.depend(x * 0, ops.Send(5, 1)(x * x * x)).sum()
        received = ops.Receive(5, 0, (2, 2), ms.float32)()
        return (received * received * x).sum()

    refused(AttributeError, lambda: ms.grad(lambda x: ms.grad(cube)(x).sum())(floats(X)))


@check
def neighbors():
    whole = ops.NeighborExchange([FOLLOWING], [BEFORE], ([2, 2],), ([2, 2],), ms.float32)
    (found,) = whole((floats(X + RANK),))
    same(found, X + BEFORE)
    gradient = ms.grad(lambda x: (whole((x * x * x,))[0] * (RANK + 1)).sum())
    same(gradient(floats(X)), 3 * X * X * (FOLLOWING + 1))
    second = ms.grad(lambda x: gradient(x).sum())
    same(second(floats(X)), 6 * X * (FOLLOWING + 1))
    refused(
        RuntimeError,
        lambda: ops.NeighborExchange([SIZE], [], (), ([2, 2],), ms.float32)((floats(X),)),
    )


@check
def several_at_once():
    several = ops.BatchISendIRecv(
        ("isend", "irecv", "irecv"),
        [FOLLOWING, BEFORE, BEFORE],
        [(), (2, 2)],
        (ms.float32, ms.int32),
    )
    other = ops.BatchISendIRecv(["isend"], [FOLLOWING])
    if SIZE == 2 and RANK == 1:  # the same operations in a compatible order
        (_,) = other((Tensor(float(RANK)),))
    same_order = ops.BatchISendIRecv(
        ("isend", "isend", "irecv", "irecv"),
        [FOLLOWING, FOLLOWING, BEFORE, BEFORE],
        [(), (2, 2)],
        (ms.float32, ms.int32),
    )
    if SIZE == 2 and RANK == 0:
        (received,) = ops.BatchISendIRecv(["irecv"], [1], [()], [ms.float32])((None,))
        same(received, 1)
    sent, _, number, matrix = same_order([Tensor(float(RANK)), Tensor(numpy.int32(X + RANK))])
    assert sent.shape == ()
    same(number, BEFORE)
    same(matrix, X + BEFORE)
    refused(RuntimeError, lambda: several([Tensor(1.0), Tensor(1.0)]))
    refused(RuntimeError, lambda: ops.BatchISendIRecv(["isend"], [SIZE])([Tensor(1.0)]))
    refused(TypeError, lambda: ops.BatchISendIRecv(["isend"], [0], group=1)([Tensor(1.0)]))


def borders(group_rank, x):
    """NeighborExchangeV2 of images side by side, the ranks from left to right."""
    send, receive = [-1] * 8, [-1] * 8
    if group_rank > 0:
        send[6] = receive[6] = group_rank - 1
    if group_rank < SIZE - 1:
        send[2] = receive[2] = group_rank + 1
    return ops.NeighborExchangeV2(send, [0, 0, 1, 2], receive, [0, 0, 2, 1], "NCHW")(x)


@check
def borders_side_by_side():
    image = numpy.arange(12.0).reshape(1, 2, 2, 3)
    left = image[..., 1:] + 100 * (RANK - 1) if RANK else numpy.zeros((1, 2, 2, 2))
    right = image[..., :1] + 100 * (RANK + 1) if RANK < SIZE - 1 else numpy.zeros((1, 2, 2, 1))
    found = borders(RANK, floats(image + 100 * RANK))
    same(found, numpy.concatenate([left, image + 100 * RANK, right], 3))
    gradient = ms.grad(lambda x: (borders(RANK, x) * (RANK + 1)).sum())(floats(image))
    expected = numpy.full(image.shape, RANK + 1.0)
    expected[..., :1] += RANK if RANK else 0
    expected[..., 1:] += RANK + 2 if RANK < SIZE - 1 else 0
    same(gradient, expected)


@check
def borders_one_above_the_other_and_corners():
    """The example of the documentation, and a corner."""
    if SIZE == 2:
        to, lens = ([4, 0][RANK], [[0, 1, 0, 0], [1, 0, 0, 0]][RANK])
        ranks = [-1] * 8
        ranks[to] = 1 - RANK
        exchange = ops.NeighborExchangeV2(ranks, lens, ranks, lens, "NCHW")
        found = exchange(floats(numpy.full((1, 1, 2, 2), RANK + 1)))
        same(found, [[[[1, 1], [1, 1], [2, 2]]], [[[1, 1], [2, 2], [2, 2]]]][RANK : RANK + 1])
    ranks = [-1] * 8
    if RANK < 2:
        ranks[[3, 7][RANK]] = 1 - RANK
    lens = [[0, 1, 0, 1], [1, 0, 1, 0], [0, 0, 0, 0]][RANK]
    image = numpy.arange(4.0).reshape(1, 1, 2, 2) + 10 * RANK
    found = ops.NeighborExchangeV2(ranks, lens, ranks, lens, "NCHW")(floats(image))
    expected = [
        [[[0, 1, 0], [2, 3, 0], [0, 0, 10]]],
        [[[3, 0, 0], [0, 10, 11], [0, 12, 13]]],
        image[0],
    ][RANK]
    same(found, [expected])
    refused(
        ValueError,
        lambda: ops.NeighborExchangeV2(ranks, [3, 0, 0, 0], ranks, lens, "NCHW")(floats(image)),
    )


@check
def products_with_an_exchange():
    world = communication.GlobalComm.WORLD_COMM_GROUP
    left = numpy.eye(4, 256) * (RANK + 1)
    right = numpy.arange(256 * 2).reshape(256, 2) % 7
    given = Tensor(numpy.float16(left)), Tensor(numpy.float16(right))
    if SIZE == 3:
        refused(RuntimeError, lambda: ops.all_gather_matmul(*given, world, SIZE))
        refused(RuntimeError, lambda: ops.all_gather_matmul(*given, world, 2))
        return
    product, joined = ops.all_gather_matmul(*given, world, SIZE)
    same(joined, numpy.concatenate([numpy.eye(4, 256), 2 * numpy.eye(4, 256)]))
    same(product, numpy.concatenate([right[:4], 2 * right[:4]]))
    turned = given[0], Tensor(numpy.float16(right.T))
    product, joined = ops.all_gather_matmul(
        *turned, world, SIZE, trans_x2=True, gather_output=False
    )
    same(product, numpy.concatenate([right[:4], 2 * right[:4]]))
    assert joined.shape == (0,)
    same(ops.matmul_reduce_scatter(*given, world, SIZE), 3 * right[2 * RANK : 2 * RANK + 2])
    gradient = ms.grad(lambda x: ops.matmul_reduce_scatter(x, given[1], world, SIZE).sum())
    same(gradient(given[0]), numpy.tile(right.sum(1), (4, 1)))


@check
def counts_as_a_matrix():
    counts = Tensor(
        [[3 if to == (source + 1) % SIZE else 0 for to in range(SIZE)] for source in range(SIZE)]
    )
    same(ops.AlltoAllVC()(floats([0, 1, 2]) * RANK, counts), numpy.arange(3) * BEFORE)


@check
def handles_that_nobody_keeps():
    """A Tensor that is being sent arrives, even if the script drops the Tensor and the handle."""
    for number in range(3):
        comm_func.isend(floats(numpy.full(1 << 22, RANK + number)), FOLLOWING)
    comm_func.barrier()
    for number in range(3):
        found = comm_func.recv(floats(numpy.zeros(1 << 22)), BEFORE)
        assert (found.asnumpy() == BEFORE + number).all()


run_named_checks()
