"""Private helpers of MindSpore that public scripts import; the values were observed in 2.10."""

import subprocess
import sys

import numpy
import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, _checkparam, common, nn, ops
from mindspore_compat._c_expression import MSContext
from mindspore_compat.common import np_dtype
from mindspore_compat.common.api import _no_grad, _pynative_executor, cells_compile_cache
from mindspore_compat.common.seed import _get_graph_seed, get_seed, set_seed
from mindspore_compat.communication import _comm_helper
from mindspore_compat.dataset import vision
from mindspore_compat.dataset.transforms.validators import check_random_transform_ops
from mindspore_compat.nn.layer.conv import _check_input_3d
from mindspore_compat.nn.wrap import loss_scale
from mindspore_compat.nn.wrap.cell_wrapper import _VirtualDatasetCell
from mindspore_compat.parallel import _ps_context
from mindspore_compat.train import amp, serialization

# Seeds --------------------------------------------------------------------------------------------


@pytest.fixture
def seeded():
    yield set_seed
    set_seed(0)
    common.seed  # the function; its file keeps out of the way


def test_seeds_of_operations(seeded):
    seeded(5)
    assert get_seed() == 5
    found = [_get_graph_seed(0, "n") for _ in range(6)]
    assert found == [
        (5, 0),
        (5, 533697028),
        (5, 1067394056),
        (5, 1601091084),
        (5, 2134788112),
        (5, 521001493),
    ]
    assert _get_graph_seed(0, "m") == (5, 0)
    assert [_get_graph_seed(3, "n") for _ in range(2)] == [(5, 3), (5, 533697031)]
    seeded(5)
    assert [_get_graph_seed(None, "n"), _get_graph_seed(0, "n")] == [(5, 0), (5, 533697028)]
    seeded(0)
    assert _get_graph_seed(0, "n") == (87654321, 0)
    seeded(2**32 - 1)
    assert _get_graph_seed(2**33 + 7, "r") == (1, 11)


def test_the_function_seed_stands_for_the_module_of_earlier_releases(seeded):
    seeded(0)
    common.seed.set_seed(7)
    assert common.seed.get_seed() == get_seed() == 7


def test_seeds_that_are_none():
    code = (
        "from mindspore_compat.common.seed import _get_graph_seed as f\n"
        "import mindspore_compat.common as common\n"
        "assert f(0, 'n') == f(None, 'n') == (0, 0) and f(3, 'n') == (0, 3)\n"
        "assert callable(common.seed)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("bad, error", [(-1, ValueError), ("a", TypeError), (1.5, TypeError)])
def test_refused_seeds(seeded, bad, error):
    seeded(1)
    with pytest.raises(error, match="For 'normal', 'seed'"):
        _get_graph_seed(bad, "normal")


# The executor, checks -----------------------------------------------------------------------------


def test_the_executor_knows_of_gradients():
    def states():
        return (
            _pynative_executor.grad_flag(),
            _pynative_executor.requires_grad(),
            _pynative_executor.enable_grad(),
        )

    seen = []

    def function(x):
        seen.append(states())
        with _no_grad():
            seen.append(states())
        return x * x

    assert states() == (False, False, True)
    ms.grad(function)(Tensor(2.0))
    assert seen == [(True, True, True), (False, False, False)]
    assert _pynative_executor.sync() is None


@pytest.mark.parametrize(
    "type_, wanted, good",
    [
        (int, (int, float), True),
        (int, float, False),
        (bool, int, False),
        (ms.float32, (ms.number,), True),
        (ms.float32, ms.float16, False),
        (ms.int32, ms.float_, False),
        (ms.bool_, ms.number, True),
        (ms.float32, int, False),
        (ms.Parameter, ms.Tensor, False),
        (ms.Tensor, ms.Tensor, True),
        (None, int, False),
    ],
)
def test_check_subclass(type_, wanted, good):
    if good:
        assert _checkparam.check_subclass("a", type_, wanted, "P") is None
        return
    with pytest.raises(TypeError, match="For 'P', 'a' must be"):
        _checkparam.check_subclass("a", type_, wanted, "P")


def test_check_input_3d():
    assert _check_input_3d((1, 2, 3), "C") is None
    with pytest.raises(ValueError, match="For 'C'"):
        _check_input_3d((1, 2), "C")


# Gradients and their scale ------------------------------------------------------------------------


def test_scales_of_gradients():
    scale, grad = Tensor([2.0]), Tensor([3.0, 4.0])
    assert loss_scale._grad_scale(scale, grad).tolist() == [1.5, 2.0]
    assert loss_scale.tensor_grad_scale(scale, grad.astype(ms.float16)).dtype == ms.float16
    rows = ms.RowTensor(Tensor([1]), Tensor([[4.0]]), (3, 1))
    assert loss_scale._grad_scale(scale, rows).values.tolist() == [[2.0]]
    for graph, wanted in (
        (loss_scale.grad_scale, [4.0, 3.0]),
        (loss_scale.shard_grad_scale, [1.5, 2.0]),
    ):
        added = Parameter(Tensor([8.0, 6.0]), name="added")
        found = ops.HyperMap()(ops.partial(graph, scale), (grad,), (added,))
        assert found[0].tolist() == wanted
        assert added.asnumpy().tolist() == [0, 0]


@pytest.mark.parametrize("value, wanted", [(1.0, 0), (numpy.inf, 1), (numpy.nan, 1)])
def test_overflow_of_gradients(value, wanted):
    grad = Tensor([[1.0], [value]])
    assert loss_scale._grad_overflow(grad).tolist() == [wanted]
    rows = ms.RowTensor(Tensor([1, 0]), grad, (3, 1))
    assert loss_scale._grad_overflow(rows).tolist() == [wanted]


# Checkpoints --------------------------------------------------------------------------------------


def test_types_in_checkpoints():
    assert serialization.tensor_to_ms_type["Float32"] == ms.float32
    assert serialization.tensor_to_ms_type["Bool"] == ms.bool_
    assert sorted(serialization.tensor_to_ms_type) == sorted(
        "Int8 UInt8 Int16 UInt16 Int32 UInt32 Int64 UInt64 Float16 Float32 Float64 Bool str "
        "BFloat16 Int4".split()
    )
    assert serialization.tensor_to_np_type("Float32") is numpy.float32
    assert serialization.tensor_to_np_type("Bool") is numpy.bool_
    assert serialization.tensor_to_np_type("BFloat16").__name__ == "bfloat16"
    assert serialization.tensor_to_np_type("str") == "U"
    assert serialization.tensor_to_np_type("Int4") is serialization.tensor_to_np_type("X") is None


def test_update_of_one_parameter():
    param = Parameter(Tensor([1.0, 2.0]), name="p")
    serialization._update_param(param, Parameter(Tensor([3, 4], ms.float16)), False)
    assert param.asnumpy().tolist() == [3, 4] and param.dtype == ms.float32
    for new, strict in (
        (Tensor([3, 4], ms.float16), True),
        (Tensor([3, 4]), False),
        (Tensor([3.0, 4.0, 5.0]), False),
    ):
        with pytest.raises(RuntimeError):
            serialization._update_param(param, Parameter(new), strict)
    assert param.asnumpy().tolist() == [3, 4]


def test_parameters_under_longer_names():
    net = nn.Dense(2, 1)
    lacking = ["weight", "bias"]
    values = {"inner.weight": Parameter(Tensor([[5.0, 6.0]]))}
    serialization._load_dismatch_prefix_params(net, values, lacking, False)
    assert lacking == ["bias"] and net.weight.asnumpy().tolist() == [[5, 6]]


# Networks -----------------------------------------------------------------------------------------


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(2)
        self.seq = nn.SequentialCell(nn.Dense(2, 2), nn.LayerNorm((2,)))

    def construct(self, x):
        return self.seq(self.norm(x))


def test_normalizations_stay_in_float32():
    net = Net().to_float(ms.float16)
    amp._do_keep_batchnorm_fp32(net)
    x = Tensor(numpy.ones((3, 2), "float32"))
    assert net.norm(x).dtype == net.seq[1](x).dtype == ms.float16
    assert net.norm._backbone(x).dtype == ms.float32
    assert type(net.seq[0]) is nn.Dense and net(x).dtype == ms.float16


def test_a_network_with_its_loss():
    class Half(nn.Cell):
        def construct(self, x):
            return x.astype(ms.float16)

    class Loss(nn.Cell):
        def construct(self, out, label):
            self.dtypes = out.dtype, label.dtype
            return (out - label).sum()

    x, loss = Tensor([1.0, 2.0]), Loss()
    amp._add_loss_network(Half(), loss, ms.float16)(x, x.astype(ms.float16))
    assert loss.dtypes == (ms.float32, ms.float32)
    amp._add_loss_network(Half(), loss, ms.float32)(x, Tensor([1, 2], ms.int32))
    assert loss.dtypes == (ms.float16, ms.int32)
    with pytest.raises(TypeError, match="'loss_fn'"):
        amp._add_loss_network(Half(), 3, ms.float32)


def test_levels():
    assert list(amp._config_level) == ["O0", "O1", "O2", "O3", "auto"]
    level = amp._config_level["O2"]
    assert level["keep_batchnorm_fp32"] and level["cast_model_type"] == ms.float16
    assert isinstance(level["loss_scale_manager"], ms.DynamicLossScaleManager)
    assert amp._config_level["O3"]["loss_scale_manager"] is None


def test_a_network_that_a_planner_would_change():
    net = _VirtualDatasetCell(nn.ReLU())
    assert net(Tensor([-1.0, 2.0])).tolist() == [0, 2]


# Paths whose last name is a function's too --------------------------------------------------------

BOTH = """
import mindspore
import mindspore.common.seed
import mindspore.common.lazy_inline
import mindspore.parallel.shard
import mindspore.profiler.schedule
from mindspore.common.seed import _get_graph_seed
from mindspore.common.lazy_inline import lazy_inline
from mindspore.parallel.shard import Layout, shard
from mindspore.profiler.schedule import ProfilerAction, Schedule

assert mindspore.common.seed is not _get_graph_seed and callable(mindspore.common.seed)
assert mindspore.common.lazy_inline is lazy_inline
assert mindspore.parallel.shard is mindspore.shard is shard
assert mindspore.parallel.Layout is Layout
assert mindspore.profiler.schedule is Schedule
assert [each.name for each in ProfilerAction] == ["NONE", "WARM_UP", "RECORD", "RECORD_AND_SAVE"]
"""


def test_paths_and_functions_of_one_name():
    command = [sys.executable, "-m", "mindspore_compat", "-c", BOTH]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


# Ranks, dtypes ------------------------------------------------------------------------------------


def test_names_of_libraries():
    assert _comm_helper.Backend("NCCL") == _comm_helper.Backend.NCCL == "nccl"
    assert _comm_helper.DEFAULT_BACKEND == "hccl"
    assert _comm_helper.DEVICE_TO_BACKEND == {"Ascend": "hccl", "GPU": "nccl", "CPU": "mccl"}
    with pytest.raises(TypeError, match="For 'Backend'"):
        _comm_helper.Backend(3)
    for bad in ("undefined", "abc"):
        with pytest.raises(ValueError, match="For 'Backend'"):
            _comm_helper.Backend(bad)


def test_a_process_by_itself():
    assert _comm_helper._get_rank_helper() == 0 and _comm_helper._get_size_helper() == 1
    assert _comm_helper._is_initialized() is _comm_helper.GlobalComm.INITED is False
    assert _comm_helper._get_backend() == _comm_helper.GlobalComm.BACKEND


def test_no_scheduler_of_servers(monkeypatch):
    assert _ps_context._is_role_sched() is False
    monkeypatch.setenv("MS_ROLE", "MS_SCHED")
    assert _ps_context._is_role_sched() is False
    ms.set_ps_context(enable_ps=True)
    try:
        assert _ps_context._is_role_sched() is True
    finally:
        ms.reset_ps_context()


def test_bfloat16_of_numpy():
    assert np_dtype.np_dtype_valid(True) is True
    assert Tensor([1.5], ms.bfloat16).asnumpy().dtype == np_dtype.bfloat16
    assert cells_compile_cache == {}


# Devices, transforms ------------------------------------------------------------------------------


def test_the_compiled_context():
    context = ms.amp.MSContext.get_instance()
    assert context is MSContext.get_instance() and isinstance(context, MSContext)
    assert context.is_pkg_support_device("CPU") and not context.is_pkg_support_device("Ascend")
    assert context.is_pkg_support_device("GPU") is ms.hal.is_available("GPU")
    assert context.get_ascend_soc_version() == "" and context.is_ascend_plugin_loaded() is False
    assert context.get_backend_policy() == "ms"
    with pytest.raises(TypeError, match="get_instance"):
        MSContext()


class Chosen:
    @check_random_transform_ops
    def __init__(self, transforms, prob=0.5):
        self.given = transforms, prob


class Listed:
    @check_random_transform_ops
    def __init__(self, transforms):
        self.given = transforms


def test_lists_of_transforms():
    good = [vision.HWC2CHW(), abs]
    assert Chosen(good, prob=1).given == (good, 1) and Listed(transforms=good).given is good
    for made in (Chosen, Listed):
        for bad, error in (
            (tuple(good), TypeError),
            ([], ValueError),
            ([good], TypeError),
            ([vision.HWC2CHW], ValueError),
            ([3], TypeError),
        ):
            with pytest.raises(error, match="'transforms"):
                made(bad)
        with pytest.raises(TypeError):
            made()
    for bad, error in ((2, ValueError), (-0.1, ValueError), ("a", TypeError), (True, TypeError)):
        with pytest.raises(error, match="'prob'"):
            Chosen(good, bad)


def test_the_executor_runs_operations_and_gradients():
    x = Tensor([[1.0, 2.0]])
    net = ms.nn.Dense(2, 3)
    weights = ms.ParameterTuple(net.trainable_params())
    assert _pynative_executor.new_graph(net, x) is None
    assert _pynative_executor.end_graph(net, net(x), x) is None
    assert _pynative_executor.check_run(None, net, weights, (0,), x) == (False, None)
    by_list = ms.ops.GradOperation(get_by_list=True)
    to_weight, to_bias = _pynative_executor.grad(net, by_list, weights, (0,), False, x)
    assert to_weight.asnumpy().tolist() == [[1, 2]] * 3 and to_bias.asnumpy().tolist() == [1] * 3
    first = ms.ops.GradOperation()
    found = _pynative_executor.grad(lambda x: (x * x, 1), first, None, 0, True, x)
    assert found.asnumpy().tolist() == [[2, 4]]
    with pytest.raises(TypeError, match="must be a GradOperation"):
        _pynative_executor.grad(net, None, weights, 0, False, x)
    sums = _pynative_executor.run_op_async(ms.ops.Add(), "Add", (x, x))
    assert sums.asnumpy().tolist() == [[2, 4]]
    with pytest.raises(RuntimeError, match="three arguments"):
        _pynative_executor.run_op_async(ms.ops.Add(), (x, x))


def test_the_executor_keeps_its_flags():
    _pynative_executor.set_grad_flag(True)
    assert _pynative_executor.grad_flag() is True
    _pynative_executor.set_grad_flag(False)
    assert _pynative_executor.grad_flag() is False
    _pynative_executor.set_enable_grad(False)
    assert _pynative_executor.enable_grad() is False
    _pynative_executor.set_enable_grad(True)
    assert _pynative_executor.enable_grad() is True


class Paused(_no_grad):
    entered = 0

    def __enter__(self):
        super().__enter__()
        Paused.entered += 1


def test_no_grad_is_a_class_to_derive_from():
    paused = Paused()

    @paused
    def square(x):
        with paused:
            return x * x

    def function(x):
        return square(x) + x * 3

    assert ms.grad(function)(Tensor(2.0)).asnumpy() == 3
    assert Paused.entered == 2
    assert ms.grad(lambda x: x * x)(Tensor(2.0)).asnumpy() == 4
    with pytest.raises(TypeError, match="positional argument"):
        _no_grad(square)
