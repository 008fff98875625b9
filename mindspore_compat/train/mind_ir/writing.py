"""export: writes a network as a MindIR file or an ONNX file."""

import os

import numpy as np

from ..._core.rules.vocabulary import AsValue, Callable, CellOf, InstanceOf, Str
from ..._core.tensor.tensor import Tensor
from ..._io import encryption, mindir
from ..._io.files import READ_ONLY, atomic_write
from .tracing import Value, trace

FORMATS = ("AIR", "ONNX", "MINDIR")
SUFFIX = ".mindir"
LARGE = 1 << 30  # above this number of bytes, weights go to a separate file, as readers expect
LARGEST_MESSAGE = (1 << 31) - (1 << 20)  # bytes of weights, with some room for the graph
ALIGNED = 64
VERSION = "2.10.0"  # the release whose primitives the file uses
# Primitives whose attributes are separate from their operands. For all others every argument is an
# operand.
WITH_ATTRIBUTES = """BesselI0 BesselI0e BesselI1 BesselI1e BesselJ0 BesselJ1 BesselK0 BesselK0e
BesselK1
    BesselK1e BesselY0 BesselY1 BitwiseAnd BitwiseOr BitwiseXor Conv2D Conv2DTranspose Conv3D
    Digamma Igamma Igammac Imag IsNan Lgamma MakeTuple MatrixInverse MatrixSolve MaxPool Mod
    Polygamma Rint Softplus Sort TensorScatterUpdate TopK TupleGetItem Zeta""".split()


def export(net, *inputs, file_name, file_format, **kwargs):
    """Exports a network as a model file (MindIR or ONNX) that runs without its Python code.

    The network runs once on the inputs, in inference mode; the traced computation becomes the
    model, with the shapes of the inputs. Loops and branches over Python values are recorded as
    executed.

    Args:
        net (Union[Cell, function]): the network.
        inputs (Union[Tensor, list, tuple, Number, bool]): the inputs of the network. Numbers become
            part of the model. Unknown lengths, of `Tensor(shape=(None, 3), dtype=float32)` or of
            the inputs given to `set_inputs`, are dynamic in an ONNX file.
        file_name (str): the file; a missing ".mindir" or ".onnx" is appended. Missing folders are
            created. A MINDIR model with more than 1 GiB of weights becomes `<name>_graph.mindir`
            and `<name>_variables/data_0`.
        file_format (str): "MINDIR" or "ONNX". ("AIR" is for Ascend only.)
        kwargs: `enc_key` (bytes of 16, 24 or 32) encrypts a MINDIR file, in the mode `enc_mode`
            ("AES-GCM", "AES-CBC" or "SM4-CBC", or a function of the content and the key);
            `custom_func` is called with the model's message before it is written. Others have no
            effect.

    Raises:
        TypeError: if `file_name` is not a str, `net` can not be called, an input is of the wrong
            type, or `custom_func` is not a function.
        ValueError: if `file_format` is unknown, or AIR; if the key or mode cannot be used.
        RuntimeError: if the network does what a model cannot hold: it depends on the values of its
            inputs in Python, writes in place, or uses a function that a graph cannot express.

    Examples:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> from mindspore_compat import nn, Tensor
        >>> double = nn.Dense(2, 2, Tensor(np.float32([[2, 0], [0, 2]])), has_bias=False)
        >>> point = Tensor([[1.0, 3.0]])
        >>> ms.export(double, point, file_name="double", file_format="MINDIR")
        >>> print(nn.GraphCell(ms.load("double.mindir"))(point))
        [[2. 6.]]
    """
    _check(net, inputs, file_name, file_format)
    key, mode = kwargs.get("enc_key"), kwargs.get("enc_mode", "AES-GCM")
    custom = kwargs.get("custom_func")
    check_lock("export", "enc", key, mode)
    if custom is not None and not callable(custom):
        raise TypeError(
            f"For 'export', 'custom_func' must be a function, but got {custom!r} of "
            f"type {type(custom).__name__}."
        )
    if file_format == "ONNX":
        from . import onnx_dynamic, onnx_names, onnx_writing, unknown_lengths

        inputs, axes = unknown_lengths.with_lengths(net, inputs)
        graph = trace(net, inputs)
        names = onnx_names.input_names_of(net, graph, []), []
        writer = onnx_dynamic.writer_of(net, inputs, graph, axes, names)
        path = with_suffix(onnx_writing.SUFFIX, file_name)
        content = onnx_content(writer, path, key=key)
    else:
        model = model_of(trace(net, list(inputs)))
        if custom is not None:
            _customize(model, custom)
        path = with_suffix(SUFFIX, file_name)
        if sum(len(p.raw_data) for p in model.graph.parameter) > LARGE:
            path = _write_apart(model, path.removesuffix(SUFFIX), key)
        content = mindir.pieces(model)
    write(path, content if key is None else encrypt(content, key, mode))


def with_suffix(suffix, file_name):
    """Returns the file name; a missing suffix is appended."""
    return file_name if file_name.endswith(suffix) else file_name + suffix


def write(path, pieces):
    """Writes a file completely or not at all; missing folders are created."""
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with atomic_write(path, READ_ONLY) as file:
        for piece in pieces:
            file.write(piece)


def onnx_content(writer, path, weights=True, as_inputs=False, key=None):
    """Returns the pieces of an ONNX file; weights too large for a message are written next to
    it."""
    values = writer.weights.values() if weights else ()
    if sum(array.nbytes for array in values) <= LARGEST_MESSAGE:
        return writer.pieces(weights, as_inputs)
    if key is not None:
        raise ValueError(
            "For 'export', a model with more than 2 GB of weights cannot be encrypted."
        )
    external = f"{path}.data"
    write(external, [np.ascontiguousarray(array).reshape(-1).view(np.uint8) for array in values])
    return writer.pieces(weights, as_inputs, os.path.basename(external))


def _customize(model, custom):
    """Lets the caller change the message, in which `user_info` is a dict."""
    model.user_info = {pair.key: pair.value for pair in model.user_info}
    custom(model)
    model.user_info = [
        mindir.Message("Pair", key=key, value=value) for key, value in model.user_info.items()
    ]


def _write_apart(model, stem, key):
    """Writes the weights of a large model to a separate file; returns the path of the graph.

    The file begins with a byte that states the byte order. The offset of each weight is a multiple
    of 64.
    """
    if key is not None:
        raise ValueError(
            "For 'export', a model with more than 1 GiB of weights cannot be encrypted."
        )
    folder = f"{stem}_variables"
    location = f"{os.path.basename(folder)}/data_0"
    pieces, at = [b"\1" + bytes(ALIGNED - 1)], ALIGNED
    for message in model.graph.parameter:
        raw = message.raw_data
        message.raw_data = None
        message.external_data = mindir.Message(
            "External", location=location, offset=at, length=len(raw)
        )
        rest = -len(raw) % ALIGNED
        pieces += [raw, bytes(rest)]
        at += len(raw) + rest
    write(os.path.join(folder, "data_0"), pieces)
    return f"{stem}_graph{SUFFIX}"


def _check(net, inputs, file_name, file_format):
    (CellOf | Callable).called("a Cell or a function").refuse("export", "net", net)
    check_inputs(inputs)
    Str.refuse("export", "file_name", file_name)
    if file_format not in FORMATS:
        raise ValueError(
            "For 'export', 'file_format' must be 'MINDIR', 'ONNX' or 'AIR', but got "
            f"{file_format!r}."
        )
    if file_format == "AIR":
        raise ValueError("For 'export', the 'file_format' AIR is for Ascend only.")


def check_inputs(values):
    """Rejects inputs from which no model can be built."""
    for value in values:
        if isinstance(value, (tuple, list)):
            check_inputs(value)
        elif not isinstance(value, (Tensor, bool, int, float)):
            raise TypeError(
                "For 'export', 'inputs' must be Tensors, numbers, or lists of them, but "
                f"got {value!r} of type {type(value).__name__}."
            )


def check_lock(api, prefix, key, mode):
    """Rejects a key or mode that cannot be used to encrypt; a function can be used as the mode."""
    if key is None:
        return
    AsValue(InstanceOf(bytes)).refuse(api, f"{prefix}_key", key)
    if callable(mode):
        return
    try:
        encryption.check(key, mode)
    except ValueError as error:
        raise ValueError(
            f"For '{api}', '{prefix}_key' and '{prefix}_mode' do not fit: {error}."
        ) from None


def encrypt(content, key, mode):
    """Returns the encrypted file in pieces."""
    if callable(mode):
        return [mode(b"".join(bytes(piece) for piece in content), key)]
    return encryption.encrypt(content, key, mode)


# From a graph to the messages of the file ---------------------------------------------------------


def model_of(graph):
    """Converts a Graph to the Model message of a MindIR file."""
    return Writer(graph).model()


class Writer:
    """Converts a Graph to messages; constants become nodes when they are first used."""

    def __init__(self, graph):
        self.graph = graph
        self.nodes, self.primitives, self.constants = [], {}, 0

    def model(self):
        """Returns the whole message."""
        graph = mindir.Message("Graph", name=self.graph.name)
        for value, name, array in self.graph.parameters:
            host = np.asarray(array if isinstance(array, np.ndarray) else array.get())
            graph.parameter.append(
                mindir.tensor(host, self._name(value), ref_key=name, compression_type=0)
            )
        for value, shape, dtype in self.graph.inputs:
            graph.input.append(self._info(self._name(value), shape, dtype))
        for node in self.graph.nodes:
            self._node(node)
        result = self._operand(self.graph.outputs)
        graph.output.append(self._output(result))
        graph.node = self.nodes
        return mindir.Message(
            "Model",
            ir_version="1.1",
            producer_name="MindSpore",
            producer_version="",
            model_version=VERSION,
            graph=graph,
            little_endian=True,
            mind_ir_version=3,
            primitives=list(self.primitives.values()),
        )

    def _name(self, value):
        return f"{self.graph.name}:{value.name}"

    def _info(self, name, shape, dtype):
        message = mindir.Message("Tensor", dims=list(shape), data_type=mindir.CODES[dtype])
        return mindir.Message("ValueInfo", name=name, tensor=[message])

    def _output(self, name):
        out = self.graph.outputs
        if isinstance(out, Value):
            return self._info(name, *self.graph.shapes[out.name])
        return mindir.Message("ValueInfo", name=name, tensor=[mindir.Message("Tensor")])

    def _operand(self, value):
        """Returns the name of a Value; a constant or a tuple becomes a node."""
        if isinstance(value, Value):
            return self._name(value)
        if isinstance(value, tuple) and _has_values(value):
            return self._primitive("MakeTuple", [self._operand(v) for v in value], {})
        self.constants += 1
        name = f"{self.graph.name}:constant_{self.constants}"
        self.nodes.append(
            mindir.Message(
                "Node",
                output=[name],
                name=name,
                op_type="Constant",
                attribute=[mindir.attribute("value", value)],
            )
        )
        return name

    def _node(self, node):
        operands = [self._operand(value) for value in node.operands]
        self._primitive(node.op, operands, node.attributes, self._name(node.result))

    def _primitive(self, op, operands, attributes, name=None):
        key = (op, repr(sorted(attributes.items())))
        if key not in self.primitives:
            kind = mindir.PRIMITIVE if op in WITH_ATTRIBUTES else mindir.PRIMITIVE_FUNCTION
            self.primitives[key] = mindir.Message(
                "Primitive",
                name=f"{op}:{len(self.primitives)}",
                op_type=op,
                instance_name="",
                attribute=[mindir.attribute(k, v) for k, v in attributes.items()],
                prim_type=kind,
            )
        if name is None:
            name = f"{self.graph.name}:{op}_of_{len(self.nodes)}"
        self.nodes.append(
            mindir.Message(
                "Node",
                input=operands,
                output=[name],
                name=name,
                op_type=f"REF::{self.primitives[key].name}",
                domain=f"Default/{op}-op{len(self.nodes)}",
            )
        )
        return name


def _has_values(value):
    return any(
        isinstance(v, Value) or isinstance(v, tuple) and _has_values(v) or isinstance(v, np.ndarray)
        for v in value
    )
