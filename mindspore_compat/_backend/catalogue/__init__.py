"""The one list of the functions of `xp` that a body may call, for every array type.

Functions that NumPy and CuPy both have are listed below, by name. backend_functions.py lists those
that modules of `_backend` define, which are imported when a function is first used (space.py), and
package_functions.py those that packages above define and register by `@implements`. There
`[host.select]` names the module of the functions after it. A line is a function without its first
parameter `xp`, then the facts that differ from the defaults; the indented lines say what it does.
docs/contributing.rst says how to add a function and an array type.

Facts:
    family: how a function treats the axes of its arrays. An array type that splits or hides an
        axis needs a rule for each family, and one for each function without a family ("other").

        pointwise   element by element; shapes broadcast
        reduction   `axis` goes, all axes by default
        along       works along `axis`, which stays
        like        returns an array of the shape of its first argument
        create      creates an array from numbers and shapes alone
        stack       works on the last axes; leading ones are a stack
        samples     works on (batch, channels, ...), on each sample separately

    gradient: what Traced does.

        rule        records the vjp rule of _core/autograd/vjp_rules*.py
        parts       records the functions that it calls
        constant    the result carries no gradient
        plain       no function of arrays: a number, a dtype, a module, a function of shapes
        refused     raises an error: there is no gradient

    opaque: its code uses more than `xp`, so a graph (Sketch) without a node of its name refuses it.
    rows: it exists only for bodies that work on rows (bodies/row_plan.py).
"""

from typing import NamedTuple

from . import backend_functions, package_functions

FAMILIES = ("pointwise", "reduction", "along", "like", "create", "stack", "samples", "other")
GRADIENTS = ("rule", "parts", "constant", "plain", "refused")
LIBRARY = ("numpy", "scipy.special", "scipy.linalg")  # homes of library functions


class Function(NamedTuple):
    """An entry of the catalogue: a function of `xp`.

    Attributes:
        name: the name of the function in `xp`.
        signature, summary: the parameters after `xp`, what it does; empty for a library's function.
        home, target: its module, relative to `_backend` or the package, or library; its name there.
        family, gradient, opaque, rows: see the head of this file.
    """

    name: str
    signature: str
    summary: str
    home: str
    target: str
    family: str = "other"
    gradient: str = "rule"
    opaque: bool = False
    rows: bool = False

    @property
    def provided(self):
        """Returns True if a package above the backend implements the function."""
        return self.home.partition(".")[0] in ("_core", "communication", "ops")


FUNCTIONS = {}


def _facts(words):
    kinds = dict.fromkeys(FAMILIES, "family") | dict.fromkeys(GRADIENTS, "gradient")
    return {kinds.get(word, word): word if word in kinds else True for word in words}


def _library(home, facts, names):
    """Adds functions of the library `home`; `names` and their `facts` are words in a str."""
    for name in names.split():
        FUNCTIONS[name] = Function(name, "", "", home, name, **_facts(facts.split()))


def _functions(text):
    """Adds the functions that `text` lists, in the form that the head of this file describes, to
    FUNCTIONS."""
    home, name, common = "", "", []
    for line in text.strip().splitlines():
        if line.startswith("["):
            home, _, words = line[1:].partition("]")
            common = words.replace(",", " ").split()
        elif line.startswith(" "):
            last = FUNCTIONS[name]
            FUNCTIONS[name] = last._replace(summary=f"{last.summary} {line.strip()}".strip())
        elif line and not line.startswith("#"):
            head, _, words = line.partition(" : ")
            name, _, rest = head.partition("(")
            words, _, target = words.partition("as ")
            facts = _facts([*common, *words.replace(",", " ").split()])
            FUNCTIONS[name] = Function(name, f"({rest}", "", home, target or name, **facts)


# Functions of libraries ---------------------------------------------------------------------------

_library(
    "numpy",
    "pointwise",
    """abs add angle arccos arccosh arcsin arcsinh arctan arctan2 arctanh conj copysign cos
    cosh deg2rad divide exp exp2 expm1 fmax fmin imag log log10 log1p log2
    logaddexp2 maximum minimum mod multiply nan_to_num negative nextafter positive rad2deg real
    reciprocal sin sinc sinh sqrt square subtract tan tanh""",
)
_library(
    "numpy",
    "pointwise constant",
    """bitwise_and bitwise_or bitwise_xor ceil equal floor floor_divide gcd greater greater_equal
    invert isclose isfinite isinf isnan isreal lcm left_shift less less_equal logical_and
    logical_not logical_or logical_xor not_equal right_shift rint round sign signbit trunc""",
)
_library("numpy", "reduction", "max mean min prod std sum var")
_library("numpy", "reduction constant", "all any")
_library("numpy", "along", "flip sort")
_library("numpy", "along constant", "argsort")
_library("numpy", "like constant", "empty_like full_like ones_like zeros_like")
_library("numpy", "create constant", "arange asarray empty eye full linspace ogrid ones tri zeros")
_library("numpy", "stack", "ascontiguousarray tril triu")
_library(
    "numpy",
    "",
    """array broadcast_to moveaxis ravel repeat reshape roll rot90 squeeze stack
    swapaxes tile transpose""",
)
_library("numpy", "parts", "diff einsum split tensordot")
_library(
    "numpy",
    "constant",
    """bincount isin lexsort nonzero packbits ravel_multi_index searchsorted unique unpackbits
    unravel_index""",
)
_library("numpy", "plain", "broadcast_shapes fft finfo float32 iinfo inf lib linalg nan")
_library("numpy", "plain", "ndim pi result_type shape size")
_library("numpy", "refused", "broadcast_arrays copyto")
_library(
    "scipy.special",
    "pointwise",
    """betainc digamma erf gammainc gammaincc i0 i0e i1 i1e j0 j1 k0 k0e k1 k1e logit xlogy y0
    y1 zeta""",
)
_library("scipy.special", "", "ndtr")
_library("scipy.special", "pointwise refused", "betaln")
_library("scipy.special", "refused", "ndtri")
_library("scipy.linalg", "refused", "lu_factor")

# Functions of the package -------------------------------------------------------------------------

_functions(backend_functions.TEXT)
_functions(package_functions.TEXT)

# What a space provides besides its functions.
ATTRIBUTES = {
    "module": "the array library below it",
    "from_scipy": "a function of SciPy, or what stands in its place for the array library",
    "low_precision": "dtypes that are computed in float32 and rounded on store",
    "low_precision_products": "the same for the products of matrices",
    "low_precision_kernels": "the same for ops that are whole kernels on a GPU",
    "bodies": "single kernels for whole bodies (bodies/gpu.py, bodies/host.py), or None",
    "kernels": "hand-written kernels (conv/cuda_kernels.py), or None",
    "recurrent_layers": "of a GPU: recurrent layers computed by cuDNN (cuda/recurrent.py)",
    "upcast_kernels": "single kernels for functions in low precision (bodies/upcast.py), or None",
    "number": "a number as a 0-d array of a dtype, which nobody writes to",
    "level": "how many vmaps deep it is",
    "hides_axis": "whether its arrays have an axis that bodies do not see",
    "merges_axes": "whether reshape merges axes without an exchange",
    "choose": "of Sharded: divides the weights of an operator (auto_parallel)",
    "by_operator": "of Staged: operators go to `run_apart` before their bodies run",
    "run_apart": "of Batch, Sharded, Sketch and Staged: runs an operator whose body cannot",
    "gradients": "of Sharded: what a vjp returns, as divided arrays",
    "settled": "of Sharded: gradients, placed as what they are the gradients of",
    "base": "of Traced, Batch, Sharded and Sketch: the space of the arrays behind the values",
    "wrap": "of Traced and Sketch: an array as a value",
    "is_batch": "of Batch, Sharded and Sketch: whether a value is a Batch of this space",
    "to_device": "of Batch, Recorded, Sharded and Sketch: an array on the device of the others",
    "draws": "of Batch: random numbers for all slices, else None",
}
