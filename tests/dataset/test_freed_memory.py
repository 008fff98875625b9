"""A pipeline reuses the memory of rows that are no longer used."""

import platform
import subprocess
import sys
import textwrap

import pytest

EPOCHS = """
    import resource
    import numpy as np
    from mindspore_compat import dataset as ds

    def normalized(row):
        centered = row.astype(np.float32) - row.mean()
        return (centered / centered.std()).transpose(2, 0, 1).copy()

    row = np.random.default_rng(0).integers(0, 256, (224, 224, 3), np.uint8)
    data = ds.GeneratorDataset([(row,)] * 200, ["row"]).map(normalized, num_parallel_workers=2)

    def faults():
        return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

    counts = []  # a reader that waits for the processor has more rows in memory
    for _ in range(4):
        before = faults()
        assert sum(1 for _ in data.create_tuple_iterator(num_epochs=1, output_numpy=True)) == 200
        counts.append(faults() - before)
    pages = row.size * 4 // resource.getpagesize()
    assert min(counts[1:]) < 20 * pages, f"{counts} of 200 rows of {pages} pages"
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="its settings of malloc")
def test_rows_take_memory_that_earlier_rows_have_freed():
    code = textwrap.dedent(EPOCHS)
    run = subprocess.run([sys.executable, "-c", code], timeout=300, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr[-3000:]
