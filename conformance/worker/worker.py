"""The process that runs the implementation under test: reads cases as JSON lines and writes results
as JSON lines.

The runner starts it. It needs only NumPy, the standard library and the target, so it also runs on
the interpreter of real MindSpore. Results have a separate file descriptor, so that the target's
output does not mix with them.
"""

import argparse
import contextlib
import inspect
import json
import os
import platform
import re
import shutil
import sys
import tempfile
import threading
import time
import traceback
import warnings

import numpy as np

from .. import targets
from ..arguments.values import Values, resolve
from ..calls.applying import apply
from ..errors import describe
from ..kinds import examples, gradients, members, options, steps, unstated
from ..kinds.observations import observe, same_but_for_rounding, without_values
from ..mutation.faults import NotPlanted, Plant
from ..reading import signatures
from ..varied import uses
from . import blocked, memory, ranks

ROOM = 250  # MiB; a worker whose memory has grown by more is replaced
PATIENCE = 3  # seconds; slower calls are not repeated to detect random values
# Kinds of cases whose outcome is only observed; the judge decides.
_DRIVES = {
    "steps": steps.drive,
    "options": options.drive,
    "values": uses.drive,
    "imports": unstated.imported,
    "parameter_names": unstated.named,
    "set_attributes": unstated.assigned,
    "value_gradients": unstated.scripted,
    members.KIND: members.observed,
}
# MindSpore's messages about a missing kernel; the call itself is valid.
_NO_KERNEL = re.compile(
    r"unregistered|[Uu]nsupported op(?!erand)|not support(?!ed between)|only supported on|kernelmod"
    r"|Not implement|Not found op|Unsupported device|Select CPU operator|cannot find fn match"
)


class Worker:
    """Runs cases on one target, each in an empty folder inside `folder`."""

    def __init__(self, ms, folder=None):
        self.ms, self.values, self.absent, self.plant = ms, Values(ms), {}, None
        self.folder, self.ranks, self.open, self.empty = folder, None, [], None
        with contextlib.suppress(Exception):  # errors must belong to a call
            ms.set_context(pynative_synchronize=True)

    def run(self, case):
        """Returns {"status", "got", "expected", "seconds", ...} of one case."""
        start = time.perf_counter()
        if case["kind"] == "plant":
            return self._replant(case["fault"])
        if self.plant:
            self.plant.put()
        if self.ranks and "ranks" not in case:
            self.ranks.rest()
        self._reset()
        try:
            with self._empty_folder(), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                if case["kind"] not in ("exists", "example") and self.is_absent(case["name"]):
                    return {
                        "id": case["id"],
                        "status": "absent",
                        "got": "no such name",
                        "seconds": 0,
                    }
                if case["kind"] in _DRIVES:
                    result = self._driven(_DRIVES[case["kind"]], case)
                else:
                    result = getattr(self, "on_" + case["kind"])(case)
                if "async_save" in str(case):
                    _end_saving(self.ms)
        except (KeyboardInterrupt, MemoryError):
            raise
        except BaseException as error:  # the target may raise anything
            result = {"status": "fail", "got": describe(error)}
        self._close()
        if case["kind"] not in ("exists", "odd"):
            result = blocked.explain(result, case["name"], self.ms.__name__)
        return {"id": case["id"], "seconds": round(time.perf_counter() - start, 4), **result}

    def _replant(self, fault):
        """Removes the planted fault, and plants this one; returns the count of calls of the old
        one."""
        counts = [self.plant.called, self.plant.reached] if self.plant else [0, 0]
        if self.plant:
            self.plant.take_out()
            self.plant = None
        if self.ranks:
            counts = [sum(both) for both in zip(counts, self.ranks.replant(fault), strict=True)]
        answer = {"id": "plant", "status": "pass", "observed": counts}
        if fault is None:
            return answer
        try:
            self.plant = Plant(self.ms, fault)
        except (NotPlanted, AttributeError, ImportError) as error:
            return {**answer, "status": "skip", "got": str(error)}
        return answer

    @contextlib.contextmanager
    def _empty_folder(self):
        """Works in an empty folder. It is deleted with the files that a case has written there; the
        next case uses it again if there are none."""
        before, folder = os.getcwd(), self.empty or tempfile.mkdtemp(dir=self.folder)
        self.empty = None
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)
            if os.path.isdir(folder) and not os.listdir(folder):
                self.empty = folder
            else:
                shutil.rmtree(folder, ignore_errors=True)

    def _reset(self, seed=0):
        np.random.seed(seed)
        with contextlib.suppress(Exception):
            self.ms.set_seed(seed)
            if self.ms.get_context("mode") != self.ms.PYNATIVE_MODE:
                self.ms.set_context(mode=self.ms.PYNATIVE_MODE)

    def opened(self, thing):
        """Returns an object of a case, which is closed after the case if it can be."""
        if callable(getattr(thing, "close", None)):
            self.open.append(thing)
        return thing

    def _close(self):
        while self.open:
            with contextlib.suppress(Exception):
                self.open.pop().close()

    def is_absent(self, name):
        """Returns whether the target lacks a name; looked up once per name."""
        if name not in self.absent:
            try:
                resolve(self.ms, name)
                self.absent[name] = False
            except (AttributeError, ImportError):
                self.absent[name] = True
        return self.absent[name]

    def on_exists(self, case):
        """Tests whether the name exists."""
        try:
            resolve(self.ms, case["name"])
        except (AttributeError, ImportError) as error:
            return {
                "status": "fail",
                "got": str(error),
                "expected": "the name",
                "observed": type(error).__name__,
            }
        return {"status": "pass"}

    def on_signature(self, case):
        """Tests names, order, kinds and defaults of the parameters."""
        thing = resolve(self.ms, case["name"])
        try:
            parameters = _parameters(thing, self._is_method(case["name"]))
        except (TypeError, ValueError):
            return {"status": "skip", "got": "shows no signature"}
        wanted = [case["expect"]] + case.get("overloads", [])
        differences = [_signature_difference(w, parameters) for w in wanted]
        if not all(differences):
            return {"status": "pass"}
        return {
            "status": "fail",
            "got": f"{differences[0]}; got ({', '.join(_show(p) for p in parameters)})",
            "expected": f"({', '.join(wanted[0])})",
            "observed": "another signature",
        }

    def _is_method(self, name):
        """Returns whether a name is a function of a class that is called on an instance."""
        owner_name, _, last = name.rpartition(".")
        owner = resolve(self.ms, owner_name) if owner_name else None
        if not isinstance(owner, type):
            return False
        attribute = inspect.getattr_static(owner, last)
        return not isinstance(attribute, (staticmethod, classmethod)) and (
            inspect.isfunction(attribute) or inspect.ismethoddescriptor(attribute)
        )

    def on_accepts(self, case):
        """Tests whether a valid call runs; observes its result for comparison."""
        start = time.perf_counter()
        try:
            result = self.call(case)
        except Exception as error:  # noqa: BLE001
            missing = _NO_KERNEL.search(str(error))
            return {
                "status": "fail",
                "got": describe(error),
                "expected": "accepted",
                "observed": "no kernel" if missing else type(error).__name__,
            }
        seen, spent = observe(result), time.perf_counter() - start
        if without_values(seen) != seen and spent < PATIENCE:
            self._reset(seed=1)
            second = observe(self.call(case))
            seen = seen if same_but_for_rounding(seen, second) else without_values(seen)
        return {"status": "pass", "observed": seen}

    def on_raises(self, case):
        """Tests whether an invalid call is rejected with the documented exception."""
        wanted = case["expect"]
        try:
            self.call(case)
        except Exception as error:  # noqa: BLE001
            kinds = [k.__name__ for k in type(error).__mro__]
            status = "pass" if wanted in kinds else "fail"
            return {
                "status": status,
                "got": describe(error),
                "expected": wanted,
                "observed": type(error).__name__,
            }
        return {"status": "fail", "got": "accepted", "expected": wanted, "observed": "accepted"}

    def on_odd(self, case):
        """Observes whether an odd call is accepted or rejected; the judge compares."""
        try:
            self.call(case)
        except Exception as error:  # noqa: BLE001
            lacking = " (no kernel)" if _NO_KERNEL.search(str(error)) else ""
            return {
                "status": "pass",
                "got": describe(error),
                "observed": type(error).__name__ + lacking,
            }
        return {"status": "pass", "got": "accepted", "observed": "accepted"}

    def _driven(self, drive, case):
        """Observes the result of a script, or its rejection; the judge compares."""
        try:
            outcome = drive(self, case)
        except Exception as error:  # noqa: BLE001
            refused = "no kernel" if _NO_KERNEL.search(str(error)) else type(error).__name__
            return {"status": "pass", "got": describe(error), "observed": {"refused": refused}}
        wanted = {"wanted": outcome["wanted"]} if "wanted" in outcome else {}
        return {"status": "pass", "observed": outcome["seen"], **wanted}

    def make(self, name, given):
        """Returns the object that the class or function with that name returns for these
        arguments."""
        return self.opened(apply(self.resolved(name), given))

    def resolved(self, name):
        """Returns the public object with that name."""
        return resolve(self.ms, name)

    def on_promises(self, case):
        """Tests whether the result has the dtype or shape of the named input."""
        ((what, other),) = case["expect"].items()
        inputs = {k: self.values.build(t) for k, t in (case.get("call") or {}).items()}
        result = self.call(case)
        while isinstance(result, (tuple, list)):
            result = result[0]
        wanted, got = str(getattr(inputs[other], what)), str(getattr(result, what))
        return {
            "status": "pass" if wanted == got else "fail",
            "got": got,
            "expected": wanted,
            "observed": got,
        }

    def on_gradient(self, case):
        """Tests whether the gradient agrees with finite differences."""
        function, inputs = self._smooth(case)
        try:
            wrong = gradients.check(self.ms, function, inputs, case["order"])
        except gradients.NotSmooth as reason:
            return {"status": "skip", "got": str(reason)}
        if wrong is None:
            return {"status": "pass", "got": "agree", "observed": "agree"}
        return {
            "status": "fail",
            "got": f"gradient {wrong[0]:.6g}",
            "expected": f"gradient {wrong[1]:.6g}, by finite differences",
            "observed": float(f"{wrong[0]:.6g}"),
        }

    def _smooth(self, case):
        """Returns (a function of only the float Tensors of the call, those Tensors)."""
        thing = self._thing(case)
        names, fixed = list(case["call"]), {}
        moving = []
        for name in names:
            value = self.values.build(case["call"][name])
            fixed[name] = value
            if hasattr(value, "asnumpy") and str(value.dtype).lower().startswith("float"):
                moving.append(name)
        owner = self.values.build(case["owner"]) if case.get("owner") else None
        inputs = ([owner] if owner is not None else []) + [fixed[n] for n in moving]
        method = case["name"].rsplit(".", 1)[-1]

        def function(*tensors):
            remaining = list(tensors)
            target = getattr(remaining.pop(0), method) if owner is not None else thing
            given = dict(fixed, **dict(zip(moving, remaining, strict=False)))
            return apply(target, given)

        return function, inputs

    def _thing(self, case):
        """Returns the object to call: the function, or the constructed object of a class."""
        if case.get("owner"):
            return None
        thing = resolve(self.ms, case["name"])
        if case.get("init") is not None:
            given = {k: self.values.build(t) for k, t in case["init"].items()}
            return self.opened(apply(thing, given))
        return thing

    def on_example(self, case):
        """Runs the documentation's example and compares its output."""
        return examples.run(self.ms, case)

    def call(self, case):
        """Make the call of a case and return its result."""
        if case.get("owner"):
            owner = self.opened(self.values.build(case["owner"]))
            thing = getattr(owner, case["name"].rsplit(".", 1)[-1])
            return _settle(apply(thing, {k: self.values.build(t) for k, t in case["call"].items()}))
        thing = self._thing(case)
        if case.get("call") is None:
            return thing if case.get("init") is None else _settle(thing)
        self.values.made = thing
        return _settle(apply(thing, {k: self.values.build(t) for k, t in case["call"].items()}))


def _end_saving(ms, seconds=10):
    """Waits until background threads have written their checkpoints; the folder is then deleted."""
    is_saving, end = getattr(ms, "async_ckpt_thread_status", None), time.monotonic() + seconds
    with contextlib.suppress(Exception):  # the save may fail, or the target may lack the function
        while is_saving() and time.monotonic() < end:
            time.sleep(0.01)


def _settle(result):
    """Wait for an asynchronous result, so that its error belongs to this case."""
    for item in result if isinstance(result, (tuple, list)) else (result,):
        if hasattr(item, "asnumpy") and hasattr(item, "shape"):
            item.asnumpy()
    return result


def _parameters(thing, is_method):
    """Returns the parameters of a call without the instance, under any name."""
    if isinstance(thing, type):
        return list(inspect.signature(thing.__init__).parameters.values())[1:]
    parameters = list(inspect.signature(thing).parameters.values())
    return (
        parameters[1:] if is_method or (parameters and parameters[0].name == "self") else parameters
    )


def _show(parameter):
    return str(parameter) if len(str(parameter)) < 60 else parameter.name


def _signature_difference(wanted, actual):
    """Returns None if the parameters match the documented ones, else the first difference."""
    wanted = signatures.parse(wanted)
    anything = [inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD]
    if [p.kind for p in actual] == anything or [kind for _, kind, _ in wanted] == [
        "args",
        "kwargs",
    ]:
        return None
    parameters = {p.name: p for p in actual}
    positional = [p.name for p in actual if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    position = 0
    for name, kind, default in wanted:
        if kind in ("args", "kwargs"):
            continue
        parameter = parameters.get(name)
        if parameter is None:
            return f"no parameter '{name}'"
        if kind == "positional":
            if position >= len(positional) or positional[position] != name:
                return f"'{name}' is not at position {position + 1}"
            position += 1
        if kind == "keyword" and name in positional:
            return f"'{name}' may be given by position"
        if (default is None) != (parameter.default is parameter.empty):
            return f"'{name}' {'has' if default is None else 'lacks'} a default"
        if default is not None and not _same_default(default, parameter.default):
            return f"'{name}' defaults to {parameter.default!r}, not {default}"
    extra = [
        p.name
        for p in actual
        if p.name not in {n for n, _, _ in wanted}
        and p.default is p.empty
        and p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)
    ]
    return f"'{extra[0]}' is required beyond the documented ones" if extra else None


def _same_default(text, value):
    text = text.replace("^", "**")  # pages write powers as 2^63-1
    try:
        wanted = eval(text, {"__builtins__": {}}, {"inf": float("inf")})  # noqa: S307  (a literal, or it fails)
    except Exception:  # enumerations, dtypes and lambdas cannot be compared here
        return True
    if callable(wanted):
        return callable(value)
    return (
        type(wanted) is type(value)
        and repr(wanted) == repr(value)
        or wanted == value
        and not isinstance(wanted, bool)
        and not isinstance(value, bool)
    )


def _end_with(parent):
    """Ends this process, whatever the target is doing in it, when the runner is gone."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


def main(arguments=None):
    """Serve cases until the input ends."""
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    parser = argparse.ArgumentParser()
    parser.add_argument("--target", required=True)
    parser.add_argument("--join", metavar="PORT", help="of a worker, as one of its ranks")
    options = parser.parse_args(arguments)
    channel = os.fdopen(os.dup(1), "w", buffering=1)
    sink = os.open(os.devnull, os.O_WRONLY)
    os.dup2(sink, 1)
    try:
        ms = targets.install(options.target)
    except BaseException as error:  # noqa: BLE001
        traceback.print_exc()
        print(json.dumps({"broken": describe(error)}), file=channel)
        return
    worker, limit = Worker(ms, os.getcwd()), memory.held() + ROOM
    if options.join:
        ranks.serve(ms, options.join, worker.run)
        return
    worker.ranks = ranks.Ranks(options.target, sys.orig_argv[1:], os.getcwd())
    about = {
        "release": str(getattr(ms, "__version__", "?")),
        "python": platform.python_version(),
        "system": platform.platform(terse=True),
    }
    print(json.dumps({"ready": about}), file=channel)
    for line in sys.stdin:
        result = worker.run(json.loads(line))
        if memory.is_beyond(limit):
            result["full"] = True
        print(json.dumps(result), file=channel)


if __name__ == "__main__":
    main()
