"""The stand-in accepts and rejects the same names, parameters and calls as CuPy. CuPy's behaviour
is recorded in census.json and contract.json. Where CuPy is installed and computes, the records are
compared with it.
"""

import json

import pytest

import fakecupy
from fakecupy import census, contract, listing, releases
from mindspore_compat._backend import arrays

pytestmark = pytest.mark.host
needs_cupy = pytest.mark.skipif(not arrays.gpu_available(), reason="CuPy does not compute here")
TABLE = json.loads(contract.FILE.read_text(encoding="utf-8"))


def differences(found):
    """Returns the calls whose outcome differs from the record, each with the recorded and the new
    outcome."""
    wanted = contract.recorded()
    assert list(found) == list(wanted), "the calls have changed: record them again (contract.py)"
    return {text: (wanted[text], found[text]) for text in wanted if wanted[text] != found[text]}


def test_the_stand_in_takes_nothing_that_cupy_refuses_and_answers_alike():
    with fakecupy.installed() as cupy:
        found = differences(contract.record(cupy, contract.ufuncs_of_census()))
    # The stand-in may reject more than CuPy (NumPy arrays, functions that it lacks): a test that
    # needs them fails.
    wrong = {text: pair for text, pair in found.items() if not pair[1].startswith(contract.REFUSED)}
    assert not wrong, "\n".join(f"{text}: CuPy {a}, stand-in {b}" for text, (a, b) in wrong.items())


@needs_cupy
@pytest.mark.nightly
def test_cupy_does_what_is_recorded():
    import cupy

    if cupy.__version__ != TABLE["CuPy"]:
        pytest.skip(f"recorded on CuPy {TABLE['CuPy']}, this is {cupy.__version__}")
    assert not differences(contract.record(cupy, contract.ufuncs_of_census()))


@needs_cupy
def test_cupy_has_what_the_census_lists():
    assert not releases.missing(census.take(), listing.census())


@pytest.mark.parametrize(
    "listed, installed, fits",
    [
        ("function (a, axis=None)", "function (a, axis=None)", True),
        ("function (a, axis=None)", "function (a, axis=None, *, copy=None)", True),
        ("function (a, axis=None)", "function (a, *, axis=None)", False),
        ("function (a, axis=None)", "function (a, out=None, axis=None)", False),
        ("function (a, axis=None)", "function (a, dim=None)", False),
        ("function (a)", "function (a, b)", False),
        ("function (a, newshape)", "function (a, shape)", False),
        ("method (*shape, order='C')", "method (*shape, order='C', copy=None)", True),
        ("method (*shape, order='C')", "method (shape, order='C')", False),
        ("function (*operands, **kwargs)", "function (*operands, **kwargs)", True),
        ("ufunc 1 1 f->f", "ufunc 1 1 f->f d->d", True),
        ("ufunc 1 1 f->f d->d", "ufunc 1 1 f->f", False),
        ("ufunc 2 1 ff->f", "ufunc 1 1 f->f", False),
        ("property", "method ()", False),
        ("function", "ufunc 1 1 f->f", False),
    ],
)
def test_which_parameters_fit(listed, installed, fits):
    assert releases.accepts(installed, listed) == fits


def test_what_two_releases_have_in_common():
    old = {
        "f": "function (a)",
        "g": "function (a, b=1)",
        "u": "ufunc 1 1 f->f d->d",
        "old": "value",
    }
    new = {
        "f": "function (a, b=2)",
        "g": "function (b)",
        "u": "ufunc 1 1 d->d e->e",
        "new": "value",
    }
    assert releases.common(old, new) == {"f": "function (a)", "u": "ufunc 1 1 d->d"}
    assert releases.missing(new, old) == [
        ".g: function (a, b=1) is function (b)",
        ".u: ufunc 1 1 f->f d->d is ufunc 1 1 d->d e->e",
        ".old is missing",
    ]
