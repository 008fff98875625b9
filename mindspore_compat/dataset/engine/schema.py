"""Schema: describes the names, dtypes and shapes of a dataset's columns."""

import json

from ..._core.rules.checked import checked
from ..._core.rules.comparisons import Instead
from ..._core.rules.vocabulary import InstanceOf, Int, ListOf, Str
from ..._core.tensor import dtype as dtypes
from ..._io.reading import json_of, reading
from .._rules import AnInstance

__all__ = ["Schema"]

_Columns = Instead(InstanceOf(dict, list, tuple).called("a dict or a list"), RuntimeError)
_Column = Instead(InstanceOf(dict), RuntimeError)


class Schema:
    """Describes the names, dtypes and shapes of columns.

    Args:
        schema_file (str, optional): a JSON file with "columns": a list of objects with "name",
            "type", "rank" and "shape", or an object of these by name; and "numRows".

    Raises:
        RuntimeError: if the file cannot be read, or is not such JSON.

    Example:
        >>> import mindspore_compat as ms
        >>> print(len(ms.dataset.Schema().columns))
        0

    Source: mindspore.dataset.Schema of MindSpore 2.10.
    """

    @checked
    def __init__(self, schema_file: Str = None):
        self.columns, self.num_rows, self.dataset_type = [], None, ""
        if schema_file is None:
            return
        with reading(schema_file, problem="is no JSON file of columns", api="Schema"):
            self.from_json(json_of(schema_file))

    @checked
    def add_column(
        self, name: Str, de_type: Str | AnInstance(dtypes.Type), shape: ListOf(Int) = None
    ):
        """Adds a column to the schema.

        Args:
            name: the name of the column.
            de_type: the dtype of the column, or its name.
            shape: the shape of the column; -1 for any length. Without it the column has one axis
                of any length.

        Raises:
            TypeError: if `name` is empty or `de_type` unknown.
        """
        if not name:
            raise TypeError("For 'Schema', 'name' must be a str that is not empty.")
        self.columns.append({"rank": 1, **self._column(name, de_type, shape)})

    @staticmethod
    def _column(name, de_type, shape):
        text = de_type.lower() if isinstance(de_type, str) else str(de_type).lower()
        names_known = {str(dtype).lower() for dtype in (*dtypes.all_types, dtypes.string)} | {
            "bytes"
        }
        if text not in names_known:
            raise TypeError(
                f"For 'Schema', 'de_type' must be a dtype or its name, but got {de_type!r}."
            )
        column = {"name": name, "type": text}
        if shape is not None:
            column.update(shape=shape, rank=len(shape))
        return column

    def parse_columns(self, columns):
        """Adds columns in the format of a schema file.

        Args:
            columns (Union[dict, list[dict], tuple[dict]]): the columns, by name or with "name".

        Raises:
            RuntimeError: if it is neither a dict nor a list, or a column is not a dict, has no
                type, or has an unknown entry.
        """
        _Columns.refuse("Schema", "columns", columns)
        for column in columns.values() if isinstance(columns, dict) else columns:
            _Column.refuse_part("Schema", "a column", column)
        if isinstance(columns, dict):
            columns = [{"name": name, **column} for name, column in columns.items()]
        for column in columns:
            if not {"name", "type"} <= set(column) <= {"name", "type", "shape", "rank", "t_impl"}:
                raise RuntimeError(
                    f"For 'Schema', a column must have a name, a type and perhaps a "
                    f"shape and a rank, but got {column}."
                )
            name, de_type, shape = column["name"], column["type"], column.get("shape")
            Str.refuse("Schema", "name", name)
            (Str | AnInstance(dtypes.Type)).refuse("Schema", "de_type", de_type)
            (ListOf(Int) | None).refuse("Schema", "shape", shape)
            self.columns.append(self._column(name, de_type, shape))

    @checked
    def from_json(self, json_obj: InstanceOf(dict)):
        """Loads the columns and the number of rows from a schema in JSON form.

        Args:
            json_obj (dict): with "columns" and, optionally, "numRows" and "datasetType".

        Raises:
            RuntimeError: if `json_obj` has another key, or there are no columns.
            TypeError: if `json_obj` is not a dict.
        """
        unknown = set(json_obj) - {"datasetType", "numRows", "columns"}
        if unknown or not json_obj.get("columns"):
            raise RuntimeError(
                f"For 'Schema', there must be columns, and nothing but "
                f"'datasetType' and 'numRows' in addition, but got "
                f"{list(json_obj)}."
            )
        self.dataset_type = json_obj.get("datasetType", "")
        rows = json_obj.get("numRows")
        if rows is not None and not (isinstance(rows, (int, float)) and 0 < rows < 1 << 63):
            raise ValueError(
                f"For 'Schema', 'numRows' must be a number > 0 and below 2**63, but got {rows!r}."
            )
        self.num_rows = None if rows is None else int(rows)
        self.parse_columns(json_obj["columns"])

    def to_json(self):
        """Returns the schema as JSON text, with the keys of each object in alphabetical order.

        A column that was read without a shape is written as one of scalars.
        """
        columns = [
            column if "rank" in column else {**column, "rank": 0, "shape": []}
            for column in self.columns
        ]
        whole = {"columns": columns or None}
        if self.num_rows:
            whole = {"datasetType": self.dataset_type, "numRows": self.num_rows, **whole}
        return json.dumps(whole, indent=2, sort_keys=True)

    def __str__(self):
        return self.to_json()
