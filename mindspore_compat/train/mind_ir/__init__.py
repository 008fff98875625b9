"""Exports networks as graphs of primitives: MindIR and ONNX files.

`tracing.py` runs a network once and records its arithmetic as a graph; `primitives.py`, `shapes.py`
and `windows.py` define which primitives implement a function of `xp`. `writing.py` writes MindIR.
`onnx_writing.py` writes ONNX; `onnx_names.py` names the inputs, and `onnx_dynamic.py` makes lengths
dynamic for `onnx_export.py`. `running.py` loads a graph so that it can run.
"""

from . import primitives, shapes, windows  # noqa: F401 - they fill the table of emitters
