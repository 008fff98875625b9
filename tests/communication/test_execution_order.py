"""The check of the files that list the communication operators called by each rank."""

import importlib

import pytest

import mindspore_compat as ms
from mindspore_compat import log
from mindspore_compat.utils import comm_exec_order_check, runtime_execution_order_check

order = importlib.import_module("mindspore_compat.utils.runtime_execution_order_check")
HEADER = ",".join(order._COLUMNS)


@pytest.fixture
def errors(monkeypatch):
    found = []
    monkeypatch.setattr(log, "error", lambda text, *args, **keywords: found.append(text % args))
    return found


def call(primitive, source="", target="", root=""):
    return f"1,g,0 1,{primitive},{source},{target},{root},(4),float32,(4),float32,16,16"


def run_of(folder, calls):
    """Writes the files of a run: the calls of each rank."""
    for rank, lines in calls.items():
        inside = folder / f"rank_{rank}" / "execute_order"
        inside.mkdir(parents=True)
        (inside / "comm_execute_order.csv").write_text("\n".join([HEADER, *lines, ""]))
    return str(folder)


def test_names_of_calls(tmp_path):
    calls = [
        call("AllReduce"),
        call("Send", "0", "1"),
        call("AllReduce"),
        call("Broadcast", root="0"),
    ]
    folder = run_of(tmp_path, {0: calls, 1: [call("Receive", "0", "1")]})
    assert order.modify_execute_orders(order.RankFolderParser(folder).parse()) == {
        "0": [
            "AllReduce_g_(0,1)_1th",
            "Send_Receive_g_(0)->(1)_(4)_1th",
            "AllReduce_g_(0,1)_2th",
            "Broadcast_g_commRank:(0,1)_rootRank:(0)_1th",
        ],
        "1": ["Send_Receive_g_(0)->(1)_(4)_1th"],
    }
    assert order.modify_execute_orders({"0": None}) == {"0": []}


A, B = call("AllReduce"), call("AllGather")


@pytest.mark.parametrize(
    "calls, expected",
    [
        ({0: [A, B], 1: [A, B]}, []),
        ({0: [call("Send", "0", "1")], 1: [call("Receive", "0", "1")]}, []),
        ({0: [A, B], 1: [A]}, ["Rank 1 does not call AllGather_g_(0,1)_1th, but rank 0 does."]),
        (
            {0: [A]},
            ["Nothing is known of the ranks ['1'], which take part in AllReduce_g_(0,1)_1th."],
        ),
        (
            {0: [A, B], 1: [B, A]},
            [
                "Calls wait for each other: AllReduce_g_(0,1)_1th -> AllGather_g_(0,1)_1th -> "
                "AllReduce_g_(0,1)_1th",
                "Rank 0 AllReduce_g_(0,1)_1th -> AllGather_g_(0,1)_1th",
                "Rank 1 AllGather_g_(0,1)_1th -> AllReduce_g_(0,1)_1th",
            ],
        ),
    ],
    ids=["same", "peers", "missing", "unknown", "cycle"],
)
def test_what_is_found(tmp_path, errors, calls, expected):
    assert runtime_execution_order_check(run_of(tmp_path, calls)) is None
    assert errors == expected


def test_some_ranks_only(tmp_path, errors):
    runtime_execution_order_check(run_of(tmp_path, {0: [A], 7: []}), all_rank=False)
    runtime_execution_order_check([str(tmp_path / "rank_0"), str(tmp_path / "rank_7")])
    assert errors == []


def test_long_runs_have_no_cycle():
    calls = [str(number) for number in range(5000)]
    assert order.detect_cycle_in_graph({"0": calls, "1": calls}) == (None, None)
    cycle, steps = order.detect_cycle_in_graph({"0": [*calls, "10"]})
    assert cycle[0] == cycle[-1] == "10" and steps[-1] == "0 4999 -> 10"


def test_files_that_are_left_out(tmp_path, errors):
    run_of(tmp_path, {0: [A]})
    (tmp_path / "rank_0/execute_order/comm_execute_order.csv").write_text("index,group\n1,2\n")
    (tmp_path / "rank_1").mkdir()
    assert order.RankFolderParser([str(tmp_path)]).parse() == {}
    assert "its columns must be" in errors[0] and "cannot be read" in errors[1]
    runtime_execution_order_check(str(tmp_path))
    assert "There are no calls of ranks" in errors[-1]


def test_folders_without_ranks(tmp_path):
    with pytest.raises(ValueError, match="Path does not exist"):
        runtime_execution_order_check(str(tmp_path / "a"))
    with pytest.raises(ValueError, match="No rank_x folders found"):
        runtime_execution_order_check(str(tmp_path))


def test_watching_a_run_of_one_process(errors):
    comm_exec_order_check("end")
    comm_exec_order_check("start")
    comm_exec_order_check("start")
    comm_exec_order_check("end")
    assert errors == [
        "The 'end' action cannot be called before the 'start' action.",
        "The 'start' action cannot be called twice.",
    ]
    with pytest.raises(ValueError, match="'action' must be 'start' or 'end'"):
        ms.utils.comm_exec_order_check("stop")
    with pytest.raises(TypeError, match="'action' must be a str"):
        ms.utils.comm_exec_order_check(3)
