"""load_mindir and save_mindir: MindIR files as messages."""

import os

from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import InstanceOf, Str, checked
from ..._io.files import READ_ONLY, atomic_write
from ..mind_ir_pb2 import ModelProto

__all__ = ["load_mindir", "save_mindir"]

ENDING = ".mindir"


@public("load_mindir")
@checked
def load_mindir(file_name: Str):
    """Loads a MindIR file as a message, whose parts a script may change.

    Args:
        file_name (str): the file.

    Returns:
        ModelProto, of `mindspore.train.mind_ir_pb2`; `user_info` is a dict of texts.

    Raises:
        TypeError: if `file_name` is not a str.
        ValueError: if the file cannot be read, or is not such a message.

    Examples:
        >>> import mindspore_compat as ms
        >>> ms.export(ms.nn.ReLU(), ms.Tensor([1.0]), file_name="net", file_format="MINDIR")
        >>> model = ms.load_mindir("net.mindir")
        >>> model.user_info["version"] = "2"
        >>> ms.save_mindir(model, "changed.mindir")
        >>> dict(ms.load_mindir("changed.mindir").user_info)
        {'version': '2'}

    Source: mindspore.load_mindir of MindSpore 2.10.
    """
    try:
        with open(file_name, "rb") as file:
            return ModelProto.FromString(file.read())
    except (OSError, ValueError) as error:
        raise ValueError(
            f"For 'load_mindir', 'file_name' must be a MindIR file, but got {file_name!r}: {error}"
        ) from error


@public("save_mindir")
@checked
def save_mindir(model: InstanceOf(ModelProto), file_name: Str):
    """Saves a message as a MindIR file; see `load_mindir`.

    Args:
        model (ModelProto): the message.
        file_name (str): the file; ".mindir" is appended if it has another suffix. Missing folders
            are created.

    Raises:
        TypeError: if `model` is not a ModelProto, or `file_name` not a str.
        OSError: if the file cannot be written.

    Examples:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.train.mind_ir_pb2 import ModelProto
        >>> ms.save_mindir(ModelProto(producer_name="script"), "made.mindir")
        >>> ms.load_mindir("made.mindir").producer_name
        'script'

    Source: mindspore.save_mindir of MindSpore 2.10.
    """
    path = file_name if file_name.endswith(ENDING) else file_name + ENDING
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with atomic_write(path, mode=READ_ONLY) as file:
        file.write(model.SerializeToString())
