"""Changes of layers, losses and Cells; the earlier meanings are in `_releases/layers.py`."""

from .change import PAGES, Change

ROWS = [
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
        "nn.Conv2dTranspose",
        "The seventh argument is `dilation`; there is no `output_padding`.",
        "The seventh argument is `output_padding`.",
        "nn:Conv2dTranspose.__init__",
        "layers.transposed_without_output_padding",
        "nn.Conv2dTranspose(1, 1, 3, 1, 'same', 0, 2).dilation",
        "(2, 2)",
        "(1, 1)",
        f"{PAGES}/r1.10/api_python/nn/mindspore.nn.Conv2dTranspose.html",
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
            error,
            f"{PAGES}/r1.10/api_python/nn/mindspore.nn.{name}.html",
        )
        for name, error in (("MaxPool2d", "ValueError"), ("AvgPool2d", "TypeError"))
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
    Change(
        "2.8",
        "nn.TensorArray",
        "An array of Tensors that grows.",
        "There is no such name.",
        "nn:TensorArray",
        "removed.tensor_array",
        "stacked_array()",
        "[0 2]",
        "AttributeError",
        f"{PAGES}/r2.7.0/api_python/nn/mindspore.nn.TensorArray.html",
    ),
    Change(
        "2.8",
        "nn.TensorsQueue",
        "A queue of tuples of Tensors.",
        "There is no such name.",
        "nn:TensorsQueue",
        "removed.tensors_queue",
        "popped_from_queue()",
        "[0.5 0.5]",
        "AttributeError",
        f"{PAGES}/r2.7.0/api_python/nn/mindspore.nn.TensorsQueue.html",
    ),
]
