"""Exported graphs compute what the network computes: run here, by MindSpore and as ONNX.

A graph is made with one set of values and run with another, which reveals values that were computed
only once.
"""

import json
import os
import sys
from pathlib import Path

import numpy as np
import pytest
from kit import close

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn, ops
from mindspore_compat.train.mind_ir import writing

sys.path.insert(0, str(Path(__file__).parent))
from graph_cases import CASES, NETWORKS, normal, others, tensors  # noqa: E402

# Primitives that ONNX has not.
NOT_IN_ONNX = {"unary lgamma", "unary digamma", "erfinv", "bits", "inverse"}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def flat(output):
    """The arrays of a result, nested ones in order."""
    if isinstance(output, (tuple, list)):
        return [array for part in output for array in flat(part)]
    return [output.asnumpy()]


def case_of(name):
    """(function or network, inputs for the export, other inputs for the run, their expected
    results)."""
    if name in NETWORKS:
        make, inputs = NETWORKS[name]
        function = make()
    else:
        function, inputs = CASES[name]
    expected = flat(function(*tensors(others(inputs))))
    return function, inputs, others(inputs), expected


def check(found, expected):
    assert len(found) == len(expected)
    for have, want in zip(found, expected, strict=True):
        assert have.dtype == want.dtype and have.shape == want.shape
        close(have, want, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", [*CASES, *NETWORKS])
def test_a_loaded_graph_computes_what_was_exported(name):
    function, made_with, given, expected = case_of(name)
    ms.export(function, *tensors(made_with), file_name="graph", file_format="MINDIR")
    network = nn.GraphCell(ms.load("graph.mindir"))
    check(flat(network(*tensors(given))), expected)
    if name in NETWORKS:
        names = [param.name for param in function.get_parameters()]
        assert [param.name for param in network.get_parameters()] == names


@pytest.mark.parametrize("space", ["fakecupy"], indirect=True)
@pytest.mark.parametrize("name", ["unary tanh", "unary gelu", "unary softplus", "softmax"])
def test_a_graph_holds_operators_that_are_one_kernel_on_a_gpu(space, name):
    function, made_with, given, expected = case_of(name)
    ms.export(function, *tensors(made_with), file_name="graph", file_format="MINDIR")
    check(flat(nn.GraphCell(ms.load("graph.mindir"))(*tensors(given))), expected)


@pytest.mark.parametrize("name", [*CASES, *NETWORKS])
def test_the_onnx_file_computes_what_was_exported(name):
    function, made_with, given, expected = case_of(name)
    if name in NOT_IN_ONNX:
        with pytest.raises(RuntimeError, match="ONNX has not"):
            ms.export(function, *tensors(made_with), file_name="graph", file_format="ONNX")
        assert not os.path.exists("graph.onnx")
        return
    ms.export(function, *tensors(made_with), file_name="graph", file_format="ONNX")
    runtime = pytest.importorskip("onnxruntime")
    session = runtime.InferenceSession("graph.onnx")
    taken = {one.name for one in session.get_inputs()}
    inputs = {f"x{i}": array for i, array in enumerate(given) if f"x{i}" in taken}
    check(session.run(None, inputs), expected)


def test_a_list_of_tensors_goes_into_a_loaded_graph_as_it_went_into_the_network():
    def total(pair, x):
        return pair[0] + pair[1] * x

    pair, x = tensors([normal(2), normal(2)]), Tensor(normal(2))
    ms.export(total, pair, x, file_name="graph", file_format="MINDIR")
    network = nn.GraphCell(ms.load("graph.mindir"))
    for given in (pair, tuple(pair), ms.mutable(pair)):
        check(flat(network(given, x)), flat(total(pair, x)))
    with pytest.raises(RuntimeError, match="takes 3 inputs, but got 4"):
        network([*pair, x], x)


RUNS_ALL = """
import sys, json, numpy as np, mindspore as ms
from mindspore import nn, Tensor
def flat(o):
    return [a for p in o for a in flat(p)] if isinstance(o, (tuple, list)) else [o.asnumpy()]
wrong = []
for name in json.loads(sys.argv[1]):
    held = np.load(name + ".npz")
    given = [Tensor(held[k]) for k in sorted(k for k in held if k.startswith("given"))]
    wanted = [held[k] for k in sorted(k for k in held if k.startswith("wanted"))]
    try:
        found = flat(nn.GraphCell(ms.load(name + ".mindir"))(*given))
        assert len(found) == len(wanted)
        for have, want in zip(found, wanted):
            assert have.dtype == want.dtype, (have.dtype, want.dtype)
            np.testing.assert_allclose(have, want, rtol=1e-3, atol=1e-4)
    except Exception as error:
        wrong.append(f"{name}: {type(error).__name__} {str(error)[:300]}")
print(json.dumps(wrong))
"""


def test_the_original_computes_what_was_exported(oracle):
    names = []
    for name in [*CASES, *NETWORKS]:
        function, made_with, given, expected = case_of(name)
        names.append(name.replace(" ", "_"))
        ms.export(function, *tensors(made_with), file_name=names[-1], file_format="MINDIR")
        np.savez(
            names[-1],
            **{f"given{i:02}": a for i, a in enumerate(given)},
            **{f"wanted{i:02}": a for i, a in enumerate(expected)},
        )
    assert json.loads(oracle(RUNS_ALL, json.dumps(names)).splitlines()[-1]) == []


EXPORTS = """
import numpy as np, mindspore as ms
from mindspore import nn, ops, Tensor
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.pool = nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.MaxPool2d(2, 2)
        self.mean, self.dense = nn.AvgPool2d(2, 2), nn.Dense(16, 3)
        self.scale, self.table = nn.LayerNorm((3,)), nn.Embedding(5, 3)
    def construct(self, x, i):
        x = self.mean(self.pool(ops.relu(self.norm(self.conv(x)))))
        x = self.scale(self.dense(ops.flatten(x))) + self.table(i).sum(1)
        a, b = ops.split(ops.cat((x, ops.gelu(x)), 1), 3, 1)
        return ops.softmax(a, -1) * 2 + x.mean(), ops.topk(b, 2)[0].astype(ms.float16)
net = Net()
net.set_train(False)
x = Tensor(np.random.RandomState(0).rand(2, 1, 8, 8).astype(np.float32))
i = Tensor(np.array([[0, 4], [1, 1]], np.int32))
ms.export(net, x, i, file_name="theirs", file_format="MINDIR")
ms.export(net, x, i, file_name="locked", file_format="MINDIR", enc_key=b"0" * 16)
np.savez("theirs", *[t.asnumpy() for t in net(x, i)])
"""


def test_a_graph_of_the_original_is_run(oracle):
    oracle(EXPORTS)
    x = Tensor(np.random.RandomState(0).rand(2, 1, 8, 8).astype(np.float32))
    index = Tensor(np.array([[0, 4], [1, 1]], np.int32))
    locks = {"theirs": {}, "locked": {"dec_key": b"0" * 16}}
    for name, lock in locks.items():
        network = nn.GraphCell(ms.load(f"{name}.mindir", **lock))
        theirs = np.load("theirs.npz")
        for have, want in zip(flat(network(x, index)), theirs.values(), strict=True):
            assert have.dtype == want.dtype
            close(have, want, rtol=1e-3, atol=1e-4)


# What export does with a network, and what it refuses ---------------------------------------------


X = normal(2, 3)


class Normal(nn.Cell):
    """A network that computes something else in training mode."""

    def __init__(self):
        super().__init__()
        self.norm, self.drop = nn.BatchNorm1d(3), nn.Dropout(p=0.5)

    def construct(self, x):
        return self.drop(self.norm(x))


def test_a_network_is_exported_as_for_inference_and_left_as_it_was():
    net = Normal()
    net.set_train()
    before = {p.name: p.asnumpy().copy() for p in net.get_parameters()}
    kinds = [type(p._array) for p in net.get_parameters()]
    ms.export(net, Tensor(X), file_name="net", file_format="MINDIR")
    assert net.training and net.norm.training and net.drop.training
    assert [type(p._array) for p in net.get_parameters()] == kinds
    for param in net.get_parameters():
        np.testing.assert_array_equal(param.asnumpy(), before[param.name])
    net.set_train(False)
    check(flat(nn.GraphCell(ms.load("net.mindir"))(Tensor(X))), flat(net(Tensor(X))))


def test_numbers_become_part_of_the_graph():
    ms.export(
        lambda x, n, pair: x * n + pair[0],
        Tensor(X),
        3,
        [Tensor(X), 1],
        file_name="net",
        file_format="MINDIR",
    )
    network = nn.GraphCell(ms.load("net.mindir"))
    check(flat(network(Tensor(X), Tensor(X))), [X * 3 + X])


def test_names_of_files(folder):
    ms.export(nn.ReLU(), Tensor(X), file_name="some/where/net.mindir", file_format="MINDIR")
    ms.export(nn.ReLU(), Tensor(X), file_name="net", file_format="ONNX")
    assert sorted(str(p.relative_to(folder)) for p in folder.rglob("*.*")) == [
        "net.onnx",
        "some/where/net.mindir",
    ]


@pytest.mark.parametrize(
    "mode", ["AES-GCM", "AES-CBC", "SM4-CBC", lambda content, key: content[::-1] + key]
)
def test_encrypted_models(mode):
    pytest.importorskip("cryptography")
    key = b"0123456789abcdef"
    ms.export(
        nn.ReLU(), Tensor(X), file_name="net", file_format="MINDIR", enc_key=key, enc_mode=mode
    )

    def opened(path, key):
        return Path(path).read_bytes()[: -len(key)][::-1]

    found = ms.load("net.mindir", dec_key=key, dec_mode=opened if callable(mode) else mode)
    check(flat(nn.GraphCell(found)(Tensor(X))), [np.maximum(X, 0)])
    with pytest.raises(RuntimeError, match="net.mindir"):
        ms.load("net.mindir")


def test_custom_func_changes_the_message():
    def custom(model):
        model.producer_name = "changed"
        model.user_info["version"] = "11.0"

    from mindspore_compat._io import mindir

    ms.export(nn.ReLU(), Tensor(X), file_name="net", file_format="MINDIR", custom_func=custom)
    model = mindir.parse(memoryview(Path("net.mindir").read_bytes()))
    assert model.producer_name == "changed" and model.user_info[0].value == "11.0"


def test_large_weights_lie_beside_the_graph(monkeypatch, folder):
    monkeypatch.setattr(writing, "LARGE", 16)
    net = nn.Dense(3, 2)
    ms.export(net, Tensor(X), file_name="net", file_format="MINDIR")
    assert sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()) == [
        "net_graph.mindir",
        "net_variables/data_0",
    ]
    check(flat(nn.GraphCell(ms.load("net_graph.mindir"))(Tensor(X))), flat(net(Tensor(X))))
    os.remove("net_variables/data_0")
    with pytest.raises(RuntimeError, match="data_0"):
        ms.load("net_graph.mindir")


def test_large_weights_are_found_by_the_original(monkeypatch, oracle):
    monkeypatch.setattr(writing, "LARGE", 16)
    net = nn.Dense(3, 2)
    ms.export(net, Tensor(X), file_name="net", file_format="MINDIR")
    printed = oracle(
        "import mindspore as ms, numpy as np\n"
        f"x = ms.Tensor(np.array({X.tolist()}, np.float32))\n"
        "net = ms.nn.GraphCell(ms.load('net_graph.mindir'))\n"
        "print(net(x).asnumpy().tolist())"
    )
    close(json.loads(printed), net(Tensor(X)), rtol=1e-5, atol=0)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x if x.sum() > 0 else -x,
        lambda x: Tensor(x.asnumpy()),
        lambda x: x * float(x[0, 0]),
        lambda x: x[x > 0],
        lambda x: ops.nonzero(x),
        lambda x: {"x": x},
        lambda x: ops.assign(Parameter(Tensor(X), name="p"), x),
    ],
)
def test_what_a_graph_cannot_hold_is_refused(function, folder):
    with pytest.raises(RuntimeError, match="export"):
        ms.export(function, Tensor(X), file_name="net", file_format="MINDIR")
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    "arguments, error",
    [
        (dict(net=3), TypeError),
        (dict(inputs=[X]), TypeError),
        (dict(inputs=["x"]), TypeError),
        (dict(inputs=[[X]]), TypeError),
        (dict(inputs=[None]), TypeError),
        (dict(file_name=3), TypeError),
        (dict(file_format="mindir"), ValueError),
        (dict(file_format=3), ValueError),
        (dict(file_format="AIR"), ValueError),
        (dict(enc_key="0" * 16), ValueError),
        (dict(enc_key=b"short"), ValueError),
        (dict(enc_key=b"0" * 16, enc_mode="DES"), ValueError),
        (dict(custom_func=3), TypeError),
    ],
)
def test_refusals_of_export(arguments, error, folder):
    given = {
        "net": nn.ReLU(),
        "inputs": [Tensor(X)],
        "file_name": "n",
        "file_format": "MINDIR",
        **arguments,
    }
    with pytest.raises(error):
        ms.export(given.pop("net"), *given.pop("inputs"), **given)
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    "name, error",
    [
        (3, ValueError),
        ("none.mindir", ValueError),
        ("net.bin", ValueError),
        ("bad.mindir", RuntimeError),
        ("empty.mindir", RuntimeError),
    ],
)
def test_refusals_of_load(name, error):
    Path("bad.mindir").write_bytes(b"nothing of the kind")
    Path("empty.mindir").write_bytes(b"")
    Path("net.bin").write_bytes(b"")
    with pytest.raises(error):
        ms.load(name)


@pytest.mark.parametrize("name", ["a.\nbcde", "\n\x031.xyz", "../xxxx", "Maximu-"])
def test_a_name_that_is_no_primitive_looks_up_nothing(name):
    ms.export(nn.ReLU(), Tensor(X), file_name="net", file_format="MINDIR")
    path = Path("net.mindir")
    path.write_bytes(path.read_bytes().replace(b"Maximum", name.encode()))
    with pytest.raises(RuntimeError, match="net.mindir.*primitive"):
        ms.load("net.mindir")


def test_refusals_of_graph_cell():
    ms.export(nn.Dense(3, 2), Tensor(X), file_name="net", file_format="MINDIR")
    graph = ms.load("net.mindir")
    for arguments in ((3,), (graph, 3), (graph, {"bias": 3}), (graph, {3: Tensor(X)})):
        with pytest.raises(TypeError):
            nn.GraphCell(*arguments)
    with pytest.raises(NotImplementedError):
        nn.GraphCell(graph, obf_random_seed=3)
    network = nn.GraphCell(graph, {"bias": Tensor([5.0, 6.0]), "other": Tensor(X)})
    assert network.parameters_dict()["bias"].asnumpy().tolist() == [5, 6]
    for inputs in ((), (Tensor(X), Tensor(X)), (Tensor(X[:1]),)):
        with pytest.raises(RuntimeError):
            network(*inputs)


def test_a_loaded_graph_is_differentiated():
    net = nn.Dense(3, 2)
    ms.export(net, Tensor(X), file_name="net", file_format="MINDIR")
    network = nn.GraphCell(ms.load("net.mindir"))
    gradients = [ms.grad(one, weights=one.trainable_params())(Tensor(X)) for one in (net, network)]
    for have, want in zip(gradients[1][1], gradients[0][1], strict=True):
        close(have, want)


class Backward(nn.Cell):
    def __init__(self, forward, sens):
        super().__init__()
        self.forward, self.sens = forward, sens
        self.grad = ms.ops.GradOperation(get_all=True, sens_param=True)

    def construct(self, x, target):
        return self.grad(self.forward)(x, target, self.sens)


def test_a_gradient_is_exported_with_the_sensitivity_that_the_network_holds():
    def forward(x, target):
        return ms.ops.nll_loss(x**3, target, reduction="none")

    x, target = Tensor(normal(3, 4)), Tensor(np.array([1, 3, 0], np.int32))
    network = Backward(forward, Tensor(normal(3)))
    ms.export(network, x, target, file_name="graph", file_format="MINDIR")
    other = Tensor(normal(3, 4))
    loaded = nn.GraphCell(ms.load("graph.mindir"))
    check(flat(loaded(other, target)), flat(network(other, target)))


def test_a_parameter_is_an_input_like_a_tensor(tmp_path):
    path = str(tmp_path / "relu.mindir")
    ms.export(nn.ReLU(), Parameter(Tensor([1.0]), name="p"), file_name=path, file_format="MINDIR")
    np.testing.assert_array_equal(nn.GraphCell(ms.load(path))(Tensor([-1.0])).asnumpy(), [0])
