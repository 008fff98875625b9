"""Damages the files of readers and records how each reader handled them; runs in its own process.

`outcomes` starts it and returns a verdict per case. The process, `python attack.py FOLDER COUNT
NAME...`, prints a line of JSON when a case begins and one when it ends, so that a fatal case is
known; another process then continues. A case may use one GiB more than the process had before, and
20 seconds.
"""

import json
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import warnings

sys.path[:0] = map(str, pathlib.Path(__file__).resolve().parents[:3])

import mutations  # noqa: E402  (found through the lines above)

_IMAGES = (".jpg", ".jpeg", ".png")
MEMORY, SECONDS = 1 << 30, 20


class Hang(BaseException):
    """A case took too long. No reader may catch it."""


def _late(*_):
    raise Hang


def opened(read, folder):
    """The files in a folder that a reader opens, observed during a read."""
    found = set()

    def watch(event, arguments):
        if event == "open" and isinstance(arguments[0], (str, bytes, os.PathLike)):
            path = os.path.abspath(os.fsdecode(arguments[0]))
            if watching and path.startswith(f"{folder}{os.sep}") and os.path.isfile(path):
                found.add(os.path.relpath(path, folder))

    watching = [True]
    sys.addaudithook(watch)
    read(folder)
    watching.clear()
    return {each for each in found if (folder / each).is_file()}


def _memory():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def judged(case, folder, raises):
    """The outcome of a case: "read", "refused", or a description of the failure."""
    resource.setrlimit(resource.RLIMIT_AS, (_memory() + MEMORY, resource.RLIM_INFINITY))
    signal.alarm(SECONDS)
    try:
        case()
        return "read"
    except Hang:
        return "hang"
    except BaseException as error:
        return _verdict(error, folder, raises)
    finally:
        signal.alarm(0)
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)


def _verdict(error, folder, raises):
    kind = type(error)
    own = kind in (RuntimeError, ValueError, TypeError, FileNotFoundError, NotImplementedError)
    own = own or kind.__module__.split(".")[0] in ("mindspore_compat", "conformance")
    text = f"{kind.__module__}.{kind.__name__}: {error}"[:300]
    cause = error
    while cause is not None:
        if isinstance(cause, MemoryError) or "OutOfMemory" in str(cause):
            return f"growth: {text}"
        if isinstance(cause, Hang):
            return "hang"
        cause = cause.__cause__ or cause.__context__
    if not own or not issubclass(kind, raises) and kind.__module__ != "conformance.errors":
        return f"raw: {text}"
    if str(folder) not in str(error):
        return f"unnamed: {text}"
    return "refused"


def attack(reader, name, folder, count, only=None):
    """Yields (case, file, verdict) of each mutation; the verdict is None when the case begins."""
    folder.mkdir(parents=True)
    reader.make(folder)
    files = sorted({*opened(reader.read, folder), *reader.targets})
    if not files:
        raise LookupError(f"{name} reads no file")
    for number in range(count) if only is None else only:
        path = folder / _chosen(files, random.Random(f"{name} {number}"))
        content = path.read_bytes()
        inner, outer = (reader.wraps and reader.wraps(str(path))) or (bytes, bytes)
        damaged = outer(mutations.mutated(inner(content), f"{name} {number}"))
        if damaged == content:
            continue
        yield number, path.name, None
        before = {each: each.read_bytes() for each in (folder / file for file in files)}
        _write(path, damaged)
        yield number, path.name, judged(lambda: reader.read(folder), folder, reader.raises)
        for each, stored in before.items():
            _write(each, stored)


def _chosen(files, draw):
    """Chooses a file; files that describe images are chosen more often than images."""
    others = [each for each in files if not each.lower().endswith(_IMAGES)]
    return draw.choice(others if others and draw.random() < 0.8 else files)


def _write(path, content):
    if not path.exists() or path.read_bytes() != content:
        path.unlink(missing_ok=True)
        path.write_bytes(content)


def outcomes(folder, count, names):
    """[(reader, case, file, verdict)] of `count` cases of each reader."""
    found, waiting = [], list(names)
    while waiting:
        with tempfile.TemporaryFile("w+") as printed:
            command = [sys.executable, __file__, str(folder), str(count), *waiting]
            process = subprocess.run(
                command,
                stdout=printed,
                stderr=subprocess.PIPE,
                check=False,
                env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
            )
            printed.seek(0)
            lines = [json.loads(line) for line in printed]
        found += [tuple(line) for line in lines if line[-1] is not None]
        if process.returncode == 0:
            return found
        if not lines or lines[-1][-1] is not None:
            raise RuntimeError(process.stderr.decode(errors="replace")[-3000:])
        name, number, file, _ = lines[-1]
        found.append((name, number, file, f"crash: {process.returncode}"))
        at = [each.partition("@")[0] for each in waiting].index(name)
        waiting = [f"{name}@{number + 1}", *waiting[at + 1 :]]
    return {each for each in found if (folder / each).is_file()}


def readers():
    """All readers, by name."""
    import readers_data  # noqa: F401 - fills the table
    import readers_files  # noqa: F401
    import readers_further  # noqa: F401
    from registry import READERS

    return READERS


def main(folder, count, *names):
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, _late)
    sys.stdout.reconfigure(line_buffering=True)
    out, sys.stdout = sys.stdout, sys.stderr
    known = readers()
    for name in names or known:
        name, _, first = name.partition("@")
        room = pathlib.Path(folder) / name.replace(" ", "_").replace("/", "_")
        shutil.rmtree(room, ignore_errors=True)
        numbers = range(int(first or 0), int(count))
        for printed in attack(known[name], name, room, int(count), numbers):
            print(json.dumps([name, *printed]), file=out)
        shutil.rmtree(room)


if __name__ == "__main__":
    main(*sys.argv[1:])
