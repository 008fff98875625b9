"""Checkpoints that are damaged, cannot be written, or replace others."""

import contextlib
import errno
import gc
import os
import random
import shutil
import signal
import tempfile
from pathlib import Path

import numpy as np
import pytest
from train.runs import At, Descent, batches

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, log
from mindspore_compat._io import checkpoint, files
from mindspore_compat._io.mindrecord_errors import MRMCommitError, MRMWriteDatasetError
from mindspore_compat.mindrecord import FileReader, FileWriter
from mindspore_compat.train import CheckpointConfig, Model, ModelCheckpoint
from mindspore_compat.train._checkpoint import background
from mindspore_compat.train.serialization import async_ckpt_thread_status

KEY = b"0123456789abcdef"
FLIPS = 300
HOW = [False, "thread", "process"]


def values(factor=1.0):
    """Parameters of several types and shapes."""
    return [
        Parameter(Tensor((np.arange(24) * factor).reshape(4, 6).astype(dtype)), name=name)
        for name, dtype in (
            ("dense.weight", np.float32),
            ("step", np.int64),
            ("dense.bias", np.float16),
        )
    ]


def same(found, expected):
    return list(found) == [each.name for each in expected] and all(
        np.array_equal(found[each.name].asnumpy(), each.asnumpy())
        and found[each.name].dtype == each.dtype
        for each in expected
    )


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


# Damage -------------------------------------------------------------------------------------------


def flipped(content, draw, most=3):
    """The bytes with one bit changed, or as many as `most`."""
    made = bytearray(content)
    for bit in draw.sample(range(8 * len(content)), draw.randint(1, most)):
        made[bit // 8] ^= 1 << bit % 8
    return bytes(made)


@pytest.mark.parametrize(
    "saving, loading",
    [
        ({}, {}),
        ({"crc_check": True}, {}),
        ({"crc_check": True}, {"crc_check": True}),
        ({"enc_key": KEY, "enc_mode": "AES-CBC"}, {"dec_key": KEY, "dec_mode": "AES-CBC"}),
    ],
    ids=str,
)
def test_every_changed_bit_of_a_checkpoint_is_reported(folder, saving, loading):
    if "enc_key" in saving:
        pytest.importorskip("cryptography")
    ms.save_checkpoint(values(), "net.ckpt", append_dict={"note": "text"}, **saving)
    content, draw = Path("net.ckpt").read_bytes(), random.Random(9)
    for _ in range(FLIPS):
        Path("bad.ckpt").write_bytes(flipped(content, draw))
        with pytest.raises(ValueError, match="bad.ckpt"):
            ms.load_checkpoint("bad.ckpt", **loading)


def test_no_changed_bit_of_a_safetensors_file_changes_a_value(folder):
    """If the bit is in the name of the checksum, the checksum is lost, but the values are not."""
    pytest.importorskip("safetensors")
    ms.save_checkpoint(values(), "net", format="safetensors")
    content, draw = Path("net.safetensors").read_bytes(), random.Random(9)
    expected, refused = sorted(values(), key=lambda each: each.name), 0
    for _ in range(FLIPS):
        Path("bad.safetensors").write_bytes(flipped(content, draw, most=1))
        try:
            found = ms.load_checkpoint("bad.safetensors", format="safetensors")
        except ValueError as error:
            assert "bad.safetensors" in str(error)
            refused += 1
        else:
            assert same(found, expected)
    assert refused > FLIPS / 2


def test_every_cut_is_reported(folder):
    ms.save_checkpoint(values(), "net.ckpt")
    content = Path("net.ckpt").read_bytes()
    for length in [*range(0, len(content), 11), len(content) - 1]:
        Path("bad.ckpt").write_bytes(content[:length])
        with pytest.raises(ValueError, match="bad.ckpt"):
            ms.load_checkpoint("bad.ckpt")


def test_the_checksums_stand_around_what_the_original_writes(folder):
    ms.save_checkpoint(values(), "leading.ckpt")
    ms.save_checkpoint(values(), "trailing.ckpt", crc_check=True)
    checkpoint.write("none.ckpt", [(each.name, each.asnumpy()) for each in values()])
    plain = Path("none.ckpt").read_bytes()
    assert Path("leading.ckpt").read_bytes()[9:] == plain
    assert Path("trailing.ckpt").read_bytes()[:-17] == plain
    for name in ("leading", "trailing", "none"):
        assert same(ms.load_checkpoint(f"{name}.ckpt"), values())


def test_a_checksum_that_another_program_moved_is_passed_over(folder):
    """protobuf moves unknown fields when another program changes and rewrites a message."""
    ms.save_checkpoint(values(), "net.ckpt")
    content = Path("net.ckpt").read_bytes()
    Path("edited.ckpt").write_bytes(content[9:] + content[:9])
    assert same(ms.load_checkpoint("edited.ckpt"), values())


# What cannot be written ---------------------------------------------------------------------------


@contextlib.contextmanager
def full_disk():
    """No file may become longer than 1 MiB while the block runs."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, before[1]))
    try:
        yield errno.EFBIG
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@contextlib.contextmanager
def read_only_folder():
    """Makes the current folder read-only while the block runs; root becomes another user."""
    if not hasattr(os, "geteuid"):
        pytest.skip("the permissions of folders are POSIX's")
    root = os.geteuid() == 0
    os.chmod(".", 0o555)
    if root:
        os.seteuid(65534)
    try:
        yield errno.EACCES
    finally:
        if root:
            os.seteuid(0)
        os.chmod(".", 0o755)


@pytest.fixture
def open_folder(monkeypatch):
    """A working folder that every user can reach."""
    made = tempfile.mkdtemp()
    os.chmod(made, 0o755)
    monkeypatch.chdir(made)
    yield Path(made)
    monkeypatch.undo()
    shutil.rmtree(made)


LARGE = [Parameter(Tensor(np.ones(1 << 19, np.float32)), name="large")]  # 2 MiB


@pytest.mark.parametrize("failing", [full_disk, read_only_folder])
@pytest.mark.parametrize("how", HOW)
def test_a_save_that_fails_is_reported_and_leaves_the_old_file(how, failing, open_folder):
    ms.save_checkpoint(values(), "net.ckpt", async_save=how)
    background.wait()
    with failing() as number, pytest.raises(OSError, match="net.ckpt") as refusal:
        ms.save_checkpoint(LARGE, "net.ckpt", async_save=how)
        ms.save_checkpoint(values(), "next.ckpt", async_save=how)
    assert refusal.value.errno == number and os.listdir() == ["net.ckpt"]
    assert same(ms.load_checkpoint("net.ckpt"), values())
    ms.save_checkpoint(values(2.0), "net.ckpt", async_save=how)
    background.wait()
    assert same(ms.load_checkpoint("net.ckpt"), values(2.0))


@pytest.mark.parametrize("how", HOW[1:])
def test_who_asks_whether_the_writing_has_ended_learns_of_a_failure(folder, how, monkeypatch):
    monkeypatch.setattr(log, "warning", lambda *_: None)
    ms.save_checkpoint(values(), "n" * 300, async_save=how)  # longer than names of files may be
    with pytest.raises(OSError, match="nnn") as refusal:
        while async_ckpt_thread_status():
            pass
    assert refusal.value.errno == errno.ENAMETOOLONG or os.name == "nt"
    assert not async_ckpt_thread_status()


@pytest.mark.parametrize("how", HOW)
def test_a_folder_that_is_missing_is_reported_at_once(folder, how):
    with pytest.raises(FileNotFoundError, match="none"):
        ms.save_checkpoint(values(), "none/net.ckpt", async_save=how)
    assert not async_ckpt_thread_status() and os.listdir() == []


def die(path, values):
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL")
def test_a_process_that_dies_while_it_writes_is_reported(folder):
    background.begin("process", die, "net.ckpt", [], {})
    with pytest.raises(ChildProcessError, match="net.ckpt.* -9"):
        ms.save_checkpoint(values(), "next.ckpt")
    assert not os.listdir()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_forked_process_does_not_wait_for_what_its_parent_saves(folder):
    background.begin("process", die, "net.ckpt", [], {})
    child = os.fork()
    if child == 0:
        try:
            ms.save_checkpoint(values(), "child.ckpt")
        finally:
            os._exit(not os.path.exists("child.ckpt"))
    assert os.waitpid(child, 0)[1] == 0
    with pytest.raises(ChildProcessError):
        background.wait()


@pytest.mark.parametrize("failing, error", [(0, MRMWriteDatasetError), (1, MRMCommitError)])
def test_a_mindrecord_file_that_cannot_be_replaced_stays(folder, failing, error):
    def write(content, writing=contextlib.nullcontext, ending=contextlib.nullcontext):
        writer = FileWriter("a.mindrecord", overwrite=True)
        writer.add_schema({"x": {"type": "bytes"}})
        with writing():
            writer.write_raw_data([{"x": content}])
        with ending():
            writer.commit()

    write(b"old")
    with pytest.raises(error, match="a.mindrecord"):
        write(b"new", *[contextlib.nullcontext] * failing, full_disk)
    gc.collect()
    assert sorted(os.listdir()) == ["a.mindrecord", "a.mindrecord.db"]
    reader = FileReader("a.mindrecord")
    assert [bytes(row["x"]) for row in reader.get_next()] == [b"old"]
    reader.close()


# Trainings ----------------------------------------------------------------------------------------


def training(*callbacks, epochs=1, config=None):
    """Trains and saves each step; returns the ModelCheckpoint and the error."""
    saving = ModelCheckpoint("A", os.getcwd(), CheckpointConfig(**config))
    error = None
    try:
        Model(Descent()).train(epochs, batches(4), [*callbacks, saving])
    except (OSError, ArithmeticError) as raised:
        error = raised
    return saving, error


def from_step(step, action):
    """A callback that acts when a step begins."""

    def act(run_context):
        if run_context.original_args().cur_step_num == step:
            action()

    return At(on_train_step_begin=act)


@pytest.mark.parametrize(
    "config",
    [
        {"keep_checkpoint_max": 1},
        {"keep_checkpoint_max": 2},
        {"keep_checkpoint_max": 1, "async_save": "thread"},
        {"keep_checkpoint_max": 0, "keep_checkpoint_per_n_minutes": 1},
    ],
    ids=str,
)
def test_nothing_is_deleted_before_the_next_is_there(folder, config, monkeypatch):
    events, remove, replace = [], os.remove, os.replace

    def noted(name, action):
        def act(*paths):
            events.append((name, os.path.basename(paths[-1]), len(list(folder.glob("*.ckpt")))))
            action(*paths)

        return act

    monkeypatch.setattr(os, "remove", noted("remove", remove))
    monkeypatch.setattr(os, "replace", noted("replace", replace))
    training(config=config)
    written = [event for event in events if event[0] == "replace"]
    deleted = [event for event in events if event[0] == "remove"]
    assert len(written) == 4 and deleted
    keeps = config["keep_checkpoint_max"] or 2
    assert all(count == keeps + 1 for _, _, count in deleted)
    for position, (kind, name, _) in enumerate(events):
        if kind == "remove":
            before = [path for which, path, _ in events[:position] if which == "replace"]
            assert name in before and before[-1] != name


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("step", [3, 4])
def test_a_training_whose_save_fails_keeps_and_names_what_is_there(folder, how, step):
    """Step 4 is the last one: its failure is reported when the training ends."""
    seen, stack = [], contextlib.ExitStack()
    large = Parameter(Tensor(np.ones(1 << 19, np.float32)), name="large")
    network = Descent()
    network.large = large
    look = At(on_train_step_end=lambda run_context: seen.append(run_context.original_args()))
    with stack:
        saving, error = training(
            from_step(step, lambda: (background.wait(), stack.enter_context(full_disk()))),
            look,
            config={"keep_checkpoint_max": 1, "async_save": how, "saved_network": network},
        )
    assert isinstance(error, OSError) and f"A-1_{step}.ckpt" in str(error)
    assert os.listdir() == [f"A-1_{step - 1}.ckpt"]
    for name in (saving.latest_ckpt_file_name, seen[-1].latest_ckpt_file):
        assert os.path.basename(name) == f"A-1_{step - 1}.ckpt"
    assert seen[-1].last_save_ckpt_step == step - 1
    assert np.array_equal(ms.load_checkpoint(os.listdir()[0])["large"].asnumpy(), large.asnumpy())


def test_a_failure_to_save_does_not_hide_why_a_training_ended(folder, monkeypatch):
    errors = []
    monkeypatch.setattr(log, "error", lambda text, *parts: errors.append(text % parts))

    def fail():
        raise ZeroDivisionError

    with contextlib.ExitStack() as stack:
        _, error = training(
            from_step(3, lambda: (stack.enter_context(full_disk()), fail())),
            config={
                "exception_save": True,
                "saved_network": None,
                "append_info": [{"large": LARGE[0]}],
                "save_checkpoint_steps": 100,
                "async_save": True,
            },
        )
    assert isinstance(error, ZeroDivisionError) and not os.listdir()
    assert any("A-1_3_breakpoint.ckpt" in each for each in errors)


def test_an_old_file_that_cannot_be_deleted_is_a_warning(folder, monkeypatch):
    warnings = []
    monkeypatch.setattr(log, "warning", lambda text, *parts: warnings.append(text % parts))

    def refuse(path):
        raise PermissionError(errno.EPERM, "Operation not permitted", path)

    monkeypatch.setattr(files.os, "remove", refuse)
    saving, error = training(config={"keep_checkpoint_max": 3})
    assert error is None and os.path.basename(saving.latest_ckpt_file_name) == "A-1_4.ckpt"
    assert len(os.listdir()) == 4 and "A-1_1.ckpt" in warnings[0]


@pytest.mark.skipif(files.fcntl is None, reason="a file in use is found by trying there")
def test_a_training_removes_what_a_killed_one_left(folder):
    left = ["AB-1_1.ckpt.7-ab.tmp", "A-1_1.ckpt.tmp"]
    for name in [
        *left,
        "A-3_2.ckpt.7-ab.tmp",
        "A_2-1_1_breakpoint.ckpt.8-cd.tmp",
        "A-1_7.safetensors.9-ef.tmp",
    ]:
        (folder / name).write_bytes(b"half")
    training(config={"save_checkpoint_steps": 4})
    assert sorted(os.listdir()) == sorted([*left, "A-1_4.ckpt"])
