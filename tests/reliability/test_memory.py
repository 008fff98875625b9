"""A lack of memory raises a MemoryError that names the operator or the file, and changes
nothing."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, mint, nn, ops
from mindspore_compat._backend import starting
from mindspore_compat.dataset.engine import workers

MOST = 1 << 24  # a matrix of this size exceeds the address space of a process
ROW = Tensor(np.zeros(1, np.float32)).broadcast_to((MOST,))


@pytest.mark.parametrize(
    "name, call",
    [
        ("zeros", lambda: ops.zeros((MOST, MOST))),
        ("full", lambda: mint.full((MOST, MOST), 1.5)),
        ("eye", lambda: ops.eye(MOST, MOST, ms.float32)),
        ("Ones", lambda: ops.Ones()((MOST, MOST), ms.float32)),
        ("outer", lambda: ops.outer(ROW, ROW)),
        ("Tensor.repeat_interleave", lambda: ROW.repeat_interleave(MOST)),
    ],
)
def test_the_error_names_the_operator_and_the_size(name, call):
    with pytest.raises(MemoryError, match=rf"For '{name}', .*not enough memory: .* \d.* [EPT]iB"):
        call()


class Network(nn.Cell):
    def construct(self, x):
        return x + Tensor(np.zeros((MOST, MOST), np.float32))


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_the_error_names_the_innermost_cell_where_no_operator_lacks_it(mode):
    outer = nn.SequentialCell(nn.ReLU(), Network())
    ms.set_context(mode=mode)
    try:
        for _ in range(2):  # the second call takes the short path
            with pytest.raises(MemoryError, match=r"^For 'Network', .*memory: .* 1.00 PiB"):
                outer(ROW[:2])
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


class Unsendable:
    """A result whose pickling runs out of memory."""

    def __reduce_ex__(self, version):
        raise MemoryError


def test_a_worker_that_cannot_start_is_named(monkeypatch):
    def start(thread):
        raise RuntimeError("a thread has not begun")

    monkeypatch.setattr(starting.Thread, "start", start)
    results = workers.OrderedMap("map", 2)(lambda item: item, range(40))
    with pytest.raises(RuntimeError, match="For 'map', worker 0 cannot start: a thread has not"):
        list(results)


def test_a_result_that_a_worker_cannot_send_is_named():
    results = workers.OrderedMap("map", 2, processes=True)(lambda item: Unsendable(), range(4))
    with pytest.raises(RuntimeError, match="cannot be sent by a worker process: MemoryError$"):
        next(results)


LOADS = """
    import resource, sys
    import numpy as np
    import mindspore_compat as ms
    from mindspore_compat import Parameter, nn
    from mindspore_compat._backend import starting

    starting.LONGEST = 0.1
    kind, path = sys.argv[1], sys.argv[2] + "." + sys.argv[1]
    values = [Parameter(ms.Tensor(np.full((1500, 1500), i, np.float32)), name=f"p{i}")
              for i in (1, 2, 3)]
    ms.save_checkpoint(values, path, format=kind)
    net = nn.Cell()
    for value in values:
        net.insert_param_to_cell(value.name, Parameter(ms.Tensor(np.zeros((1500, 1500))
            .astype(np.float16)), name=value.name))
    outcomes = set()
    for megabytes in (0, 8, 16, 24, 32, 40, 48, 64, 120):
        with open("/proc/self/statm") as file:
            used = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + (megabytes << 20), resource.RLIM_INFINITY))
        try:
            ms.load_checkpoint(path, net, format=kind)
            outcomes.add("loaded")
            expected = [1.0, 2.0, 3.0]
        except MemoryError as error:
            assert str(error).count(path) == 1 or "'load_param_into_net'" in str(error), error
            outcomes.add("refused")
            expected = [0.0, 0.0, 0.0]
        try:
            ms.save_checkpoint(values, path, format=kind)
        except MemoryError as error:
            assert path in str(error)
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
        parameters = list(net.get_parameters())
        assert [float(p.asnumpy().min()) for p in parameters] == expected
        assert [float(p.asnumpy().max()) for p in parameters] == expected
        for parameter in parameters:
            parameter.set_data(ms.ops.zeros_like(parameter))
        ms.load_checkpoint(path, format=kind)
    assert outcomes == {"loaded", "refused"}
"""


@pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_AS")
@pytest.mark.parametrize("kind", ["ckpt", "safetensors"])
def test_a_load_is_whole_or_not_begun(tmp_path, kind):
    if kind == "safetensors":
        pytest.importorskip("safetensors")
    code, path = textwrap.dedent(LOADS), str(tmp_path / "net")
    run = subprocess.run(
        [sys.executable, "-c", code, kind, path], timeout=300, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr[-3000:]
    assert [file.name for file in tmp_path.iterdir()] == [f"net.{kind}"]


LAYERS = """
    import resource
    import numpy as np
    import mindspore_compat as ms
    from mindspore_compat import Tensor, nn, ops

    # Each result is larger than 64 MiB: the C library sets that much aside for a thread.
    image = Tensor(np.ones((2, 3, 1000, 1000), np.float32))
    table = Tensor(np.ones((5000, 5000), np.float32))
    layers = {
        "dense": (nn.Dense(1000, 20000), image), "conv2d": (nn.Conv2d(3, 64, 3), image),
        "gather": (nn.Embedding(10, 9000), Tensor(np.zeros(5000, np.int32))),
        "concat": (lambda x: ops.concat([x, x]), table), "__add__": (lambda x: x + x, table),
    }
    flat = Tensor(np.ones(64, np.float32))
    spread, pull = ms.vjp(lambda x: ops.broadcast_to(x, (400_000, 64)).tanh(), flat)
    with open("/proc/self/statm") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + (4 << 20), resource.RLIM_INFINITY))
    layers["the gradient of tanh"] = pull, spread
    for name, (layer, x) in layers.items():
        try:
            layer(x)
        except MemoryError as error:
            assert str(error).startswith(f"For '{name}', "), error
            assert "allocate" in str(error) and "MiB" in str(error), error
        else:
            raise AssertionError(name)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_AS")
def test_the_error_of_a_layer_or_a_gradient_names_the_operator():
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(LAYERS)], timeout=300, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr[-3000:]
