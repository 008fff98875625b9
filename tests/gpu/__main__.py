"""Runs all checks that need a GPU, in one command.

    python -m tests.gpu                      # on the GPU of this machine
    python -m tests.gpu --on-host            # on CuPy itself, without a GPU (tests/cuda_on_host)
    python -m tests.gpu --stand-in           # on the stand-in for CuPy; no timings
    python -m tests.gpu --only libraries counts

report.py explains the arguments. With --on-host this file runs again in the environment of
tests/cuda_on_host, which is set up first if it is missing; the exit status is 3 if that is
impossible. So this file imports only what Python itself has.
"""

import pathlib
import sys

ROOT = pathlib.Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]


def main(arguments):
    """Runs the command on the device asked for; returns the exit status."""
    if "--on-host" in arguments:
        from tests.cuda_on_host.__main__ import main as run_on_host

        return run_on_host(["-m", "tests.gpu", *(a for a in arguments if a != "--on-host")])
    from tests.gpu import report

    return report.main(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
