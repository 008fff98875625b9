"""Checks of AutoParallel on ranks; test_auto_parallel.py starts them through mpiexec and reads the
output. Each rank's gradient of `weight` is its rank number plus 1.
"""

import itertools

import numpy
from kit.rank_checks import check, run_named_checks

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, communication, nn, ops
from mindspore_compat.mint import distributed as dist
from mindspore_compat.parallel import Layout
from mindspore_compat.parallel.auto_parallel import AutoParallel

communication.init()
RANK, SIZE = communication.get_rank(), communication.get_group_size()
TOTAL = SIZE * (SIZE + 1) / 2


class Net(nn.Cell):
    """sum(x weight), whose gradient with respect to the weight is x."""

    def __init__(self, dtype=ms.float32):
        super().__init__()
        self.weight = Parameter(Tensor(numpy.zeros(3), dtype), name="weight")
        self.seen = None

    def construct(self, x):
        self.seen = ms.get_auto_parallel_context("parallel_mode")
        return (x * self.weight).sum()


def given():
    return Tensor(numpy.full((1, 3), RANK + 1, numpy.float32))


def gradient_of(net, inner):
    return ms.grad(net, None, inner.weight)(given()).asnumpy().tolist()


def trained(net, around=lambda step: step):
    """The weight after one step of gradient descent with rate 1."""
    optimizer = nn.SGD(net.trainable_params(), 1.0)
    around(nn.TrainOneStepCell(net, optimizer))(given())
    return optimizer.parameters[0].asnumpy().tolist()


@check
def wide_gradients_are_summed_as_they_are():
    inner = Net(ms.float64)
    small = Tensor(numpy.full((1, 3), 1 + 2.0**-40 * RANK, numpy.float64))
    found = ms.grad(AutoParallel(inner), None, inner.weight)(small)
    assert (found.dtype, found.asnumpy().tolist()) == (ms.float64, [2 + 2.0**-40] * 3)


@check
def gradients_of_the_network_are_summed():
    inner = Net()
    net = AutoParallel(inner)
    assert gradient_of(net, inner) == [TOTAL] * 3
    assert gradient_of(net, inner) == [TOTAL] * 3
    assert inner.seen == "semi_auto_parallel"
    assert ms.get_auto_parallel_context("parallel_mode") == "stand_alone"


@check
def gradients_are_averaged_if_asked_for():
    inner = Net()
    net = AutoParallel(inner, "recursive_programming")
    net.enable_gradients_mean()
    assert gradient_of(net, inner) == [TOTAL / SIZE] * 3
    assert inner.seen == "auto_parallel"


@check
def processes_that_see_all_data_keep_their_gradients():
    for strategy in ("full_batch", ((1, 1),)):
        inner = Net()
        net = AutoParallel(inner)
        net.dataset_strategy(strategy)
        assert gradient_of(net, inner) == [RANK + 1] * 3


@check
def a_training_step_around_the_network_or_inside_it():
    assert trained(AutoParallel(Net())) == [-TOTAL] * 3
    assert trained(Net(), AutoParallel) == [-TOTAL] * 3


@check
def a_function_that_takes_gradients():
    net = Net()
    optimizer = nn.SGD(net.trainable_params(), 1.0)
    gradient = ms.value_and_grad(lambda x: net(x), None, optimizer.parameters)

    def step(x):
        loss, grads = gradient(x)
        optimizer(grads)
        return loss

    assert float(AutoParallel(step)(given())) == 0
    assert net.weight.asnumpy().tolist() == [-TOTAL] * 3


@check
def data_divided_along_another_axis():
    for strategy in (((1, SIZE),), (Layout((SIZE,), ("a",))("None", "a"),)):
        inner = Net()
        inner.weight.set_data(Tensor(numpy.zeros(3 * SIZE), ms.float32))
        net = AutoParallel(inner)
        net.dataset_strategy(strategy)
        wanted = [1.0] * 3 + [2.0] * 3
        assert gradient_of(net, inner)[: len(wanted)] == wanted
    assert ms.get_auto_parallel_context("parallel_mode") == "stand_alone"


@check
def stages_of_a_pipeline_sum_by_themselves():
    inner = Net()
    net = AutoParallel(inner)
    net.pipeline(stages=SIZE)
    assert gradient_of(net, inner) == [RANK + 1] * 3


class Product(nn.Cell):
    def __init__(self, strategy):
        super().__init__()
        self.weight = Parameter(Tensor(numpy.ones((4, 8), numpy.float32)), name="weight")
        self.matmul = ops.MatMul() if strategy is None else ops.MatMul().shard(strategy)

    def construct(self, x):
        return self.matmul(x, self.weight)


def in_pynative_mode(strategy, x, data="full_batch"):
    net = AutoParallel(Product(strategy))
    net.dataset_strategy(data)
    return net(x)


def in_graph_mode(strategy, x, data="full_batch"):
    mode = ms.get_context("mode")
    ms.set_context(mode=ms.GRAPH_MODE)
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", dataset_strategy=data)
    try:
        return Product(strategy)(x)
    finally:
        ms.reset_auto_parallel_context()
        ms.set_context(mode=mode)


def errors_of_ranks(call):
    """Returns the text of the RuntimeError that a call raises on each rank; None without an
    error."""
    text = None
    try:
        call()
    except RuntimeError as error:
        text = str(error)
    texts = [None] * SIZE
    dist.all_gather_object(texts, text)
    return texts


@check
def strategies_that_ranks_used_before_are_compared():
    """Also those that let one rank compute without an exchange."""
    x = Tensor(numpy.ones((4, 4), numpy.float32))
    strategies = (((SIZE, 1), (1, 1)), ((1, 1), (1, SIZE)), ((1, SIZE), (SIZE, 1)), None)
    for run in (in_pynative_mode, in_graph_mode):
        for strategy in strategies:
            assert run(strategy, x).shape == (4, 8)
        for first, others in itertools.permutations(strategies, 2):
            (text,) = set(errors_of_ranks(lambda: run(others if RANK else first, x)))  # noqa: B023
            assert text.startswith("For 'matmul', all ranks of a divided network"), text
            assert "from rank 0" in text
            passed = [("nothing" if s is None else str(s)) for s in (first, others)]
            assert all(one in text for one in passed), text
        assert run(strategies[0], x).shape == (4, 8)


@check
def wrong_strategies_of_one_rank_are_refused_by_all():
    x = Tensor(numpy.ones((4, 4), numpy.float32))
    for run in (in_pynative_mode, in_graph_mode):
        for wrong in (((3, 1), (1, 1)), ((1, 2), (1, 1)), ((1,), (1, 1)), ((16, 1), (1, 1))):
            for strategy in (wrong, None if RANK else wrong, wrong if RANK else ((2, 1), (1, 1))):
                assert None not in errors_of_ranks(lambda: run(strategy, x))  # noqa: B023
        assert run(((SIZE, 1), (1, 1)), x).shape == (4, 8)


@check
def settings_that_differ_between_ranks_are_refused_by_all():
    x = Tensor(numpy.ones((4, 4), numpy.float32))
    for run in (in_pynative_mode, in_graph_mode):
        for first, other in (
            ("full_batch", ((SIZE, 1),)),
            (((1, 1),), ((SIZE, 1),)),
            (((1, 1),), ((1, SIZE),)),  # the product of the other rank fails
        ):
            data = other if RANK else first
            (text,) = set(errors_of_ranks(lambda: run(((SIZE, 1), (1, 1)), x, data)))  # noqa: B023
            assert "For 'dataset_strategy'" in text, text

    def step(level):
        net = nn.Dense(4, 8)
        made = AutoParallel(nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 1.0)))
        made.dataset_strategy("full_batch")
        made.hsdp(-1, 0, level)
        return made(x)

    for level in ("level1", "level3"):
        step(level)
    (text,) = set(errors_of_ranks(lambda: step("level3" if RANK else "level1")))
    assert "For 'optimizer_level'" in text and "level1 from rank 0" in text


@check
def networks_that_differ_between_ranks_are_refused_by_all():
    """This holds even if they exchange nothing, so that each rank could compute by itself."""
    x = Tensor(numpy.ones((4, 4), numpy.float32))
    layers = {
        "class": lambda: nn.ReLU(),
        "number": lambda: nn.SequentialCell(nn.Tanh(), nn.Tanh()),
        "parameter": lambda: nn.Dense(4, 4, has_bias=False),
        "shape": lambda: nn.Dense(4, 5),
        "dtype": lambda: nn.Dense(4, 4, dtype=ms.float16).to_float(ms.float16),
    }

    def run(make):
        network = AutoParallel(nn.SequentialCell(nn.Tanh(), make()))
        network.dataset_strategy("full_batch")
        return network(x)

    for make in layers.values():
        run(make)
    for first, other in itertools.combinations(layers.values(), 2):
        (text,) = set(errors_of_ranks(lambda: run(other if RANK else first)))  # noqa: B023
        assert "all ranks of a divided network" in text and "from rank 0" in text, text


@check
def set_ups_of_one_rank_are_refused_by_all():
    x = Tensor(numpy.ones((4, 4), numpy.float32))
    one, other = Layout((SIZE,), ("a",)), Layout((2 * SIZE,), ("a",))

    def laid_out(layout):
        return AutoParallel(lambda x: ops.reshard(x, layout) * 2)

    def cell(*strategies):
        return AutoParallel(nn.Dense(4, 4).shard(*strategies))

    def optimizer(size):
        net = nn.Dense(4, 4)
        step = AutoParallel(nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 1.0)))
        step.hsdp(size, 0, "level1")
        return step

    whole = ((1, 1),)
    for make, first, others in (
        (laid_out, one("a", "None"), other("a", "None")),
        (laid_out, one("a", "None"), one("None", "a")),
        (laid_out, one("a", "None"), one("a")),
        (cell, (((3, 1),),), (((SIZE, 1),),)),
        (cell, (whole, ((3, 1),)), (whole, ((SIZE, 1),))),
        (cell, (whole, None, {"weight": (SIZE, 1)}), (whole, None, {"weight": (1, SIZE)})),
        (optimizer, 1, SIZE),
    ):
        given = others if RANK else first
        net = make(*given) if make is cell else make(given)
        net.dataset_strategy("full_batch")
        (text,) = set(errors_of_ranks(lambda: net(x)))  # noqa: B023
        assert "from rank 0" in text and "all ranks of a divided network" in text, text


run_named_checks()
