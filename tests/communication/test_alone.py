"""mindspore.communication in one process without a launcher: results and rejected calls."""

import subprocess
import sys

import numpy
import pytest

from mindspore_compat import Tensor, communication, ops
from mindspore_compat._backend.ranks import collective, launcher
from mindspore_compat._c_expression import GroupOptions
from mindspore_compat.communication import comm_func

pytestmark = pytest.mark.quick

LAUNCHER = [name for row in launcher.LAUNCHERS for name in row]


@pytest.fixture(autouse=True)
def no_launcher(monkeypatch):
    for name in LAUNCHER:
        monkeypatch.delenv(name, raising=False)


def tensor():
    return Tensor(numpy.arange(6, dtype=numpy.float32).reshape(2, 3))


def test_rank_0_of_1_without_init():
    assert communication.get_rank() == 0
    assert communication.get_group_size() == 1
    assert communication.get_local_rank() == 0
    assert communication.get_local_rank_size() == 1
    assert communication.get_rank("any group") == 0
    assert communication.GlobalComm.INITED is False


def test_a_launcher_of_one_rank_needs_no_mpi(monkeypatch):
    for name, value in (("PMI_RANK", "0"), ("PMI_SIZE", "1")):
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(collective, "mpi", lambda: pytest.fail("MPI was loaded"))
    communication.init()
    try:
        found, _ = comm_func.all_reduce(tensor())
        numpy.testing.assert_array_equal(found.asnumpy(), tensor().asnumpy())
    finally:
        communication.release()


@pytest.mark.parametrize("row", launcher.LAUNCHERS, ids=lambda row: row[0])
def test_launcher_is_asked_before_init(row, monkeypatch):
    for name, value in zip(row, ("3", "8", "1"), strict=True):
        monkeypatch.setenv(name, value)
    assert communication.get_rank() == 3
    assert communication.get_group_size() == 8
    assert communication.get_local_rank() == 1


def test_exchanges_of_a_process_alone_without_init():
    same = tensor().asnumpy()
    assert (comm_func.all_reduce(tensor())[0].asnumpy() == same).all()
    assert (comm_func.broadcast(tensor()).asnumpy() == same).all()
    assert (ops.AllGather()(tensor()).asnumpy() == same).all()
    assert (ops.ReduceScatter("max")(tensor()).asnumpy() == same).all()
    assert comm_func.barrier() is None


@pytest.mark.parametrize("exchange", ["send", "recv", "isend", "irecv"])
def test_a_group_of_one_has_nobody_to_exchange_with(exchange, monkeypatch):
    for name, value in zip(launcher.LAUNCHERS[0], ("0", "1", "0"), strict=True):
        monkeypatch.setenv(name, value)
    communication.init()
    try:
        with pytest.raises(RuntimeError, match=f"For '{exchange}'.*another rank"):
            getattr(comm_func, exchange)(tensor(), 0)
        with pytest.raises(RuntimeError, match="For 'batch_isend_irecv'.*another rank"):
            comm_func.batch_isend_irecv([comm_func.P2POp("isend", tensor(), 0)])
    finally:
        communication.release()


def test_launched_processes_must_be_connected_first(monkeypatch):
    for name, value in zip(launcher.LAUNCHERS[0], ("0", "2", "0"), strict=True):
        monkeypatch.setenv(name, value)
    for exchange in (comm_func.all_reduce, ops.AllReduce(), ops.AllGather()):
        with pytest.raises(RuntimeError, match="not connected"):
            exchange(tensor())


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda: communication.init(), RuntimeError, "launcher"),
        (lambda: communication.init("mccl"), RuntimeError, "launcher"),
        (lambda: communication.init(1), TypeError, "backend_name"),
        (lambda: communication.init("gloo"), RuntimeError, "backend_name"),
        (lambda: communication.init("nccl"), RuntimeError, "'mccl' for the device target 'CPU'"),
        (lambda: communication.get_rank(1), TypeError, "group"),
        (lambda: communication.get_rank(None), TypeError, "group"),
        (lambda: communication.get_group_size(1), TypeError, "group"),
        (lambda: communication.get_process_group_ranks(), RuntimeError, "init"),
        (lambda: communication.get_comm_name(), RuntimeError, "init"),
        (lambda: communication.create_group("g", [0, 1]), RuntimeError, "init"),
        (lambda: communication.create_group(1, [0, 1]), TypeError, "group"),
        (lambda: communication.create_group("g", (0, 1)), TypeError, "rank_ids"),
        (lambda: communication.create_group("g", [0, 1.0]), TypeError, "rank_ids"),
        (lambda: communication.create_group("g", [0], options=1), TypeError, "options"),
        (lambda: communication.destroy_group("g"), RuntimeError, "init"),
        (
            lambda: communication.get_world_rank_from_group_rank("g", "0"),
            TypeError,
            "group_rank_id",
        ),
        (
            lambda: communication.get_group_rank_from_world_rank("0", "g"),
            TypeError,
            "world_rank_id",
        ),
        (lambda: comm_func.all_reduce(tensor(), group="g"), RuntimeError, "init"),
        (lambda: comm_func.all_reduce(1), TypeError, "tensor"),
        (lambda: comm_func.all_reduce(tensor(), 1), TypeError, "op"),
        (lambda: comm_func.all_reduce(tensor(), "avg"), TypeError, "op"),
        (lambda: comm_func.all_reduce(tensor(), "sum", 1), TypeError, "group"),
        (lambda: comm_func.all_reduce(tensor(), "sum", "g", 1), TypeError, "async_op"),
        (lambda: comm_func.broadcast(tensor(), "0"), TypeError, "src"),
        (lambda: comm_func.broadcast(tensor(), group="g"), RuntimeError, "init"),
        (lambda: comm_func.send(tensor()), RuntimeError, "init"),
        (lambda: comm_func.barrier(1), TypeError, "group"),
        (lambda: comm_func.batch_isend_irecv([1]), TypeError, "p2p_op_list"),
        (lambda: comm_func.P2POp("push", tensor(), 0), ValueError, "op"),
        (lambda: comm_func.P2POp("isend", 1, 0), TypeError, "tensor"),
        (lambda: comm_func.P2POp("isend", tensor(), "0"), TypeError, "peer"),
        (lambda: comm_func.P2POp("isend", tensor(), 0, tag=1), NotImplementedError, "tag"),
        (lambda: comm_func.P2POp("irecv", (2, 3), 0), TypeError, "recv_dtype"),
    ],
)
def test_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()
    assert communication.GlobalComm.INITED is False


def test_options_of_a_group():
    options = GroupOptions()
    assert (options.hccl_config, options.use_async) == ({}, False)
    options.hccl_config = {"hccl_buffer_size": 400, "hccl_op_expansion_mode": "AIV"}
    for wrong in (1, {"a": [1]}, {1: 2}):
        with pytest.raises(TypeError, match="'hccl_config'"):
            options.hccl_config = wrong
    assert options.hccl_config["hccl_buffer_size"] == 400


def test_release_without_init():
    assert communication.release() is None


@pytest.mark.parametrize("operation", collective.REDUCTIONS)
def test_group_of_one_gives_copies(operation, space):
    array = space.module.asarray(numpy.arange(6, dtype=numpy.float32).reshape(2, 3))
    group = collective.alone()
    results = [
        group.all_reduce(array, operation),
        group.reduce(array, 0, operation),
        group.reduce_scatter(array, operation),
        group.all_gather(array),
        group.gather(array, 0),
        group.broadcast(array, 0),
        group.scatter(array, 0),
        group.all_to_all(array, [2], [2]),
    ]
    for pending in results:
        result = pending.wait()
        assert type(result) is type(array)
        assert result is not array
        assert bool((result == array).all())
    group.barrier()


def test_msrun_refuses_what_it_cannot_do():
    def refused(*arguments):
        done = subprocess.run(
            [sys.executable, "-m", "mindspore_compat.communication.msrun", *arguments, "script.py"],
            capture_output=True,
            text=True,
        )
        assert done.returncode == 2
        return done.stderr

    assert "--worker_num must be at least 1" in refused("--worker_num=0")
    assert "at least 1" in refused("--worker_num=16", "--local_worker_num=0")
    assert "on one machine" in refused("--node_rank=1")
    assert "--master_port" in refused("--master_port=80")
    assert "must be True or False" in refused("--join=yes")
    assert "--tail_worker_log" in refused("--tail_worker_log=9")
