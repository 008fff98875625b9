"""Runs of several processes over MPI, for the tests that start them.

The scripts that are started list their checks with `kit.rank_checks`.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent.parent


def mpiexec():
    """The path of mpiexec, that of this environment first, or None."""
    return shutil.which("mpiexec", path=str(Path(sys.executable).parent)) or shutil.which("mpiexec")


def require_mpi():
    """Skips the module that calls it where no ranks can be started."""
    pytest.importorskip("mpi4py", reason="the extra 'mpi' is not installed")
    if mpiexec() is None:
        pytest.skip("there is no mpiexec", allow_module_level=True)


def run_ranks(count, *command, timeout=120):
    """What `count` processes did with one command of Python: a script or `-c` code, arguments.

    They find the modules in tests/, as tests do.

    Returns:
        subprocess.CompletedProcess, with the text of all ranks together.
    """
    path = os.pathsep.join(filter(None, [str(TESTS), os.environ.get("PYTHONPATH")]))
    return subprocess.run(
        [mpiexec(), "-n", str(count), sys.executable, *map(str, command)],
        capture_output=True,
        text=True,
        timeout=timeout,
        env={**os.environ, "PYTHONPATH": path},
    )


def output_of_ranks(count, *command):
    """What several processes printed; they must have ended well."""
    done = run_ranks(count, *command)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def names_of_checks(script):
    """The names of a script's functions that are marked with `@check`."""
    return re.findall(r"^@check\ndef (\w+)", script.read_text("utf-8"), re.MULTILINE)


def assert_every_rank_passes(count, script, name):
    """Runs one check of a script in `count` processes of its own; each must report it passed."""
    printed = output_of_ranks(count, script, name)
    verdicts = [json.loads(line) for line in re.findall(r"\{.*?\}", printed)]
    assert sorted(each["rank"] for each in verdicts) == list(range(count))
    assert {each["passed"] for each in verdicts} == {name}
