"""Calls with odd arguments end as in MindSpore 2.10: accepted, or with an exception of that name.

The calls, and how outcomes are recorded, are in tests/recorded/argument_calls.py.
"""

import json

import pytest
from recorded import argument_calls

import mindspore_compat as ms

OBSERVED = json.loads(argument_calls.FILE.read_text("utf-8"))


@pytest.fixture(scope="module")
def known():
    return argument_calls.names(ms)


def test_all_calls_are_observed():
    assert list(OBSERVED) == list(argument_calls.calls())


@pytest.mark.parametrize("call", OBSERVED)
def test_a_call_ends_as_in_the_original(known, tmp_path, monkeypatch, call):
    monkeypatch.chdir(tmp_path)
    assert argument_calls.outcome(call, known) == OBSERVED[call]
