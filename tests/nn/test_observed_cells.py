"""Cells and Parameters against the observed behaviour of MindSpore 2.10 (CPU).

tests/data/observed_cells.jsonl has, for each line of layer_cases.py and loss_cases.py, what the
layer prints, its parameters, and digests of its results and gradients, all with given weights.
tests/data/observed_sessions.jsonl has lines of Python and their outcomes. Lines for which this
package differs on purpose have no outcome. With MINDSPORE_ORACLE set, both files are compared with
that interpreter again.
"""

import json
import pathlib
import sys

import pytest

import mindspore_compat as ms

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))

import compare_cells  # noqa: E402  (found through the line above)
import layer_cases  # noqa: E402
import loss_cases  # noqa: E402
import replay  # noqa: E402

DATA = HERE.parent / "data"
TABLES = (layer_cases, loss_cases)
LINES = [line for table in TABLES for line in compare_cells.split(table.CASES)]
NO_GRADIENT = set().union(*(table.NO_GRADIENT for table in TABLES))
OBSERVED = {
    each.pop("case"): each
    for each in map(json.loads, (DATA / "observed_cells.jsonl").read_text().splitlines())
}
SESSIONS = replay.sessions(DATA / "observed_sessions.jsonl")


def test_tables_and_observations_have_the_same_cases():
    assert [name for name, _, _ in LINES] == list(OBSERVED)


@pytest.mark.parametrize("line", LINES, ids=lambda line: line[0])
def test_cell(space, line):
    name, constructor, inputs = line
    found = compare_cells.run_case(ms, constructor, inputs, name not in NO_GRADIENT)
    for part, expected in OBSERVED[name].items():
        assert compare_cells.close(json.loads(json.dumps(found[part])), expected), part


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("session", SESSIONS, ids=lambda session: session["session"])
def test_session(session):
    found = replay.replay(ms, session["items"])
    wrong = [
        (item, one)
        for item, one in zip(session["items"], found)
        if len(item) > 1 and not replay.same({**item, **one}, item)
    ]
    assert not wrong


def test_cells_in_the_original(oracle):
    text = (HERE / "compare_cells.py").read_text()
    found = json.loads(oracle(text, json.dumps([LINES, sorted(NO_GRADIENT)])).splitlines()[-1])
    assert [name for name in OBSERVED if not compare_cells.close(found[name], OBSERVED[name])] == []


def test_sessions_in_the_original(oracle):
    text = (HERE / "replay.py").read_text()
    found = json.loads(oracle(text, DATA / "observed_sessions.jsonl").splitlines()[-1])
    wrong = [
        item
        for session, ones in zip(SESSIONS, found)
        for item, one in zip(session["items"], ones)
        if len(item) > 1 and not replay.same({**item, **one}, item)
    ]
    assert wrong == []
