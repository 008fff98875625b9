"""The index of a MindRecord file: safe queries of the SQLite file with the positions of rows.

The author of the file controls the SQL in it. So only a real table INDEXES with stored columns is
read (a view or a computed column could run any code), names are quoted, and the number of steps of
a query is limited by the size of the file.
"""

import contextlib
import os
import sqlite3

from .mindrecord_errors import MRMOpenError

_STEPS = 1 << 20  # steps that every query may take
_STEPS_A_BYTE = 10  # the steps for reading a row, divided by the minimum number of bytes of a row
_AT_ONCE = 1000  # steps between two checks of the budget


def rows_of_index(path, columns):
    """Returns the columns of an index, read row by row.

    Args:
        path (str): the MindRecord file; its index is `<path>.db`.
        columns (list[str]): the columns to read.

    Raises:
        MRMOpenError: if the index is missing, or is not an index of these columns.
    """
    name = f"{path}.db"
    if not os.path.isfile(name):
        raise MRMOpenError(f"{path!r} cannot be read: its index {name} is missing.")
    uri = os.path.abspath(name).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    try:
        with contextlib.closing(sqlite3.connect(f"file:{uri}?mode=ro", uri=True)) as base:
            base.set_progress_handler(_Budget(os.path.getsize(name)), _AT_ONCE)
            base.execute("PRAGMA trusted_schema = OFF")
            _check_table(base, columns)
            names = ", ".join(map(_quote, columns))
            return base.execute(f"SELECT {names} FROM main.INDEXES ORDER BY ROW_ID").fetchall()
    except (sqlite3.Error, ValueError, OverflowError) as error:
        raise MRMOpenError(f"{name} is not an index of MindRecord rows: {error}") from error


class _Budget:
    """Aborts a query that takes too many steps."""

    def __init__(self, size):
        self._left = (_STEPS + _STEPS_A_BYTE * size) // _AT_ONCE

    def __call__(self):
        self._left -= 1
        return self._left < 0


def _quote(name):
    return '"' + name.replace('"', '""') + '"'


def _check_table(base, columns):
    """Raises ValueError unless INDEXES is a real table with these columns, none of them
    computed.
    """
    entries = base.execute(
        "SELECT type, rootpage FROM main.sqlite_master WHERE name = 'INDEXES' OR type = 'trigger'"
    ).fetchall()
    if len(entries) != 1 or entries[0][0] != "table" or not entries[0][1]:
        raise ValueError("INDEXES is no table, or one with triggers")
    columns_info = base.execute("PRAGMA main.table_xinfo(INDEXES)").fetchall()
    if any(column[-1] for column in columns_info):
        raise ValueError("INDEXES has columns that are computed")
    missing = sorted({"ROW_ID", *columns} - {column[1] for column in columns_info})
    if missing:
        raise ValueError(f"INDEXES has no column {missing[0]!r}")
