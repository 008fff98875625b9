"""Calls with one replaced argument end as in MindSpore 2.10: accepted, or with that exception.

The calls, and how outcomes are recorded, are in tests/recorded/swept_calls.py.
"""

import warnings

import pytest
from recorded import swept_calls

import mindspore_compat as ms

SWEPT = swept_calls.load()


@pytest.mark.parametrize("name", SWEPT)
def test_calls_end_as_in_the_original(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    wrong = []
    for init, call, owner, expected in SWEPT[name]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = swept_calls.outcome(ms, name, init, call, owner)
        if found != expected:
            wrong.append((init, call, owner, expected, found))
    assert not wrong
