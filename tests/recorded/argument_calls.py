"""Calls with odd arguments whose outcome is known from MindSpore 2.10, and how it is recorded.

In tests/, with an interpreter that has the original (CPU), `python -m recorded.argument_calls`
writes tests/data/observed_arguments.json; test_odd_arguments.py makes the same calls of this
package. An outcome is "accepted" or the name of an exception.
"""

import importlib
import json
import os
import pathlib
import tempfile

import numpy as np

FILE = pathlib.Path(__file__).parent.parent / "data" / "observed_arguments.json"

# Calls, and values that take the place of `?` in them.
CALLS = {
    "ds.GeneratorDataset(rows, ['x'], num_parallel_workers=?)": "None, 1, 0, 'a', []",
    "ds.NumpySlicesDataset([1, 2], num_parallel_workers=?)": "None, 1, 0, 'a', []",
    "ds.audio.LFCC(dct_type=?)": "2, None, True, 'a', 0.5, (), {}, object()",
    "ds.audio.MFCC(dct_type=?)": "2, None, True, 'a', 0.5, (), {}, object()",
    "ds.audio.linear_fbanks(20, ?, 4000., 10, 8000)": "0, -1, 10., 'a', None",
    "ds.audio.linear_fbanks(20, 0., ?, 10, 8000)": "0, -1, 10., 'a', None",
    "ds.audio.melscale_fbanks(20, ?, 4000., 10, 8000)": "0, -1, 10., 'a', None",
    "ds.audio.melscale_fbanks(20, 0., ?, 10, 8000)": "0, -1, 10., 'a', None",
    "ds.transforms.TypeCast(?)": "T([1.0]), 'int8', 1, None, ()",
    "ds.vision.ToType(?)": "T([1.0]), 'int8', 1, None, ()",
    "ds.vision.RandomErasing(value=?)": "0, -1, 256, 'a', None, True, 0.5, {}, object()",
    "ds.text.Ngram(?)": "2, [1, 2], None, 'a', 0.5, (1, 2), [], {}, object()",
    "ds.text.RegexTokenizer(?)": "'a', None, 1, [], object()",
    "ds.text.BertTokenizer(?)": "vocab, None, 1, [], object()",
    "ds.text.WordpieceTokenizer(?)": "vocab, None, 1, [], object()",
    "ds.vision.TenCrop(2, ?)": "True, None, 1, 'a', []",
    "nn.BatchNorm1d(3, momentum=?)": "True, False, 1, 0, 2, 1.5, 'a', None",
    "nn.BatchNorm2d(3, momentum=?)": "True, False, 1, 0, 2, 1.5, 'a', None",
    "nn.BatchNorm3d(3, momentum=?)": "True, False, 1, 0, 2, 1.5, 'a', None",
}


def calls():
    """Yields the text of each call."""
    for call, values in CALLS.items():
        for value in _parts(values):
            yield call.replace("?", value)


def _parts(text):
    """Splits a text at the commas outside brackets."""
    depth, start = 0, 0
    for i, letter in enumerate(text + ","):
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and not depth:
            yield text[start:i].strip()
            start = i + 1


def names(ms):
    """Returns the names that the calls may use."""
    for part in ("audio", "dataloader"):
        importlib.import_module(f"{ms.__name__}.dataset.{part}")
    return {
        "ms": ms,
        "nn": ms.nn,
        "ops": ms.ops,
        "mint": ms.mint,
        "ds": ms.dataset,
        "np": np,
        "T": ms.Tensor,
        "rows": [np.array([1])],
        "vocab": ms.dataset.text.Vocab.from_list(["a", "b"]),
    }


def outcome(call, known):
    """Returns "accepted" or the name of the exception that a call raises."""
    try:
        result = eval(call, known)
        for part in result if isinstance(result, tuple) else (result,):
            if hasattr(part, "asnumpy"):
                part.asnumpy()
    except Exception as error:
        kinds = (kind.__name__ for kind in type(error).__mro__)
        return next(kind for kind in kinds if not kind.startswith("Param"))
    return "accepted"


if __name__ == "__main__":
    import mindspore

    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        known = names(mindspore)
        found = {call: outcome(call, known) for call in calls()}
    FILE.write_text(json.dumps(found, indent=0, ensure_ascii=False) + "\n", encoding="utf-8")
