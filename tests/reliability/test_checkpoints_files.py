"""Files that replace others once complete: names, permissions, order, leftovers."""

import errno
import os
import queue
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from mindspore_compat._io import checkpoint, files
from mindspore_compat._io.files import AtomicFile, atomic_write, new_file

posix = pytest.mark.skipif(os.name == "nt", reason="links, locks and permissions are POSIX's")
# A process that writes half of the file named by its argument, then dies of SIGKILL.
DIES = """
import os, signal, sys
from mindspore_compat._io.files import AtomicFile
made = AtomicFile(sys.argv[1])
made.file.write(b"half")
made.file.flush()
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "net.ckpt"


@pytest.fixture
def umask():
    """Sets the umask while a test runs."""
    before = os.umask(0o022)
    yield os.umask
    os.umask(before)


def names(folder):
    return sorted(os.listdir(folder))


def mode(path):
    return stat.S_IMODE(os.stat(path).st_mode)


def test_a_failure_leaves_the_old_file_and_nothing_else(path):
    path.write_bytes(b"old")
    with pytest.raises(ZeroDivisionError), atomic_write(path) as file:
        file.write(b"new")
        raise ZeroDivisionError
    assert path.read_bytes() == b"old" and names(path.parent) == ["net.ckpt"]


def test_the_old_file_is_there_until_the_new_one_is_complete(path):
    path.write_bytes(b"old")
    with atomic_write(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new" and names(path.parent) == ["net.ckpt"]


@posix
def test_file_then_name_then_folder_are_brought_to_the_disk(path, monkeypatch):
    events = []
    fsync, replace = os.fsync, os.replace

    def noted(number):
        events.append("folder" if stat.S_ISDIR(os.fstat(number).st_mode) else "file")
        if events[-1] == "file":
            assert os.fstat(number).st_size == 3
        fsync(number)

    monkeypatch.setattr(os, "fsync", noted)
    monkeypatch.setattr(os, "replace", lambda *both: (events.append("name"), replace(*both)))
    with atomic_write(path) as file:
        file.write(b"new")
    assert events == ["file", "name", "folder"]
    with atomic_write(path, durable=False) as file:
        file.write(b"new")
    assert events[3:] == ["name"]


@posix
def test_a_file_system_that_cannot_sync_folders_is_no_error_but_a_broken_disk_is(path, monkeypatch):
    fsync, refusal = os.fsync, errno.EINVAL

    def refused(number):
        if stat.S_ISDIR(os.fstat(number).st_mode):
            raise OSError(refusal, os.strerror(refusal))
        fsync(number)

    monkeypatch.setattr(os, "fsync", refused)
    with atomic_write(path) as file:
        file.write(b"new")
    refusal = errno.EIO
    with pytest.raises(OSError, match="net.ckpt"), atomic_write(path) as file:
        file.write(b"new")


@posix
@pytest.mark.parametrize("large, by_caller", [(3, False), (4, True)])
def test_a_large_file_that_is_replaced_is_freed_by_another_thread(
    path, monkeypatch, large, by_caller
):
    path.write_bytes(b"old")
    old, close, freed = path.stat().st_ino, os.close, queue.SimpleQueue()

    def noted(number):
        if os.fstat(number).st_ino == old:
            freed.put(threading.current_thread())
        close(number)

    monkeypatch.setattr(files, "_LARGE", large)
    monkeypatch.setattr(os, "close", noted)
    with atomic_write(path) as file:
        file.write(b"new")
    assert (freed.get(timeout=20) is threading.current_thread()) is by_caller
    assert path.read_bytes() == b"new"


@posix
def test_a_large_file_is_replaced_where_no_thread_can_start(path, monkeypatch):
    """While the interpreter exits, Python 3.12 and later cannot start threads."""
    path.write_bytes(b"old")

    def refuse(thread):
        raise RuntimeError("can't create new thread at interpreter shutdown")

    monkeypatch.setattr(files, "_LARGE", 0)
    monkeypatch.setattr(threading.Thread, "start", refuse)
    opened = len(os.listdir("/proc/self/fd")) if os.path.exists("/proc/self/fd") else None
    with atomic_write(path) as file:
        file.write(b"new")
    assert path.read_bytes() == b"new"
    assert opened is None or len(os.listdir("/proc/self/fd")) == opened


# Permissions --------------------------------------------------------------------------------------


@posix
@pytest.mark.parametrize("asked, final", [(0o400, 0o400), (None, 0o640)])
def test_a_file_is_private_from_its_first_moment(path, umask, asked, final):
    umask(0o027)
    with atomic_write(path, asked) as file:
        assert stat.S_IMODE(os.fstat(file.fileno()).st_mode) == 0o600
    assert mode(path) == final


@posix
def test_the_permissions_of_the_file_that_is_replaced_stay(path):
    path.write_bytes(b"old")
    path.chmod(0o604)
    with atomic_write(path):
        pass
    assert mode(path) == 0o604


# Links --------------------------------------------------------------------------------------------


@posix
def test_a_link_that_waits_under_the_temporary_name_is_not_followed(path, monkeypatch):
    victim = path.parent / "victim"
    victim.write_bytes(b"precious")
    monkeypatch.setattr(files.secrets, "token_hex", lambda length: "ab" * length)
    trap = path.parent / f"net.ckpt.{os.getpid()}-{'ab' * 8}.tmp"
    for target in (victim, path.parent / "nowhere"):
        trap.symlink_to(target)
        with pytest.raises(FileExistsError, match="net.ckpt"), atomic_write(path) as file:
            file.write(b"new")
        trap.unlink()
    assert victim.read_bytes() == b"precious" and names(path.parent) == ["victim"]


@posix
def test_a_link_that_waits_under_the_final_name_is_replaced(path):
    victim = path.parent / "victim"
    victim.write_bytes(b"precious")
    victim.chmod(0o604)
    path.symlink_to(victim)
    with atomic_write(path, 0o600) as file:
        file.write(b"new")
    assert victim.read_bytes() == b"precious" and mode(victim) == 0o604
    assert path.read_bytes() == b"new" and not path.is_symlink()


@posix
def test_a_new_file_is_new(path):
    path.symlink_to(path.parent / "nowhere")
    with pytest.raises(FileExistsError):
        new_file(path)
    path.unlink()
    with new_file(path) as file:
        file.write(b"x")
    assert mode(path) == 0o600


# What dead processes left -------------------------------------------------------------------------


def left_by_a_dead_process(path):
    root = Path(files.__file__).parents[2]
    died = subprocess.run([sys.executable, "-c", DIES, path], cwd=root, timeout=60)
    (left,) = set(names(path.parent)) - {path.name}
    assert died.returncode == -9 and left.startswith(f"{path.name}.")
    return path.parent / left


@posix
def test_the_next_save_of_that_name_removes_what_a_dead_process_left(path):
    left = left_by_a_dead_process(path)
    with atomic_write(path.parent / "other.ckpt"):
        pass
    assert left.exists()  # it is another name's
    checkpoint.write(path, [("note", "text")])
    assert names(path.parent) == ["net.ckpt", "other.ckpt"]


@posix
def test_a_dead_process_is_not_taken_for_the_one_that_has_its_number_now(path):
    left = left_by_a_dead_process(path)
    left.rename(path.parent / f"net.ckpt.{os.getpid()}-0123456789abcdef.tmp")
    with atomic_write(path):
        pass
    assert names(path.parent) == ["net.ckpt"]


def test_what_is_still_being_written_stays(path):
    first = AtomicFile(path)
    first.file.write(b"first")
    with atomic_write(path) as file:
        file.write(b"second")
    assert path.read_bytes() == b"second" and os.path.exists(first.temporary)
    first.sync()
    first.replace()
    assert path.read_bytes() == b"first" and names(path.parent) == ["net.ckpt"]


@posix
def test_only_files_with_temporary_names_are_removed(path):
    unrelated = [
        "net.ckpt.tmp",
        "net.ckpt.old.tmp",
        "net.ckpt.1-zz.tmp",
        "xnet.ckpt.1-ab.tmp",
        "net.ckpt.1-ab.tmp.bak",
        "netXckpt.1-ab.tmp",
    ]
    for name in [*unrelated, "net.ckpt.1-ab.tmp"]:
        (path.parent / name).write_bytes(b"")
    (path.parent / "net.ckpt.2-ab.tmp").symlink_to("net.ckpt.tmp")
    (path.parent / "net.ckpt.3-ab.tmp").mkdir()
    os.mkfifo(path.parent / "net.ckpt.4-ab.tmp")
    with atomic_write(path):
        pass
    assert names(path.parent) == sorted(
        [*unrelated, "net.ckpt", "net.ckpt.2-ab.tmp", "net.ckpt.3-ab.tmp", "net.ckpt.4-ab.tmp"]
    )


@posix
def test_a_file_removed_before_it_is_locked_is_made_again(path, monkeypatch):
    flock, removed = files.fcntl.flock, []

    def late(file, operation):
        if not removed:
            removed.extend(path.parent.glob("*.tmp"))
            removed[0].unlink()
        flock(file, operation)

    monkeypatch.setattr(files.fcntl, "flock", late)
    with atomic_write(path) as file:
        file.write(b"new")
    assert path.read_bytes() == b"new" and names(path.parent) == ["net.ckpt"]


@pytest.mark.parametrize("name", ["n" * 250 + ".ckpt", "\u00e9" * 120 + ".ckpt"])
def test_the_longest_names_that_a_file_can_have(tmp_path, name):
    with atomic_write(tmp_path / name) as file:
        file.write(b"new")
    assert names(tmp_path) == [name]


def test_errors_name_the_file_that_was_asked_for(tmp_path):
    with pytest.raises(FileNotFoundError, match="none"), atomic_write(tmp_path / "none" / "x"):
        pass
    with pytest.raises(OSError, match="x.ckpt") as refusal, atomic_write(tmp_path / "x.ckpt"):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert refusal.value.errno == errno.ENOSPC and not names(tmp_path)
