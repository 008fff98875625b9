"""A traceback shows the script's own frames, the path of the Cell, and hints for mistakes."""

import functools
import os
import subprocess
import sys
import traceback
import types

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import nn, ops
from mindspore_compat._core import frames, hints
from mindspore_compat._startup import traceback_hooks, tracebacks
from mindspore_compat.dataset import vision

pytestmark = pytest.mark.quick


def text_of(error):
    return tracebacks.formatted(error)[0]


SCRIPT = """
import numpy as np
import mindspore as ms
from mindspore import nn

class Block(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(3, 4, 3), nn.Conv2d(3, 4, 3)

    def construct(self, x):
        return self.conv2(self.conv1(x))

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layer1 = nn.SequentialCell(Block(), nn.ReLU())

    def construct(self, x):
        return self.layer1(x)

Net()(ms.Tensor(np.ones((1, 3, 8, 8), np.float32)))
"""


def run(*arguments, script=SCRIPT, **variables):
    return subprocess.run(
        [sys.executable, "-m", "mindspore_compat", *arguments],
        input=script,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, **variables},
    )


def caught(function, *args, **kwargs):
    with pytest.raises(Exception) as info:
        function(*args, **kwargs)
    return info.value


def test_a_script_from_standard_input_sees_its_own_frames_and_the_cell():
    done = run("-", "argument")
    assert done.returncode == 1
    assert "in Net.layer1.0.conv2 (Conv2d)" in done.stderr
    shown = [line for line in done.stderr.splitlines() if line.startswith("  File ")]
    assert len(shown) == 3 and all('"<stdin>"' in line for line in shown)
    assert f"{frames.VARIABLE}=1 shows them" in done.stderr
    whole = run("-", **{frames.VARIABLE: "1"})
    assert "cell.py" in whole.stderr and "hidden" not in whole.stderr


def test_an_unexpected_keyword_names_the_parameter_that_is_meant():
    weights = nn.Dense(2, 2).trainable_params()
    for function, keyword, meant in (
        (nn.SGD, "lr", "learning_rate"),
        (nn.Conv2d, "bias", "has_bias"),
        (ops.softmax, "dim", "axis"),
        (ops.concat, "dim", "axis"),
        (nn.Dense, "has_biass", "has_bias"),
        (ms.Model(nn.ReLU()).train, "epochs", "epoch"),
    ):
        error = caught(function, weights, **{keyword: 1})
        assert f"did you mean '{meant}'? The signature is " in text_of(error)
    assert tracebacks.keyword_hint(caught(lambda: None, dim=1)) == ""
    assert "The learning rate is learning_rate." in str(caught(nn.Adam, weights, lr=0.1))


def test_a_model_without_a_loss_is_refused_with_the_reason():
    data = ms.dataset.NumpySlicesDataset((np.ones((4, 2), np.float32), np.ones(4, np.float32)))
    net = nn.Dense(2, 1)
    model = ms.Model(net, optimizer=nn.SGD(net.trainable_params(), 0.1))
    assert "has no loss_fn" in text_of(caught(model.train, 1, data.batch(2)))


def test_a_wrong_value_gets_a_hint_how_to_make_the_right_one():
    net, x = nn.Dense(2, 1), np.ones((3, 2))
    for hint, function, *arguments in (
        ("x.astype(mindspore.float32) casts", net, ms.Tensor(x)),
        (
            "x.astype(mindspore.float32) casts",
            nn.Conv2d(2, 2, 1),
            ms.ops.ones((1, 2, 3, 3), ms.uint8),
        ),
        ("mindspore.Tensor(x) makes", net, x.astype(np.float32)),
        ("mindspore.Tensor(x) makes", ops.relu, x),
        ("mindspore.Tensor(x) makes", ops.mean, [1.0, 2.0]),
        ("is called 'GPU' here", ms.set_device, "cuda"),
        ("is called 'GPU' here", ms.Tensor(x).to, "cuda:0"),
        ("is called 'GPU' here", net.to, "cuda"),
        ("use mindspore.GRAPH_MODE", lambda: ms.set_context(mode="graph")),
        ("layers are found in the attributes of a Cell", nn.SGD, [], 0.1),
    ):
        assert hint in text_of(caught(function, *arguments)).partition("  hint: ")[2]
    assert "hint" not in text_of(caught(nn.SGD, 3, 0.1))


@pytest.mark.parametrize("name", sorted(hints.NAMES["Tensor"]))
def test_names_of_tensors_elsewhere(name):
    error = caught(getattr, ms.Tensor([1.0]), name)
    assert f"  hint: {hints.NAMES['Tensor'][name]}\n" in text_of(error)


@pytest.mark.parametrize("owner", ["", "nn", "ops", "dataset"])
def test_names_of_modules_elsewhere(owner):
    module = getattr(ms, owner) if owner else ms
    for name, hint in hints.NAMES[owner].items():
        assert str(caught(getattr, module, name)).endswith(f"'{name}'; {hint}.")


export = functools.partial(ms.export, file_name="net", file_format="ONNX")


def test_names_of_cells_elsewhere():
    for name, hint in hints.NAMES["Cell"].items():
        error = caught(getattr, nn.ReLU(), name)
        assert hint in str(error) and "did you mean" not in text_of(error)


@pytest.mark.parametrize(
    "function, arguments, description",
    [
        (nn.Dense(2, 1), [np.ones((3, 2))], "a NumPy array of shape (3, 2) and dtype float64."),
        (nn.Dense(2, 1), [np.array([2])], "array([2]) of type ndarray."),
        (
            vision.Resize(2),
            [ms.Tensor(np.ones((9, 9, 3)))],
            "a Tensor of shape (9, 9, 3) and dtype",
        ),
        (export, [nn.Dense(2, 1)], "Dense.construct(x) must follow the network, but got 0 inputs."),
        (export, [nn.ReLU(), 1, 2], "must follow the network, but got 2 inputs."),
    ],
)
def test_wrong_inputs_are_described_in_one_line(function, arguments, description):
    message = str(caught(function, *arguments))
    assert description in message and "\n" not in message


def test_no_private_name_is_suggested():
    assert "_no_grad" not in str(caught(getattr, ms, "no_grad"))
    assert "did you mean 'BatchNorm2d'?" in str(caught(getattr, nn, "BatchNorm2D"))


@pytest.mark.parametrize(
    "line, meant",
    [
        ("Tensor([1]).transpos", "transpose"),
        ("nn.ReLU().trainable_parms()", "trainable_params"),
        ("nn.Desne", "Dense"),
        ("Tensr([1])", "Tensor"),
        ("pritn(1)", "print"),
    ],
)
def test_the_nearest_name_is_suggested_once(line, meant):
    error = caught(eval, line, {"Tensor": ms.Tensor, "nn": nn})
    text = text_of(error).lower()
    assert text.count("did you mean") == 1 and f"did you mean '{meant.lower()}'?" in text.replace(
        "mean: ", "mean "
    )


@pytest.mark.parametrize(
    "line, hint",
    [
        ("from mindspore_compat.nn import Module", hints.NAMES["nn"]["Module"]),
        ("import mindspore_compat.nn.functional", hints.NAMES["nn"]["functional"]),
        ("from mindspore_compat.nn import Desne", "did you mean 'Dense'?"),
    ],
)
def test_names_that_cannot_be_imported(line, hint):
    text = text_of(caught(exec, line))
    assert text.count(f"  hint: {hint}") + text.count("Did you mean: 'Dense'?") == 1


def test_nothing_near_is_not_suggested():
    for line in ("Tensor([1]).qqqqqq", "qqqqqq", "import qqqqqq.nn"):
        error = caught(exec, line, {"Tensor": ms.Tensor})
        text = text_of(error).lower()
        assert "did you mean" not in text and "hint" not in text
    assert tracebacks.spelling_hint(caught(getattr, ms.Tensor([1]), "_transpos")) == ""


def test_cells_assigned_before_super_init():
    class Net(nn.Cell):
        def __init__(self):
            self.fc = nn.Dense(2, 2)

    error = caught(Net)
    assert isinstance(error, AttributeError)
    assert "'super().__init__()' must be called before the cell 'fc' is assigned" in str(error)


def test_cells_called_without_super_init():
    class Net(nn.Cell):
        def __init__(self):
            self.width = 2

    for use in (lambda net: net(1), repr, lambda net: net.trainable_params()):
        error = caught(use, Net())
        assert isinstance(error, AttributeError)
        assert str(error) == "For 'Net', '__init__' must call 'super().__init__()'."


def test_a_checkpoint_for_a_missing_folder_names_the_argument(tmp_path):
    error = caught(ms.save_checkpoint, nn.Dense(2, 2), str(tmp_path / "none" / "a.ckpt"))
    assert isinstance(error, FileNotFoundError)
    assert "For 'save_checkpoint', the folder of 'ckpt_file_name'" in str(error)
    assert str(tmp_path / "none") in str(error)


def test_memory_is_shared_with_other_libraries():
    x = ms.Tensor([1.0, 2.0])
    shared = np.from_dlpack(x)
    assert shared.tolist() == [1.0, 2.0]

    class Foreign:
        def __dlpack__(self, **options):
            return shared.__dlpack__(**options)

        def __dlpack_device__(self):
            return shared.__dlpack_device__()

    made = ms.Tensor(Foreign())
    assert made.dtype == ms.float32 and made.asnumpy().tolist() == [1.0, 2.0]
    assert x.to("cpu").asnumpy().tolist() == [1.0, 2.0]


class Formatter:
    """As IPython's: it shows an error whether a cell, `%run` or a thread raised it."""

    def structured_traceback(self, kind, error, trace=None, tb_offset=None):
        return [line.rstrip() for line in traceback.format_exception(error.with_traceback(trace))]


def divided():
    try:
        nn.Dense(3, 4)(ms.Tensor([1.0]))
    except ValueError as error:
        raise RuntimeError("of a cause") from error


def test_a_shell_shows_errors_without_the_frames_of_the_package(monkeypatch):
    formatter = Formatter()
    shell = types.SimpleNamespace(InteractiveTB=formatter)
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))

    def lines(error):
        return formatter.structured_traceback(type(error), error, error.__traceback__)

    traceback_hooks.install()
    traceback_hooks.install()
    error, missing = caught(divided), caught(getattr, ms.Tensor([1.0]), "cuda")
    cause = error.__cause__
    count = len(traceback.extract_tb(cause.__traceback__))
    text = "\n".join(lines(error))
    assert "basic.py" not in text and "nn.Dense(3, 4)(ms.Tensor([1.0]))" in text
    assert error.__cause__ is cause and len(traceback.extract_tb(cause.__traceback__)) == count > 2
    assert lines(missing)[-1].startswith("  hint: Tensors lie on the device")
    assert sum("hint" in line for line in lines(missing)) == 1
    traceback_hooks.uninstall()
    assert "basic.py" in "\n".join(lines(cause)) and vars(formatter) == {}


class Listed(nn.Cell):
    def __init__(self, layers):
        super().__init__()
        self.layers = layers


@pytest.mark.parametrize(
    "layers, wanted", [([nn.ReLU()], "CellList"), ({"a": nn.ReLU()}, "CellDict"), ([1], None)]
)
def test_layers_in_a_list_have_no_parameters(layers, wanted):
    net = Listed(layers)
    error = caught(lambda: nn.SGD(net.trainable_params(), 0.1))
    assert (f"use mindspore.nn.{wanted}" in text_of(error)) == bool(wanted)
    assert ("'Listed' keeps layers" in text_of(error)) == bool(wanted)


@pytest.mark.parametrize(
    "layers, is_warned",
    [(lambda: [nn.Dense(1, 1)], True), (lambda: {"a": nn.Dense(1, 1)}, True), (list, False)]
    + [(lambda: [nn.ReLU()], False), (lambda: nn.CellList([nn.Dense(1, 1)]), False)],
)
def test_parameters_hidden_in_a_list_are_warned_of_once(layers, is_warned, monkeypatch):
    lines = []
    monkeypatch.setattr(ms.log, "warning", lines.append)
    net = nn.SequentialCell(nn.Dense(1, 1), Listed(layers()))
    for _ in range(2):
        net.trainable_params()
    assert ["'Listed' keeps layers in a" in line for line in lines] == [True] * is_warned
    named = Listed([net[0]])
    named.first = net[0]
    named.trainable_params()
    joined = Listed([net[0]])
    joined.all = nn.SequentialCell(joined.layers)  # its members are parts of `joined`
    joined.trainable_params()
    assert len(lines) == is_warned


def test_forward_is_to_be_called_construct():
    class Net(nn.Cell):
        def forward(self, x):
            return x

    assert str(caught(Net(), 1)).endswith("Rename 'forward' to 'construct'.")
    assert "forward" not in str(caught(nn.Cell(), 1))


def test_images_with_their_channels_last():
    x = ms.Tensor(np.ones((1, 8, 9, 3), np.float32))
    message = str(caught(nn.Conv2d(3, 4, 3), x))
    assert "pass input.transpose(0, 3, 1, 2)" in message
    assert nn.Conv2d(3, 4, 3)(x.transpose(0, 3, 1, 2)).shape == (1, 4, 8, 9)
    assert "transpose" not in str(caught(nn.Conv2d(5, 4, 3), x))


def test_names_that_are_elsewhere_in_the_package():
    assert "'relu' in mindspore.ops and in mindspore.mint.nn" in str(caught(getattr, ms, "relu"))
    text = text_of(caught(getattr, ms.Tensor([1.0]), "gelu"))
    assert "it is a function: mindspore.ops.gelu or mindspore.mint.nn.functional.gelu" in text


@pytest.mark.parametrize("prefix, there", [("module.", True), ("backbone.", False)])
def test_names_of_a_checkpoint_that_differ_by_a_prefix(prefix, there, monkeypatch):
    lines = []
    monkeypatch.setattr(ms.log, "warning", lines.append)
    net = nn.SequentialCell(nn.Dense(2, 2))
    values = net.parameters_dict()
    if there:
        values = {prefix + name: value for name, value in values.items()}
    else:
        net.update_parameters_name(prefix)
    ms.load_param_into_net(net, values, strict_load=True)
    owner = "parameter_dict" if there else "net"
    assert f"The names in '{owner}' start with '{prefix}'" in lines[0]


def divide(x):
    return x / missing  # noqa: F821


def test_an_error_in_a_worker_process_shows_its_line():
    data = ms.dataset.NumpySlicesDataset([1, 2, 3], shuffle=False)
    data = data.map(divide, num_parallel_workers=2, python_multiprocessing=True)
    text = text_of(caught(lambda: list(data.create_tuple_iterator())))
    assert "return x / missing" in text and "in divide" in text
    assert "worker_processes.py" not in text
