"""The array types that a body may receive, besides the arrays of NumPy and CuPy.

Each type has a space, an `xp` with the functions of catalogue/. The page `docs/architecture.rst`
shows this table.
"""

from typing import NamedTuple


class ArrayType(NamedTuple):
    """An array type that a body may receive.

    Attributes:
        name: the name of its class.
        home: its module, relative to the package.
        space: the class of its `xp`, in the same module.
        purpose: its purpose.
        maker: the code that creates it.
        limits: what code must not do with it.
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
        "an array with a slot name: record a step on the CPU",
        "graph mode, in the Tensors that a step reaches",
        "be read, or have a shape that follows from values: both abort the recording",
    ),
    ArrayType(
        "Sharded",
        "_core.sharding.array",
        "ShardedSpace",
        "an array that is divided over ranks",
        "a divided network, from its inputs and the arrays that its strategies name",
        "be read on one rank alone: all ranks of its mesh take part",
    ),
    ArrayType(
        "Staged",
        "_core.sharding.staged",
        "StagedSpace",
        "a value that lies on the ranks of one pipeline stage",
        "a pipeline of several stages, from the results of its Cells",
        "be read between Cells; on other ranks it is a shape without values",
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
