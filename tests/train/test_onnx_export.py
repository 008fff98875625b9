"""onnx.export: names, weights as inputs, dynamic lengths.

The tests read the files as messages; onnxruntime, if it is installed, runs them.
"""

import importlib
import os

import numpy as np
import pytest
from kit import close

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops
from mindspore_compat._io.protobuf import fields, ints
from mindspore_compat.train.mind_ir import onnx_writing, unknown_lengths, writing

RANDOM = np.random.default_rng(3)


def normal(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def parts(view, number):
    return [value for n, _, value in fields(view) if n == number]


def text(view, number):
    return bytes(parts(view, number)[0]).decode()


def info(view):
    """The name of an input or output, and its lengths."""
    shape = parts(parts(parts(view, 2)[0], 1)[0], 2)[0]
    lengths = []
    for one in parts(shape, 1):
        given = list(fields(one))
        known = given and (given[0][2] if given[0][0] == 1 else bytes(given[0][2]).decode())
        lengths.append(known if given else None)
    return text(view, 1), lengths


class Model:
    """The graph of a file."""

    def __init__(self, path):
        graph = parts(memoryview(open(path, "rb").read()), 7)[0]
        self.inputs = dict(map(info, parts(graph, 11)))
        self.outputs = dict(map(info, parts(graph, 12)))
        self.nodes = [(text(one, 4), parts(one, 1), parts(one, 2)) for one in parts(graph, 1)]
        self.initializers = {}
        for one in parts(graph, 5):
            shape = [n for number, kind, v in fields(one) if number == 1 for n in ints(kind, v)]
            self.initializers[text(one, 8)] = shape

    def ops(self):
        return [op for op, _, _ in self.nodes]


class Images(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3, pad_mode="valid", has_bias=True, bias_init="normal")
        self.flatten = nn.Flatten()
        self.dense = nn.Dense(8, 3)

    def construct(self, image):
        return self.dense(self.flatten(self.conv(image)))


class Two(nn.Cell):
    def construct(self, x, pair, *more):
        return x + pair[0], (pair[1] * more[0], x)


WEIGHTS = {"conv.weight": [2, 1, 3, 3], "conv.bias": [2], "dense.weight": [3, 8], "dense.bias": [3]}


def exported(net, *arrays, **options):
    ms.onnx.export(net, *map(Tensor, arrays), file_name="net", **options)
    return Model("net.onnx")


def test_names_of_inputs_and_outputs():
    model = exported(Images(), normal(1, 1, 4, 4), input_names=["pixels"], output_names=["scores"])
    assert model.inputs == {"pixels": [1, 1, 4, 4]} and model.outputs == {"scores": [1, 3]}
    assert WEIGHTS.items() <= model.initializers.items()
    ms.onnx.export(
        Two(),
        Tensor([1.0]),
        (Tensor([1.0]), Tensor([2.0])),
        Tensor([3.0]),
        file_name="folder/two.onnx",
        output_names=["sum"],
    )
    model = Model("folder/two.onnx")
    assert list(model.inputs) == ["x", "pair_0", "pair_1", "more_0"]
    assert len(model.outputs) == 3 and list(model.outputs)[0] == "sum"


def test_a_name_that_an_operator_would_have():
    names = {"input_names": ["Add_1"], "output_names": ["Add_2"]}
    model = exported(nn.ReLU(), normal(2), **names)
    assert (list(model.inputs), list(model.outputs)) == (["Add_1"], ["Add_2"])
    results = [bytes(name) for _, _, names in model.nodes for name in names]
    assert len(set(results)) == len(results) and b"Add_1" not in results


@pytest.mark.parametrize("in_file, listed", [(True, False), (True, True), (False, False)])
def test_weights_in_the_file_and_as_inputs(in_file, listed):
    model = exported(
        Images(), normal(1, 1, 4, 4), export_params=in_file, keep_initializers_as_inputs=listed
    )
    wanted = WEIGHTS if listed or not in_file else {}
    assert model.inputs == {"image": [1, 1, 4, 4], **wanted}
    assert (WEIGHTS.items() <= model.initializers.items()) is in_file


def test_weights_that_a_message_cannot_hold_have_a_file_of_their_own(monkeypatch):
    monkeypatch.setattr(writing, "LARGEST_MESSAGE", 100)
    net = Images()
    model = exported(net, normal(1, 1, 4, 4))
    assert WEIGHTS.items() <= model.initializers.items()
    data = np.fromfile("net.onnx.data", np.float32)
    wanted = [param.asnumpy().ravel() for param in net.get_parameters()]
    assert (data == np.concatenate(wanted)).all()
    assert os.path.getsize("net.onnx") < 4000
    with pytest.raises(ValueError, match="2 GB"):
        ms.export(
            net, Tensor(normal(1, 1, 4, 4)), file_name="x", file_format="ONNX", enc_key=b"1" * 16
        )


class Windows(nn.Cell):
    """Lengths as shapes, ends of slices, divisors, ranges and products."""

    def construct(self, x):
        rows, columns = x.shape
        flat = x.reshape(rows * columns)
        half = x[:, columns // 2 :]
        numbered = x + ops.arange(columns).astype(ms.float32)
        shifted = x * ops.ones((rows, columns), ms.float32) / columns
        return flat, half.sum(1), numbered, shifted + rows, ops.tile(x, (2, 1)), x.var(1)


NETS = {
    "images": (Images, [normal(1, 1, 4, 4)], [{0: "n"}], [(5, 1, 4, 4)]),
    "two lengths": (Windows, [normal(2, 4)], [{0: "rows", 1: "columns"}], [(3, 10)]),
    "shared": (
        lambda: nn.BiDense(3, 4, 2),
        [normal(2, 3), normal(2, 4)],
        [{0: "n"}, {0: "n"}],
        [(7, 3), (7, 4)],
    ),
    "pooled": (lambda: nn.AdaptiveAvgPool2d(1), [normal(1, 3, 4, 4)], [{2: "h"}], [(1, 3, 9, 4)]),
    "attention": (
        lambda: nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True),
        [normal(1, 5, 8)],
        [{0: "n", 1: "tokens"}],
        [(3, 9, 8)],
    ),
}


def dynamic(name):
    make, arrays, axes, shapes = NETS[name]
    net = make()
    names = [f"in{i}" for i in range(len(arrays))]
    model = exported(net, *arrays, input_names=names, dynamic_axes=dict(zip(names, axes)))
    return net, model, axes, [normal(*shape) for shape in shapes]


@pytest.mark.parametrize("name", NETS)
def test_lengths_that_are_not_fixed_are_named(name):
    net, model, axes, arrays = dynamic(name)
    for lengths, given, array in zip(model.inputs.values(), axes, arrays):
        wanted = [given.get(axis, n) for axis, n in enumerate(array.shape)]
        assert lengths == wanted
    results = net(*map(Tensor, arrays))
    results = results if isinstance(results, tuple) else (results,)
    for lengths, result in zip(model.outputs.values(), results, strict=True):
        assert all(n in (None, m) or isinstance(n, str) for n, m in zip(lengths, result.shape))


@pytest.mark.parametrize("name", NETS)
def test_the_file_computes_with_other_lengths(name):
    net, _, _, arrays = dynamic(name)
    runtime = pytest.importorskip("onnxruntime")
    session = runtime.InferenceSession("net.onnx")
    found = session.run(None, {f"in{i}": array for i, array in enumerate(arrays)})
    wanted = net.set_train(False)(*map(Tensor, arrays))
    for have, want in zip(found, wanted if isinstance(wanted, tuple) else (wanted,), strict=True):
        assert have.shape == want.shape
        close(have, want, rtol=1e-4, atol=1e-5)


def test_one_open_length_of_a_reshape_is_left_to_it():
    model = exported(nn.Flatten(), normal(1, 2, 3))
    name = next(iter(model.inputs))
    model = exported(nn.Flatten(), normal(1, 2, 3), dynamic_axes={name: {0: "n"}})
    assert model.inputs[name] == ["n", 2, 3] and list(model.outputs.values()) == [["n", 6]]
    assert "Shape" not in model.ops()


def test_an_input_that_is_not_there_has_no_effect():
    model = exported(nn.ReLU(), normal(2), dynamic_axes={"other": {0: "n"}})
    assert list(model.inputs.values()) == [[2]]


class Residual(nn.Cell):
    def __init__(self):
        super().__init__()
        self.images = nn.SequentialCell(
            nn.Conv2d(1, 2, 3, pad_mode="valid"), nn.AdaptiveAvgPool2d(1)
        )
        self.dense = nn.Dense(4, 2)

    def construct(self, image, label):
        return self.images(image).reshape(image.shape[0], -1) + self.dense(label)


def unknown(*shape):
    return Tensor(shape=shape, dtype=ms.float32)


def test_inputs_of_unknown_lengths_are_dynamic():
    for written_by in (
        ms.onnx.export,
        lambda *args, **options: ms.export(*args, file_format="ONNX", **options),
    ):
        written_by(Residual(), unknown(None, 1, -1, 8), unknown(None, 4), file_name="net")
        model = Model("net.onnx")
        assert model.inputs == {"image": ["batch", 1, "axis_2", 8], "label": ["batch", 4]}
        assert list(model.outputs.values()) == [["batch", 2]]


def test_inputs_given_to_set_inputs_are_dynamic():
    net = Residual()
    net.set_inputs(label=unknown(None, 4), image=unknown(None, 1, 8, 8))
    ms.export(
        net, Tensor(normal(3, 1, 8, 8)), Tensor(normal(3, 4)), file_name="net", file_format="ONNX"
    )
    assert Model("net.onnx").inputs == {"image": ["batch", 1, 8, 8], "label": ["batch", 4]}


def test_unique_symbols_have_lengths_of_their_own_that_fit_them():
    rows, columns = ms.Symbol(unique=True), ms.Symbol(min=9, divisor=4, remainder=3)
    inputs = [unknown(rows, columns), (unknown(None, columns), unknown(rows, columns))]
    filled, axes = unknown_lengths.with_lengths(abs, inputs)
    assert axes == [{0: "length_0", 1: "axis_1"}, {0: "batch", 1: "axis_1"}, axes[0]]
    assert filled[0].shape == filled[1][1].shape == (2, 35)
    with pytest.raises(ValueError, match="rank"):
        unknown_lengths.with_lengths(abs, [unknown(-2)])


def test_the_file_computes_batches_of_any_size():
    runtime = pytest.importorskip("onnxruntime")
    net = Residual()
    ms.export(net, unknown(None, 1, 8, 8), unknown(None, 4), file_name="net", file_format="ONNX")
    session = runtime.InferenceSession("net.onnx")
    for batch in (1, 5):
        arrays = {"image": normal(batch, 1, 8, 8), "label": normal(batch, 4)}
        (found,) = session.run(None, arrays)
        close(found, net(*map(Tensor, arrays.values())), rtol=1e-4, atol=1e-5)


class Branch(nn.Cell):
    def construct(self, x):
        return ops.exp(x) if x.shape[0] > 4 else ops.sin(x)


class Masked(nn.Cell):
    def construct(self, x):
        return x * Tensor(np.tril(np.ones((x.shape[0], x.shape[0]), np.float32)))


class Pooled(nn.Cell):
    def construct(self, x):
        return ops.max_pool2d(x, x.shape[-1])


@pytest.mark.parametrize(
    "net, shape, axes, words",
    [
        (Branch, (3,), {0: "n"}, "something else"),
        (Masked, (2, 2), {0: "n", 1: "n"}, "constant array"),
        (Pooled, (1, 1, 4, 4), {2: "n", 3: "n"}, "'MaxPool'"),
    ],
)
def test_what_cannot_have_other_lengths_is_refused(net, shape, axes, words):
    with pytest.raises(RuntimeError, match=words):
        exported(net(), normal(*shape), dynamic_axes={"x": axes})
    assert not os.path.exists("net.onnx")


@pytest.mark.parametrize(
    "options, error, words",
    [
        ({"net": abs}, ValueError, "'net' must be a Cell"),
        ({"input_names": ("x",)}, ValueError, "'input_names' must be a list"),
        ({"output_names": "x"}, ValueError, "'output_names' must be a list"),
        ({"input_names": [1]}, TypeError, "'input_names'"),
        ({"output_names": ["a", "a"]}, ValueError, "repeat"),
        ({"export_params": "yes"}, TypeError, "'export_params' must be a bool"),
        ({"keep_initializers_as_inputs": 1}, TypeError, "'keep_initializers_as_inputs'"),
        ({"file_name": 3}, TypeError, "'file_name' must be a str"),
        ({"dynamic_axes": [0]}, ValueError, "'dynamic_axes' must be a dict"),
        ({"dynamic_axes": {"a": [0]}}, TypeError, "'dynamic_axes' of 'a' must be a dict"),
        ({"dynamic_axes": {"a": {"0": "n"}}}, TypeError, "must map an int to a str"),
        ({"dynamic_axes": {"a": {0: 1}}}, TypeError, "must map an int to a str"),
        ({"dynamic_axes": {"a": {2: "n"}}}, ValueError, r"in \[0, 2\)"),
        ({"dynamic_axes": {"a": {0: "n", 1: "n"}}}, ValueError, "one length"),
    ],
)
def test_arguments_that_are_refused(options, error, words):
    given = {"net": nn.ReLU(), "file_name": "net", "input_names": ["a"], **options}
    with pytest.raises(error, match=words):
        ms.onnx.export(given.pop("net"), Tensor(normal(2, 3)), **given)
    assert not os.path.exists("net.onnx")


def test_the_same_function_under_its_own_path():
    assert importlib.import_module("mindspore_compat.onnx.onnx_export").export is ms.onnx.export
    assert ms.onnx.export is not ms.export and onnx_writing.SUFFIX == ".onnx"


def test_files_of_the_general_export_name_inputs_after_construct():
    class Pair(nn.Cell):
        def construct(self, image, mask):
            return image * mask

    ms.export(Pair(), Tensor([1.0]), Tensor([2.0]), file_name="net", file_format="ONNX")
    assert Model("net.onnx").inputs == {"image": [1], "mask": [1]}
