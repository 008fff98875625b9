"""The operators that the benchmark measures run in the package, and its exponents are right."""

import importlib
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parent / "bench"


@pytest.fixture(scope="module")
def bench():
    """Imports modules of the benchmark, which import each other by name."""
    before, path = set(sys.modules), list(sys.path)
    sys.path.insert(0, str(BENCH))
    yield importlib.import_module
    sys.path[:] = path
    for name in set(sys.modules) - before:
        if Path(getattr(sys.modules[name], "__file__", None) or "").parent == BENCH:
            del sys.modules[name]


def test_every_operator_runs(bench):
    worker, table = bench("operator_worker"), bench("operator_table")
    package = worker.Package()
    assert len(table.lines()) > 200
    for name, *_ in table.lines():
        for backward in (False, True):
            request = {"name": name, "size": 1024, "backward": backward}
            assert worker.made(package, request)() is not None, name


@pytest.mark.parametrize(
    "times, found", [((1, 4, 16, 64), 1), ((1, 16, 256, 4096), 2), ((5, 5, 6, 24), 0.38)]
)
def test_exponents(times, found, bench):
    assert bench("growth").exponent(times) == pytest.approx(found, abs=0.01)


def test_training_steps_of_growing_size_run(bench):
    import mindspore_compat as ms

    for make, _ in bench("growth").CASES.values():
        make(ms, 4)()


@pytest.mark.parametrize("count", [2, 4])
def test_ranks_hold_and_receive_what_the_formulas_say(count, bench):
    parallel = bench("parallel")
    for form in parallel.FORMS:
        found = parallel.measured(form, count)[count // 2]
        parallel.check(form, count, found, parallel.formulas(form, count))
    with pytest.raises(SystemExit, match="ring on 2 ranks: 3 bytes received instead of 2"):
        parallel.check("ring", 2, (1, 3), (1, 2))
