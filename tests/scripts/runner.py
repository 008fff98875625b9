"""Runs cases on public scripts, each in its own process, and compares their records.

Scripts share module names (`src.config`) and change settings of the process. Every run is therefore
forked from a process that has imported MindSpore. The answers of real MindSpore are recorded by

    MINDSPORE_SCRIPTS=FOLDER PYTHON_OF_MINDSPORE tests/scripts/runner.py [--only TEXT]

which adds the cases missing in `answers.json`, or rewrites those that `--only` names.
"""

import argparse
import contextlib
import hashlib
import json
import os
import pathlib
import re
import select
import signal
import sys
import time

import numpy as np

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from scripts import harness, table  # noqa: E402  (found through the line above)

FOLDER = "MINDSPORE_SCRIPTS"  # the environment variable that names the folder of the scripts
MODES = ("pynative", "graph")
OURS = (str(HERE), str(HERE.parent))  # what scripts must not import from


def prepare(ms, root, folders, mode):
    """Sets paths, working directory and mode as if the script itself had been started."""
    ms.set_context(mode=ms.GRAPH_MODE if mode == "graph" else ms.PYNATIVE_MODE)
    ms.set_context(device_target="CPU")
    ms.set_seed(1)
    np.random.seed(1)
    sys.path[:] = [p for p in sys.path if os.path.abspath(p or ".") not in OURS]
    sys.meta_path.append(harness.AbsentPackages())
    for folder in reversed(folders):
        sys.path.insert(0, os.path.join(root, folder))
    os.chdir(os.path.join(root, folders[0]))
    sys.argv = ["script"]


def run(case, ms, root, mode, noise=0.0):
    """The record of a case in this process; an error becomes its last line."""
    kit = harness.Kit(ms, root, noise)
    try:
        prepare(ms, root, case.folders, mode)
        case.function(kit)
        record = kit.record
        names = record.pop("parameters", None)
        if names is not None:
            record["parameters"] = hashlib.sha1("\n".join(names).encode()).hexdigest()[:12]
            record["names"] = names
        return record
    except (Exception, SystemExit) as error:
        text = re.sub(r"\s+", " ", str(error))[:300]
        return {"error": f"{type(error).__name__}: {text}"}


def forked(work, seconds):
    """Returns the JSON result of `work()` in a forked child, which is ended after some seconds."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.close(reader)
        os.setsid()
        silent = os.open(os.devnull, os.O_WRONLY)
        if not os.environ.get("SCRIPTS_SHOW"):
            os.dup2(silent, 1)
            os.dup2(silent, 2)
        with os.fdopen(writer, "w") as file:
            json.dump(work(), file)
        os._exit(0)
    os.close(writer)
    try:
        return read_until(reader, seconds)
    finally:
        with contextlib.suppress(OSError):
            os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)


def read_until(reader, seconds):
    end, chunks = time.monotonic() + seconds, []
    with os.fdopen(reader, "rb", buffering=0) as file:
        while True:
            left = end - time.monotonic()
            if left <= 0 or not select.select([file], [], [], left)[0]:
                return {"error": f"took more than {seconds} s"}
            chunk = file.read(1 << 16)
            if not chunk:
                break
            chunks.append(chunk)
    text = b"".join(chunks)
    return json.loads(text) if text else {"error": "the process ended without an answer"}


# Comparing.

TOLERANCE = 1e-3


def near(real, ours, tolerance, scale=0.0):
    if isinstance(real, str) or isinstance(ours, str):
        return real == ours
    return abs(real - ours) <= tolerance * max(abs(real), scale)


def differences(real, ours, tolerance=TOLERANCE):
    """Describes the differences between a run and its record; empty if there are none."""
    if "error" in ours:
        return [ours["error"]]
    found = []
    if real.get("parameters") != ours.get("parameters"):
        found.append("names, shapes or dtypes of parameters")
    for key, value in real.get("outputs", {}).items():
        other = ours.get("outputs", {}).get(key)
        if other is None or value[:3] != other[:3]:
            found.append(f"{key} {value[:3]} here {other and other[:3]}")
        elif value[3:]:
            scale = sum(abs(x) for x in value[3:5] if not isinstance(x, str)) + 1e-6
            if not all(near(*pair, tolerance, scale) for pair in zip(value[3:], other[3:])):
                found.append(f"{key} {value[3:]} here {other[3:]}")
    losses, others = real.get("losses", []), ours.get("losses", [])
    if len(losses) != len(others) or not all(
        near(*pair, tolerance, 1e-3) for pair in zip(losses, others)
    ):
        found.append(f"losses {losses} here {others}")
    for group, (size, total) in real.get("moved", {}).items():
        other = ours.get("moved", {}).get(group, [0.0, 0.0])
        if not near(size, other[0], 10 * tolerance, 1e-6) or not near(
            total, other[1], 10 * tolerance, size if not isinstance(size, str) else 0.0
        ):
            found.append(f"weights moved {[size, total]} here {other}")
    return found


def numbers(record):
    """All numbers of a record in one order."""
    flat = [*record.get("losses", [])]
    for value in record.get("outputs", {}).values():
        flat += value[3:]
    for value in record.get("moved", {}).values():
        flat += value
    return np.array([x if not isinstance(x, str) else np.nan for x in flat], "float64")


def chaotic(real, ours, moved):
    """Whether the difference is at most the change of a run whose weights are perturbed by rounding
    errors."""
    if (
        any("error" in r for r in (real, ours, *moved))
        or "parameters" in real
        and (real["parameters"] != ours["parameters"])
    ):
        return False
    real, ours, *moved = (numbers(r) for r in (real, ours, *moved))
    if len({r.shape for r in (real, ours, *moved)}) > 1:
        return False
    own = np.max([np.abs(ours - r) for r in moved], axis=0)
    return bool(np.all(np.abs(real - ours) <= 30 * own + 1e-5 * np.maximum(1, np.abs(real))))


# Answers.

ANSWERS = HERE / "answers.json"
SAME = "same"


def answers():
    """The recorded answers, by case and mode; SAME stands for those of the first mode."""
    return json.loads(ANSWERS.read_text()) if ANSWERS.exists() else {}


def answer(recorded, mode):
    """Real MindSpore's record of a case in a mode; None if the case runs in neither mode."""
    for name in (mode, *MODES):
        found = recorded.get(name, {})
        if found != SAME and found and "error" not in found:
            return found
    return None


def write(found):
    """Writes all answers, one case per line, to a temporary file that then replaces the old one."""
    lines = [f"{json.dumps(name)}: {json.dumps(found[name])}" for name in sorted(found)]
    temporary = ANSWERS.with_suffix(".tmp")
    temporary.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    os.replace(temporary, ANSWERS)


def short(record, first):
    """Returns a shorter record: without the list of names, and with the type of an error only.
    Returns SAME if the record equals `first`, that of the first mode."""
    record.pop("names", None)
    if "error" in record:
        return {"error": record["error"].split(":")[0]}
    if first and "error" not in first and not differences(first, record, 1e-5):
        return SAME
    return record


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="text in the names of the cases to run")
    parser.add_argument("--seconds", type=int, default=60, help="the limit of one run")
    options = parser.parse_args()
    import mindspore as ms
    import mindspore.nn  # noqa: F401  (before forking, which saves its time in every child)

    found = answers()
    for name, case in table.cases().items():
        for mode in MODES:
            recorded = found.setdefault(name, {})
            if options.only in name and (options.only or mode not in recorded):
                record = forked(lambda: run(case, ms, os.environ[FOLDER], mode), options.seconds)
                print(name, mode, record.get("error", ""), flush=True)
                recorded[mode] = short(record, {} if mode == MODES[0] else recorded[MODES[0]])
                write(found)


if __name__ == "__main__":
    main()
