"""`mindspore.train.checkpoint_pb2`: a checkpoint file as a message, for scripts that take it apart.

`load_checkpoint` and `save_checkpoint` go by `_io/checkpoint.py`.
"""

from .._io.messages import OPTIONAL, REPEATED, REQUIRED, Field, Message

__all__ = ["Checkpoint", "MapTensorProto", "TensorProto"]


class TensorProto(Message):
    """An array: its lengths, the name of its type, such as "Float32", and its bytes in C order."""

    FIELDS = (
        Field(1, "dims", "int64", REPEATED),
        Field(2, "tensor_type", "string", REQUIRED),
        Field(3, "tensor_content", "bytes", REQUIRED),
    )


class MapTensorProto(Message):
    """The arrays of a map of keys to values."""

    FIELDS = (Field(1, "tensor", TensorProto, REPEATED),)


class Checkpoint(Message):
    """A file: its values, each with a tag, the name of a parameter."""

    class Value(Message):
        """A tag, and an array or a map."""

        FIELDS = (
            Field(1, "tag", "string", REQUIRED),
            Field(2, "tensor", TensorProto, OPTIONAL, "value"),
            Field(3, "maptensor", MapTensorProto, OPTIONAL, "value"),
        )

    FIELDS = (Field(1, "value", Value, REPEATED),)
