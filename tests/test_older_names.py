"""Names of releases before 2.10 that scripts still import."""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, _checkparam, context, nn
from mindspore_compat._core import offload_config
from mindspore_compat.nn.layer.basic import check_dense_input_shape
from mindspore_compat.train.serialization import _check_checkpoint_param


@pytest.fixture
def offload():
    yield context.set_offload_context
    offload_config.settings.reset()


class TestOffloadContext:
    def test_values_are_returned(self, offload):
        assert ms.get_offload_context()["offload_path"] == "./offload"
        offload({"offload_param": "disk", "hbm_ratio": 0.75, "aio_queue_size": 3})
        found = ms.get_offload_context()
        assert (found["offload_param"], found["hbm_ratio"]) == ("disk", 0.75)
        assert found["aio_queue_depth"] == 3 and found["cpu_ratio"] == 1.0

    @pytest.mark.parametrize(
        "values, error",
        [
            (3, TypeError),
            ({"no_such_key": 1}, ValueError),
            ({"hbm_ratio": 0.0}, ValueError),
            ({"hbm_ratio": "1"}, TypeError),
            ({"offload_param": "gpu"}, ValueError),
            ({"offload_cpu_size": "512MB"}, ValueError),
            ({"enable_aio": 1}, TypeError),
        ],
    )
    def test_others_are_refused_and_change_nothing(self, offload, values, error):
        before = ms.get_offload_context()
        with pytest.raises(error, match="For 'set_offload_context'"):
            offload({"cpu_ratio": 0.25, **values} if isinstance(values, dict) else values)
        assert ms.get_offload_context() == before

    def test_a_script_may_ask_for_the_names_of_today_alone(self, monkeypatch):
        monkeypatch.setenv("MINDSPORE_COMPAT_LEGACY", "0")
        with pytest.raises(AttributeError):
            context.set_offload_context  # noqa: B018


def test_a_graph_kernel_is_a_cell():
    class Shrink(nn.GraphKernel):
        def construct(self, x):
            return x / 4

    assert isinstance(Shrink(), nn.Cell) and Shrink()(Tensor([2.0])).asnumpy().tolist() == [0.5]
    with pytest.raises(TypeError, match="'auto_prefix'"):
        nn.GraphKernel(auto_prefix=3)


def test_shapes_of_a_dense_layer():
    check_dense_input_shape((2, 3))
    with pytest.raises(ValueError, match="For 'Pooler', 'x' must have at least 2 axes"):
        check_dense_input_shape((3,), "Pooler")


def test_arguments_of_load_checkpoint(tmp_path):
    path = str(tmp_path / "net.ckpt")
    ms.save_checkpoint(nn.Dense(2, 1), path)
    assert _check_checkpoint_param(path, "moments") == (path, ("moments",))
    assert _check_checkpoint_param(path) == (path, None)
    for arguments, error in [
        ((3,), TypeError),
        ((str(tmp_path / "other.ckpt"),), ValueError),
        ((str(tmp_path),), ValueError),
        ((path, 3), TypeError),
        ((path, ""), ValueError),
    ]:
        with pytest.raises(error, match="For 'load_checkpoint'"):
            _check_checkpoint_param(*arguments)


def test_the_first_checks_of_arguments():
    assert _checkparam.check_int_positive(3) == 3
    assert _checkparam.Validator.check_integer("size", 3, 2, _checkparam.GE, "Net") == 3
    assert _checkparam.Validator.check_float_positive("rate", 0.5, "Net") == 0.5
    assert _checkparam.Validator.check_float_legal_value("rate", -0.5, "Net") == -0.5
    for check in (
        lambda: _checkparam.check_int_positive(0),
        lambda: _checkparam.check_integer("size", 1, 2, _checkparam.GE, "Net"),
        lambda: _checkparam.check_float_positive("rate", 0.0, "Net"),
        lambda: _checkparam.check_float_legal_value("rate", np.inf, "Net"),
    ):
        with pytest.raises(ValueError):
            check()
    with pytest.raises(TypeError):
        _checkparam.check_float_legal_value("rate", 1, "Net")
