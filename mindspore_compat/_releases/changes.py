"""What changed in which release: the table that behaviour, documentation and tests are made from.

The sources are MindSpore's release notes and the pages of its documentation of each release.
"""

from typing import NamedTuple

NOTES = "https://gitee.com/mindspore/mindspore/blob/master/RELEASE.md"
PAGES = "https://www.mindspore.cn/docs/en"


class Change(NamedTuple):
    """One change.

    Args:
        release: the first release with today's meaning.
        name: the public name.
        before: the earlier meaning, as a sentence.
        now: today's meaning, as a sentence.
        where: module and attribute, or several, that are replaced.
        old: file and function of this package that give the earlier meaning.
        example: an expression; the tests define `x`, `pairs` and others.
        was: its printed result before, or the name of its error.
        gives: its printed result now, or the name of its error.
        source: the page that tells of the change.
    """

    release: str
    name: str
    before: str
    now: str
    where: str
    old: str
    example: str
    was: str
    gives: str
    source: str = NOTES


_TENSOR_PAGE = f"{PAGES}/r2.5.0/api_python/mindspore/Tensor/mindspore.Tensor"

CHANGES = [
    Change(
        "1.8",
        "train.TimeMonitor",
        "Prints the times of an epoch without a word before them.",
        'Prints "Train" or "Eval" before them.',
        "train:TimeMonitor.epoch_end",
        "training.time_without_phase",
        "first_word_of_time()",
        "epoch",
        "Train",
    ),
    Change(
        "2.0",
        "set_context(mode)",
        "Starts in GRAPH_MODE.",
        "Starts in PYNATIVE_MODE.",
        "context:set_context",
        "training.graph_mode_by_default",
        "ms.get_context('mode')",
        "0",
        "1",
    ),
    Change(
        "2.0",
        "train.Model.train",
        "`dataset_sink_mode` is True by default.",
        "`dataset_sink_mode` is False by default.",
        "train:Model.train",
        "training.data_sinking",
        "sinking_of_training()",
        "True",
        "False",
    ),
    Change(
        "2.0",
        "load_param_into_net",
        "Returns the parameters that were not loaded.",
        "Returns them, and those of the checkpoint that the network lacks.",
        "train:load_param_into_net train.serialization:load_param_into_net",
        "training.only_missing",
        "ms.load_param_into_net(nn.Dense(1, 1), {})",
        "['weight', 'bias']",
        "(['weight', 'bias'], [])",
    ),
    Change(
        "2.0",
        "data_sink",
        "The third argument is `steps`.",
        "There is no `steps`.",
        "train:data_sink train.data_sink:data_sink",
        "training.data_sink",
        "callable(ms.data_sink(lambda a, b: a, pairs(), steps=2))",
        "True",
        "TypeError",
    ),
    Change(
        "2.0",
        "nn.BCELoss",
        '`reduction` is "none" by default.',
        '`reduction` is "mean" by default.',
        "nn:BCELoss.__init__",
        "layers.unreduced",
        "nn.BCELoss()(half, half).shape",
        "(2,)",
        "()",
    ),
    Change(
        "2.0",
        "ops.split",
        "`split(input_x, axis=0, output_num=1)` counts parts.",
        "`split(tensor, split_size_or_sections, axis=0)` takes their length.",
        "ops:split",
        "operators.split",
        "[part.shape for part in ops.split(wide, 1, 2)]",
        "[(1, 2), (1, 2)]",
        "ValueError",
    ),
    Change(
        "2.0",
        "Tensor.split",
        "`split(axis=0, output_num=1)` counts parts.",
        "`split(split_size_or_sections, axis=0)` takes their length.",
        "ops:Tensor.split",
        "operators.split",
        "[part.shape for part in x.split(1, 2)]",
        "[(2, 1), (2, 1)]",
        "ValueError",
    ),
    Change(
        "2.0",
        "ops.pad",
        "`paddings` has a pair for each axis, from the first on.",
        "`padding` has numbers from the last axis on.",
        "ops:pad",
        "operators.pad",
        "ops.pad(x, ((1, 0), (0, 2))).shape",
        "(3, 4)",
        "TypeError",
    ),
    Change(
        "2.0",
        "ops.meshgrid",
        "Takes the vectors as one tuple.",
        "Takes the vectors one by one.",
        "ops:meshgrid",
        "operators.meshgrid",
        "[each.shape for each in ops.meshgrid((x[0], x[0], x[0]))]",
        "[(2, 2, 2), (2, 2, 2), (2, 2, 2)]",
        "TypeError",
    ),
    Change(
        "2.0",
        "ops.max",
        "Returns index and value, along axis 0 by default.",
        "Returns value and index, of all elements by default.",
        "ops:max",
        "operators.largest",
        "[each.asnumpy().tolist() for each in ops.max(x)]",
        "[[1, 0], [3.0, 5.0]]",
        "[5.0, 0]",
    ),
    Change(
        "2.0",
        "ops.min",
        "Returns index and value, along axis 0 by default.",
        "Returns value and index, of all elements by default.",
        "ops:min",
        "operators.smallest",
        "[each.asnumpy().tolist() for each in ops.min(x)]",
        "[[0, 1], [1.0, 2.0]]",
        "[1.0, 0]",
    ),
    Change(
        "2.0",
        "ops.norm",
        "`norm(input_x, axis, p=2, keep_dims=False, epsilon=1e-12)` needs axes.",
        "`norm(A, ord=None, dim=None, keepdim=False, *, dtype=None)` takes the order first.",
        "ops:norm",
        "operators.norm",
        "ops.norm(x, 1).shape",
        "(2,)",
        "()",
    ),
    Change(
        "2.0",
        "Tensor.norm",
        "`norm(axis, p=2, keep_dims=False, epsilon=1e-12)` needs axes.",
        "`norm(ord=None, dim=None, keepdim=False, *, dtype=None)` takes the order first.",
        "ops:Tensor.norm",
        "operators.norm",
        "x.norm(1).shape",
        "(2,)",
        "()",
    ),
    Change(
        "2.0",
        "ops.std",
        "`unbiased=True` divides by the number of elements minus 1.",
        "`ddof=0` divides by the number of elements.",
        "ops:std",
        "operators.std",
        "f'{float(ops.std(x)):.4f}'",
        "1.7078",
        "1.4790",
    ),
    Change(
        "2.0",
        "ops.dropout",
        "Returns the result and the mask.",
        "Returns the result.",
        "ops:dropout",
        "operators.dropout",
        "type(ops.dropout(x, 0.5)).__name__",
        "tuple",
        "Tensor",
    ),
    Change(
        "2.0",
        "ops.dropout2d",
        "Returns the result and the mask.",
        "Returns the result.",
        "ops:dropout2d",
        "operators.dropout2d",
        "type(ops.dropout2d(image, 0.5)).__name__",
        "tuple",
        "Tensor",
    ),
    Change(
        "2.0",
        "ops.dropout3d",
        "Returns the result and the mask.",
        "Returns the result.",
        "ops:dropout3d",
        "operators.dropout3d",
        "type(ops.dropout3d(image.expand_dims(0), 0.5)).__name__",
        "tuple",
        "Tensor",
    ),
    Change(
        "2.0",
        "ops.avg_pool2d",
        "`avg_pool2d(x, kernel_size, strides, pad_mode, data_format)`",
        "`avg_pool2d(input_x, kernel_size, stride, padding, ceil_mode, ...)`",
        "ops:avg_pool2d",
        "operators.avg_pool2d",
        "ops.avg_pool2d(image, 2, 2, 'valid').shape",
        "(1, 1, 2, 2)",
        "TypeError",
        f"{PAGES}/r1.9/api_python/ops/mindspore.ops.avg_pool2d.html",
    ),
    *(
        Change(
            "2.0",
            f"nn.{name}",
            "The fourth argument is `data_format`.",
            "The fourth argument is `padding`.",
            f"nn:{name}.__init__",
            "layers.pool",
            f"nn.{name}(2, 2, 'valid', 'NCHW')(image).shape",
            "(1, 1, 2, 2)",
            "TypeError",
            f"{PAGES}/r1.10/api_python/nn/mindspore.nn.{name}.html",
        )
        for name in ("MaxPool2d", "AvgPool2d")
    ),
    Change(
        "2.0",
        "ops.conv2d",
        "`conv2d(inputs, weight, pad_mode, padding, stride, dilation, group)` has no bias.",
        "`conv2d(input, weight, bias, stride, pad_mode, padding, dilation, groups)`",
        "ops:conv2d",
        "operators.conv2d",
        'ops.conv2d(image, image, "same").shape',
        "(1, 1, 4, 4)",
        "TypeError",
    ),
    Change(
        "2.0",
        "ops.interpolate",
        "`interpolate(x, roi, scales, sizes, coordinate_transformation_mode, mode)`",
        "`interpolate(input, size, scale_factor, mode, align_corners, ...)`",
        "ops:interpolate",
        "operators.interpolate",
        "ops.interpolate(image, None, None, (2, 2), 'align_corners', 'bilinear').shape",
        "(1, 1, 2, 2)",
        "TypeError",
        f"{PAGES}/r1.9/api_python/ops/mindspore.ops.interpolate.html",
    ),
    Change(
        "2.0",
        "ops.standard_normal",
        "Takes `seed=0` and `seed2=0`.",
        "Takes `seed=None`.",
        "ops:standard_normal",
        "operators.drawn",
        "ops.standard_normal((2,), 0, 0).shape",
        "(2,)",
        "TypeError",
    ),
    Change(
        "2.0",
        "ops.standard_laplace",
        "Takes `seed=0` and `seed2=0`.",
        "Takes `seed=None`.",
        "ops:standard_laplace",
        "operators.drawn",
        "ops.standard_laplace((2,), 0, 0).shape",
        "(2,)",
        "TypeError",
    ),
    Change(
        "2.0",
        "ops.random_gamma",
        "Takes `seed=0` and `seed2=0`.",
        "Takes `seed=None`.",
        "ops:random_gamma",
        "operators.random_gamma",
        "ops.random_gamma(Tensor([3], ms.int32), half, 0, 0).shape",
        "(3, 2)",
        "TypeError",
    ),
    Change(
        "2.0",
        "dataset.Dataset.map",
        "`column_order` orders the columns of the result.",
        "There is no `column_order`; `project` orders columns.",
        "dataset:Dataset.map",
        "datasets.with_column_order",
        "pairs().map(lambda a: a, ['a'], column_order=['b', 'a']).get_col_names()",
        "['b', 'a']",
        "TypeError",
    ),
    Change(
        "2.0",
        "dataset.Dataset.batch",
        "`column_order` orders columns, `pad_info` pads them.",
        "`project` orders columns, `padded_batch` pads them.",
        "dataset:Dataset.batch",
        "datasets.with_pad_info",
        "next(iter(pairs().batch(2, pad_info={'a': ([3], 0)})))[0].shape",
        "(2, 3)",
        "TypeError",
    ),
    *(
        Change(
            "2.0",
            f"dataset.vision.{name}",
            "A `padding` of two numbers is (left and top, right and bottom).",
            "A `padding` of two numbers is (left and right, top and bottom).",
            f"dataset.vision:{name}.__init__",
            "datasets.pads_of_two_sides",
            f"vision.{call}(np.zeros((4, 4, 3), np.uint8)).shape",
            was,
            gives,
        )
        for name, call, was, gives in (
            ("Pad", "Pad((1, 2))", "(7, 7, 3)", "(8, 6, 3)"),
            ("RandomCrop", "RandomCrop((7, 7), (1, 2))", "(7, 7, 3)", "RuntimeError"),
        )
    ),
    *(
        Change(
            "2.1",
            f"nn.{name}",
            'Weights are drawn from "normal", N(0, 0.01), and biases are zero.',
            "Weights and biases are drawn from uniform distributions that the fan-in scales.",
            f"nn:{name}.__init__",
            "layers.drawn_from_normal",
            f"nn.{call}.bias.asnumpy().any()",
            "False",
            "True",
        )
        for name, call in (
            ("Dense", "Dense(3, 4)"),
            ("Conv1d", "Conv1d(3, 4, 3, has_bias=True)"),
            ("Conv2d", "Conv2d(3, 4, 3, has_bias=True)"),
            ("Conv3d", "Conv3d(3, 4, 3, has_bias=True)"),
            ("Conv1dTranspose", "Conv1dTranspose(3, 4, 3, has_bias=True)"),
            ("Conv2dTranspose", "Conv2dTranspose(3, 4, 3, has_bias=True)"),
            ("Conv3dTranspose", "Conv3dTranspose(3, 4, 3, has_bias=True)"),
        )
    ),
    Change(
        "2.3",
        "Tensor.item",
        "Takes an index; returns a Tensor, of a Tensor without axes a NumPy array.",
        "Takes an index; returns a Python number.",
        "ops:Tensor.item",
        "operators.item_as_tensor",
        "type(x.item((0, 1))).__name__",
        "Tensor",
        "TypeError",
        f"{PAGES}/r2.2/api_python/mindspore/Tensor/mindspore.Tensor.item.html",
    ),
    *(
        Change(
            "2.4",
            f"nn.Cell.{name}",
            "The hook receives the name and id of the Cell, as a str.",
            "The hook receives the Cell.",
            f"nn:Cell.{name}",
            "layers.hook_with_name",
            f"first_argument_of_hook('{name}')",
            "str",
            "ReLU",
        )
        for name in ("register_forward_pre_hook", "register_forward_hook", "register_backward_hook")
    ),
    *(
        Change(
            "2.5",
            f"Tensor.{name}",
            "Returns values alone, for an axis in the first place too.",
            "Returns values and indices for an axis in the first place.",
            f"ops:Tensor.{name}",
            "operators.extreme_method",
            f"type(x.{name}(1)).__name__",
            "Tensor",
            "tuple",
            f"{_TENSOR_PAGE}.{name}.html",
        )
        for name in ("max", "min")
    ),
    Change(
        "2.5",
        "Tensor.item",
        "Takes an index; returns a Python number.",
        "Takes no index.",
        "ops:Tensor.item",
        "operators.item_at",
        "x.item((0, 1))",
        "5.0",
        "TypeError",
        f"{PAGES}/r2.4.10/api_python/mindspore/Tensor/mindspore.Tensor.item.html",
    ),
    Change(
        "2.6",
        "Tensor.repeat",
        "`repeat(repeats, axis=None)` repeats each element, as NumPy does.",
        "`repeat(*repeats)` repeats the whole Tensor along each axis.",
        "ops:Tensor.repeat",
        "operators.repeat_elements",
        "x.repeat(2).shape",
        "(8,)",
        "(2, 4)",
        f"{_TENSOR_PAGE}.repeat.html",
    ),
    Change(
        "2.6",
        "profiler.tensor_board_trace_handler",
        "The name of `tensorboard_trace_handler`.",
        "There is no such name.",
        "profiler:tensor_board_trace_handler",
        "training.same_as_tensorboard_trace_handler",
        "ms.profiler.tensor_board_trace_handler.__name__",
        "tensorboard_trace_handler",
        "AttributeError",
    ),
    Change(
        "2.7",
        "runtime.set_cpu_affinity",
        "Takes the cores of each device, a dict.",
        "Takes the cores of this process, a list; ignores a dict.",
        "runtime:set_cpu_affinity",
        "training.cores_by_device",
        "ms.runtime.set_cpu_affinity(True, {'device0': ['no range']})",
        "ValueError",
        "None",
    ),
]
