"""The machine code of CUDA texts: NVRTC compiles them, and nvdisasm lists the instructions.

Neither needs a GPU. nvdisasm is looked for where NVIDIA's wheel (`pip install
nvidia-cuda-nvdisasm`, 4 MB) installs it, and in the PATH.
"""

import functools
import importlib.util
import pathlib
import re
import shutil
import subprocess
import tempfile
from typing import NamedTuple

from . import nvrtc

_LABEL = re.compile(r"^(\.L\w+):")
_INSTRUCTION = re.compile(r"^\s+/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([\w.]+)(.*);")
_TARGET = re.compile(r"`\((\.L\w+)\)")


class Instruction(NamedTuple):
    """An instruction: its name with modifiers, such as "LDG.E.128", and the index of its branch
    target, or None."""

    name: str
    target: int | None


@functools.cache
def tool():
    """Returns the path of nvdisasm, or None if it or NVRTC is not installed."""
    if nvrtc.library() is None:
        return None
    spec = importlib.util.find_spec("nvidia")
    roots = spec.submodule_search_locations if spec else ()
    paths = [pathlib.Path(root, "cu13/bin/nvdisasm") for root in roots]
    return next((str(path) for path in paths if path.exists()), shutil.which("nvdisasm"))


def listing(text, architecture):
    """Returns the instructions of a CUDA text with one kernel, without the padding at its end.

    Args:
        text (str): the CUDA text.
        architecture (int): the compute capability, such as 90.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "kernel.cubin")
        path.write_bytes(nvrtc.binary(text, architecture))
        command = [tool(), "-c", path]
        shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    labels, rows = {}, []
    for line in shown.splitlines():
        if label := _LABEL.match(line):
            labels[label[1]] = len(rows)
        elif instruction := _INSTRUCTION.match(line):
            target = _TARGET.search(instruction[2]) if "BRA" in instruction[1] else None
            rows.append((instruction[1], target and target[1]))
    instructions = [Instruction(name, labels.get(target)) for name, target in rows]
    return [row for at, row in enumerate(instructions) if row.name != "NOP" and row.target != at]


def loops(instructions):
    """Returns the first and the last index of each loop, the outermost first."""
    spans = {}
    for at, row in enumerate(instructions):
        if row.target is not None and row.target < at:
            spans[row.target] = max(at, spans.get(row.target, 0))
    return sorted(spans.items(), key=lambda span: span[0] - span[1])


def executed(instructions, rounds):
    """Returns the number of instructions that a thread executes if it takes no forward branch.

    Args:
        instructions: a listing whose loops are all nested in each other.
        rounds: the number of iterations of each loop per iteration of the enclosing loop, the
            outermost loop first.
    """
    total, spans = 0, loops(instructions)
    assert len(spans) == len(rounds), spans
    for at in range(len(instructions)):
        times = 1
        for (first, last), count in zip(spans, rounds, strict=True):
            times *= count if first <= at <= last else 1
        total += times
    return total
