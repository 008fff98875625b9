"""Fuzzes readers of files: `python -m tests.fuzz READER... [--seconds 60] [--keep FOLDER]`.

The readers are those of tests/reliability (`python -m tests.fuzz --list`). Each is given damaged
versions of its valid files; a version that reaches new lines of the package joins the corpus, from
which later ones are made. An input counts as wrong if the process crashes, if it takes more than 20
seconds or 1 GiB, or if the error is not of the documented type or does not name the file. Wrong
inputs are stored below `--keep`, as READER/FILE.DIGEST.

A child process does the work, so that a crash ends only that one; it writes each input to the disk
before it reads it.
"""

import argparse
import hashlib
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "reliability")]

MOST_BYTES = 1 << 20  # of an input
SMALLEST_GAIN = 1  # new edges that let an input join the corpus


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("readers", nargs="*", metavar="READER", help="'all' for all of them")
    parser.add_argument("--seconds", type=float, default=60.0, help="for each reader")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path, default=Path("fuzz-findings"))
    parser.add_argument("--list", action="store_true", help="print the names of the readers")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        _work(options)
        return 0
    import attack

    names = sorted(attack.readers())
    if options.list:
        print("\n".join(names))
        return 0
    chosen = names if options.readers == ["all"] else options.readers
    unknown = sorted(set(chosen) - set(names))
    if unknown or not chosen:
        parser.error(f"READER must be among those of --list, but got {unknown or 'none'}.")
    return 1 if sum([_fuzz(name, options) for name in chosen]) else 0


def _fuzz(name, options):
    """Runs children until the time is over; prints a line, and returns the number of wrong
    inputs."""
    until, cases, corpus, wrong, seed = time.monotonic() + options.seconds, 0, 0, [], options.seed
    while (left := until - time.monotonic()) > 0.5:
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "tests.fuzz", name, f"--seconds={left}"]
            command += [f"--seed={seed}", f"--child={folder}"]
            child = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
            reports = [json.loads(line) for line in child.stdout.splitlines() if line[:1] == "{"]
            done = reports[-1] if reports and reports[-1]["kind"] == "end" else None
            counts = [report for report in reports if "cases" in report]
            if counts:
                cases, corpus = cases + counts[-1]["cases"], max(corpus, counts[-1]["corpus"])
            wrong += [
                (report["verdict"], _kept(options.keep, name, report["file"], report["content"]))
                for report in reports
                if report["kind"] == "wrong"
            ]
            current = Path(folder) / "current"
            if done is None and current.exists():
                verdict = f"the process ended with {child.returncode}"
                file = (Path(folder) / "file").read_text()
                wrong.append((verdict, _kept(options.keep, name, file, current.read_bytes().hex())))
            elif done is None:
                print(child.stderr, file=sys.stderr)
                raise RuntimeError(f"The child that reads {name} ended with {child.returncode}.")
        seed += 1
    print(f"{name}: {cases} inputs, {corpus} in the corpus, {len(wrong)} wrong", flush=True)
    for verdict, path in wrong:
        print(f"    {path}: {verdict}", flush=True)
    return len(wrong)


def _kept(keep, name, file, content):
    content = bytes.fromhex(content)
    path = keep / name / f"{Path(file).name}.{hashlib.sha256(content).hexdigest()[:12]}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


# In the child -------------------------------------------------------------------------------------


def _work(options):
    import attack
    import mutations

    from tests.fuzz.coverage import edges

    (name,) = options.readers
    reader, folder = attack.readers()[name], options.child / "files"
    folder.mkdir()
    reader.make(folder)
    files = sorted({*attack.opened(reader.read, folder), *reader.targets})
    originals = {file: (folder / file).read_bytes() for file in files}
    corpus = {file: [content] for file, content in originals.items()}
    signal.signal(signal.SIGALRM, attack._late)
    with edges() as known:
        attack.judged(lambda: reader.read(folder), folder, reader.raises)
    known, draw, cases, kinds = set(known), random.Random(options.seed), 0, set()
    until = time.monotonic() + options.seconds
    while time.monotonic() < until:
        file = attack._chosen(files, draw)
        path, content = folder / file, draw.choice(corpus[file])
        inner, outer = (reader.wraps and reader.wraps(str(path))) or (bytes, bytes)
        try:
            damaged = outer(mutations.mutated(inner(content), f"{options.seed} {cases}"))
        except Exception:  # what is around the content is damaged: taken as it is
            damaged = mutations.mutated(content, f"{options.seed} {cases}")
        damaged = damaged[:MOST_BYTES]
        (options.child / "file").write_text(file)
        (options.child / "current").write_bytes(damaged)
        attack._write(path, damaged)
        with edges() as found:
            verdict = attack.judged(lambda: reader.read(folder), folder, reader.raises)
        attack._write(path, originals[file])
        cases += 1
        if len(found - known) >= SMALLEST_GAIN:
            known |= found
            corpus[file].append(damaged)
        if verdict not in ("read", "refused") and verdict[:120] not in kinds:
            kinds.add(verdict[:120])
            _say(kind="wrong", file=file, verdict=verdict, content=damaged.hex())
        if cases % 20 == 0:
            _say(kind="progress", cases=cases, corpus=sum(map(len, corpus.values())))
    _say(kind="end", cases=cases, corpus=sum(map(len, corpus.values())))


def _say(**report):
    print(json.dumps(report), flush=True)


if __name__ == "__main__":
    sys.exit(main())
