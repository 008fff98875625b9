"""The types of the values that a body may receive, besides the arrays of NumPy and CuPy.

Each has a space, an `xp` with the functions of catalogue.py. The page `docs/architecture.rst` shows
this table.
"""

from typing import NamedTuple


class ArrayType(NamedTuple):
    """A type of the values that a body may receive.

    Attributes:
        name: of its class.
        home: the module that has it, below the package.
        space: the class of its `xp`, in the same module.
        purpose: what it is for.
        maker: who makes it.
        limits: what it may not do.
    """

    name: str
    home: str
    space: str
    purpose: str
    maker: str
    limits: str


ARRAY_TYPES = (
    ArrayType(
        "Traced",
        "_core.autograd.traced",
        "TracedSpace",
        "an array with its tape node: record for gradients",
        "the tape, for a body without a rule and for gradients of higher order",
        "be written to; use a function of `xp` without a gradient rule",
    ),
    ArrayType(
        "Batch",
        "_core.vmap.batch",
        "BatchSpace",
        "an array with a hidden leading axis: `vmap`",
        "`vmap`, from the inputs that it maps",
        "be read: its values have no single answer",
    ),
    ArrayType(
        "Symbol",
        "_backend.bodies.symbols",
        "SymbolSpace",
        "a value without data: generate one kernel",
        "`fuse`, `bodies` and `xp.blockwise`, to run a formula once",
        "be read; use functions without a C expression; be asked for a shape",
    ),
    ArrayType(
        "Recorded",
        "_backend.steps.recorded_array",
        "RecordedSpace",
        "an array with a slot name: record a CPU training step",
        "graph mode, in the Tensors that a step reaches",
        "be read, or have a shape that follows from values: both abort the recording",
    ),
    ArrayType(
        "Sketch",
        "train.mind_ir.tracing",
        "SketchSpace",
        "an array with a graph name: export to MindIR and ONNX",
        "`export`, from the inputs of a network",
        "be read or written to; use an opaque function that has no graph node",
    ),
)
