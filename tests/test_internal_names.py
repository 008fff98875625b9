"""Names that scripts and libraries import from inside MindSpore; numbers are those of 2.10."""

import importlib

import numpy as np
import pytest
from kit import close
from mindspore_compat.ops.composite.base import core
from mindspore_compat.ops.function.grad.grad_func import custom_vjp
from mindspore_compat.ops.operations.linalg_ops import Eigh
from mindspore_compat.scipy.ops import LinearSumAssignment

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops
from mindspore_compat import log as logger
from mindspore_compat.train.summary.enums import ModeEnum, PluginEnum, WriterPluginEnum


def test_values_of_the_summary_enums():
    assert ModeEnum.to_list() == ["train", "eval"]
    assert WriterPluginEnum.to_list() == ["exporter", "explainer", "summary", "lineage"]
    assert PluginEnum("landscape") is PluginEnum.LANDSCAPE
    assert len(PluginEnum.to_list()) == 11


class TestCustomVjp:
    x, y = Tensor([-1.0, 2.0]), Tensor([0.0, 3.0])

    def test_the_given_gradient_is_used(self):
        @custom_vjp
        def product(x, y):
            return x * y

        product.defbwd(lambda x, y, out, dout: (dout * 2, out))
        assert isinstance(product, nn.Cell)
        np.testing.assert_array_equal(product(self.x, self.y).asnumpy(), [0, 6])
        to_x, to_y = ms.grad(product, (0, 1))(self.x, self.y)
        np.testing.assert_array_equal(to_x.asnumpy(), [2, 2])
        np.testing.assert_array_equal(to_y.asnumpy(), [0, 6])

    def test_a_gradient_without_one_given_is_refused(self):
        product = custom_vjp()(lambda x, y: x * y)
        np.testing.assert_array_equal(product(self.x, self.y).asnumpy(), [0, 6])
        with pytest.raises(TypeError, match="defbwd"):
            ms.grad(product)(self.x, self.y)

    def test_other_things_than_functions_are_refused(self):
        with pytest.raises(TypeError, match="'fn' must be a function, but got 3"):
            custom_vjp(3)


def test_core_marks_a_function():
    def double(x):
        return 2 * x

    assert core(double) is double
    assert double._func_graph_flags == {"core": True}
    assert core(inner=1)(double)(3) == 6
    assert double._func_graph_flags == {"core": True, "inner": 1}


class Heard:
    """A logger that stores what it is given."""

    def __init__(self):
        self.heard = []

    def warning(self, text):
        self.heard.append(text)


class TestLogActionOnce:
    @pytest.fixture(autouse=True)
    def no_keys(self, monkeypatch):
        monkeypatch.setattr(logger._LogActionOnce, "is_logged", {})

    def test_functions_of_one_key_warn_once(self):
        log = Heard()
        once = logger._LogActionOnce(logger=log, key="half")

        @once
        def half(x):
            log.warning("half")
            return x // 2

        @once
        def third(x):
            log.warning("third")
            return x // 3

        assert [half(4), half(6), third(9)] == [2, 3, 3]
        log.warning("later")
        assert log.heard == ["half", "later"]

    def test_no_warning_is_always_silent(self):
        log = Heard()

        @logger._LogActionOnce(logger=log, key="silent", no_warning=True)
        def fails():
            log.warning("silent")
            raise KeyError("the error passes")

        with pytest.raises(KeyError, match="the error passes"):
            fails()
        log.warning("later")
        assert log.heard == ["later"]


@pytest.mark.parametrize(
    "learning_rate, decay, dynamic",
    [(0.1, 0.0, False), ([0.1, 0.2], 0.0, True), (0.1, nn.ExponentialDecayLR(0.1, 0.9, 4), True)],
)
def test_whether_an_optimizer_has_changing_settings(learning_rate, decay, dynamic):
    weight = ms.Parameter(Tensor([1.0]), name="w")
    optimizer = nn.Momentum([weight], learning_rate, 0.9, weight_decay=decay)
    assert optimizer._is_dynamic_lr_or_weight_decay() is dynamic


class TestEigh:
    a = Tensor([[2.0, 1.0], [1.0, 3.0]])

    @pytest.mark.parametrize("lower", [True, False])
    def test_only_one_half_is_read(self, lower):
        half = np.tril(self.a.asnumpy()) if lower else np.triu(self.a.asnumpy())
        values, vectors = Eigh(True, lower)(Tensor(half))
        close(values, [1.381966, 3.618034], atol=0)
        again = vectors.asnumpy() * values.asnumpy() @ vectors.asnumpy().T
        # A product of three float32 matrices.
        np.testing.assert_allclose(again, self.a.asnumpy(), atol=1e-6)

    def test_complex_numbers(self):
        a = Tensor(np.array([[2, 1j], [-1j, 3]], np.complex64))
        values, vectors = Eigh()(a)
        assert values.dtype == ms.complex64
        close(ops.matmul(a, vectors), vectors.asnumpy() * values.asnumpy())

    def test_gradient_of_the_sum_of_eigenvalues_is_the_identity(self):
        gradient = ms.grad(lambda a: Eigh(False)(a).sum())(self.a)
        close(gradient, np.eye(2))

    def test_settings_are_bools(self):
        with pytest.raises(TypeError, match="'compute_eigenvectors' must be a bool"):
            Eigh(1)


@pytest.mark.parametrize("limit, maximize, columns", [(3, False, [1, 0]), (2, True, [0, 1])])
def test_linear_sum_assignment_primitive(limit, maximize, columns):
    costs = Tensor(np.array([[4.0, 1.0, 3.0], [2.0, 0.0, 5.0]]))
    rows, found = LinearSumAssignment()(costs, Tensor(limit, ms.int64), maximize)
    assert rows.asnumpy().tolist() == [0, 1]
    assert found.asnumpy().tolist() == columns


def test_new_zeros_and_new_ones():
    functions = importlib.import_module("mindspore_compat.ops.function.array_func")
    x = Tensor([-1.0, 2.0], ms.float32)
    zeros, ones = functions.new_zeros(x, 3), functions.new_ones(x, (2,), dtype=ms.int32)
    assert zeros.dtype == ms.float32 and zeros.asnumpy().tolist() == [0, 0, 0]
    assert ones.dtype == ms.int32 and ones.asnumpy().tolist() == [1, 1]
    with pytest.raises(ValueError):
        functions.new_zeros(x, -1)


def test_names_of_the_compiled_module():
    compiled = importlib.import_module("mindspore_compat._c_expression")
    assert compiled.Cell_ is nn.Cell and compiled.GradOperation_ is ops.GradOperation
    info = compiled.ParamInfo()
    assert (info.name, info.comm_fusion, info.key, info.requires_aggr) == ("", 1, -1, True)
    assert compiled._empty_instance(size=(2, 3), dtype=ms.float32).shape == (2, 3)
    assert compiled.is_reboot_node() is False
    x = Tensor(np.ones((2, 2), np.float32))
    found = compiled.pyboost_dense(ops.Dense(), [x, x, None])
    np.testing.assert_array_equal(found.asnumpy(), [[2, 2], [2, 2]])
    with pytest.raises(AttributeError):
        compiled.NoSuchName  # noqa: B018


def test_indexing_as_functions():
    utils = importlib.import_module("mindspore_compat.ops.composite.multitype_ops._compile_utils")
    x = Tensor(np.ones((2, 2), np.float32))
    np.testing.assert_array_equal(utils._tensor_getitem(x, 0).asnumpy(), [1, 1])
    assert utils._tensor_setitem(x, 0, 2.0) is x
    assert utils._tensor_setitem_origin(x, (1, 1), 3.0)[0] is x
    np.testing.assert_array_equal(x.asnumpy(), [[2, 2], [1, 3]])


def test_further_private_names():
    x = Tensor(np.ones((1, 2, 1), np.float32))
    assert ms.mint.squeeze_impl(x, (0, 2)).shape == (2,)
    assert ms.mint.squeeze_impl(x, 1).shape == (1, 2, 1)
    nn_func = importlib.import_module("mindspore_compat.ops.function.nn_func")
    found = nn_func._innner_log_softmax(Tensor(np.ones((2, 2), np.float32)), 0)
    np.testing.assert_allclose(found.asnumpy(), [[-0.6931472] * 2] * 2, rtol=1e-6)
    normalization = importlib.import_module("mindspore_compat.nn.layer.normalization")
    assert issubclass(nn.BatchNorm2d, normalization._BatchNorm)
    cache = importlib.import_module("mindspore_compat.ops._primitive_cache")
    assert cache._get_cache_prim(ops.Add)() is cache._get_cache_prim(ops.Add)()


def test_blocks_of_a_cache_are_copied():
    compiled = importlib.import_module("mindspore_compat._c_expression")
    host, device = Tensor(np.zeros((2, 2), np.float32)), Tensor(np.ones((2, 2), np.float32))
    compiled.swap_cache(host, device, Tensor([[0, 1]]), True)
    np.testing.assert_array_equal(host.asnumpy(), [[0, 0], [1, 1]])
    compiled.swap_cache(host, device, Tensor([[0, 1]]), False)
    np.testing.assert_array_equal(device.asnumpy(), [[1, 1], [0, 0]])
    with pytest.raises(ValueError, match="'block_mapping'"):
        compiled.swap_cache(host, device, Tensor([0, 1]), True)
    kinds = [each.name for each in compiled.MixedPrecisionType]
    assert kinds == ["NOTSET", "FP16", "FP32", "BF16"]


def test_the_executor_of_graphs_names_phases():
    from mindspore_compat.common.api import _cell_graph_executor

    net, x = nn.Dense(2, 3), Tensor(np.ones((2, 2), np.float32))
    phase, new = _cell_graph_executor.compile(net, x, phase="train")
    assert phase.startswith("train.") and new
    assert _cell_graph_executor.compile(net, x, phase="train") == (phase, False)
    assert _cell_graph_executor.compile(net, x)[1]
    found = _cell_graph_executor(net, x, phase="train")
    np.testing.assert_array_equal(found.asnumpy(), net(x).asnumpy())


@pytest.mark.parametrize("total, ends", [(0, 0), (1, 1), (3, 1)])
def test_the_end_of_training_on_request(total, ends):
    request = ms.utils.ExitByRequest()
    flag = ms.Parameter(Tensor([1], ms.int32), name="flag")
    end = ms.Parameter(Tensor([0], ms.int32), name="end")
    assert request.exit_by_request("grad", flag, end) == "grad" and end.asnumpy() == [0]
    request.is_distributed, request.all_reduce = True, lambda flags: flags * total
    request.exit_by_request("grad", flag, end)
    assert end.asnumpy() == [ends]
    assert ms.utils.TFTCommValue.DISABLE_WATCHDOG == ["ARF:1", "TSP:1", "HCCE:1"]


def test_parts_of_attention_by_private_names():
    nn_func = importlib.import_module("mindspore_compat.ops.function.nn_func")
    rng = np.random.default_rng(0)
    x, w = (Tensor(rng.normal(size=s).astype(np.float32)) for s in ((2, 1, 3), (9, 3)))
    b = Tensor(rng.normal(size=9).astype(np.float32))
    whole = nn_func.linear(x, w, b).asnumpy()
    for k_is_v, q_is_k in ((True, True), (True, False), (False, False)):
        parts = nn_func._in_projection_packed(x, x, x, w, b, k_is_v, q_is_k)
        np.testing.assert_allclose(np.concatenate([p.asnumpy() for p in parts], -1), whole, 1e-6)
    parts = nn_func._in_projection(x, x, x, w[:3], w[3:6], w[6:])
    np.testing.assert_allclose(parts[2].asnumpy(), x.asnumpy() @ w.asnumpy()[6:].T, 1e-6)
    assert nn_func._check_qkv_shape(3, 3, 3) and not nn_func._check_qkv_shape(2, 2, 2)
    nn_func._check_kpm_shape(3, 2)
    nn_func._check_attn_mask_shape(3, (2, 3, 4), (5, 3, 4), 3, (6, 2, 5), 2)
    for refused in (
        lambda: nn_func._check_qkv_shape(2, 3, 2),
        lambda: nn_func._check_qkv_shape(4, 4, 4),
        lambda: nn_func._check_kpm_shape(3, 3),
        lambda: nn_func._check_attn_mask_shape(3, (2, 3, 4), (5, 3, 4), 4, (), 2),
        lambda: nn_func._check_attn_mask_shape(2, (2, 4), (5, 4), 3, (1, 2, 5), 2),
    ):
        with pytest.raises(ValueError, match="multi_head_attention_forward"):
            refused()
    assert nn_func._inner_dropout(x, 0.5, False) is x
    padded = nn_func._inner_pad(Tensor([True, False]), (0, 1), True)
    assert padded.asnumpy().tolist() == [True, False, True]
    assert nn_func._interploate_ext_make_tuple(x, 2) == (2,)
    assert nn_func._interpolate_ext_scale_factor_convert_size(x, [1.5]) == (4,)


def test_small_private_names():
    from mindspore_compat import context, log, mint
    from mindspore_compat.common import _monad
    from mindspore_compat.common.api import _cell_graph_executor, _function_forbid_reuse

    assert log._get_logger().name == "ME"
    assert context._get_mode() == ms.get_context("mode")
    assert isinstance(_monad.U, _monad.UMonad) and isinstance(_monad.IO, _monad.IOMonad)
    assert _function_forbid_reuse(test_small_private_names) is test_small_private_names
    with pytest.raises(TypeError, match="_function_forbid_reuse"):
        _function_forbid_reuse(len)
    assert _cell_graph_executor.init_dataset("queue", 1, 1, [ms.float32], [[1]], [0])
    layer = mint.nn.MaxPool2d(2)
    assert layer(ms.ops.ones((1, 1, 4, 4))).shape == (1, 1, 2, 2)
    assert "MaxPool2d" not in mint.nn.__all__


def test_sums_and_differences_take_a_factor_by_position():
    x = Tensor(np.arange(3, dtype=np.float32))
    generated = importlib.import_module("mindspore_compat.ops.auto_generate")
    assert generated.add_ext(x, x, 2).asnumpy().tolist() == [0, 3, 6]
    assert generated.sub_ext(x, x, alpha=2).asnumpy().tolist() == [0, -1, -2]


def test_smoothing_below_zero_is_refused():
    logits, labels = Tensor([[1.0, 2.0]]), Tensor([1], ms.int32)
    with pytest.raises(ValueError, match="'label_smoothing'"):
        ms.ops.cross_entropy(logits, labels, label_smoothing=-0.5)


def test_operations_of_a_compiled_network_are_counted():
    from mindspore_compat.common.api import _cell_graph_executor, flops_collection

    net = nn.Dense(3, 4)
    x = Tensor(np.ones((2, 3), np.float32))
    net.compile(x)
    assert flops_collection(net.current_phase) == (48.0, 48.0, 48.0, 48.0, False)
    name, _ = _cell_graph_executor.compile(net, x, phase="train")
    assert flops_collection(name)[0] == 96.0  # and the gradient of the weight
    with pytest.raises(RuntimeError, match="'phase'"):
        flops_collection("unknown")


def test_names_of_the_compiled_module_that_pipelines_call():
    from mindspore_compat.ops.operations.comm_ops import _VirtualDataset

    from mindspore_compat import _c_expression as compiled

    x, y = Tensor([1.0]), Tensor([2.0])
    assert compiled.init_exec_dataset("queue", 1, 1, [ms.float32], [[1]], [0]) is True
    assert _VirtualDataset()(x) is x
    assert _VirtualDataset()(x, y) == (x, y)
    for name in ("reset_op_id", "_framework_profiler_step_start", "_framework_profiler_step_end"):
        assert getattr(compiled, name)() is None
    assert compiled.update_pijit_default_config(loop_unrolling=True) is None
