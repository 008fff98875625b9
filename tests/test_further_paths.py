"""Names under the additional paths where MindSpore 2.10 has them."""

import importlib

import pytest

import mindspore_compat as ms

SAME = [  # path, name, the path of the same object
    ("train.model", "ParallelMode", "context"),
    ("common", "float32", "common.dtype"),
    ("numpy.dtypes", "float32", "common.dtype"),
    ("dataset.vision.transforms", "RandomCropDecodeResize", "dataset.vision"),
    ("dataset.engine", "get_debug_mode", "dataset.config"),
    ("nn.optim.optimizer", "Parameter", "common"),
    ("nn.layer.basic", "Cell", "nn"),
    ("hal.stream", "Stream", "hal"),
    ("runtime.memory", "memory_stats", "runtime"),
    ("scipy.ops", "SolveTriangular", "ops.operations._inner_ops"),
    ("ops.composite.base", "GradOperation", "ops"),
    ("ops.operations.linalg_ops", "Svd", "ops"),
    ("ops.operations.manually_defined", "ScalarCast", "ops"),
    ("ops.function.sparse_func", "csr_add", "ops"),
    ("ops.function.grad.grad_func", "jvp", "ops"),
    ("ops.function.math_func", "transpose_op", "ops.auto_generate"),
    ("ops.auto_generate", "COOTensor", "common"),
    ("train.metric", "Metric", "train"),
    ("mint.optim.adamw", "AdamW", "mint.optim"),
    ("graph", "JitConfig", "common"),
    ("boost.boost_cell_wrapper", "TrainOneStepCell", "nn"),
    ("device_context.cpu.device", "is_available", "device_context.cpu"),
    ("device_context.cpu", "threads_num", "device_context.cpu.op_tuning"),
    ("dataset.engine.datasets", "check_batch", "dataset.engine.validators"),
    ("dataset.utils.line_reader", "LineReader", "dataset"),
    ("mindrecord", "MRMOpenError", "mindrecord.common.exceptions"),
    ("nn.optim.adam", "opt_init_args_register", "nn.optim.optimizer"),
    ("nn.optim.adasum", "Send", "ops"),
    ("ops.function.comm_func", "dist_comm_barrier_op", "ops.auto_generate"),
    ("ops.auto_generate.gen_extend_func", "roll_impl", "ops._primitive_aliases.pyboost_inner_prim"),
    ("train.model", "Callback", "train"),
    ("train.model", "_InternalCallbackParam", "train.callback"),
    ("train.model", "_CallbackManager", "train.callback"),
    ("train.model", "_set_training_dataset", "dataset"),
    ("train.model", "_reset_training_dataset", "dataset"),
    ("onnx.onnx_export", "Dataset", "dataset"),
    ("ops._utils.arg_handler", "to_pair", "ops._primitive_aliases.argument_helpers"),
    ("ops._utils.utils", "get_broadcast_shape", "_checkparam"),
]


@pytest.mark.parametrize("path, name, home", SAME)
def test_a_name_is_one_object_under_all_its_paths(path, name, home):
    found = getattr(importlib.import_module(f"mindspore_compat.{path}"), name)
    assert found is getattr(importlib.import_module(f"mindspore_compat.{home}"), name)


@pytest.mark.parametrize(
    "path, name, module",
    [
        ("nn.cell", "mstype", "common.dtype"),
        ("nn.wrap.loss_scale", "P", "ops.operations"),
        ("train.amp", "F", "ops.functional"),
        ("train.callback", "logger", "log"),
        ("dataset.vision", "transforms", "dataset.vision"),
    ],
)
def test_what_files_import_under_short_names(path, name, module):
    found = getattr(importlib.import_module(f"mindspore_compat.{path}"), name)
    assert found is importlib.import_module(f"mindspore_compat.{module}")


@pytest.mark.parametrize(
    "path", ["nn.cell", "common", "ops.function", "graph", "dataset.engine", "profiler.common"]
)
@pytest.mark.parametrize("name", ["no_such_name", "_no_such_name", "importlib", "checked"])
def test_other_names_are_not_there(path, name):
    module = importlib.import_module(f"mindspore_compat.{path}")
    if name not in vars(module):
        with pytest.raises(AttributeError, match=name):
            getattr(module, name)


def test_a_path_does_not_hide_a_function_of_the_same_name():
    importlib.import_module("mindspore_compat.ops.function.grad.grad_func")
    assert ms.ops.function.grad is ms.ops.grad


def test_a_nearer_name_is_suggested():
    with pytest.raises(AttributeError, match="did you mean 'Dense'"):
        ms.nn.Densee  # noqa: B018


@pytest.mark.parametrize(
    "name, arguments",
    [("add", lambda x: [x, x]), ("softmax", lambda x: [x, -1]), ("contiguous", lambda x: [x])],
)
def test_a_primitive_and_the_list_of_what_its_kernel_takes(name, arguments):
    """Numbers of 2.10: `pyboost_softmax(Softmax(), [x, -1])` is softmax over the last axis."""
    x = ms.Tensor([-1.0, 2.0], ms.float32)
    generated = ms.ops.auto_generate
    boosted = getattr(generated, f"pyboost_{name}")
    result = boosted(None, arguments(x))
    expected = {"add": x + x, "softmax": ms.ops.softmax(x), "contiguous": x}[name]
    assert (result == expected).all()
    with pytest.raises(RuntimeError, match="but got 1"):
        boosted(x)
    assert not hasattr(generated, "pyboost_no_such_primitive")


def test_primitives_made_without_settings():
    functions = ms.ops.function.math_func
    x = ms.Tensor([1.0, 2.0], ms.float32)
    assert isinstance(functions.acosh_, ms.ops.Acosh)
    assert (functions.acosh_(x) == ms.ops.acosh(x)).all()
    assert not hasattr(functions, "no_such_primitive_")


def test_the_call_of_a_primitive_as_a_function():
    x = ms.Tensor([[1.0, 2.0], [3.0, 4.0]], ms.float32)
    turned = x.transpose(1, 0)
    assert (ms.ops.auto_generate.contiguous(turned) == turned).all()
    assert (ms.ops.auto_generate.copy(x) == x).all()
