"""onnx.export: exports a network as an ONNX file with chosen names of inputs and outputs."""

from ..._core.rules.vocabulary import AsValue, Bool, InstanceOf, Str
from ...nn.cell import Cell
from .onnx_dynamic import writer_of
from .onnx_names import input_names_of
from .onnx_writing import SUFFIX
from .tracing import trace
from .unknown_lengths import with_lengths
from .writing import check_inputs, onnx_content, with_suffix, write


def export(
    net,
    *inputs,
    file_name,
    input_names=None,
    output_names=None,
    export_params=True,
    keep_initializers_as_inputs=False,
    dynamic_axes=None,
):
    """Exports a network as an ONNX file.

    The network runs once on the inputs, in inference mode; the traced computation becomes the
    model. With `dynamic_axes` it runs several times, with inputs repeated along those axes.

    Args:
        net (Cell): The network.
        inputs (Union[Tensor, list, tuple, Number, bool]): the inputs of the network. Numbers become
            part of the model. Unknown lengths, of `Tensor(shape=(None, 3), dtype=float32)` or of
            the inputs given to `set_inputs`, are dynamic.
        file_name (str): the file; a missing ".onnx" is appended. Missing folders are created.
            Weights of more than 2 GB are written to `<file>.data` next to it.
        input_names (list[str], optional): names of the first inputs, in order; the others are named
            after the parameters of `construct`. Default: None.
        output_names (list[str], optional): Names of the outputs, in order. Default: None.
        export_params (bool): whether the file contains the weights; otherwise they are inputs of
            the model, after its own. Default: True.
        keep_initializers_as_inputs (bool): whether the weights in the file are also inputs, so that
            they can be replaced at run time. Default: False.
        dynamic_axes (dict[str, dict[int, str]], optional): axes whose lengths are dynamic: {name of
            an input: {axis: name of the length}}. Axes with one name have one length. Names of no
            input have no effect. Default: None.

    Raises:
        TypeError: if `file_name` is not a str, a flag not a bool, a name not a str, an axis not an
            int, or an input of the wrong type.
        ValueError: if `net` is not a Cell, `input_names` or `output_names` not a list, or
            `dynamic_axes` not a dict; if names repeat, an axis is out of range, or lengths with one
            name differ.
        RuntimeError: if the network does what a model cannot hold: it depends on the values of its
            inputs in Python, writes in place, uses a function that ONNX lacks, or computes
            something else with other lengths of the dynamic axes.

    Examples:
        >>> import numpy as np
        >>> from mindspore_compat import nn, onnx, Tensor
        >>> image = Tensor(np.ones((1, 4), np.float32))
        >>> onnx.export(nn.Dense(4, 2), image, file_name="dense", input_names=["image"],
        ...             output_names=["scores"], dynamic_axes={"image": {0: "batch"}})

    Source: mindspore.onnx.export of MindSpore 2.10.
    """
    _check(net, input_names, output_names, dynamic_axes)
    check_inputs(inputs)
    Str.refuse("export", "file_name", file_name)
    Bool.refuse("export", "export_params", export_params)
    Bool.refuse("export", "keep_initializers_as_inputs", keep_initializers_as_inputs)
    inputs, unknown = with_lengths(net, inputs)
    graph = trace(net, inputs)
    names = input_names_of(net, graph, input_names or [])
    axes = [(dynamic_axes or {}).get(name, {}) for name in names]
    for name, labels, (_, shape, _) in zip(names, axes, graph.inputs):
        _check_axes(name, labels, shape)
    axes = [{**of_input, **named} for of_input, named in zip(unknown, axes)]
    writer = writer_of(net, inputs, graph, axes, (names, list(output_names or [])))
    path = with_suffix(SUFFIX, file_name)
    write(path, onnx_content(writer, path, export_params, keep_initializers_as_inputs))


def _check(net, input_names, output_names, dynamic_axes):
    AsValue(InstanceOf(Cell)).refuse("export", "net", net)
    for name, value in (("input_names", input_names), ("output_names", output_names)):
        if value is not None:
            _check_names(name, value)
    if dynamic_axes is not None:
        AsValue(InstanceOf(dict)).refuse("export", "dynamic_axes", dynamic_axes)


def _check_names(name, value):
    AsValue(InstanceOf(list)).refuse("export", name, value)
    for item in value:
        Str.refuse("export", f"elements of '{name}'", item)
    if len(set(value)) < len(value):
        raise ValueError(f"For 'export', '{name}' must not repeat a name, but got {value}.")


def _check_axes(name, labels, shape):
    if not isinstance(labels, dict):
        raise TypeError(
            f"For 'export', 'dynamic_axes' of '{name}' must be a dict, but got {labels!r} of type "
            f"{type(labels).__name__}."
        )
    for axis, label in labels.items():
        if type(axis) is not int or not isinstance(label, str):
            raise TypeError(
                f"For 'export', 'dynamic_axes' of '{name}' must map an int to a str, but got "
                f"{axis!r}: {label!r}."
            )
        if not 0 <= axis < len(shape):
            raise ValueError(
                f"For 'export', 'dynamic_axes' of '{name}' must be in [0, {len(shape)}), but got "
                f"{axis}."
            )
