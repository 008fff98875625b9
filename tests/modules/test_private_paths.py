"""Private names of parallel, dataset and communication modules; numbers are those of 2.10."""

import subprocess
import sys

import numpy as np
import pytest
from mindspore_compat.ops.function.math_func import _check_same_type, _expand

import mindspore_compat as ms
from mindspore_compat import dataset as ds
from mindspore_compat import nn
from mindspore_compat._checkparam import check_str_by_regular
from mindspore_compat.common import dtype
from mindspore_compat.common.parameter import _get_unique_parameter_key
from mindspore_compat.communication import _comm_helper
from mindspore_compat.dataset.engine import datasets
from mindspore_compat.nn.layer import container
from mindspore_compat.parallel import Layout, _cell_wrapper
from mindspore_compat.parallel._parallel_serialization import (
    _build_searched_strategy,
    _convert_to_list,
)
from mindspore_compat.parallel.shard import _DistributedTensorInfo
from mindspore_compat.train._checkpoint.strategy import ParallelLayouts


class Dims:
    def __init__(self, *dim):
        self.dim = dim


def layouts(matrix, *maps, lengths=(8, 4), **numbers):
    made = ParallelLayouts()
    made.dev_matrix, made.tensor_map = [Dims(*matrix)], [Dims(*each) for each in maps]
    made.param_split_shape = [Dims(*lengths)] if lengths else []
    vars(made).update(numbers)
    return made


class TestStrategies:
    def test_layouts_become_lists(self):
        one = layouts((2, 4), (1, -1))
        two = layouts(
            (2, 4), (1, 0), (-1,), field=2, opt_weight_shard_step=4, opt_weight_shard_size=2
        )
        assert _convert_to_list({"0-a.w": one, "1-a.w": one, "b": two}, 3) == {
            "a.w": [[2, 4], [1, -1], [8, 4], 0, 0, 0, [0, 1]],
            "b": [[2, 4], [[1, 0], [-1]], [8, 4], 2, 4, 2, [0]],
        }

    @pytest.mark.parametrize("name", ["c-d.w", "1-e-f.w"])
    def test_a_hyphen_follows_the_number_of_a_stage(self, name):
        with pytest.raises(ValueError, match=name):
            _convert_to_list({name: layouts((8,), (0,))})

    def test_a_layout_is_whole(self):
        with pytest.raises(ValueError, match="'param_split_shape'"):
            _convert_to_list({"a": layouts((8,), (0,), lengths=())})

    def test_only_a_file_is_read(self):
        assert _build_searched_strategy(None) is None
        with pytest.raises(TypeError, match="'strategy_filename'"):
            _build_searched_strategy({})


class TestLayouts:
    @pytest.mark.parametrize("names", [("a", "b", "c"), (("a", "b"), "None", "c")])
    def test_an_axis_of_stages_is_added(self, monkeypatch, names):
        layout = Layout((2, 2, 2), ("a", "b", "c"), list(range(8, 16)))(*names)
        monkeypatch.setattr(_cell_wrapper, "get_group_size", lambda: 32)
        whole = _cell_wrapper._insert_virtual_pp_dim(layout).to_dict()
        assert whole["device_matrix"] == (4, 2, 2, 2)
        assert whole["alias_name"] == ("remain_pp", "a", "b", "c")
        assert whole["rank_list"] == list(range(32))
        assert whole["tensor_map"] == layout.to_dict()["tensor_map"]

    def test_a_layout_of_all_processes_stays(self, monkeypatch):
        layout = Layout((2, 4), ("a", "b"))("a", "b")
        monkeypatch.setattr(_cell_wrapper, "get_group_size", lambda: 8)
        assert _cell_wrapper._insert_virtual_pp_dim(layout) is layout

    @pytest.mark.parametrize(
        "names, parts",
        [(("a", "b"), [2, 4]), (("None", "b"), [1, 4]), ((("a", "b"), "None"), [8, 1])],
    )
    def test_parts_of_each_axis(self, names, parts):
        layout = Layout((2, 4), ("a", "b"))(*names)
        told = _DistributedTensorInfo(layout)
        assert told.sharding_strategy == parts
        assert told.layout is told.distributed_info is layout

    def test_other_things_than_layouts_are_refused(self):
        with pytest.raises(TypeError, match="'distributed_info'"):
            _DistributedTensorInfo(3)


class TestTrainingDataset:
    @pytest.fixture
    def iterator(self):
        data = ds.GeneratorDataset(list(range(5)), ["a"], shuffle=False)
        iterator = data.create_tuple_iterator(num_epochs=3, output_numpy=True)
        datasets._set_training_dataset(iterator)
        yield iterator
        datasets._set_training_dataset(None)

    def test_the_iterator_goes_on_after_a_step(self, iterator):
        assert datasets._get_training_dataset() is iterator
        assert [int(next(iterator)[0]) for _ in range(3)] == [0, 1, 2]
        datasets._reset_training_dataset(7, 5)
        epochs = [[int(row[0]) for row in iterator] for _ in range(2)]
        assert epochs == [[2, 3, 4], [0, 1, 2, 3, 4]]
        with pytest.raises(RuntimeError, match="no epoch left"):
            next(iterator)

    def test_an_iterator_must_be_set(self):
        with pytest.raises(RuntimeError, match="must set an iterator"):
            datasets._reset_training_dataset(1, 5)


def test_groups_by_name(monkeypatch):
    from mindspore_compat.communication import groups

    class Group:
        ranks = (0, 2)

    monkeypatch.setitem(groups._groups, "pair", Group())
    assert _comm_helper._get_group_map()["pair"] == [0, 2]
    _comm_helper._remove_group_info("pair")
    assert "pair" not in _comm_helper._get_group_map()
    _comm_helper._remove_group_info("pair")


def test_texts_match_an_expression():
    assert check_str_by_regular("net.fc_1")
    assert check_str_by_regular("a b", "[a-z ]+")
    for text in ("a-b", "a b", "", "ü"):
        with pytest.raises(ValueError, match="must match"):
            check_str_by_regular(text)


def test_indices_and_members_of_containers():
    assert [container._valid_index(3, index, "X") for index in (0, -1, -3)] == [0, 2, 0]
    for index in (3, -4):
        with pytest.raises(IndexError, match="'X'"):
            container._valid_index(3, index, "X")
    with pytest.raises(TypeError, match="'X'"):
        container._valid_index(3, 1.0, "X")
    assert container._valid_cell(nn.ReLU(), "X")
    with pytest.raises(TypeError, match="'X'"):
        container._valid_cell(1, "X")

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.layers = nn.CellList([nn.Dense(1, 1)])

    assert container._get_prefix_and_index(Net().layers._cells) == ("layers.", 1)


def test_dtypes_by_name():
    assert dtype.__dtype__[0] == "bool_" and len(dtype.__dtype__) == 46
    assert dtype._issubclass_(dtype.float32, dtype.number)


def test_helpers_of_math_functions():
    assert _check_same_type(ms.float32, ms.float32) and not _check_same_type(ms.float32, ms.int32)
    shapes = [_expand(ms.Tensor(np.ones(s)), n).shape for s, n in [((3,), 3), ((2, 3), 2), ((), 1)]]
    assert shapes == [(1, 1, 3), (2, 3), (1,)]


def test_keys_of_parameters_differ():
    assert _get_unique_parameter_key() + 1 == _get_unique_parameter_key()


def test_paths_of_constants_and_of_graphs():
    from mindspore_compat.graph.api import _no_grad as same
    from mindspore_compat.profiler.common.constant import ProfilerLevel as of_constants

    from mindspore_compat.common.api import _no_grad
    from mindspore_compat.profiler import ProfilerLevel

    assert same is _no_grad
    assert of_constants is ProfilerLevel


class TestDeviceCtx:
    def test_the_device_is_set_and_restored(self):
        before = ms.get_current_device()
        context = ms.DeviceCtx("CPU", 0)
        with context as entered, context:
            assert entered is context
            assert ms.get_current_device() == ("CPU", 0)
        assert ms.get_current_device() == before

    def test_parameters_of_meta_are_not_drawn(self):
        with ms.DeviceCtx("meta"):
            net = nn.Dense(2, 3)
        assert net.weight.has_init
        assert not nn.Dense(2, 3).weight.has_init
        assert net(ms.Tensor(np.ones((1, 2), np.float32))).shape == (1, 3)

    @pytest.mark.parametrize(
        "kind, name, arguments",
        [
            (ValueError, "name", ("cpu",)),
            (ValueError, "name", (None,)),
            (TypeError, "device_id", ("CPU", "a")),
            (ValueError, "device_id", ("CPU", -1)),
        ],
    )
    def test_refusals_come_on_entering(self, kind, name, arguments):
        context = ms.DeviceCtx(*arguments)
        before = ms.get_current_device()
        with pytest.raises(kind, match=f"'{name}'"):
            context.__enter__()
        assert ms.get_current_device() == before


def test_pillow_is_found_by_scripts_that_import_its_package_alone():
    pytest.importorskip("PIL")
    code = "import PIL\nimport mindspore_compat.dataset\nprint(PIL.Image.__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "PIL.Image\n"


def test_enable_ge_is_only_read():
    assert ms.get_context("enable_ge") is False
    with pytest.raises(ValueError, match="'enable_ge'"):
        ms.set_context(enable_ge=True)
    assert ms.get_context("enable_ge") is False


def test_a_collector_of_the_top_level():
    assert ms.FlopsUtilizationCollector is ms.train.FlopsUtilizationCollector
