"""Runs Python where CuPy computes on the host:

    python -m tests.cuda_on_host -m pytest --gpu tests/ops
    python -m tests.cuda_on_host script.py

sets up the environment first if it is missing. Without arguments it does only that, and prints the
path of the interpreter. The exit status is that of Python, or 3 if the environment cannot be set up
on this machine.
"""

import sys

from . import environment

UNAVAILABLE = 3


def main(arguments):
    """Runs Python with these arguments; returns the exit status."""
    try:
        if arguments:
            return environment.run(arguments, report=to_stderr)
        print(environment.set_up(report=to_stderr))
    except environment.Unavailable as reason:
        to_stderr(f"CUDA on the host cannot be set up here: {reason}")
        return UNAVAILABLE
    return 0


def to_stderr(text):
    """Prints what is not the output of the program."""
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
