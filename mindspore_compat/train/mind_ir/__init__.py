"""Exports networks as graphs of primitives: MindIR and ONNX files.

`tracing.py` runs a network once and records its arithmetic as a graph; `primitives.py`, `shapes.py`
and `windows.py` define which primitives implement a function of `xp`. `writing.py` writes MindIR.
`onnx_writing.py` writes ONNX for both, `onnx_export.py` is `onnx.export`; `onnx_names.py` names the
inputs, `unknown_lengths.py` and `onnx_dynamic.py` make lengths dynamic. `running.py` loads a graph
so that it can run.
"""

from . import primitives, shapes, windows  # noqa: F401 - they fill the table of emitters
