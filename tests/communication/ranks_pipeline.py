"""Networks on the stages of a pipeline train as on one process; test_pipeline_ranks.py starts this
through mpiexec with two or four ranks. Each rank first trains the whole network by itself.
"""

import numpy as np
from kit.rank_checks import check, refused, run_named_checks
from parallel.networks import GPT, Loss, drawn, with_weights
from pipeline_networks import MLP, Divided, Halves, Long, Normed, Passed

import mindspore_compat as ms
from mindspore_compat import Tensor, communication, nn, ops
from mindspore_compat._core.sharding import micro_batches
from mindspore_compat._core.sharding.network import mesh_of
from mindspore_compat._core.sharding.stages import StageFailure
from mindspore_compat.mint import distributed as dist
from mindspore_compat.parallel.auto_parallel import AutoParallel

communication.init()
RANK, SIZE = communication.get_rank(), communication.get_group_size()
STEPS, MICRO = 10, 4
BOTH = ("1f1b", "gpipe")


def adam(net):
    return nn.Adam(net.trainable_params(), 0.01)


def momentum(net):
    return nn.Momentum(net.trainable_params(), 0.05, 0.9)


def thor(net):
    return nn.thor(net, Tensor(0.1), Tensor(0.1), 0.9)


def step_of(net, make=adam):
    pipeline = nn.PipelineCell(nn.WithLossCell(net, Loss()), MICRO)
    return nn.TrainOneStepCell(pipeline, make(net)).set_train()


def clipped_step(net, make=adam):
    pipeline = nn.PipelineCell(nn.WithLossCell(net, Loss()), MICRO)
    optimizer = make(net)
    gradient = ms.value_and_grad(pipeline, None, optimizer.parameters)
    reduced = nn.PipelineGradReducer(optimizer.parameters)

    def step(x, y):
        loss, grads = gradient(x, y)
        optimizer(ops.clip_by_global_norm(reduced(grads), 0.5))
        return loss

    return step


def step_with_own_formula(net, make=adam):
    """Gradient descent with momentum, written in the script."""
    pipeline = nn.PipelineCell(nn.WithLossCell(net, Loss()), MICRO)
    weights = net.trainable_params()
    moments = ms.ParameterTuple(weights).clone("moment", "zeros")
    gradient = ms.value_and_grad(pipeline, None, weights)

    def step(x, y):
        loss, grads = gradient(x, y)
        for weight, moment, grad in zip(weights, moments, grads):
            ops.assign(moment, moment * 0.5 + grad)
            ops.assign_sub(weight, moment * 0.01)
        return loss

    return step


def accumulated_step(net, make=adam):
    """Two runs of a pipeline in one gradient computation; each of their micro-batches is divided
    once more."""
    sliced = nn.MicroBatchInterleaved(nn.WithLossCell(net, Loss()), 2)
    network = nn.GradAccumulationCell(nn.PipelineCell(sliced, MICRO), 2)
    return nn.TrainOneStepCell(network, make(net)).set_train()


def scaled_step(net, make=adam):
    pipeline = nn.PipelineCell(nn.WithLossCell(net, Loss()), MICRO)
    scale = nn.DynamicLossScaleUpdateCell(64.0, 2, 3)
    step = nn.TrainOneStepWithLossScaleCell(pipeline, make(net), scale)
    return lambda x, y: step(x, y)[0]


def trained(
    kind,
    stages=0,
    scheduler="1f1b",
    shares=1,
    step_of=step_of,
    make=adam,
    level=None,
    mode="semi_auto",
):
    """Returns the losses of some steps, and this rank's weights after them."""
    net = with_weights(kind(stages))
    step = step_of(net, make)
    x, y = kind.data
    if stages:
        around = AutoParallel(step, mode)
        around.pipeline(stages, scheduler=scheduler)
        around.dataset_strategy("data_parallel" if shares > 1 else "full_batch")
        if level:
            around.hsdp(-1, 0, level)
        place = RANK % (SIZE // stages)
        if shares > 1:
            x, y = (np.split(array, shares)[place] for array in (x, y))
        step = around
    losses = [float(step(Tensor(x), Tensor(y)).asnumpy()) for _ in range(STEPS)]
    return losses, net


def equal(found, wanted):
    np.testing.assert_allclose(found[0], wanted[0], rtol=1e-5)
    held = 0
    for own, p in zip(found[1].get_parameters(), wanted[1].get_parameters(), strict=True):
        if own._array.nbytes:
            held += 1
            np.testing.assert_allclose(
                own.asnumpy(), p.asnumpy(), rtol=1e-5, atol=1e-5, err_msg=own.name
            )
        else:
            refused(RuntimeError, own.asnumpy)
    assert 0 < held < len(list(wanted[1].get_parameters()))


def compare(kind, schedulers=("1f1b",), **how):
    wanted = trained(kind, **{k: v for k, v in how.items() if k in ("step_of", "make")})
    for stages in (2, 4) if SIZE == 4 else (2,):
        shares = SIZE // stages
        for scheduler in schedulers:
            equal(trained(kind, stages, scheduler, shares, **how), wanted)


@check
def perceptron():
    compare(MLP, BOTH)


@check
def gpt():
    compare(GPT, BOTH)


@check
def buffers_of_cells_without_a_stage():
    """All stages have the statistics and the counter that one of them wrote."""
    wanted = trained(Normed, make=momentum)
    for stages in {2, SIZE}:
        for scheduler in BOTH:
            found = trained(Normed, stages, scheduler, make=momentum)
            equal(found, wanted)
            buffers = [p for p in found[1].get_parameters() if not p.requires_grad]
            assert len(buffers) == 3 and all(p._array.nbytes for p in buffers)
    x = Tensor(Normed.data[0])
    net, whole = with_weights(Normed(2)).set_train(), with_weights(Normed(0)).set_train()
    whole(x)
    around(net)(x)  # without a gradient
    for name in ("moving_mean", "moving_variance"):
        value, other = getattr(net.norm, name).asnumpy(), getattr(whole.norm, name).asnumpy()
        np.testing.assert_allclose(value, other, rtol=1e-5)
    net = with_weights(Normed(2, twice=True))
    step, buffers = (
        around(step_of(net)),
        (net.norm.moving_mean, net.norm.moving_variance, net.count),
    )
    refused(RuntimeError, lambda: step(x, Tensor(Normed.data[1])), *buffers)


@check
def modes_of_auto_parallel():
    for mode in ("recursive_programming", "sharding_propagation"):
        equal(trained(MLP, 2, mode=mode), trained(MLP))


@check
def clipped_by_the_global_norm():
    compare(MLP, step_of=clipped_step)


@check
def scaled_loss():
    compare(MLP, step_of=scaled_step)


@check
def slices_of_slices():
    compare(Long, step_of=accumulated_step)


@check
def a_formula_of_the_script():
    compare(MLP, step_of=step_with_own_formula)


class Steep(MLP):
    def construct(self, x):
        return super().construct(x) * 1e3


@check
def steps_that_overflow():
    net = with_weights(Steep(2))
    pipeline = nn.PipelineCell(nn.WithLossCell(net, Loss()), MICRO)
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    step = nn.TrainOneStepWithLossScaleCell(pipeline, optimizer, Tensor(np.float32(2.0**126)))
    around = AutoParallel(step, "semi_auto")
    around.pipeline(2)
    around.dataset_strategy("full_batch")
    around(*map(Tensor, MLP.data))
    before = [p.asnumpy().copy() for p in net.get_parameters() if p._array.nbytes]
    for _ in range(2):  # in the second, the backward passes start with this scale
        assert bool(around(*map(Tensor, MLP.data))[1])
    after = [p.asnumpy() for p in net.get_parameters() if p._array.nbytes]
    assert all(map(np.array_equal, before, after))


@check
def all_stages_see_the_overflow_of_one():
    net = with_weights(MLP(2))
    pipeline = nn.PipelineCell(nn.WithLossCell(net, Loss()), MICRO)
    gradient = ms.grad(pipeline, None, net.trainable_params())

    def finite(x, y):
        first, *others = gradient(x, y)
        return ms.amp.all_finite([first, *others]), ms.amp.all_finite([first / 0.0, *others])

    around = AutoParallel(finite, "semi_auto")
    around.pipeline(2)
    around.dataset_strategy("full_batch")
    assert list(map(bool, around(*map(Tensor, MLP.data)))) == [True, False]


class Recomputed(MLP):
    def __init__(self, stages):
        super().__init__(stages)
        for layer in self.layers:
            layer.recompute()


@check
def recomputed_activations():
    compare(Recomputed)


OPTIMIZERS = {
    "sgd": lambda net: nn.SGD(net.trainable_params(), 0.1, weight_decay=0.01),
    "momentum": lambda net: nn.Momentum(
        [{"params": net.trainable_params(), "grad_centralization": True}], 0.1, 0.9
    ),
    "lamb": lambda net: nn.Lamb(net.trainable_params(), 0.01),
    "lars": lambda net: nn.LARS(nn.Momentum(net.trainable_params(), 0.1, 0.9)),
    "adafactor": lambda net: nn.AdaFactor(net.trainable_params(), 0.01, relative_step=False),
    "ftrl": lambda net: nn.FTRL(net.trainable_params(), learning_rate=0.1),
    "asgd": lambda net: nn.ASGD(net.trainable_params(), 0.1),
}


@check
def other_optimizers():
    for make in OPTIMIZERS.values():
        wanted = trained(MLP, make=make)
        equal(trained(MLP, 2, shares=SIZE // 2, make=make), wanted)


@check
def a_shared_table_that_is_gathered_for_each_use():
    """The transposed parts are gathered when they are sent to the other stage; the gradient is
    whole."""
    if SIZE == 4:
        for scheduler in BOTH:
            equal(trained(GPT, 2, scheduler, 2, level="level3"), trained(GPT))


@check
def a_message_that_does_not_fit_ends_all_stages():
    parts = mesh_of(2).stages
    for failing in (0, 1):

        def receive():
            if parts.own == failing:  # noqa: B023
                raise StageFailure("What is received does not fit.")

        text = ""
        try:
            parts.together(receive, lambda: None)
        except RuntimeError as error:
            text = str(error)
        assert text.endswith("What is received does not fit.")
    compare(MLP)


@check
def stages_times_parts_of_products():
    wanted = trained(Divided)
    found = trained(Divided, 2)
    np.testing.assert_allclose(found[0], wanted[0], rtol=1e-5)
    own = found[1].pairs[RANK * 2 // SIZE]
    assert own.w1._array.nbytes == 8 * 32 * 4
    assert getattr(own.w1._array, "block", own.w1._array).shape == (8, 32 * 2 // SIZE)
    for p, other in zip(own.get_parameters(), wanted[1].pairs[RANK * 2 // SIZE].get_parameters()):
        np.testing.assert_allclose(p.asnumpy(), other.asnumpy(), rtol=1e-5, atol=1e-5)


@check
def prediction():
    x, y = map(Tensor, GPT.data)
    wanted = with_weights(GPT(0))(x).asnumpy()
    for step in (None, step_of):
        net = with_weights(GPT(2))
        around = AutoParallel(net, "semi_auto")
        around.pipeline(2)
        around.dataset_strategy("full_batch")
        if step is not None:  # the sum of the losses of micro-batches
            around.network = nn.PipelineCell(nn.WithLossCell(net, Loss()), MICRO)
            single = nn.GradAccumulationCell(nn.WithLossCell(with_weights(GPT(0)), Loss()), MICRO)
            np.testing.assert_allclose(around(x, y).asnumpy(), single(x, y).asnumpy(), rtol=1e-5)
        else:
            np.testing.assert_allclose(around(x).asnumpy(), wanted, rtol=1e-4, atol=1e-5)


@check
def the_context_and_jit():
    wanted = trained(MLP, step_of=clipped_step)[0]
    mode = ms.get_context("mode")
    try:
        ms.set_context(mode=ms.GRAPH_MODE)
        ms.set_auto_parallel_context(
            parallel_mode="semi_auto_parallel",
            pipeline_stages=2,
            full_batch=True,
            pipeline_config={"pipeline_interleave": False, "pipeline_scheduler": "gpipe"},
        )
        net = with_weights(MLP(2))
        step = ms.jit(clipped_step(net))
        x, y = map(Tensor, MLP.data)
        np.testing.assert_allclose([float(step(x, y)) for _ in wanted], wanted, rtol=1e-5)
        held = [p._array.nbytes > 0 for p in net.get_parameters()]
        assert held == [number // 4 == RANK * 2 // SIZE for number in range(8)]
    finally:
        ms.reset_auto_parallel_context()
        ms.set_context(mode=mode)


@check
def activations_alive():
    """With 1f1b, stage s of n keeps the activations of at most n - s micro-batches; with gpipe, of
    all."""
    alive, most = set(), 0

    before = micro_batches.MicroBatch.forward, micro_batches.MicroBatch.backward

    def forward(self, *args):
        nonlocal most
        alive.add(self)
        most = max(most, len(alive))
        return before[0](self, *args)

    def backward(self, *args):
        alive.discard(self)
        return before[1](self, *args)

    micro_batches.MicroBatch.forward, micro_batches.MicroBatch.backward = forward, backward
    try:
        for scheduler in ("1f1b", "gpipe"):
            most = 0
            trained(MLP, SIZE, scheduler)
            assert most == (SIZE - RANK if scheduler == "1f1b" else MICRO), most
    finally:
        micro_batches.MicroBatch.forward, micro_batches.MicroBatch.backward = before


class Several(MLP):
    """Returns one number for each column, so that every schedule runs as "gpipe"."""

    def construct(self, x):
        return super().construct(x).sum(0)


@check
def gradients_taken_twice_from_one_run():
    x = Tensor(MLP.data[0])
    factors = Tensor(drawn((8,))), Tensor(drawn((8,), seed=1))

    def pulled(net, network):
        def both(x):
            _, pull = ms.vjp(lambda: network(x), weights=net.trainable_params())
            return pull(factors[0]), pull(factors[1])

        return both

    net = with_weights(Several(0))
    wanted = pulled(net, net)(x)
    for scheduler in BOTH:
        net = with_weights(Several(2))
        run = around(pulled(net, nn.PipelineCell(net, MICRO)))
        run.pipeline(2, scheduler=scheduler)
        for found, exact in zip(run(x), wanted, strict=True):
            own = [(g, w) for g, w in zip(found, exact, strict=True) if g._array.nbytes]
            assert len(own) == 4
            for g, w in own:
                np.testing.assert_allclose(g.asnumpy(), w.asnumpy(), rtol=1e-4, atol=1e-5)


@check
def a_second_gradient_is_refused():
    net = with_weights(Several(2))
    weights = net.trainable_params()
    first = ms.grad(lambda x: nn.PipelineCell(net, MICRO)(x).sum(), None, weights)
    for scheduler in BOTH:
        run = around(ms.grad(lambda x: sum((g * g).sum() for g in first(x)), None, weights))
        run.pipeline(2, scheduler=scheduler)
        refused(RuntimeError, lambda: run(Tensor(MLP.data[0])))


FURTHER = {  # functions of a network, its loss in micro-batches, its weights, and the inputs
    "by an input": lambda net, loss, w, x, y: ms.grad(loss, 0)(x, y),
    "forward": lambda net, loss, w, x, y: ms.jvp(loss, (x, y), (x, y)),
    "forward, net": lambda net, loss, w, x, y: ms.jvp(net, x, x),
    "without micro-batches": lambda net, loss, w, x, y: ms.grad(net, None, w)(x),
    "mapped": lambda net, loss, w, x, y: ms.vmap(net)(x),
    "Jacobian": lambda net, loss, w, x, y: ms.jacrev(net)(x),
    "of a value and gradient": lambda net, loss, w, x, y: ms.grad(
        lambda: (ms.value_and_grad(loss, None, w)(x, y)[1][0] ** 2).sum(), None, w
    )(),
    "penalty": lambda net, loss, w, x, y: ms.grad(
        lambda: loss(x, y) + ms.grad(lambda x: net(x).sum())(x).norm(), None, w
    )(),
}


@check
def other_derivatives_are_refused():
    x, y = map(Tensor, MLP.data)
    for name, call in FURTHER.items():
        net = with_weights(MLP(2))
        loss, weights = nn.PipelineCell(nn.WithLossCell(net, Loss()), MICRO), net.trainable_params()
        run = around(lambda x, y: call(net, loss, weights, x, y))  # noqa: B023
        refused(RuntimeError, lambda: run(x, y))  # noqa: B023
        texts = [None] * SIZE
        dist.all_gather_object(texts, name)
        assert texts == [name] * SIZE


class OneSided(nn.Cell):
    """All parameters are on the first stage."""

    def __init__(self):
        super().__init__()
        self.dense, self.tanh = nn.Dense(8, 8), nn.Tanh()
        self.dense.pipeline_stage, self.tanh.pipeline_stage = 0, 1

    def construct(self, x):
        return self.tanh(self.dense(x))


@check
def thor_is_refused_by_all():
    for kind in (lambda: MLP(2), OneSided):
        run = around(step_of(kind(), thor))
        refused(RuntimeError, lambda: run(*map(Tensor, MLP.data)))  # noqa: B023
    equal(trained(MLP, 2), trained(MLP))  # the ranks have stayed together


@check
def a_parameter_as_a_result():
    net = with_weights(Passed())
    ids = Tensor(GPT.data[0])
    wanted = net(ids).asnumpy()
    np.testing.assert_allclose(around(net)(ids).asnumpy(), wanted, rtol=1e-5, atol=1e-6)


@check
def shared_parameters():
    net = with_weights(Halves())
    run = around(net)
    ids = Tensor(GPT.data[0])
    first = run(ids).asnumpy()
    if RANK * 2 >= SIZE:  # a checkpoint that only the first stage has read
        net.first.words.set_data(net.first.words * 0.0)
    ms.parallel.sync_pipeline_shared_parameters(run)
    np.testing.assert_allclose(run(ids).asnumpy(), first, rtol=1e-6)


def around(step, stages=2):
    made = AutoParallel(step, "semi_auto")
    made.pipeline(stages)
    made.dataset_strategy("full_batch")
    return made


@check
def wrong_settings():
    x, y = map(Tensor, MLP.data)
    refused(RuntimeError, lambda: around(step_of(MLP(2)), 3)(x, y))  # stages do not divide ranks
    beyond = MLP(2)
    beyond.layers[3].pipeline_stage = 2
    refused(RuntimeError, lambda: around(step_of(beyond))(x, y))
    back = MLP(2)
    back.layers[1].pipeline_stage = 1
    back.layers[2].pipeline_stage = 0
    refused(RuntimeError, lambda: around(step_of(back))(x, y))
    empty = MLP(0)
    empty.layers[0].pipeline_stage = 1
    refused(RuntimeError, lambda: around(step_of(empty))(x, y))
    few = nn.PipelineCell(nn.WithLossCell(MLP(2), Loss()), 1)
    refused(RuntimeError, lambda: around(few)(x, y))
    refused(ValueError, lambda: around(step_of(MLP(2)))(x[:15], y[:15]))
    net = MLP(2)  # without PipelineCell
    step = nn.TrainOneStepCell(nn.WithLossCell(net, Loss()), adam(net)).set_train()
    refused(RuntimeError, lambda: around(step)(x, y))
    equal(trained(MLP, 2), trained(MLP))  # the ranks have stayed together


def with_stages(*stages):
    net = MLP(0)
    for layer, stage in zip(net.layers, stages):
        layer.pipeline_stage = stage
    return net


def in_micro_batches(count):
    net = MLP(2)
    pipeline = nn.PipelineCell(nn.WithLossCell(net, Loss()), count)
    return around(nn.TrainOneStepCell(pipeline, adam(net)).set_train())


def with_schedule(name):
    made = AutoParallel(step_of(MLP(2)), "semi_auto")
    made.pipeline(2, scheduler=name)
    made.dataset_strategy("full_batch")
    return made


@check
def pipelines_that_differ_between_ranks_are_refused_by_all():
    x, y = map(Tensor, MLP.data)
    first = RANK == 0
    for make, name in (
        (lambda: around(step_of(with_stages(*(0, 0, 1, 1) if first else (0, 1, 1, 1)))), "stage"),
        (lambda: around(step_of(with_stages(*(0, 0, 1, 1) if first else ()))), "pipeline_stage"),
        (lambda: around(step_of(with_stages(0, 0, 1, 1 if first else 9))), "pipeline_stage"),
        (
            lambda: around(with_stages(*(0, 0, 1, 1) if first else (0, 1, 1, 1)).set_train()),
            "stage",
        ),
        *(
            [(lambda: around(step_of(MLP(2)), 2 if first else SIZE), "pipeline_stages")]
            if SIZE > 2
            else []
        ),
        (lambda: in_micro_batches(4 if first else 8), "micro_size"),
        (lambda: with_schedule("gpipe" if first else "1f1b"), "schedule"),
    ):
        run = make()
        arrays = (x,) if isinstance(run.network, MLP) else (x, y)
        text = None
        try:
            run(*arrays)
        except RuntimeError as error:
            text = str(error)
        texts = [None] * SIZE
        dist.all_gather_object(texts, text)
        assert len(set(texts)) == 1 and "differs between" in text and name in text, texts
    run, rows = around(step_of(MLP(2))), 8 if first else 16
    refused(RuntimeError, lambda: run(x[:rows], y[:rows]))
    equal(trained(MLP, 2), trained(MLP))  # the ranks have stayed together


run_named_checks()
