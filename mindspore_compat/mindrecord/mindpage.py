"""MindPage: reads rows of MindRecord files by the value of an indexed field, page by page."""

import json

from .._io.mindrecord import Records
from .._io.mindrecord_errors import (
    MRMDefineCategoryError,
    MRMFetchDataError,
    MRMReadCategoryInfoError,
    ParamTypeError,
    ParamValueError,
)
from ._checks import check_reading


class MindPage:
    """Reads rows that share the value of an indexed field.

    Args:
        file_name (Union[str, list[str]]): one file, which includes the files written with it; or
            all files.
        num_consumer (int, optional): checked, but without effect.

    Raises:
        ParamValueError: if an argument is out of range.
        MRMOpenError: if a file is missing or damaged, or is not a MindRecord file.

    Example:
        >>> from mindspore_compat.mindrecord import FileWriter, MindPage
        >>> writer = FileWriter("data.mindrecord")
        >>> writer.add_schema({"label": {"type": "int32"}})
        >>> writer.add_index(["label"])
        >>> writer.write_raw_data([{"label": 3}, {"label": 5}])
        >>> writer.commit()
        >>> page = MindPage("data.mindrecord")
        >>> page.candidate_fields
        ['label']

    Source: mindspore.mindrecord.MindPage of MindSpore 2.10.
    """

    def __init__(self, file_name, num_consumer=4):
        check_reading("MindPage", file_name, num_consumer)
        self._file_name, self._records = file_name, Records(file_name)
        self._layout = self._records.shards[0].layout
        self._field, self._rows = None, {}

    @property
    def candidate_fields(self):
        """The fields that rows can be grouped by."""
        return list(self._records.shards[0].indexed)

    @property
    def category_field(self):
        """The field that rows are grouped by; None at first.

        Raises:
            ParamTypeError: on setting, if it is not text.
            MRMDefineCategoryError: on setting, if it is not in `candidate_fields`.
        """
        return self._field

    @category_field.setter
    def category_field(self, category_field):
        if not isinstance(category_field, str) or not category_field:
            raise ParamTypeError(
                f"For 'MindPage', 'category_field' must be a str, but got {category_field!r}."
            )
        if category_field not in self.candidate_fields:
            raise MRMDefineCategoryError(
                f"For 'MindPage', 'category_field' must be one of "
                f"{self.candidate_fields}, but got {category_field!r}."
            )
        rows = {}
        for index, value in enumerate(self._records.values(category_field)):
            rows.setdefault(str(value), []).append(index)
        self._field, self._rows = category_field, dict(sorted(rows.items()))

    def read_category_info(self):
        """Returns JSON text: the key, and for each value its number, its text and the number of
        rows.

        Raises:
            MRMReadCategoryInfoError: if no field is set.
        """
        if self._field is None:
            raise MRMReadCategoryInfoError("For 'MindPage', 'category_field' must be set first.")
        values = [
            {"count": len(rows), "id": number, "name": name}
            for number, (name, rows) in enumerate(self._rows.items())
        ]
        return json.dumps({"categories": values, "key": f"{self._field}_0"}, separators=(",", ":"))

    def read_at_page_by_id(self, category_id, page, num_row):
        """Returns a page of rows of the value with a number.

        Args:
            category_id (int): the number, as `read_category_info` returns it.
            page (int): the page, counted from 0.
            num_row (int): the number of rows of a page.

        Raises:
            ParamValueError: if an argument is out of range.
            MRMFetchDataError: if there is no such value or page.
        """
        _check_int("category_id", category_id, 0)
        return self._page(list(self._rows)[category_id : category_id + 1], page, num_row)

    def read_at_page_by_name(self, category_name, page, num_row):
        """Returns a page of rows of a value.

        Args:
            category_name (str): the value as text, as `read_category_info` returns it.
            page (int): the page, counted from 0.
            num_row (int): the number of rows of a page.

        Raises:
            ParamValueError: if an argument is out of range.
            MRMFetchDataError: if there is no such value or page.
        """
        if not isinstance(category_name, str):
            raise ParamValueError(
                f"For 'MindPage', 'category_name' must be a str, but got {category_name!r}."
            )
        return self._page([category_name], page, num_row)

    def _page(self, names, page, num_row):
        _check_int("page", page, 0)
        _check_int("num_row", num_row, 1)
        rows = [index for name in names for index in self._rows.get(name, ())]
        if not rows or page * num_row >= len(rows):
            raise MRMFetchDataError(
                f"For 'MindPage', there is no page {page} of {num_row} rows "
                f"of this value in {self._file_name!r}, which has {len(rows)} rows."
            )
        columns = [*self._layout.raw, *self._layout.blob]
        return [
            self._records.row(index, columns)
            for index in rows[page * num_row : (page + 1) * num_row]
        ]


def _check_int(name, value, least):
    if not isinstance(value, int) or value < least:
        raise ParamValueError(
            f"For 'MindPage', '{name}' must be an int >= {least}, but got {value!r}."
        )
