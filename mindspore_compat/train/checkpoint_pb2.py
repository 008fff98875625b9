"""`mindspore.train.checkpoint_pb2`: a checkpoint file as a message, for scripts that parse one.

`load_checkpoint` and `save_checkpoint` use `_io/checkpoint.py` instead.
"""

from .._io.messages import OPTIONAL, REPEATED, REQUIRED, Field, Message

__all__ = ["Checkpoint", "MapTensorProto", "TensorProto"]


class TensorProto(Message):
    """An array: its shape, the name of its type, such as "Float32", and its bytes in C order."""

    FIELDS = (
        Field(1, "dims", "int64", REPEATED),
        Field(2, "tensor_type", "string", REQUIRED),
        Field(3, "tensor_content", "bytes", REQUIRED),
    )


class MapTensorProto(Message):
    """The arrays of a map from keys to values."""

    FIELDS = (Field(1, "tensor", TensorProto, REPEATED),)


class Checkpoint(Message):
    """A checkpoint file: a list of values, each tagged with the name of a parameter."""

    class Value(Message):
        """A tag with an array or a map."""

        FIELDS = (
            Field(1, "tag", "string", REQUIRED),
            Field(2, "tensor", TensorProto, OPTIONAL, "value"),
            Field(3, "maptensor", MapTensorProto, OPTIONAL, "value"),
        )

    FIELDS = (Field(1, "value", Value, REPEATED),)
