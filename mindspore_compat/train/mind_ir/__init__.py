"""Networks as graphs of primitives in files: MindIR and ONNX.

`tracing.py` runs a network once and notes its arithmetic as a graph; `primitives.py`, `shapes.py`
and `windows.py` say which primitives implement a function of `xp`; `writing.py` writes MindIR,
`onnx_writing.py` ONNX, whose `onnx_export.py` names inputs and outputs and `onnx_dynamic.py`
leaves lengths open. `running.py` runs a graph that was loaded.
"""

from . import primitives, shapes, windows  # noqa: F401 - they fill the table that tracing reads
