"""The type stubs match today's declarations, and type checkers agree with them."""

import ast
import doctest
import importlib
import inspect
import io
import json
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat._startup import results, stubs

ROOT = Path(stubs.ROOT).parent
SLIPS = {  # a line of a script: what a type checker says of it
    "nn.Dense(3, 4, has_biass=True)": 'Unexpected keyword argument "has_biass" for "Dense"',
    "nn.Conv2d('3', 4, 3)": 'Argument 1 to "Conv2d" has incompatible type "str"',
    "ops.softmax(ms.Tensor([1.0]), dim=0)": 'Unexpected keyword argument "dim" for "softmax"',
    "ms.Tensor([1.0]).cuda()": '"Tensor" has no attribute "cuda"',
    "nn.Module": 'has no attribute "Module"',
    "ms.dataset.NumpySlicesDataset([1]).batch('2')": 'Argument 1 to "batch" of "Dataset" has',
    "ms.set_context(mode='graph')": 'Argument "mode" to "set_context" has incompatible type "str"',
    "ms.set_context(moed=0)": 'Unexpected keyword argument "moed" for "set_context"',
    "ms.save_checkpoint(nn.Dense(1, 1), 3)": 'Argument 2 to "save_checkpoint" has incompatible',
    "nn.Dense(1, 1).weight.cuda()": '"Parameter" has no attribute "cuda"',
    "ms.Tensor([1.0]).sum().cuda()": '"Tensor" has no attribute "cuda"',
    "ops.concat([ms.Tensor([1.0])]).cuda()": '"Tensor" has no attribute "cuda"',
    "nn.Dense(1, 1)(ms.Tensor([[1.0]])).cuda()": '"Tensor" has no attribute "cuda"',
    "ms.dataset.NumpySlicesDataset([1]).batch(2).btch": '"NumpySlicesDataset" has no attribute',
    "ms.Tensor([1.0]).split(1)[0].cuda()": '"Tensor" has no attribute "cuda"',
    "nn.Adam([], beta=0.9)": 'Unexpected keyword argument "beta" for "Adam"',
    "ms.Model(nn.Dense(1, 1), loss=nn.MSELoss())": 'Unexpected keyword argument "loss" for "Model"',
    "ms.load_checkpoint(3)": 'Argument 1 to "load_checkpoint" has incompatible type "int"',
    "ms.load_checkpoint('a.ckpt', 'net')": 'Argument 2 to "load_checkpoint" has incompatible type',
    "ms.load_param_into_net('net', {})": 'Argument 1 to "load_param_into_net" has incompatible',
    "ms.dataset.NumpySlicesDataset([1]).map(3)": 'Argument 1 to "map" of "Dataset" has',
    "ms.grad('f')": 'No overload variant of "grad" matches argument type "str"',
    "int(ops.relu(ms.Tensor([1.0])) + 1).shape": '"int" has no attribute "shape"',
    "ms.save_checkpoint('net', 'a.ckpt')": 'Argument 1 to "save_checkpoint" has incompatible type',
    "ms.value_and_grad(3)": 'No overload variant of "value_and_grad" matches argument type "int"',
    "nn.SequentialCell(3)": 'Argument 1 to "SequentialCell" has incompatible type "int"',
    "nn.MaxPool2d(kernel_size='2')": 'Argument "kernel_size" to "MaxPool2d" has incompatible type',
    "ms.Parameter('x', name=3)": 'Argument "name" to "Parameter" has incompatible type "int"',
    "nn.Dense(1, 1).weight.shape()": '"tuple[int, ...]" not callable',
    "nn.Dense(1, 1).set_train('yes')": 'Argument 1 to "set_train" of "Cell" has incompatible type',
    "ms.hal.device_count().shape": '"int" has no attribute "shape"',
    "ms.Model(nn.ReLU()).eval(ms.dataset.NumpySlicesDataset([1])).shape": '"dict[Any, Any]" has no',
    "ms.load_checkpoint('a.ckpt').shape": '"dict[Any, Any]" has no attribute "shape"',
    "ms.amp.auto_mixed_precision(nn.ReLU(), 'O2', dtype=3)": 'Argument "dtype" to "auto_mixed_pr',
    "ms.Tensor([1.0]).reshape('a')": 'Argument 1 to "reshape" of "Tensor" has incompatible type',
    "ms.Tensor([1.0]).transpose(0.5)": 'Argument 1 to "transpose" of "Tensor" has incompatible',
    "ms.Tensor([1.0]).view_as(3)": 'Argument 1 to "view_as" of "Tensor" has incompatible type',
    "ms.Tensor([1.0]).scatter_div(3, 1)": 'Argument 1 to "scatter_div" of "Tensor" has incompat',
    "nn.Dense(1, 1).trainable_parms()": '"Dense" has no attribute "trainable_parms"',
    "nn.Dense(1, 1).wieght": '"Dense" has no attribute "wieght"',
    "nn.SequentialCell(nn.ReLU())(ms.Tensor([1.0])).cuda()": '"Tensor" has no attribute "cuda"',
    "ms.value_and_grad(nn.Dense(1, 1))(ms.Tensor([1.0]))[0].cuda()": '"Tensor" has no attribute',
    "ms.vmap(divmod)(1)": "Too few arguments",
    "ms.jit(nn.Dense(1, 1))(ms.Tensor([1.0])).cuda()": '"Tensor" has no attribute "cuda"',
    "ops.stop_gradient(ms.Tensor([1.0])).cuda()": '"Tensor" has no attribute "cuda"',
    "ms.Tensor([1.0]).astype(3)": 'Argument 1 to "astype" of "Tensor" has incompatible type "int"',
    "first, second, third = ops.unique(ms.Tensor([1]))": "Need more than 2 values to unpack",
    "nn.LSTM(1, 1)(ms.Tensor([[[1.0]]]))[1].cuda()": '"tuple[Tensor, Tensor]" has no attribute',
    "nn.Dense(1, 1, activation=3)": 'Argument "activation" to "Dense" has incompatible type "int"',
    "nn.Adam([])(3)": 'Argument 1 to "__call__" of "Optimizer" has incompatible type "int"',
    "nn.Adam([]).parameters[0].cuda()": '"Parameter" has no attribute "cuda"',
    "ms.grad(nn.ReLU())(ms.Tensor([1.0])).cuda()": '"Tensor" has no attribute "cuda"',
    "ms.Model(nn.ReLU()).predict(ms.Tensor([1.0])).cuda()": '"Tensor" has no attribute "cuda"',
    "nn.Dense(1, 1).weight.name.cuda()": '"str" has no attribute "cuda"',
    "nn.CellList([nn.ReLU()])[0].cuda()": '"ReLU" has no attribute "cuda"',
    "nn.CellList([3])": 'Value of type variable "_C" of "CellList" cannot be "int"',
    "nn.CellList([nn.ReLU()]).append(3)": 'Argument 1 to "append" of "CellList" has incompatible',
    "ms.ParameterTuple([3])": 'List item 0 has incompatible type "int"; expected "Parameter"',
    "ms.communication.get_rank().cuda()": '"int" has no attribute "cuda"',
    "ms.numpy.mean([1.0]).cuda()": '"Tensor" has no attribute "cuda"',
    "ms.mint.nn.Conv2d(1, 1, 1)(ms.Tensor([1.0])).cuda()": '"Tensor" has no attribute "cuda"',
    "for row in ms.dataset.NumpySlicesDataset([1]): row[0].cuda()": '"Tensor" has no attribute',
    "ops.clip_by_value(ms.Tensor([1.0]), 0, 1).cuda()": '"Tensor" has no attribute "cuda"',
    "ops.TopK()(ms.Tensor([1.0]), 1).cuda()": '"tuple[Tensor, Tensor]" has no attribute "cuda"',
}
REVEALED = {  # an expression: its type, without the names of modules
    "x.sum()": "Tensor",
    "x.item()": "int | float",
    "x.shape[0]": "int",
    "x.dtype": "Type",
    "x.dtype == ms.float32": "bool",
    "x.mT.H": "Tensor",
    "ms.Tensor.from_numpy(x.asnumpy())": "Tensor",
    "ops.unique(x)": "tuple[Tensor, Tensor]",
    "ops.topk(x, 1)": "tuple[Tensor, Tensor]",
    "ops.max(x)": "tuple[Tensor, Tensor]",
    "ops.svd(x)": "tuple[Tensor, Tensor, Tensor]",
    "ops.svd(x, compute_uv=False)": "Any",
    "ops.shape(x)": "tuple[int, ...]",
    "ops.tensor_scatter_add(x, x, x)": "Tensor",
    "ops.max_pool2d(x, 2)": "Tensor",
    "ops.GradOperation()(net)(x)": "Any",
    "mint.max(x)": "Tensor",
    "mint.max(x, 0)": "tuple[Tensor, Tensor]",
    "mint.unique(x)": "Tensor",
    "mint.nn.Conv2d(1, 1, 1)(x)": "Tensor",
    "ms.numpy.split(x, 2)": "tuple[Tensor, ...]",
    "ms.numpy.concatenate([x, x])": "Tensor",
    "nn.LSTM(1, 1)(x)": "tuple[Tensor, tuple[Tensor, Tensor]]",
    "nn.GRU(1, 1)(x)": "tuple[Tensor, Tensor]",
    "nn.LSTMCell(1, 1)(x, (x, x))": "tuple[Tensor, Tensor]",
    "nn.MultiheadAttention(4, 2)(x, x, x)": "tuple[Tensor, ...]",
    "nn.TrainOneStepCell(net, optimizer)(x)": "Tensor",
    "nn.CosineDecayLR(0.0, 0.1, 10)(x)": "Tensor",
    "net.trainable_params()[0].name": "str",
    "net.weight.requires_grad": "bool",
    "net.bias": "Parameter",
    "net.name_cells()": "dict[str, Cell]",
    "[cell for _, cell in net.cells_and_names()]": "list[Cell]",
    "nn.CellList([net, net])[0].weight": "Parameter",
    "nn.CellList([net])[:1]": "CellList[Dense]",
    "[cell.bias for cell in nn.CellList([net])]": "list[Parameter]",
    "nn.CellList()[0]": "Any",
    "optimizer(ms.grad(net, None, optimizer.parameters)(x))": "bool | tuple[bool, ...]",
    "optimizer.parameters[0]": "Parameter",
    "optimizer.global_step": "Parameter",
    "ms.grad(net)(x)": "Tensor",
    "ms.grad(net, None, net.weight)(x)": "Tensor",
    "ms.grad(net, None, net.trainable_params())(x)": "tuple[Tensor, ...]",
    "ms.grad(net, (0, 1))(x, x)": "Any",
    "ms.value_and_grad(net)(x)": "tuple[Tensor, Tensor]",
    "ms.value_and_grad(net, None, optimizer.parameters)(x)": "tuple[Tensor, tuple[Tensor, ...]]",
    "ms.value_and_grad(net, 0, optimizer.parameters)(x)": "tuple[Tensor, Any]",
    "ms.jvp(net, x, x)": "tuple[Tensor, Tensor]",
    "ms.vjp(net, x)[0]": "Tensor",
    "ms.amp.auto_mixed_precision(net).weight": "Parameter",
    "ms.jit(net)(x)": "Tensor",
    "model.predict(x)": "Tensor",
    "model.train(1, data)": "None",
    "data.batch(2).map(abs, ['a']).get_dataset_size()": "int",
    "next(data.create_dict_iterator())['a']": "Tensor",
    "next(data.create_dict_iterator(1, output_numpy=True))['a']": "ndarray[Any, Any]",
    "next(data.create_tuple_iterator())": "list[Tensor]",
    "next(iter(data))": "list[Tensor]",
    "data.split([0.5, 0.5])[0]": "Dataset",
    "ms.dataset.config.get_seed()": "int",
    "ms.ParameterTuple([net.weight])[0]": "Parameter",
    "ms.communication.get_rank()": "int",
    "ms.hal.memory_allocated()": "int",
    "ms.get_seed()": "int | None",
    "ms.__version__": "str",
}
COMPLETED = {  # the beginning of a line -> a name that completes it
    "ops.relu(ms.Tensor([1.0])).": "reshape",
    "ms.Tensor([1]).sum().": "reshape",
    "ms.Tensor([1]).max().": "reshape",
    "(ms.Tensor([1]) + 1)[0].": "reshape",
    "nn.Dense(1, 1)(ms.Tensor([[1.0]])).": "reshape",
    "ms.Tensor([1]).max(0)[0].": "reshape",
    "nn.Dense(1, 1).weight.": "asnumpy",
    "ms.dataset.NumpySlicesDataset([1]).batch(2).": "create_dict_iterator",
    "ms.dataset.NumpySlicesDataset([1]).map(abs).batch(2).": "create_dict_iterator",
    "ms.Model(nn.ReLU()).eval(ms.dataset.NumpySlicesDataset([1])).": "keys",
    "nn.Dense(1, 1).set_train().": "trainable_params",
    "ms.load_checkpoint('a.ckpt').": "items",
    "nn.SequentialCell(nn.ReLU())(ms.Tensor([1.0])).": "reshape",
    "ms.jit(nn.ReLU())(ms.Tensor([1.0])).": "reshape",
}
CORRECT = """
from collections import OrderedDict

import numpy as np
import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn, mint, ops

data = ds.NumpySlicesDataset([1])
data = data.map(abs, callbacks=ds.WaitedDSCallback())
data = data.batch(2)
ds.TextFileDataset("a.txt", shuffle=ds.Shuffle.FILES)
[mode.value for mode in ds.Shuffle]
net = nn.Dense(1, 1, dtype=ms.float64)
ops.stack(net.trainable_params()).astype(ms.int8)
(ms.Tensor([1.0]) == ms.Tensor([1.0])).all().asnumpy()
{net.weight: 1}
mint.nn.Dropout(0.5)
nn.Adam(net.trainable_params(), use_lazy=True)
ms.Model(net, loss_scale_manager=None)
net.matmul.shard(((1, 1), (1, 1)))
ops.ones((2, 2)).reshape(np.int64(4)).reshape((2, ms.Tensor(2))).reshape(shape=(1, 4))
ops.ones((2, 2)).view(ms.int32).transpose(0, 1).transpose(dim0=0, dim1=1).permute(None)
nn.SequentialCell(OrderedDict(first=net)).first.weight


class Net(nn.Cell):
    @ms.lazy_inline
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(1, 1)

    @ms.jit(jit_level="O0")
    def construct(self, x):
        return self.dense(x).reshape(-1, *x.shape[1:])


ms.value_and_grad(Net(), None, Net().trainable_params())(ms.Tensor([1.0]))[0]
ms.grad(Net(), sens_param=True)(ms.Tensor([1.0]), ms.Tensor([1.0]))
"""
HEAD = "import mindspore as ms\nfrom mindspore import nn, ops\n\n"
REVEAL = """import mindspore as ms
from mindspore import mint, nn, ops

x = ms.Tensor([[1.0]])
net = nn.Dense(1, 1)
optimizer = nn.Adam(net.trainable_params())
model = ms.Model(net)
data = ms.dataset.NumpySlicesDataset([1])
"""


@pytest.fixture(scope="module")
def texts():
    return {path: path.read_text("utf-8") for path in stubs.ROOT.rglob("*.pyi")}


def test_stubs_are_those_of_the_declarations():
    command = [sys.executable, "-m", stubs.__name__, "--check"]  # where no test declared anything
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, f"run {stubs.COMMAND}:\n{ran.stderr}"


def test_stubs_are_marked_as_generated(texts):
    marked = {path for path, text in texts.items() if text.startswith(stubs.HEADER)}
    assert {*texts} - marked == set()
    assert stubs.COMMAND in stubs.HEADER.partition("\n")[0]
    attributes = ROOT / ".gitattributes"  # not in an installed copy
    if attributes.exists():
        assert "*.pyi linguist-generated" in attributes.read_text("utf-8").splitlines()


def test_signatures_overloads_and_aliases_are_written(texts):
    nn = texts[stubs.ROOT / "nn" / "__init__.pyi"]
    assert "group: _b.int = 1, has_bias: _b.bool = False," in nn
    tensor = texts[stubs.ROOT / "common" / "tensor.pyi"]
    assert tensor.count("    @_t.overload\n    def sum(self, ") > 1
    assert "def __add__(self, other: " in tensor
    root = texts[stubs.ROOT / "__init__.pyi"]
    assert "from .common.tensor import Tensor as Tensor" in root
    assert "from .ops import value_and_grad as value_and_grad" in root


@pytest.fixture(scope="module")
def folder(texts, tmp_path_factory):
    """A folder in which the stubs are those of `mindspore`; slips.py has a slip on each line."""
    folder = tmp_path_factory.mktemp("types")
    for path, text in texts.items():
        target = folder / "mindspore" / path.relative_to(stubs.ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
    for example in (ROOT / "docs" / "examples").glob("*.py"):
        (folder / example.name).write_text(example.read_text("utf-8"), "utf-8")
    (folder / "correct.py").write_text(CORRECT, "utf-8")
    (folder / "slips.py").write_text(HEAD + "\n".join(SLIPS) + "\n", "utf-8")
    return folder


def run(folder, *command):
    """What a type checker prints about the scripts in a folder."""
    scripts = sorted(path.name for path in folder.glob("*.py"))
    ran = subprocess.run(
        [sys.executable, "-m", *command, *scripts],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert ran.stderr == ""
    return ran.stdout


def test_mypy_accepts_correct_scripts_and_names_slips(folder):
    pytest.importorskip("mypy")
    said = run(folder, "mypy", "--no-incremental", "--no-error-summary").splitlines()
    for number, line in enumerate(SLIPS, HEAD.count("\n") + 1):
        found = [each for each in said if each.startswith(f"slips.py:{number}: error")]
        assert len(found) == 1 and SLIPS[line] in found[0], (line, said)
    assert [each for each in said if ": error" in each and "slips.py" not in each] == []


def test_expressions_have_the_types_that_users_expect(folder, tmp_path):
    pytest.importorskip("mypy")
    script = REVEAL + "".join(f"reveal_type({expression})\n" for expression in REVEALED)
    (tmp_path / "revealed.py").write_text(script, "utf-8")
    command = [sys.executable, "-m", "mypy", "--no-incremental", "--no-error-summary"]
    ran = subprocess.run(
        [*command, str(tmp_path / "revealed.py")],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
    )
    types = re.findall(r'note: Revealed type is "(.*)"', ran.stdout)
    types = [re.sub(r"\b[a-z_]\w*\.", "", each).rstrip("?") for each in types]
    assert ": error" not in ran.stdout, ran.stdout
    assert dict(zip(REVEALED, types, strict=True)) == REVEALED


def test_pyright_accepts_correct_scripts_and_names_slips(folder):
    pytest.importorskip("pyright", reason="it brings an interpreter of 200 MB; CI has it")
    said = json.loads(run(folder, "pyright", "--outputjson"))["generalDiagnostics"]
    errors = [each for each in said if each["severity"] == "error"]
    # Pyright may say two things of one slip.
    locations = {(Path(each["file"]).name, each["range"]["start"]["line"]) for each in errors}
    assert sorted(locations) == [("slips.py", HEAD.count("\n") + i) for i in range(len(SLIPS))]
    assert 'No parameter named "has_biass"' in errors[0]["message"]


def test_jedi_completes_names_and_shows_arguments(folder):
    jedi = pytest.importorskip("jedi")

    def script(line):
        project = jedi.Project(folder, load_unsafe_extensions=False)
        return jedi.Script(HEAD + line, path=folder / "written.py", project=project)

    (dense,) = script("layer = nn.Dense(").get_signatures()
    assert "has_bias" in [parameter.name for parameter in dense.params]
    for line, name in COMPLETED.items():
        assert name in [each.name for each in script(line).complete()], line


# Docstrings for which mypy reports errors although they run: they unpack lists, or have lists of
# several types.
UNCHECKED = """AdamNoUpdateParam ApplyAdamWithAmsgradV2 ApplyCenteredRMSProp FusedSparseAdam
    FusedSparseLazyAdam RandomSelectSubpolicy""".split()
EXAMPLE = """def example():  # {}
    import mindspore as ms, numpy as np, mindspore
    from mindspore import nn, ops, Tensor
{}
"""


def examples_of_docstrings():
    """The examples of all public classes, methods and functions as functions of one script."""
    parser, seen, parts = doctest.DocTestParser(), set(), []
    for module in stubs.MODULES:
        home = importlib.import_module(f"mindspore_compat.{module}")
        for name in stubs.names_of(home):
            thing = getattr(home, name)
            path = f"{module}.{name}"
            if id(thing) in seen or name in UNCHECKED:
                continue
            seen.add(id(thing))
            methods = vars(thing) if inspect.isclass(thing) else ()
            things = [thing, *(getattr(thing, each) for each in methods if each[0] != "_")]
            for described in things:
                examples = parser.get_examples(inspect.getdoc(described) or "")
                source = "".join(each.source for each in examples)
                source = textwrap.indent(source.replace("mindspore_compat", "mindspore"), "    ")
                parts += [EXAMPLE.format(path, source)] if source else []
    return "\n".join(parts)


def test_arguments_of_all_examples_are_of_the_types_of_the_stubs(folder, tmp_path):
    pytest.importorskip("mypy")
    script = tmp_path / "examples.py"
    script.write_text(examples_of_docstrings(), "utf-8")
    command = [sys.executable, "-m", "mypy", "--no-incremental", "--check-untyped-defs"]
    ran = subprocess.run(
        [*command, str(script)], cwd=folder, capture_output=True, text=True, timeout=600
    )
    lines, script_lines = ran.stdout.splitlines(), script.read_text("utf-8").splitlines()
    assert len(script_lines) > 10000 and "checked 1 source file" in ran.stdout, ran.stdout[:500]
    kinds = ("[arg-type]", "[call-arg]", "[call-overload]")
    wrong = [line for line in lines if line.endswith(kinds) and 'to "floating"' not in line]
    assert [(script_lines[int(line.split(":")[1]) - 1].strip(), line) for line in wrong] == []


NETWORK = "nn.Dense(1, 1)"
PROBES = """3 2.5 True None 'net' b'sixteen_bytes_ok' [] () {} ['w'] ('w',) {'w':ms.Tensor([1.0])}
    nn.Dense(1,1) ms.Tensor([1.0]) len lambda*x:True io.BytesIO() np.ones(3) object() ops.relu
    nn.Dense(1,1).trainable_params() ms.train.History() pathlib.Path('new')""".split()
CALLS = {  # function -> valid arguments; "use" is a use of the result that reveals a wrong argument
    "ms.load_checkpoint": {"ckpt_file_name": "'old.ckpt'", "net": NETWORK},
    "ms.load_param_into_net": {"net": NETWORK, "parameter_dict": "{}"},
    "ms.save_checkpoint": {"save_obj": NETWORK, "ckpt_file_name": "'new'", "append_dict": "{}",
                           "async_save": "False", "enc_key": "None", "choice_func": "len"},
    "ms.load_checkpoint_async": {"ckpt_file_name": "'old.ckpt'", "net": NETWORK,
                                 "use": ".result()"},
    "ms.ckpt_to_safetensors": {"file_path": "'old.ckpt'", "name_map": "{}"},
    "ms.export": {"net": NETWORK, "*": "ms.Tensor([[1.0]])", "file_name": "'n'",
                  "file_format": "'MINDIR'"},
    "ms.grad": {"fn": "ops.relu", "use": "(ms.Tensor(1.0))"},
    "ms.value_and_grad": {"fn": "ops.relu", "use": "(ms.Tensor(1.0))"},
    "ms.jit": {"function": "ops.relu", "use": "(ms.Tensor([1.0]))"},
    "ms.amp.auto_mixed_precision": {"network": NETWORK},
    "nn.WithLossCell": {"backbone": NETWORK, "loss_fn": "nn.MSELoss()",
                        "use": "(ms.Tensor([[1.0]]), ms.Tensor([[1.0]]))"},
    "nn.TrainOneStepCell": {"network": NETWORK, "optimizer": "nn.SGD([])"},
    "ms.Parameter": {"default_input": "ms.Tensor([1.0])", "name": "'w'", "requires_grad": "True"},
    "nn.MaxPool2d": {"kernel_size": "2", "pad_mode": "'same'"},
    "nn.SequentialCell": {"*": NETWORK, "use": "(ms.Tensor([[1.0]]))"},
    "ms.dataset.transforms.Compose": {"transforms": "[abs]", "use": "(np.ones(3))"},
    "ms.dataset.NumpySlicesDataset([1]).map": {"operations": "abs"},
    **{f"ms.ops.ones((2, 2)).{name}": {"*": value} for name, value in {
        "reshape": "4", "view": "4", "tile": "2", "repeat": "2", "permute": "(1, 0)", "resize": "3",
        "broadcast_to": "(2, 2)", "view_as": "ms.ops.ones((4,))", "type_as": "ms.Tensor([1])",
        "fill": "1", "transpose": "(0, 1)"}.items()},
    "ms.dataset.NumpySlicesDataset([1]).apply": {"apply_func": "lambda data: data"},
}  # fmt: skip


def accepted_calls(folder, monkeypatch):
    """The calls with one argument replaced that raise nothing."""
    monkeypatch.chdir(folder)
    names = {"ms": ms, "nn": ms.nn, "ops": ms.ops, "io": io, "np": np, "pathlib": Path}
    ms.save_checkpoint(ms.nn.Dense(1, 1), "old.ckpt")
    for function, given in CALLS.items():
        arguments = {name: text for name, text in given.items() if name != "use"}
        for name in arguments:
            for probe in PROBES:
                values = {**arguments, name: probe}
                text = ", ".join(v if k == "*" else f"{k}={v}" for k, v in values.items())
                if "*" in values:  # the first argument is passed by position
                    text = text.partition("=")[2]
                call = f"{function}({text})"
                try:
                    eval(call + given.get("use", ""), names)
                except Exception:
                    continue
                yield call


@pytest.mark.filterwarnings("ignore")
def test_stubs_are_not_stricter_than_the_functions(folder, tmp_path, monkeypatch):
    pytest.importorskip("mypy")
    calls = [*accepted_calls(tmp_path, monkeypatch)]
    assert len(calls) > 50
    head = "import io, pathlib\nimport numpy as np\n" + HEAD
    (tmp_path / "calls.py").write_text(head + "\n".join(calls) + "\n", "utf-8")
    command = [sys.executable, "-m", "mypy", "--no-incremental", str(tmp_path / "calls.py")]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    errors = [line for line in ran.stdout.splitlines() if ": error" in line]
    lines = (tmp_path / "calls.py").read_text("utf-8").splitlines()
    assert [(lines[int(line.split(":")[1]) - 1], line.split(": ", 2)[2]) for line in errors] == []


def returned_by_methods():
    """What the stub says of the result of each method of Tensor, by name; None for overloads that
    differ."""
    text = (stubs.ROOT / "common" / "tensor.pyi").read_text("utf-8")
    tensor = next(
        node
        for node in ast.parse(text).body
        if isinstance(node, ast.ClassDef) and node.name == "Tensor"
    )
    found = {}
    for node in tensor.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            if not any(ast.unparse(each).startswith("property") for each in node.decorator_list):
                found.setdefault(node.name, set()).add(ast.unparse(node.returns))
    return {name: types.pop() if len(types) == 1 else None for name, types in found.items()}


OTHERS = ("flush_from_cache", "offload", "backward")  # act on the memory of a Tensor


METHODS = returned_by_methods()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted({*METHODS} - {*OTHERS}))
def test_methods_return_what_the_stub_says(name):
    said = METHODS[name]
    for arguments in [(), (1,), (0, 1), (0, 0), (ms.Tensor([[1.0, 2.0], [3.0, 4.0]]),)]:
        x = ms.Tensor([[2.0, 1.0], [1.0, 2.0]])
        try:
            result = getattr(x, name)(*arguments)
        except Exception:  # other arguments are needed
            continue
        if said == "Tensor":
            assert isinstance(result, ms.Tensor), (arguments, result)
        elif said == "_b.tuple[Tensor, ...]":
            assert isinstance(result, tuple) and all(isinstance(t, ms.Tensor) for t in result)
        elif said in ("_b.int", "_b.bool", "_b.str", "_b.list"):
            assert type(result).__name__ == said[3:]


def test_functions_return_what_the_stubs_say():
    text = (stubs.ROOT / "ops" / "__init__.pyi").read_text("utf-8")
    said = {
        node.name: ast.unparse(node.returns)
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef)
    }
    assert sum("Tensor" in each for each in said.values()) > 500
    x = ms.Tensor([[2.0, 1.0], [1.0, 2.0]])
    wrong = []
    for name, returns in said.items():
        for arguments in [(x,), (x, x), (x, 1)]:
            try:
                result = getattr(ms.ops, name)(*arguments)
            except Exception:  # other arguments are needed
                continue
            kind = getattr(ms, returns.lstrip("_"), ms.Tensor)  # also COOTensor, CSRTensor
            one, several = isinstance(result, kind), isinstance(result, tuple)
            if returns.endswith("Tensor") and not one or "tuple[Tensor" in returns and not several:
                wrong.append((name, returns, type(result).__name__))
            break
    assert wrong == []


def without_else(x):
    if x:
        return True


def with_else(x):
    if x:
        return True
    else:
        return False


def in_a_loop(x):
    for each in x:
        return isinstance(each, int)


def until_found(x):
    while True:
        if x():
            return "found"


def with_handler(x):
    try:
        return len(x)
    except TypeError:
        x.clear()


@pytest.mark.parametrize(
    "function, result",
    [
        (without_else, "bool | None"),
        (with_else, "bool"),
        (in_a_loop, "bool | None"),
        (until_found, "str"),
        (with_handler, "int | None"),
    ],
)
def test_a_function_that_may_end_without_a_return_may_return_none(function, result):
    assert results.plain_of(function) == result
