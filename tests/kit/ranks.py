"""Runs several processes over MPI.

The started scripts list their checks with `kit.rank_checks`.
"""

import functools
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
    """Returns the path of mpiexec, preferably of this environment; None if there is none."""
    return shutil.which("mpiexec", path=str(Path(sys.executable).parent)) or shutil.which("mpiexec")


def require_mpi():
    """Skips the calling module if no ranks can be started."""
    pytest.importorskip("mpi4py", reason="the extra 'mpi' is not installed")
    if mpiexec() is None:
        pytest.skip("there is no mpiexec", allow_module_level=True)


def run_ranks(count, *command, timeout=120):
    """Runs Python in `count` processes with one command line: a script or `-c` code, and arguments.

    The processes can import the modules in tests/, as tests can.

    Returns:
        subprocess.CompletedProcess, with the output of all ranks.
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
    """Runs Python in `count` processes, asserts that they succeed, and returns their output."""
    result = run_ranks(count, *command)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def names_of_checks(script):
    """Returns the names of a script's functions that are marked with `@check`."""
    return re.findall(r"^@check\ndef (\w+)", script.read_text("utf-8"), re.MULTILINE)


def assert_every_rank_passes(count, script, name, among=None):
    """Asserts that one check of a script passes in `count` processes.

    All checks of a script first run in the same processes, since starting processes takes longer
    than most checks. A check that fails or is not reached there is run again in new processes.

    Args:
        count (int): the number of ranks.
        script (pathlib.Path): a script that ends with `run_named_checks()` of `kit.rank_checks`.
        name (str): the check.
        among (sequence): the checks that run with this number of ranks. Default: all of the script.
    """
    together = _passed(_run_together(count, script, tuple(among or names_of_checks(script))))
    ranks = list(range(count))
    if together.get(name) != ranks:
        assert _passed(output_of_ranks(count, script, name)).get(name) == ranks


@functools.cache
def _run_together(count, script, names):
    """Returns the output of the ranks, which stop at the first check that fails."""
    return run_ranks(count, script, *names, timeout=300).stdout


def _passed(printed):
    """Returns {check: sorted list of the ranks on which it passed}."""
    passed = {}
    for line in re.findall(r"\{.*?\}", printed):
        verdict = json.loads(line)
        passed.setdefault(verdict["passed"], []).append(verdict["rank"])
    return {name: sorted(ranks) for name, ranks in passed.items()}
