"""Sets up the environment in which CuPy computes on the host, and runs Python there.

The environment is a virtual environment in the user's cache. Its name has a hash of everything that
it is built from, so changed sources get a new environment, and unchanged ones use the existing one.
Downloads and compiled kernels are stored next to it; all environments share them. This module
imports only the standard library.
"""

import configparser
import contextlib
import hashlib
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import sysconfig
import time

HERE = pathlib.Path(__file__).resolve().parent
PROJECT = HERE.parents[1]
CUPY = "14.2.0"
CUDA = "13.0"
BUILD_REQUIREMENTS = (
    "numpy",
    "scipy",
    "setuptools>=77,<81",
    "cython>=3.1,<3.3",
    "wheel",
    "scipy-openblas32",
    f"cupy-cuda13x=={CUPY}",
    # Of NVIDIA's packages only the compiler, which needs no GPU, headers, and what lists
    # instructions.
    *(f"nvidia-cuda-{name}=={CUDA}.*" for name in ("nvrtc", "runtime", "crt", "profiler-api")),
    "nvidia-cuda-nvdisasm==13.2.*",
)
CURAND = "nvidia-curand==10.4.*"
CUDNN = "nvidia-cudnn-jit-cu13==9.27.*"  # has the headers of all of cuDNN, in a seventh of its size
EXTRAS = ("test", "vision", "text")
TOOLS = ("gcc", "g++", "nm")
DAYS_UNUSED = 14  # after which another set-up removes an environment


class Unavailable(Exception):
    """The environment cannot be set up on this machine; the message says why."""


def cache_folder():
    """Returns the folder of all environments: $CUDA_ON_HOST_CACHE, or one in the user's cache."""
    if chosen := os.environ.get("CUDA_ON_HOST_CACHE"):
        return pathlib.Path(chosen).absolute()
    cache = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(cache, "mindspore_compat", "cuda_on_host")


def identity():
    """Returns a hash of all that an environment is built from."""
    parts = (sys.version_info[:2], sys.base_prefix, BUILD_REQUIREMENTS, CURAND, CUDNN)
    digest = hashlib.sha256(repr(parts).encode())
    sources = [HERE / "build.py", *(HERE / "src").rglob("*"), *(HERE / "site").rglob("*")]
    for path in sorted(
        path for path in sources if path.suffix in (".py", ".c", ".cpp", ".h", ".cuh")
    ):
        digest.update(f"{path.relative_to(HERE)}\n".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def run(arguments, report=print):
    """Runs Python with these arguments in the environment, which is set up first if it is missing.

    Returns:
        int, the exit status.
    """
    python = set_up(report)
    paths = [str(PROJECT), os.environ.get("PYTHONPATH", "")]
    variables = {
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "HYPOTHESIS_STORAGE_DIRECTORY": str(cache_folder() / "hypothesis"),
    }
    return subprocess.call([python, *arguments], cwd=PROJECT, env={**os.environ, **variables})


def set_up(report=print):
    """Builds the environment of these sources if it is missing, and installs the requirements of
    the project and its tests.

    Returns:
        str, the path of its interpreter.

    Raises:
        Unavailable: this machine, or its package registry, lacks something.
    """
    check_machine()
    root = cache_folder()
    folder = root / identity()
    root.mkdir(parents=True, exist_ok=True)
    python = str(folder / "bin" / "python")
    with locked(root / f"{folder.name}.lock"):
        if not (folder / "built").exists():
            remove_unused(root, folder)
            build(folder, python, report)
        install_requirements(folder, python, report)
        os.utime(folder / "built")
    return python


def check_machine():
    """Raises Unavailable where the environment cannot be built or run."""
    machine = f"{platform.system()} on {platform.machine()}"
    if machine != "Linux on x86_64":
        raise Unavailable(f"it needs Linux on x86_64, and this is {machine}")
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing:
        raise Unavailable(f"{', '.join(missing)} not installed (gcc, g++ and binutils are needed)")
    if not pathlib.Path(sysconfig.get_path("include"), "Python.h").exists():
        raise Unavailable("the headers of Python are not installed")


@contextlib.contextmanager
def locked(path):
    """Keeps other processes out while the block runs."""
    import fcntl  # which other systems lack

    with open(path, "w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def build(folder, python, report):
    """Makes the environment: packages, downloads, the fakes of CUDA's libraries."""
    started = time.monotonic()

    def step(text):
        report(f"CUDA on the host: {text} ({time.monotonic() - started:.0f} s)")

    step(f"a new environment in {folder}")
    shutil.rmtree(folder, ignore_errors=True)
    needing_registry([sys.executable, "-m", "venv", str(folder)], "python -m venv")
    pip(python, "install", *BUILD_REQUIREMENTS)
    step("downloads")
    downloads = folder.parent / "downloads"
    fetch(python, downloads, f"cupy-{CUPY}.tar.gz", "--no-binary", "cupy", f"cupy=={CUPY}")
    fetch(python, downloads, "nvidia_curand-10.4.*.whl", CURAND)
    fetch(python, downloads, "nvidia_cudnn_jit_cu13-9.27.*.whl", CUDNN)
    step("the fakes of CUDA's libraries, and four modules of CuPy")
    subprocess.run([python, "-B", str(HERE / "build.py"), str(downloads)], check=True)
    (folder / "built").touch()
    step("done")


def fetch(python, downloads, pattern, *requirement):
    """Downloads a package from the registry unless an earlier set-up has done so."""
    if not any(downloads.glob(pattern)):
        arguments = ("download", "--no-deps", "--no-build-isolation", "-d", str(downloads))
        pip(python, *arguments, *requirement)


def install_requirements(folder, python, report):
    """Installs the requirements of the project and its tests if setup.cfg has changed since the
    last time."""
    wanted = "\n".join(requirements())
    stamp = folder / "requirements.txt"
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != wanted:
        report("CUDA on the host: the requirements of the tests")
        pip(python, "install", *wanted.split("\n"))
        stamp.write_text(wanted, encoding="utf-8")


def requirements():
    """Returns the requirements of the project, and those of the extras that its tests use."""
    settings = configparser.ConfigParser()
    settings.read(PROJECT / "setup.cfg", encoding="utf-8")
    extras = settings["options.extras_require"]
    texts = [settings["options"]["install_requires"], *(extras[name] for name in EXTRAS)]
    return sorted({line.strip() for text in texts for line in text.splitlines()} - {""})


def pip(python, *arguments):
    """Runs pip, which may use stubs in place of a GPU's libraries."""
    command = [python, "-m", "pip", "--disable-pip-version-check", "-q", *arguments]
    needing_registry(command, f"pip {' '.join(arguments)}")


def needing_registry(command, name):
    """Runs a command that fails if the registry or a part of Python is missing."""
    variables = {**os.environ, "CUPY_INSTALL_USE_STUB": "1"}
    result = subprocess.run(command, env=variables, capture_output=True, text=True)
    if result.returncode:
        raise Unavailable(f"{name} failed:\n{(result.stdout + result.stderr)[-2000:]}")


def remove_unused(root, folder):
    """Removes environments of other sources that nobody has used for two weeks."""
    limit = time.time() - DAYS_UNUSED * 86400
    for stamp in root.glob("*/built"):
        if stamp.parent != folder and stamp.stat().st_mtime < limit:
            shutil.rmtree(stamp.parent, ignore_errors=True)
