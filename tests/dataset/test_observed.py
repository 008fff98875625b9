"""Transforms and pipelines give the results observed in MindSpore 2.10, bit for bit.

The calls, and how results are written, are in tests/recorded/dataset_calls.py. Calls for which this
package differs on purpose are listed below with the reason.
"""

import json

import pytest
from recorded import dataset_calls

import mindspore_compat
from mindspore_compat import standin

CASES = [json.loads(line) for line in dataset_calls.FILE.read_text().splitlines()]


@pytest.fixture(scope="module")
def known():
    standin.install()
    try:
        yield dataset_calls.names(mindspore_compat)
    finally:
        standin.uninstall()


@pytest.mark.parametrize("kind, call, wanted", CASES, ids=[case[1] for case in CASES])
def test_a_call_gives_what_the_original_gives(known, kind, call, wanted):
    if kind == "picture":
        pytest.importorskip("PIL")
    assert dataset_calls.outcome(kind, call, known) == wanted
