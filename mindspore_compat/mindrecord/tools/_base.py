"""What the converters share: checks, writing in parts, images as JPEG."""

import io
import itertools

from ..._core.rules.vocabulary import AsValue, InstanceOf
from ..._io.mindrecord_errors import ParamValueError
from .._checks import check_file_name
from ..filewriter import FileWriter

_PART = 256


def check_paths(api, **paths):
    """Refuses what is no text, or no name of a file.

    Raises:
        ValueError: the first such argument.
    """
    for name, path in paths.items():
        try:
            check_file_name(api, path.rstrip("/") if name != "destination" else path)
        except (AttributeError, ParamValueError):
            raise ValueError(f"For '{api}', '{name}' must be a path, but got {path!r}.") from None


def check_number(api, partition_number):
    """Refuses what is no number of files.

    Raises:
        ValueError: it is no int in [1, 1000].
    """
    if type(partition_number) is not int or not 1 <= partition_number <= 1000:
        raise ValueError(
            f"For '{api}', 'partition_number' must be an int in [1, 1000], but got "
            f"{partition_number!r}."
        )


def check_fields(api, fields):
    """Refuses what is no list.

    Raises:
        ValueError: it is neither None nor a list.
    """
    AsValue(InstanceOf(list) | None).refuse(api, "fields", fields)


def write(path, rows, schema, desc, indexed=None, partition_number=1):
    """Writes rows to MindRecord files.

    Args:
        path (str): the file.
        rows (Iterable[dict]): the rows.
        schema (dict): their fields.
        desc (str): what they are.
        indexed (list[str], optional): the fields of the index.
        partition_number (int, optional): how many files.
    """
    writer = FileWriter(path, partition_number)
    writer.set_page_size(1 << 26)
    writer.add_schema(schema, desc)
    if indexed:
        writer.add_index(indexed)
    rows = iter(rows)
    while part := list(itertools.islice(rows, _PART)):
        writer.write_raw_data(part)
    writer.commit()


def as_jpeg(image):
    """A (height, width, 3) RGB or (height, width, 1) uint8 image as the bytes of a JPEG file."""
    try:
        import cv2
    except ImportError:
        from PIL import Image

        made = io.BytesIO()
        Image.fromarray(image[..., 0] if image.shape[-1] == 1 else image).save(
            made, "JPEG", quality=95
        )
        return made.getvalue()
    return cv2.imencode(".jpeg", image[..., ::-1])[1].tobytes()
