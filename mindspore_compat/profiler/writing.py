"""Writes events as a table by operator and as a timeline for a trace viewer."""

import csv
import io
import json
import os
from collections import defaultdict

from .._io.files import atomic_write

HEADER = ["kind", "name", "count", "total_us", "average_us", "min_us", "max_us", "share_percent"]


def summary(events):
    """Returns the rows of the table, the longest total first: dicts with the keys of HEADER.

    The share is of all events of the same kind; Cells contain each other, so theirs overlap.
    """
    times = defaultdict(list)
    for event in events:
        times[event.kind, event.name].append((event.end - event.start) / 1000)
    whole = defaultdict(float)
    for (kind, _), durations in times.items():
        whole[kind] += sum(durations)
    rows = [
        [
            kind,
            name,
            len(durations),
            round(sum(durations), 3),
            round(sum(durations) / len(durations), 3),
            round(min(durations), 3),
            round(max(durations), 3),
            round(100 * sum(durations) / (whole[kind] or 1), 2),
        ]
        for (kind, name), durations in times.items()
    ]
    rows.sort(key=lambda row: -row[3])
    return [dict(zip(HEADER, row, strict=True)) for row in rows]


def write(folder, events, metadata, pretty=False):
    """Writes op_statistic.csv, trace_view.json and, if there is any, profiler_metadata.json."""
    os.makedirs(folder, exist_ok=True)
    text = io.StringIO(newline="")
    table = csv.DictWriter(text, HEADER)
    table.writeheader()
    table.writerows(summary(events))
    indent = 4 if pretty else None
    texts = {
        "op_statistic.csv": text.getvalue(),
        "trace_view.json": json.dumps(trace(events), indent=indent),
    }
    if metadata:
        texts["profiler_metadata.json"] = json.dumps(metadata, indent=indent)
    for name, content in texts.items():
        with atomic_write(os.path.join(folder, name)) as file:
            file.write(content.encode())


def trace(events):
    """Returns the events in the format of Chrome's trace viewer and Perfetto; times in
    microseconds."""
    start = min((event.start for event in events), default=0)
    return [
        {
            "name": event.name,
            "cat": event.kind,
            "ph": "X",
            "pid": os.getpid(),
            "tid": 0,
            "ts": (event.start - start) / 1000,
            "dur": (event.end - event.start) / 1000,
            "args": {"step": event.step},
        }
        for event in events
    ]
