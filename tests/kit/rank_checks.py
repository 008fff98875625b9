"""For scripts that run on several ranks: a list of checks that the command line selects by name."""

import json
import sys

from mindspore_compat.communication import comm_func, get_rank

_CHECKS = {}


def check(function):
    """Adds a function to the checks that can be selected by name."""
    _CHECKS[function.__name__] = function
    return function


def refused(error, call, *untouched):
    """Asserts that a call raises `error` and leaves some Tensors unchanged."""
    before = [tensor.asnumpy().copy() for tensor in untouched]
    try:
        call()
    except error:
        for tensor, saved in zip(untouched, before, strict=True):
            assert (tensor.asnumpy() == saved).all(), (tensor, saved)
        return
    raise AssertionError(f"{error.__name__} was not raised")


def run_named_checks():
    """Runs the checks that the command line names; prints each that passes on this rank."""
    for name in sys.argv[1:]:
        _CHECKS[name]()
        comm_func.barrier()
        print(json.dumps({"rank": get_rank(), "passed": name}), flush=True)
