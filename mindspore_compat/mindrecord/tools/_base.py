"""Helpers of the converters: checks, writing in parts, JPEG encoding."""

import io
import itertools
import os

from ..._core import progress
from ..._core.rules.vocabulary import AsValue, InstanceOf
from ..._io.mindrecord_errors import ParamValueError
from .._checks import check_file_name
from ..filewriter import FileWriter

_PART = 256


def check_paths(api, **paths):
    """Refuses arguments that are not file names.

    Raises:
        ValueError: for the first such argument.
    """
    for name, path in paths.items():
        try:
            check_file_name(api, path.rstrip("/") if name != "destination" else path)
        except (AttributeError, ParamValueError):
            raise ValueError(f"For '{api}', '{name}' must be a path, but got {path!r}.") from None


def check_number(api, partition_number):
    """Raises ValueError for an invalid number of files.

    Raises:
        ValueError: if it is not an int in [1, 1000].
    """
    if type(partition_number) is not int or not 1 <= partition_number <= 1000:
        raise ValueError(
            f"For '{api}', 'partition_number' must be an int in [1, 1000], but got "
            f"{partition_number!r}."
        )


def check_fields(api, fields):
    """Refuses a value that is not a list.

    Raises:
        ValueError: if it is neither None nor a list.
    """
    AsValue(InstanceOf(list) | None).refuse(api, "fields", fields)


def write(path, rows, schema, desc, index_fields=None, partition_number=1):
    """Writes rows to MindRecord files.

    Args:
        path (str): the file.
        rows (Iterable[dict]): the rows.
        schema (dict): the fields of the rows.
        desc (str): a description of the rows.
        indexed (list[str], optional): the fields of the index.
        partition_number (int, optional): the number of files.
    """
    writer = FileWriter(path, partition_number)
    writer.set_page_size(1 << 26)
    writer.add_schema(schema, desc)
    if index_fields:
        writer.add_index(index_fields)
    with progress.bar(f"Writing {os.path.basename(path)}", unit="rows") as bar:
        rows = bar.counted(rows)
        while part := list(itertools.islice(rows, _PART)):
            writer.write_raw_data(part)
    writer.commit()


def as_jpeg(image):
    """Returns a (height, width, 3) RGB or (height, width, 1) uint8 image as the bytes of a JPEG
    file."""
    try:
        import cv2
    except ImportError:
        from PIL import Image

        buffer = io.BytesIO()
        Image.fromarray(image[..., 0] if image.shape[-1] == 1 else image).save(
            buffer, "JPEG", quality=95
        )
        return buffer.getvalue()
    return cv2.imencode(".jpeg", image[..., ::-1])[1].tobytes()
