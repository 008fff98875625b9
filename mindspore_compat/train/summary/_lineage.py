"""Builds messages of lineage files: metadata of a training, an evaluation, or a user's own values.

Each function returns a `Packed`, which `SummaryRecord.add_value` accepts. The field numbers come
from MindSpore's lineage.proto. `_dataset_graph` builds the graph of a dataset.
"""

from ..._io.protobuf import bytes_field, double_field, float_field, int_field

_WRITERS = {int: int_field, float: float_field, str: bytes_field}


class Packed(bytes):
    """A complete message as bytes."""

    def SerializeToString(self):  # noqa: N802 - protobuf's name
        """Returns the bytes of the message."""
        return bytes(self)


def train_lineage(description):
    """Builds the message of a training.

    Args:
        description (dict): the metadata, None if unknown: optimizer, learning_rate, loss_function,
            parallel_mode, network, path, model_path (str), loss (float), epoch, device_num,
            batch_size, dataset_size and model_size (int).
    """
    settings = _fields(
        description,
        {
            1: "optimizer",
            2: "learning_rate",
            3: "loss_function",
            4: "epoch",
            5: "parallel_mode",
            6: "device_num",
            8: "batch_size",
        },
    )
    return Packed(
        bytes_field(1, settings)
        + _dataset(2, description)
        + bytes_field(3, _fields(description, {1: "network", 2: "loss"}))
        + bytes_field(4, _fields(description, {3: "model_path", 4: "model_size"}))
    )


def eval_lineage(description):
    """Builds the message of an evaluation from the keys metrics (JSON), path and dataset_size."""
    return Packed(_fields(description, {2: "metrics"}) + _dataset(3, description))


def custom_lineage(values):
    """Builds the message of a user's own values by name: int, float or str."""
    return Packed(b"".join(bytes_field(1, _custom(*pair)) for pair in values.items()))


def _dataset(number, description):
    return bytes_field(number, _fields(description, {1: "path", 2: "dataset_size"}))


def _fields(description, names):
    return b"".join(
        _WRITERS[type(description[name])](number, description[name])
        for number, name in names.items()
        if description.get(name) is not None
    )


def _custom(name, value):
    number, write = {int: (3, int_field), float: (5, double_field)}.get(
        type(value), (4, bytes_field)
    )
    return entry(number, name, write(2, value))


def entry(number, key, value):
    """Returns an entry of a map: the map's field number, the key, and the value as field 2."""
    return bytes_field(number, bytes_field(1, key) + value)
