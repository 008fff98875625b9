"""Damaged files: every reader reads them or rejects them by name, within limits of time and memory.

The readers and their valid files are in `readers_data` and `readers_files`, the damage in
`mutations`; `attack` runs the cases in their own processes.
"""

import collections
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import attack  # noqa: E402  (found through the line above)
import mutations  # noqa: E402

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="bounds memory as Linux can")


def assert_sound(folder, count):
    pytest.importorskip("cv2")
    pytest.importorskip("safetensors")
    names = list(attack.readers())
    found = attack.outcomes(folder, count, names)
    counts = collections.Counter(verdict.split(":")[0] for *_, verdict in found)
    wrong = [case for case in found if case[-1] not in ("read", "refused")]
    assert not wrong, f"{len(wrong)} of {len(found)}: {wrong[:20]}"
    assert counts["read"] > count and counts["refused"] > len(names) * count // 3
    assert {name for name, *_ in found} == set(names) and len(names) >= 60


def test_damaged_files_are_read_or_refused_by_name(tmp_path):
    assert_sound(tmp_path / "files", 12)


@pytest.mark.nightly
def test_many_damaged_files_are_read_or_refused_by_name(tmp_path):
    assert_sound(tmp_path / "files", 180)


def test_a_seed_chooses_the_damage():
    content = bytes(range(256)) * 3
    made = [mutations.mutated(content, f"x {number}") for number in range(50)]
    assert made == [mutations.mutated(content, f"x {number}") for number in range(50)]
    assert len(set(made)) > 40 and all(isinstance(each, bytes) for each in made)


class Faulty:
    """A reader that fails in a way that no other reader does."""

    def __init__(self, error):
        self.error = error

    def __call__(self):
        raise self.error


@pytest.mark.parametrize(
    "error, verdict",
    [
        (RuntimeError("/files/a.txt cannot be read"), "refused"),
        (RuntimeError("it cannot be read"), "unnamed"),
        (KeyError("/files/a.txt"), "raw"),
        (RecursionError("/files/a.txt"), "raw"),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "/files/a.txt"), "raw"),
        (TypeError("/files/a.txt"), "raw"),
        (MemoryError("/files/a.txt"), "growth"),
        (attack.Hang(), "hang"),
    ],
    ids=lambda value: getattr(type(value), "__name__", value),
)
def test_an_attack_tells_what_is_wrong(error, verdict):
    counts = attack.judged(Faulty(error), "/files", (RuntimeError, ValueError))
    assert counts.split(":")[0] == verdict
    assert attack.judged(lambda: None, "/files", (RuntimeError,)) == "read"


def test_an_attack_goes_on_after_a_crash(tmp_path, monkeypatch):
    script = tmp_path / "script.py"
    script.write_text(
        "import json, os, sys\n"
        "for name in sys.argv[3:]:\n"
        "    name, _, first = name.partition('@')\n"
        "    for case in range(int(first or 0), 2):\n"
        "        print(json.dumps([name, case, 'f', None]), flush=True)\n"
        "        if (name, case) == ('b', 0):\n"
        "            os.abort()\n"
        "        print(json.dumps([name, case, 'f', 'read']), flush=True)\n"
    )
    monkeypatch.setattr(attack, "__file__", str(script))
    found = attack.outcomes(tmp_path, 2, ["a", "b", "c"])
    assert [(name, case, verdict.split(":")[0]) for name, case, _, verdict in found] == [
        ("a", 0, "read"),
        ("a", 1, "read"),
        ("b", 0, "crash"),
        ("b", 1, "read"),
        ("c", 0, "read"),
        ("c", 1, "read"),
    ]
