"""The index of a MindRecord file: an SQLite file that states where rows are, queried with care.

Whoever can write the file decides what SQL is in it. So only a real table INDEXES is read, whose
columns are stored (a view or a computed column runs what it likes), names are quoted, and the
number of steps that a query may take follows from the size of the file.
"""

import contextlib
import os
import sqlite3

from .mindrecord_errors import MRMOpenError

_STEPS = 1 << 20  # that any query may take
_STEPS_A_BYTE = 10  # what reading a row takes, over the least bytes that a row has
_AT_ONCE = 1000  # steps between two looks at how many there were


def rows_of_index(path, columns):
    """The columns of an index, row by row in the order of the rows.

    Args:
        path (str): the MindRecord file; its index is `<path>.db`.
        columns (list[str]): the columns wanted.

    Raises:
        MRMOpenError: the index is missing, or is no index of these columns.
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
            wanted = ", ".join(map(_quoted, columns))
            return base.execute(f"SELECT {wanted} FROM main.INDEXES ORDER BY ROW_ID").fetchall()
    except (sqlite3.Error, ValueError, OverflowError) as error:
        raise MRMOpenError(f"{name} is not an index of MindRecord rows: {error}") from error


class _Budget:
    """Ends a query that takes too many steps."""

    def __init__(self, size):
        self._left = (_STEPS + _STEPS_A_BYTE * size) // _AT_ONCE

    def __call__(self):
        self._left -= 1
        return self._left < 0


def _quoted(name):
    return '"' + name.replace('"', '""') + '"'


def _check_table(base, columns):
    """Raises ValueError unless INDEXES is a stored table with these columns, none computed."""
    found = base.execute(
        "SELECT type, rootpage FROM main.sqlite_master WHERE name = 'INDEXES' OR type = 'trigger'"
    ).fetchall()
    if len(found) != 1 or found[0][0] != "table" or not found[0][1]:
        raise ValueError("INDEXES is no table, or one with triggers")
    columns_info = base.execute("PRAGMA main.table_xinfo(INDEXES)").fetchall()
    if any(column[-1] for column in columns_info):
        raise ValueError("INDEXES has columns that are computed")
    missing = sorted({"ROW_ID", *columns} - {column[1] for column in columns_info})
    if missing:
        raise ValueError(f"INDEXES has no column {missing[0]!r}")
