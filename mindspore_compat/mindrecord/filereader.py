"""FileReader: iterates over the rows of MindRecord files."""

from .._core.without_effect import without_effect
from .._io.mindrecord import Records
from .._io.mindrecord_errors import ParamTypeError, ParamValueError
from ._checks import check_reading


@without_effect("mindrecord.FileReader(operator)")
class FileReader:
    """Reads MindRecord files.

    Args:
        file_name (Union[str, list[str]]): one file, which includes the files written with it; or
            all files.
        num_consumer (int, optional): checked, but without effect; rows are read on demand.
        columns (list[str], optional): the fields to read; by default all.
        operator (int, optional): the reading mode of MindSpore.

    Raises:
        ParamValueError: if `file_name` or `num_consumer` is out of range, or a column unknown.
        ParamTypeError: if `columns` is not a list.
        TypeError: if `operator` is not an int.
        MRMOpenError: if a file is missing or damaged, or is not a MindRecord file.

    Example:
        >>> from mindspore_compat.mindrecord import FileReader, FileWriter
        >>> writer = FileWriter("data.mindrecord")
        >>> writer.add_schema({"label": {"type": "int32"}})
        >>> writer.write_raw_data([{"label": 3}])
        >>> writer.commit()
        >>> list(FileReader("data.mindrecord").get_next())
        [{'label': 3}]
    """

    def __init__(self, file_name, num_consumer=4, columns=None, operator=None):
        check_reading("FileReader", file_name, num_consumer)
        if columns and not isinstance(columns, list):
            raise ParamTypeError(
                f"For 'FileReader', 'columns' must be a list, but got {columns!r}."
            )
        if isinstance(operator, bool) or not isinstance(operator, (int, list, type(None))):
            raise TypeError(f"For 'FileReader', 'operator' must be an int, but got {operator!r}.")
        self._records = Records(file_name)
        layout = self._records.shards[0].layout
        names = [*layout.raw, *layout.blob]
        unknown = [name for name in columns or () if name not in names]
        if unknown:
            raise ParamValueError(
                f"For 'FileReader', 'columns' must be fields of {names}, but got {unknown}."
            )
        self._schema, self._count, self._position = self._records.schema, len(self._records), 0
        self._columns = [name for name in names if not columns or name in columns]

    def get_next(self):
        """Yields the rows that have not been read yet, as dicts from names to ints, floats, text,
        bytes and arrays. A closed reader yields none."""
        while self._records is not None and self._position < self._count:
            self._position += 1
            yield self._records.row(self._position - 1, self._columns)

    def schema(self):
        """Returns the fields, as a dict."""
        return self._schema

    def len(self):
        """Returns the number of rows."""
        return self._count

    def close(self):
        """Closes the files."""
        self._records = None
