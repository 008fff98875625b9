"""Reads damaged files of one reader in a process of its own.

Its reports are lines of JSON. Its folder has the valid files (`files`) and the corpus of earlier
children (`corpus`). The input being read is in `current`, and `file` names the file that it
replaces, so the parent has both if the input ends the process.

An input is new if it fails at new lines or runs new lines of the package. The former costs nothing.
Recording the latter makes a reader three to ten times slower, so it is limited to a quarter of the
time.
"""

import gc
import hashlib
import json
import os
import random
import re
import resource
import shutil
import signal
import sys
import threading
import time
import traceback
import warnings
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS.parent), str(TESTS / "reliability")]

import attack  # noqa: E402  (found through the line above)
import mutations  # noqa: E402

from tests.fuzz.coverage import edges  # noqa: E402

MOST_BYTES = 1 << 20  # limit for an input, or the size of its valid file if that is larger
SECONDS, WAIT = 10, 60  # limits for one input: processor time, elapsed time
SLOW = 1.0  # seconds of an input that does not join the corpus, which would slow down the rest
TRACED = 0.25  # fraction of the time in which lines are recorded
INTERVAL = 500  # inputs between checks of memory, open files and threads
LEFT_OPEN = 100  # this many more files or threads than at the start are a defect


class Child:
    """Makes and reads the inputs of one reader; keeps the corpus and the lines reached so far."""

    def __init__(self, name, folder, seed, reports):
        self.reader, self.folder, self.seed = attack.readers()[name], folder / "files", seed
        self.name, self.room, self.reports = name, folder, reports
        if not self.folder.exists():
            self.folder.mkdir()
            (folder / "corpus").mkdir()
            self.reader.make(self.folder)
            shutil.copytree(self.folder, folder / "valid")
        shutil.rmtree(self.folder)
        shutil.copytree(folder / "valid", self.folder)
        opened = attack.opened(self.reader.read, self.folder)
        self.files = sorted({*opened, *self.reader.targets})
        self.originals = {file: (folder / "valid" / file).read_bytes() for file in self.files}
        self.writes = any((self.folder / f).read_bytes() != c for f, c in self.originals.items())
        self.restore()
        self.corpus = {file: [content] for file, content in self.originals.items()}
        for number, file in enumerate(self.files):
            for path in sorted((folder / "corpus").glob(f"{number}.*")):
                self.corpus[file].append(path.read_bytes())
        self.draw, self.cases, self.damaged = random.Random(seed), 0, None
        self.known, self.places, self.kinds = set(), set(), set()
        self.spent = self.traced = 0.0

    def run(self, seconds, inputs):
        until = time.monotonic() + seconds
        self._look(first=True)
        while self.cases < inputs and time.monotonic() < until:
            self.one()
            if self.cases % INTERVAL == 0:
                self._look()
                self.say("progress")
        self._look()
        self.say("end")

    def one(self):
        """Makes an input, reads it and judges the outcome."""
        file = attack._chosen(self.files, self.draw)
        content = self.made(file)
        self.put(file, content)
        begin, found = time.perf_counter(), set()
        traces = self.traced <= TRACED * self.spent
        if traces:
            with edges() as found:
                verdict, places = self.judged()
        else:
            verdict, places = self.judged()
        took = time.perf_counter() - begin
        self.cases, self.spent = self.cases + 1, self.spent + took
        self.traced += took * traces
        if took < SLOW and (not found <= self.known or places not in self.places):
            self.known |= found
            self.places.add(places)
            self.keep(file, content)
        if verdict not in ("read", "refused"):
            self.wrong(verdict, file, content)

    def made(self, file):
        """Returns a damaged copy of a corpus entry, sometimes joined with the end of another
        entry."""
        draw, seed = self.draw, f"{self.seed} {self.cases}"
        base = self._base(file)
        inner, outer = (self.reader.wraps and self.reader.wraps(str(self.folder / file))) or (
            bytes,
            bytes,
        )
        try:
            content = inner(base)
            if draw.random() < 0.1:
                content = _spliced(content, inner(self._base(file)), draw)
            content = outer(mutations.mutated(content, seed))
        except Exception:  # the wrapping of the content is damaged: mutate the raw bytes
            content = mutations.mutated(base, seed)
        return content[: max(MOST_BYTES, len(self.originals[file]))]

    def _base(self, file):
        """Returns the valid file, a recent corpus entry, or any entry."""
        corpus, choice = self.corpus[file], self.draw.random()
        if choice < 0.2:
            return corpus[0]
        return self.draw.choice(corpus[-16:] if choice < 0.6 else corpus)

    def put(self, file, content):
        """Writes the input, and restores the file that the last input damaged."""
        if self.writes:
            self.restore()
        elif self.damaged not in (None, file):
            self.restore([self.damaged])
        if self.damaged != file:
            (self.room / "file").write_text(file)
        self.damaged = file
        (self.room / "current").write_bytes(content)
        _write(self.folder / file, content)

    def restore(self, files=None):
        for file in files or self.files:
            _write(self.folder / file, self.originals[file])

    def judged(self):
        """Reads the input; returns the outcome, and the lines of the failure."""
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        signal.setitimer(signal.ITIMER_REAL, WAIT)
        try:
            self.reader.read(self.folder)
            return "read", ()
        except attack.Hang:
            return "hang", ()
        except BaseException as error:
            signal.setitimer(signal.ITIMER_PROF, 0)
            verdict = attack._verdict(error, self.folder, self.reader.raises)
            return verdict, tuple(_places(error))
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.setitimer(signal.ITIMER_REAL, 0)

    def keep(self, file, content):
        """Adds an input to the corpus."""
        self.corpus[file].append(content)
        digest = hashlib.sha256(content).hexdigest()[:16]
        path = self.room / "corpus" / f"{self.files.index(file)}.{time.time_ns():x}.{digest}"
        path.write_bytes(content)

    def wrong(self, verdict, file, content):
        """Reports a failing input, only the first of each kind."""
        kind = re.sub(r"[0-9]+|'[^']*'|/.*", "", verdict)[:120]
        if kind not in self.kinds:
            self.kinds.add(kind)
            self.say("wrong", file=file, verdict=verdict, content=content.hex())

    def _look(self, first=False):
        """Limits the memory of the next inputs, and reports files and threads that earlier inputs
        left open."""
        gc.collect()
        most = attack._memory() + attack.MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (most, resource.RLIM_INFINITY))
        counts = {
            "open files": len(os.listdir("/proc/self/fd")),
            "threads": threading.active_count(),
        }
        if first:
            self.first = counts
        for what, count in counts.items():
            if count > self.first[what] + LEFT_OPEN:
                self.wrong(f"leak: {count} {what}", self.damaged, b"")

    def say(self, kind, **more):
        corpus = sum(map(len, self.corpus.values()))
        line = json.dumps({"kind": kind, "cases": self.cases, "corpus": corpus, **more})
        with open(self.reports, "wb", closefd=False) as pipe:
            pipe.write(line.encode() + b"\n")


def _write(path, content):
    path.unlink(missing_ok=True)
    path.write_bytes(content)


def _spliced(one, other, draw):
    return one[: draw.randint(0, len(one))] + other[draw.randint(0, len(other)) :]


def _places(error):
    """Yields the lines in the tracebacks of an error and its causes, innermost last."""
    while error is not None:
        trace = error.__traceback__
        yield type(error)
        while trace is not None:
            yield trace.tb_frame.f_code, trace.tb_lineno
            trace = trace.tb_next
        error = error.__cause__ or error.__context__


def begin(name, folder, seed, seconds, inputs, reports):
    """Reads inputs, and ends the process.

    Args:
        name (str): the reader.
        folder (Path): a folder that the children of a reader share.
        seed (int): chooses the damage.
        seconds (float): the time after which to stop.
        inputs (int): the number of inputs after which to stop.
        reports (int): the descriptor of a pipe to the parent.
    """
    printed = os.open(folder / "printed", os.O_CREAT | os.O_TRUNC | os.O_WRONLY)
    os.dup2(printed, 1)  # libraries print what they like
    os.dup2(printed, 2)
    try:
        warnings.simplefilter("ignore")
        for number in (signal.SIGALRM, signal.SIGPROF):
            signal.signal(number, attack._late)
        Child(name, folder, seed, reports).run(seconds, inputs)
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)
