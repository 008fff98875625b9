"""load_distributed_checkpoint: slices of ranks, or files of whole parameters, loaded into a network
or new slices.

Loaded, returned and written values are those of MindSpore 2.10 for the same files. One difference:
2.10 requires maps of the names in files only if there is one file.
"""

import json
import os

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn, parallel, train
from mindspore_compat.parallel.auto_parallel import AutoParallel
from mindspore_compat.train._checkpoint import distributed_loading
from tests.train.test_strategy import file_of, layout

WHOLE = np.arange(32, dtype=np.float32).reshape(8, 4)
BIAS = np.float32([1, 2])
RANKS = 4


class Net(nn.Cell):
    def __init__(self, shape=(8, 4), **names):
        super().__init__()
        self.w = Parameter(Tensor(np.zeros(shape, np.float32)), name=names.get("w", "w"))
        self.b = Parameter(Tensor(np.zeros(2, np.float32)), name="b")
        self.c = Parameter(Tensor(np.zeros(2, np.float32)), name="c")


@pytest.fixture
def slices(tmp_path):
    """Writes four files, each with some rows of `w` and the whole of `b`; returns their layouts."""
    files = []
    for rank in range(RANKS):
        files.append(str(tmp_path / f"rank{rank}.ckpt"))
        ms.save_checkpoint(
            [
                {"name": "w", "data": Tensor(WHOLE[2 * rank : 2 * rank + 2])},
                {"name": "b", "data": Tensor(BIAS)},
            ],
            files[-1],
        )
    return files, file_of(
        tmp_path / "s.ckpt",
        {"w": layout([RANKS], [0, -1], further=(0, 0)), "b": layout([RANKS], [-1], further=(0, 0))},
    )


def test_slices_become_a_whole(slices):
    net = Net()
    assert ms.load_distributed_checkpoint(net, slices[0], train_strategy_filename=slices[1]) is True
    np.testing.assert_array_equal(net.w.asnumpy(), WHOLE)
    np.testing.assert_array_equal(net.b.asnumpy(), BIAS)
    assert (net.c.asnumpy() == 0).all()
    assert ms.load_distributed_checkpoint is train.load_distributed_checkpoint
    assert ms.load_distributed_checkpoint is parallel.load_distributed_checkpoint


def test_the_context_names_the_strategy(slices):
    net = Net()
    ms.set_auto_parallel_context(strategy_ckpt_load_file=slices[1])
    try:
        ms.load_distributed_checkpoint(net, slices[0])
    finally:
        ms.reset_auto_parallel_context()
    np.testing.assert_array_equal(net.w.asnumpy(), WHOLE)


@pytest.mark.parametrize("rank", range(2))
@pytest.mark.parametrize(
    "cuts, wanted",
    [
        ([-1, 0], lambda rank: WHOLE[:, 2 * rank : 2 * rank + 2]),
        ([0, -1], lambda rank: WHOLE[4 * rank : 4 * rank + 4]),
    ],
)
def test_a_network_that_is_cut_too(slices, monkeypatch, rank, cuts, wanted):
    monkeypatch.setattr(distributed_loading, "get_rank", lambda *group: rank)
    net = Net(wanted(0).shape)
    given_strategy = {"w": [[2], cuts, [], 0, 0, ""]}
    ms.load_distributed_checkpoint(net, slices[0], given_strategy, slices[1])
    np.testing.assert_array_equal(net.w.asnumpy(), wanted(rank))
    assert (net.b.asnumpy() == 0).all()  # the strategy does not tell of it


def test_a_group_cuts_the_first_axis_further(slices, monkeypatch):
    monkeypatch.setattr(distributed_loading, "get_rank", lambda group=None: 3 if group else 1)
    monkeypatch.setattr(distributed_loading, "get_group_size", lambda group: 4)
    net = Net((2, 2))
    given_strategy = {"w": [[2], [-1, 0], [], 0, 0, "some ranks"]}
    ms.load_distributed_checkpoint(net, slices[0], given_strategy, slices[1])
    np.testing.assert_array_equal(net.w.asnumpy(), WHOLE[6:8, 2:])


def test_slices_of_several_lengths(tmp_path):
    files = []
    for rank, rows in enumerate((slice(0, 5), slice(5, 8))):
        files.append(str(tmp_path / f"{rank}.ckpt"))
        ms.save_checkpoint([{"name": "w", "data": Tensor(WHOLE[rows])}], files[-1])
    strategy = file_of(tmp_path / "s.ckpt", {"w": layout([2], [0, -1], [5, 3], further=(0, 0))})
    net = Net()
    ms.load_distributed_checkpoint(net, files, train_strategy_filename=strategy)
    np.testing.assert_array_equal(net.w.asnumpy(), WHOLE)


def test_encrypted_slices(tmp_path):
    pytest.importorskip("cryptography")
    key = b"0123456789ABCDEF"
    file = str(tmp_path / "a.ckpt")
    ms.save_checkpoint(
        [{"name": "w", "data": Tensor(WHOLE)}], file, enc_key=key, enc_mode="AES-CBC"
    )
    strategy = file_of(tmp_path / "s.ckpt", {"w": layout([1], [-1, -1], further=(0, 0))})
    net = Net()
    ms.load_distributed_checkpoint(
        net, [file], train_strategy_filename=strategy, dec_key=key, dec_mode="AES-CBC"
    )
    np.testing.assert_array_equal(net.w.asnumpy(), WHOLE)


def test_dtypes_may_differ_unless_strict(slices):
    net = Net()
    net.w = Parameter(Tensor(np.zeros((8, 4)), ms.float16), name="w")
    ms.load_distributed_checkpoint(net, slices[0], train_strategy_filename=slices[1])
    np.testing.assert_array_equal(net.w.asnumpy(), WHOLE)
    with pytest.raises(RuntimeError):
        ms.load_distributed_checkpoint(
            net, slices[0], train_strategy_filename=slices[1], strict_load=True
        )


def test_a_model_tells_how_its_network_is_cut(slices):
    net = Net()
    net.construct = lambda x: x
    parallel_net = AutoParallel(net)
    model = ms.Model(parallel_net)
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        given_strategy = model.infer_predict_layout(Tensor([1.0]))
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    assert given_strategy["w"][:4] == [[1], [-1, -1], [8, 4], 0] and set(given_strategy) == {
        "w",
        "b",
        "c",
    }
    ms.load_distributed_checkpoint(parallel_net, slices[0], given_strategy, slices[1])
    np.testing.assert_array_equal(net.w.asnumpy(), WHOLE)


# Files of whole parameters ------------------------------------------------------------------------


@pytest.fixture
def wholes(tmp_path):
    pytest.importorskip("safetensors")
    folder = tmp_path / "unified"
    folder.mkdir()

    def save(name, **values):
        ms.save_checkpoint(
            [{"name": tag, "data": Tensor(each)} for tag, each in values.items()],
            str(folder / name),
            format="safetensors",
        )

    save("part0.safetensors", w=WHOLE)
    save("part1.safetensors", b=BIAS, d=BIAS)
    save("hyper_param.safetensors", step=np.int32([5]))
    homes = {"w": "part0.safetensors", "b": "part1.safetensors", "d": "part1.safetensors"}
    (folder / "param_name_map.json").write_text(json.dumps({"weight_map": homes}))
    return dict(format="safetensors", unified_safetensors_dir=str(folder))


def test_whole_files_into_a_network(wholes):
    net = Net()
    found = ms.load_distributed_checkpoint(net, **wholes)
    assert found == (["c"], ["d", "step"])
    np.testing.assert_array_equal(net.w.asnumpy(), WHOLE)
    loaded = ms.load_distributed_checkpoint(net, **wholes, return_param_dict=True)
    assert list(loaded) == ["w", "b", "d", "step"]
    assert loaded["step"].dtype == ms.int32 and isinstance(loaded["w"], Parameter)


def test_files_may_have_other_names(wholes, tmp_path):
    net = Net(w="weight")
    found = ms.load_distributed_checkpoint(net, **wholes, name_map={"weight": "w"})
    assert found == (["c"], ["d", "step"])
    np.testing.assert_array_equal(net.w.asnumpy(), WHOLE)
    folder = tmp_path / "one"
    folder.mkdir()
    os.rename(
        os.path.join(wholes["unified_safetensors_dir"], "part0.safetensors"),
        folder / "x.safetensors",
    )
    net = Net(w="weight")
    ms.load_distributed_checkpoint(
        net, format="safetensors", unified_safetensors_dir=str(folder), name_map={"weight": "w"}
    )
    np.testing.assert_array_equal(net.w.asnumpy(), WHOLE)


@pytest.mark.parametrize("rank", [0, 1, None])
@pytest.mark.parametrize("format", ["safetensors", "ckpt"])
def test_files_of_slices_are_written(wholes, tmp_path, rank, format):
    strategy = file_of(
        tmp_path / "s.ckpt",
        {"w": layout([2], [-1, 0], further=(0, 0)), "b": layout([2], [0], further=(0, 0))},
    )
    target = tmp_path / "out"
    assert (
        ms.load_distributed_checkpoint(
            None,
            predict_strategy=strategy,
            dst_safetensors_dir=str(target),
            rank_id=rank,
            output_format=format,
            max_process_num=2,
            **wholes,
        )
        is True
    )
    ranks = [0, 1] if rank is None else [rank]
    assert sorted(os.listdir(target)) == [f"rank_{each}" for each in ranks]
    for each in ranks:
        loaded = ms.load_checkpoint(str(target / f"rank_{each}" / f"net.{format}"), format=format)
        assert set(loaded) == {"w", "b", "step"}
        np.testing.assert_array_equal(loaded["w"].asnumpy(), WHOLE[:, 2 * each : 2 * each + 2])
        np.testing.assert_array_equal(loaded["b"].asnumpy(), BIAS[each : each + 1])


def test_whole_files_into_a_network_that_is_cut(wholes, monkeypatch):
    monkeypatch.setattr(distributed_loading, "get_rank", lambda *group: 1)
    net = Net((8, 2))
    ms.load_distributed_checkpoint(net, predict_strategy={"w": [[2], [-1, 0], [], 0]}, **wholes)
    np.testing.assert_array_equal(net.w.asnumpy(), WHOLE[:, 2:])


# Another rank's file ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "grid, cuts, same_parts",
    [([4], [0, -1], []), ([2, 2], [1, 0], []), ([2, 2], [0, -1], [2]), ([4], [-1, -1], [1, 2, 3])],
)
def test_the_file_of_a_rank_alike(tmp_path, grid, cuts, same_parts):
    strategy = file_of(
        tmp_path / "s.ckpt",
        {"w": layout(grid, cuts, further=(0, 0)), "b": layout(grid, [-1], further=(0, 0))},
    )
    own = tmp_path / "rank_0" / "a.ckpt"
    for rank in range(1, 4):
        (tmp_path / f"rank_{rank}").mkdir()
        (tmp_path / f"rank_{rank}" / "a.ckpt").write_text("x")
    found = ms.get_ckpt_path_with_strategy(str(own), strategy)
    assert found == (str(tmp_path / f"rank_{same_parts[0]}" / "a.ckpt") if same_parts else None)
    own.parent.mkdir()
    own.write_text("x")
    assert ms.get_ckpt_path_with_strategy(str(own), "none") == str(own)


def test_overlapping_slices_are_a_ranks_own(tmp_path):
    strategy = file_of(
        tmp_path / "s.ckpt",
        {"w": layout([2, 2], [0], further=(0, 0)), "b": layout([2, 2], [1], further=(0, 0))},
    )
    for rank in range(1, 4):
        (tmp_path / f"rank_{rank}.ckpt").write_text("x")
    assert ms.get_ckpt_path_with_strategy(str(tmp_path / "rank_0.ckpt"), strategy) is None


def test_a_path_of_no_rank(tmp_path, slices):
    assert ms.get_ckpt_path_with_strategy(slices[0][0] + "x", slices[1]) is None
    plain = tmp_path / "plain.ckpt"
    plain.write_text("x")
    assert ms.get_ckpt_path_with_strategy(str(plain), slices[1]) == str(plain)
    with pytest.raises(ValueError, match="cur_strategy_path"):
        ms.get_ckpt_path_with_strategy(str(plain), str(plain))
    for bad in ((3, slices[1]), ("a", 3)):
        with pytest.raises(TypeError):
            ms.get_ckpt_path_with_strategy(*bad)


# Refusals -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "error, changes",
    [
        (TypeError, dict(network=3)),
        (TypeError, dict(network=None)),
        (TypeError, dict(checkpoint_filenames=None)),
        (TypeError, dict(checkpoint_filenames="a.ckpt")),
        (ValueError, dict(checkpoint_filenames=["a.ckpt"])),
        (ValueError, dict(checkpoint_filenames=[1])),
        (ValueError, dict(checkpoint_filenames=[])),
        (TypeError, dict(dec_key="key")),
        (TypeError, dict(dec_mode=1)),
        (TypeError, dict(strict_load=1)),
        (ValueError, dict(format="x")),
        (ValueError, dict(output_format="x")),
        (TypeError, dict(predict_strategy=[1])),
        (ValueError, dict(predict_strategy={"w": [[2], [0, -1]]})),
        (ValueError, dict(predict_strategy={"w": 1})),
        (ValueError, dict(predict_strategy={"w": [[2], [0, -1], ["a"], 0]})),
        (ValueError, dict(predict_strategy={"w": [[2], [0, -1], [], 1]})),
        (ValueError, dict(predict_strategy={"w": [[3], [0, -1], [], 0]})),
        (ValueError, dict(train_strategy_filename="none")),
        (TypeError, dict(name_map=[1])),
        (ValueError, dict(max_process_num=0)),
        (ValueError, dict(rank_id=-1)),
    ],
)
def test_refusals(slices, error, changes):
    net = Net()
    given = dict(network=net, checkpoint_filenames=slices[0], train_strategy_filename=slices[1])
    with pytest.raises(error):
        ms.load_distributed_checkpoint(**{**given, **changes})
    assert (net.w.asnumpy() == 0).all()


@pytest.mark.parametrize(
    "error, changes",
    [
        (ValueError, dict(unified_safetensors_dir=None)),
        (ValueError, dict(network=None)),
        (ValueError, dict(checkpoint_filenames=["a.ckpt"])),
        (ValueError, dict(strict_load=True)),
        (ValueError, dict(dec_mode="AES-CBC")),
        (ValueError, dict(dec_key=b"key")),
        (ValueError, dict(train_strategy_filename="s.ckpt")),
        (FileNotFoundError, dict(unified_safetensors_dir="none")),
    ],
)
def test_refusals_of_whole_files(wholes, error, changes):
    with pytest.raises(error):
        ms.load_distributed_checkpoint(**{"network": Net(), **wholes, **changes})


def test_several_files_need_a_map(wholes):
    os.remove(os.path.join(wholes["unified_safetensors_dir"], "param_name_map.json"))
    with pytest.raises(ValueError, match="param_name_map"):
        ms.load_distributed_checkpoint(Net(), **wholes)
