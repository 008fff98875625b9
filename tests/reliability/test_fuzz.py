"""The fuzzer finds the faults of a reader, and inputs that it once found are handled correctly."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS.parent), str(TESTS / "reliability")]

import attack  # noqa: E402  (found through the line above)

from tests.fuzz.coverage import edges  # noqa: E402
from tests.fuzz.inputs import INPUTS, NAMED  # noqa: E402

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="bounds memory as Linux can")


@pytest.mark.parametrize("name, file, content", INPUTS)
def test_inputs_that_were_wrong_are_read_or_refused(name, file, content, tmp_path):
    if name not in attack.readers():
        pytest.skip("needs an optional library")
    before = signal.signal(signal.SIGALRM, attack._late)
    try:
        reader = attack.readers()[name]
        reader.make(tmp_path)
        attack._write(tmp_path / file, content)
        verdict = attack.judged(lambda: reader.read(tmp_path), tmp_path, reader.raises)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert verdict in ("read", "refused")


@pytest.mark.parametrize("name, file, content", NAMED)
def test_the_error_names_the_damaged_file(name, file, content, tmp_path):
    reader = attack.readers()[name]
    reader.make(tmp_path)
    attack._write(tmp_path / file, content)
    with pytest.raises(reader.raises) as caught:
        reader.read(tmp_path)
    assert str(tmp_path / file) in str(caught.value)


def test_edges_tell_branches_apart(tmp_path):
    from mindspore_compat._io.compressed import inflate

    with edges() as one:
        with pytest.raises(ValueError):
            inflate(b"no", 1)
    with edges() as other:
        inflate(b"x\x9cc\x00\x00\x00\x01\x00\x01", 1)
    assert one - other and other - one


def test_the_program_fuzzes_a_reader(tmp_path):
    command = [sys.executable, "-m", "tests.fuzz", "mnist", "--seconds", "2", "--keep", "kept"]
    run = subprocess.run(
        [*command[:-1], str(tmp_path)], cwd=TESTS.parent, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("mnist: ") and "0 wrong" in run.stdout
