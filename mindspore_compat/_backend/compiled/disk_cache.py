"""The folder of compiled loops: in the user's cache folder, never in the installed package.

Processes can share the folder, even if they run on machines with different CPUs. A file has the
machine code of one function (machine_code.py). Its name consists of the function's name, which
contains a digest of its source, and a digest of the CPU and of the versions of Python, Numba, LLVM
and NumPy. It is written under a temporary name and renamed, and begins with a checksum. A file that
is damaged, or that another process deletes, is compiled again.
"""

import functools
import hashlib
import importlib.metadata
import itertools
import os
import platform
import shutil
import sys
import tempfile
from pathlib import Path

VARIABLE = "MINDSPORE_COMPAT_CACHE"
SUFFIX = ".loop"
_CHECKSUM = hashlib.sha256().digest_size
_SETTINGS = ("CPU_NAME", "CPU_FEATURES", "ENABLE_AVX")  # variables of Numba that change code
# The lines of /proc/cpuinfo on the model and the instructions of a CPU; others are on its state.
_CPU = {
    "vendor_id",
    "cpu family",
    "model",
    "model name",
    "stepping",
    "flags",
    "Features",
    "CPU implementer",
    "CPU architecture",
    "CPU variant",
    "CPU part",
    "CPU revision",
    "isa",
    "cpu",
}


def folder():
    """Returns the path of the folder of compiled loops, which need not exist: the value of the
    environment variable MINDSPORE_COMPAT_CACHE, or a folder in the system's cache directory.
    """
    path = os.environ.get(VARIABLE)
    return _absolute(path) if path else _place_for_caches() / "mindspore_compat"


@functools.cache
def _absolute(path):
    """Returns a path below the folder in which this process works when the path is first used."""
    return Path(path).absolute()


def _place_for_caches():
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or _home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return _home() / "Library" / "Caches"
    named = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return named if named.is_absolute() else _home() / ".cache"


def _home():
    """Returns the home folder; raises OSError, as for other folders, if the user has none."""
    try:
        return Path.home()
    except RuntimeError as error:
        raise FileNotFoundError(f"{error} Set {VARIABLE} to a folder for loops.") from error


def loops():
    """Returns the folder of the loops, one level below `folder()`: a folder that the user names may
    hold other files, which `clear` must not delete."""
    return folder() / "loops"


def describe():
    """Returns a sentence on the folder: its path, number of loops and size."""
    sizes = {path: _size(path) for path in loops().rglob("*")}
    count = sum(path.suffix == SUFFIX for path in sizes)
    return f"{loops()}: {count} compiled loops, {sum(sizes.values()) / 2**20:.1f} MB"


def _size(path):
    """Returns the size of a file; 0 for folders, and for files that another process deletes."""
    try:
        return path.stat().st_size if path.is_file() else 0
    except FileNotFoundError:
        return 0


def clear():
    """Deletes all compiled loops; running processes keep those that they have loaded."""
    if loops().exists():
        shutil.rmtree(loops())


def read(name, suffix=SUFFIX):
    """Returns the code stored under a name, or None if there is none or the file is damaged."""
    try:
        content = _path(name, suffix).read_bytes()
    except OSError:
        return None
    checksum, code = content[:_CHECKSUM], content[_CHECKSUM:]
    return code if checksum == _checksum(code) else None


def write(name, code, suffix=SUFFIX):
    """Stores code under a name. Other processes see the whole file or none."""
    path = _path(name, suffix)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(f".{os.urandom(8).hex()}")
    try:
        temporary.write_bytes(_checksum(code) + code)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def is_empty():
    """Returns True if no loop is stored."""
    try:
        with os.scandir(loops()) as files:
            return next(files, None) is None
    except OSError:
        return True


def is_writable():
    """Returns True if loops can be stored."""
    try:
        loops().mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=loops()).close()
    except OSError:  # for example a container's read-only home folder
        return False
    return True


def _path(name, suffix=SUFFIX):
    return loops() / f"{name}.{hashlib.sha256(_origin()).hexdigest()[:16]}{suffix}"


def _checksum(code):
    return hashlib.sha256(_origin() + code).digest()


@functools.cache
def _origin():
    """Returns a text that identifies the versions of software and the CPU. Together with the source
    of a loop, they determine its machine code.
    """
    versions = [importlib.metadata.version(package) for package in ("numba", "llvmlite", "numpy")]
    settings = [os.environ.get(f"NUMBA_{name}") for name in _SETTINGS]
    cpu = [platform.machine(), _cpu(), _instructions()]
    return repr([sys.version, *versions, *settings, *cpu]).encode()


def _cpu():
    """Returns a text on the CPU as the system, or LLVM, describes it. An emulator, which may offer
    the process fewer instructions, differs in `_instructions`."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            lines = list(itertools.takewhile(str.strip, file))  # the lines of the first core
    except OSError:
        import llvmlite.binding as llvm

        return llvm.get_host_cpu_name() + llvm.get_host_cpu_features().flatten()
    return "".join([line for line in lines if line.split("\t")[0].strip() in _CPU])


def _instructions():
    """Returns the sets of instructions that the CPU offers this process, as NumPy found them."""
    from numpy._core._multiarray_umath import __cpu_features__

    return sorted(__cpu_features__.items())
