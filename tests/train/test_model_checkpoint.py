"""ModelCheckpoint: file names, when files are written and kept, and their contents."""

import os

import pytest
from train.runs import At, Descent, Line, batches

import mindspore_compat as ms
from mindspore_compat import Tensor
from mindspore_compat.train import CheckpointConfig, Model, ModelCheckpoint
from mindspore_compat.train.callback._checkpoint import CheckpointManager


def files(folder, prefix="A", epochs=2, callbacks=(), **config):
    """The files after a training of epochs of four steps."""
    saving = ModelCheckpoint(prefix, str(folder), CheckpointConfig(**config))
    Model(Descent()).train(epochs, batches(4), [saving, *callbacks])
    return sorted(os.listdir(folder)), os.path.basename(saving.latest_ckpt_file_name)


@pytest.mark.parametrize(
    "config, names",
    [
        ({}, "A-1_4 A-2_1 A-2_2 A-2_3 A-2_4"),
        ({"save_checkpoint_steps": 3}, "A-1_3 A-2_2 A-2_4"),
        ({"save_checkpoint_steps": 100}, "A-2_4"),
        ({"keep_checkpoint_max": 2}, "A-2_3 A-2_4"),
        ({"keep_checkpoint_max": 0, "save_checkpoint_steps": 4}, "A-2_4"),
        ({"keep_checkpoint_max": 0, "keep_checkpoint_per_n_minutes": 1}, "A-1_1 A-2_4"),
        ({"save_checkpoint_steps": 0, "save_checkpoint_seconds": 100}, "A-2_4"),
        ({"async_save": True}, "A-1_4 A-2_1 A-2_2 A-2_3 A-2_4"),
    ],
    ids=str,
)
def test_which_files_are_there(config, names, tmp_path):
    expected = [f"{name}.ckpt" for name in names.split()]
    assert files(tmp_path, **config) == (expected, "A-2_4.ckpt")


def test_another_format(tmp_path):
    assert files(tmp_path, save_checkpoint_steps=4, format="safetensors") == (
        ["A-1_4.safetensors", "A-2_4.safetensors"],
        "A-2_4.safetensors",
    )


def test_a_prefix_in_use_is_numbered(tmp_path):
    for _ in range(3):
        names, last = files(tmp_path, save_checkpoint_steps=8)
    assert (names, last) == (["A-2_4.ckpt", "A_1-2_4.ckpt", "A_2-2_4.ckpt"], "A_2-2_4.ckpt")


def test_another_prefix_is_not_touched(tmp_path):
    files(tmp_path, prefix="AB")
    names, _ = files(tmp_path, keep_checkpoint_max=1)
    assert names == ["A-2_4.ckpt"] + [
        f"AB-{each}.ckpt" for each in ("1_4", "2_1", "2_2", "2_3", "2_4")
    ]


def test_names_and_directories_can_be_functions(tmp_path):
    saving = ModelCheckpoint(
        lambda params: f"step{params.cur_step_num}",
        lambda params: str(tmp_path / f"epoch{params.cur_epoch_num}"),
        CheckpointConfig(save_checkpoint_steps=2),
    )
    Model(Descent()).train(2, batches(2), saving)
    assert os.listdir(tmp_path / "epoch1") == ["step2.ckpt"]
    assert os.listdir(tmp_path / "epoch2") == ["step4.ckpt"]


def test_a_second_training_writes_its_files_too(tmp_path):
    saving = ModelCheckpoint("A", str(tmp_path))
    net = Descent()
    for _ in range(2):
        Model(net).train(1, batches(2), saving)
    assert sorted(os.listdir(tmp_path)) == ["A-1_1.ckpt", "A-1_2.ckpt"]
    assert float(ms.load_checkpoint(str(tmp_path / "A-1_2.ckpt"))["weight"]) == 6.0


def test_what_else_is_saved(tmp_path):
    files(
        tmp_path,
        save_checkpoint_steps=8,
        crc_check=True,
        append_info=["epoch_num", "step_num", {"lr": 0.5, "t": Tensor([1.0])}],
    )
    found = ms.load_checkpoint(str(tmp_path / "A-2_4.ckpt"), crc_check=True)
    assert {name: value.asnumpy().tolist() for name, value in found.items()} == {
        "weight": 2.0,
        "epoch_num": 2,
        "step_num": 8,
        "lr": 0.5,
        "t": [1.0],
    }


def test_another_network_can_be_saved(tmp_path):
    files(tmp_path, save_checkpoint_steps=8, saved_network=Line())
    assert float(ms.load_checkpoint(str(tmp_path / "A-2_4.ckpt"))["weight"]) == 1.0


def test_a_config_tells_its_options():
    config = CheckpointConfig(exception_save=True, crc_check=True, remove_redundancy=True)
    assert config.exception_save and config.crc_check and config.remove_redundancy
    config.exception_save = False
    assert not config.exception_save


@pytest.mark.parametrize("first", [True, False])
def test_an_exception_can_be_saved_from(first, tmp_path):
    def fail(run_context):
        if run_context.original_args().cur_step_num == 3:
            raise ZeroDivisionError

    saving = ModelCheckpoint(
        "A", str(tmp_path), CheckpointConfig(save_checkpoint_steps=2, exception_save=True)
    )
    callbacks = [saving, At(on_train_step_begin=fail)]
    with pytest.raises(ZeroDivisionError):
        Model(Descent()).train(1, batches(4), callbacks if first else callbacks[::-1])
    assert sorted(os.listdir(tmp_path)) == ["A-1_2.ckpt", "A-1_3_breakpoint.ckpt"]


def test_callbacks_learn_of_the_file(tmp_path):
    params = []
    files(
        tmp_path,
        epochs=1,
        save_checkpoint_steps=2,
        callbacks=[
            At(
                on_train_step_end=lambda run_context: params.append(
                    run_context.original_args().last_save_ckpt_step
                )
            )
        ],
    )
    assert params == [None, 2, 2, 4]


def test_the_present_directory_is_the_default(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Model(Descent()).train(1, batches(1), ModelCheckpoint())
    assert os.listdir(tmp_path) == ["CKP-1_1.ckpt"]


@pytest.mark.parametrize(
    "config, seen",
    [
        ({}, (1, None, 5, None)),
        ({"save_checkpoint_seconds": 2}, (1, None, 5, None)),
        ({"save_checkpoint_steps": 0, "save_checkpoint_seconds": 2}, (0, 2, 5, None)),
        ({"save_checkpoint_steps": None}, (None, 0, 5, None)),
        ({"keep_checkpoint_max": 0}, (1, None, 1, 0)),
        ({"keep_checkpoint_max": 0, "keep_checkpoint_per_n_minutes": 2}, (1, None, 0, 2)),
        ({"keep_checkpoint_per_n_minutes": 2}, (1, None, 5, None)),
    ],
)
def test_what_a_config_makes_of_its_numbers(config, seen):
    policy = CheckpointConfig(**config).get_checkpoint_policy()
    assert (
        tuple(
            policy[name]
            for name in (
                "save_checkpoint_steps",
                "save_checkpoint_seconds",
                "keep_checkpoint_max",
                "keep_checkpoint_per_n_minutes",
            )
        )
        == seen
    )


@pytest.mark.parametrize(
    "config",
    [
        {"save_checkpoint_steps": -1},
        {"save_checkpoint_steps": "1"},
        {"save_checkpoint_steps": True},
        {"keep_checkpoint_max": -1},
        {"integrated_save": 1},
        {"async_save": 1},
        {"async_save": "x"},
        {"saved_network": 1},
        {"append_info": 1},
        {"append_info": ["x"]},
        {"append_info": [{1: 1}]},
        {"append_info": [{"a": 1}, {"b": 1}]},
        {"enc_key": "a"},
        {"enc_mode": 1},
        {"exception_save": 1},
        {"crc_check": 1},
        {"remove_redundancy": 1},
        {"format": "x"},
        {"format": "safetensors", "enc_key": b"0" * 16},
    ],
    ids=str,
)
def test_what_a_config_refuses(config):
    with pytest.raises(ValueError, match="For 'CheckpointConfig'"):
        CheckpointConfig(**config)


@pytest.mark.parametrize(
    "arguments, error",
    [
        (("a/b",), ValueError),
        ((1,), ValueError),
        (("a", 1), ValueError),
        (("a", ""), ValueError),
        (("a", None, 1), TypeError),
    ],
)
def test_what_model_checkpoint_refuses(arguments, error):
    with pytest.raises(error):
        ModelCheckpoint(*arguments)


def test_a_manager_finds_and_deletes_files(tmp_path):
    for name in ("A-1_1.ckpt", "A-1_2.ckpt", "AB-1_1.ckpt", "A-x.ckpt"):
        (tmp_path / name).write_text("")
        os.utime(tmp_path / name, (1000, 1000 + len(os.listdir(tmp_path))))
    manager = CheckpointManager()
    manager.update_ckpoint_filelist(str(tmp_path), "A")
    assert [os.path.basename(path) for path in manager.ckpoint_filelist] == [
        "A-1_1.ckpt",
        "A-1_2.ckpt",
    ]
    manager.remove_oldest_ckpoint_file()
    assert manager.ckpoint_num == 1
    assert not (tmp_path / "A-1_1.ckpt").exists()


def test_further_options_of_the_original():
    config = CheckpointConfig(incremental=True, enable_redundance=True)
    assert config.map_param_inc is True and config.enable_redundance is True
    assert CheckpointConfig().enable_redundance is False


def test_a_configuration_that_never_writes_nor_keeps_is_refused():
    with pytest.raises(ValueError, match="neither 0 nor None"):
        CheckpointConfig(0, 0, 0, None)
    assert CheckpointConfig(0, 3, 0, 0).get_checkpoint_policy()["save_checkpoint_seconds"] == 3
