"""The sizes of tiles.py in compiled loops: how many numbers a vector of the processor has, how many
rows of a product fit its registers.

Numba's target determines them, but its import takes a second and 65 MB. They are therefore stored
beside the loops, for processes that load these without Numba.
"""

import contextlib
import functools
import hashlib
import inspect
import json

from . import disk_cache

_SUFFIX = ".sizes"


@functools.cache
def sizes():
    """Returns LANES, ROWS and the other sizes, by name, for code that Numba compiles on this
    host."""
    name = hashlib.sha256(inspect.getsource(sizes_of).encode()).hexdigest()[:16]
    stored = disk_cache.read(name, _SUFFIX)
    if stored is not None:
        return json.loads(stored)
    from numba.core.registry import cpu_target

    triple, _, features = cpu_target.target_context.codegen().magic_tuple()
    found = sizes_of(triple, features)
    with contextlib.suppress(OSError):  # for example a container's read-only home folder
        disk_cache.write(name, json.dumps(found).encode(), _SUFFIX)
    return found


def sizes_of(triple, features):
    """Returns the sizes of `sizes` for a processor, given by LLVM's target triple and names of
    features."""
    features = features.split(",")
    wide, x86 = "+avx512f" in features, triple.startswith(("x86", "i686"))
    has_32_registers = wide or not x86  # 32 registers, else 16
    return {
        "LANES": 16 if wide else 8 if "+avx" in features else 4,
        "ROWS": 8 if has_32_registers else 4,
        "VECTORS": 3,
        "DOT_ROWS": 4 if has_32_registers else 3,
        "STREAMS": 6 if has_32_registers else 4,
    }
