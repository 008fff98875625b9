"""Kernels of the stand-in: an ElementwiseKernel is interpreted from its C; others can be defined
but not called.

The supported C is that of elementwise kernels: declarations, assignments, if/else, arithmetic,
comparisons, `?:`, casts, calls of mathematical functions, and raw arrays read or written at an
index. Types follow C's rules (float with double is double, int with float is float). Loops,
pointers and everything else raise NotImplementedError; such a kernel needs a real GPU.
"""

import re
import weakref

import numpy
import scipy.special

from . import counting, graphs
from .arrays import BFLOAT16, ndarray, wrap

TYPES = {
    "bool": "?",
    "char": "b",
    "signed char": "b",
    "unsigned char": "B",
    "short": "h",
    "unsigned short": "H",
    "int": "i",
    "unsigned int": "I",
    "unsigned": "I",
    "long": "q",
    "long long": "q",
    "unsigned long long": "Q",
    "size_t": "Q",
    "ptrdiff_t": "q",
    "float16": "e",
    "__half": "e",
    "half": "e",
    "float": "f",
    "double": "d",
    "int8": "b",
    "uint8": "B",
    "int16": "h",
    "uint16": "H",
    "int32": "i",
    "uint32": "I",
    "int64": "q",
    "uint64": "Q",
    "float32": "f",
    "float64": "d",
    "bool_": "?",
    "complex64": "F",
    "complex128": "D",
    "int8_t": "b",
    "uint8_t": "B",
    "int16_t": "h",
    "uint16_t": "H",
    "int32_t": "i",
    "uint32_t": "I",
    "int64_t": "q",
    "uint64_t": "Q",
}
CALLS = {
    "exp": numpy.exp,
    "exp2": numpy.exp2,
    "expm1": numpy.expm1,
    "log": numpy.log,
    "log2": numpy.log2,
    "log10": numpy.log10,
    "log1p": numpy.log1p,
    "sqrt": numpy.sqrt,
    "cbrt": numpy.cbrt,
    "pow": numpy.power,
    "rsqrt": lambda x: 1 / numpy.sqrt(x),
    "sin": numpy.sin,
    "cos": numpy.cos,
    "tan": numpy.tan,
    "asin": numpy.arcsin,
    "acos": numpy.arccos,
    "atan": numpy.arctan,
    "atan2": numpy.arctan2,
    "sinh": numpy.sinh,
    "cosh": numpy.cosh,
    "tanh": numpy.tanh,
    "asinh": numpy.arcsinh,
    "acosh": numpy.arccosh,
    "atanh": numpy.arctanh,
    "fabs": numpy.abs,
    "abs": numpy.abs,
    "floor": numpy.floor,
    "ceil": numpy.ceil,
    "trunc": numpy.trunc,
    "rint": numpy.rint,
    "round": lambda x: numpy.trunc(x + numpy.copysign(x.dtype.type(0.5), x)),
    "fmod": numpy.fmod,
    "hypot": numpy.hypot,
    "copysign": numpy.copysign,
    "fmax": numpy.fmax,
    "fmin": numpy.fmin,
    "max": numpy.maximum,
    "min": numpy.minimum,
    "isnan": numpy.isnan,
    "isinf": numpy.isinf,
    "isfinite": numpy.isfinite,
    "signbit": numpy.signbit,
    "erf": scipy.special.erf,
    "erfc": scipy.special.erfc,
    "erfinv": scipy.special.erfinv,
    "lgamma": scipy.special.gammaln,
    "tgamma": scipy.special.gamma,
    "normcdf": scipy.special.ndtr,
    "fma": lambda x, y, z: x * y + z,
}
TOKEN = re.compile(
    r"""\s*(?://[^\n]*\n?|/\*.*?\*/)?\s*(
    0[xX][0-9a-fA-F]+[uUlL]* | (?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?[fFuUlL]* | [A-Za-z_]\w* |
    <<=|>>=|&&|\|\||<=|>=|==|!=|<<|>>|\+\+|--|\+=|-=|\*=|/=|%=|&=|\|=|\^=|[-
    +*/%<>=!?:;,(){}\[\].&|^~])""",
    re.VERBOSE | re.DOTALL,
)
LEVELS = [
    ["||"],
    ["&&"],
    ["|"],
    ["^"],
    ["&"],
    ["==", "!="],
    ["<", ">", "<=", ">="],
    ["<<", ">>"],
    ["+", "-"],
    ["*", "/", "%"],
]
COMPARE = {
    "==": numpy.equal,
    "!=": numpy.not_equal,
    "<": numpy.less,
    ">": numpy.greater,
    "<=": numpy.less_equal,
    ">=": numpy.greater_equal,
}
ARITHMETIC = {
    "+": numpy.add,
    "-": numpy.subtract,
    "*": numpy.multiply,
    "%": numpy.fmod,
    "|": numpy.bitwise_or,
    "&": numpy.bitwise_and,
    "^": numpy.bitwise_xor,
    "<<": numpy.left_shift,
    ">>": numpy.right_shift,
}


EVERY = weakref.WeakSet()  # the elementwise kernels that have been defined


class ElementwiseKernel:
    """A kernel over every element; a call reads and runs its C."""

    def __init__(
        self,
        in_params,
        out_params,
        operation,
        name="kernel",
        reduce_dims=True,
        preamble="",
        no_return=False,
        return_tuple=False,
        **options,
    ):
        if not name.isidentifier():
            raise ValueError(f'Invalid kernel name: "{name}"')
        self.in_params = [Slot(text) for text in in_params.split(",") if text.strip()]
        self.out_params = [Slot(text) for text in out_params.split(",") if text.strip()]
        self.operation, self.name, self.preamble = operation, name, preamble
        self.no_return, self.return_tuple = no_return, return_tuple
        self.nin, self.nout = len(self.in_params), len(self.out_params)
        self.nargs = self.nin + self.nout
        EVERY.add(self)

    def __call__(self, *arguments, **keywords):
        note_for_replays = graphs.begin(self._run, arguments, keywords)
        with counting.quiet():
            found = self._run(*arguments, **keywords)
        counting.note("launches", self.name)
        counting.submitted(self.name, [*arguments, found])
        new = graphs.flat([found]) if len(arguments) == self.nin else []
        counting.allocated(self.name, new)
        note_for_replays(found, new)
        return found

    def _run(self, *arguments, size=None, block_size=128, stream=None):
        if self.preamble.strip():
            raise NotImplementedError(f"the stand-in cannot run the preamble of kernel {self.name}")
        if len(arguments) not in (self.nin, self.nargs):
            raise TypeError(f"Wrong number of arguments for {self.name!r}")
        values = [operand(value) for value in arguments]
        named = self._types(values)
        shape = self._shape(values, size)
        outs = [wrap(numpy.empty(shape, named[p.letter])) for p in self.out_params]
        outs = list(arguments[self.nin :]) or outs
        run = Run(self.operation, shape, named)
        for slot, value in zip(self.in_params, values, strict=False):
            run.enter(slot, value, slot.dtype(named))
        for slot, out in zip(self.out_params, outs, strict=False):
            run.enter(slot, out._host, out.dtype)
        with numpy.errstate(all="ignore"):
            run.block_of_file()
        for slot, out in zip(self.out_params, outs, strict=False):
            out._host[...] = run.names[slot.name] if not slot.raw else out._host
        if self.no_return:
            return None
        return outs[0] if len(outs) == 1 and not self.return_tuple else tuple(outs)

    def _types(self, values):
        """Returns the type of each letter parameter (T, U) and of each spelled type."""
        named = {}
        for slot, value in zip(self.in_params + self.out_params, values, strict=False):
            if len(slot.type) == 1 and not isinstance(value, (int, float)):
                if named.setdefault(slot.type, value.dtype) != value.dtype:
                    raise TypeError(
                        f"Type is mismatched. {slot.name} {value.dtype} {named[slot.type]}"
                    )
        for slot, value in zip(self.in_params + self.out_params, values, strict=False):
            if len(slot.type) == 1:
                named.setdefault(slot.type, numpy.result_type(type(value)))
        for slot in self.in_params + self.out_params:
            if slot.type not in named:
                named[slot.type] = (
                    numpy.dtype(TYPES[slot.type]) if slot.type in TYPES else numpy.dtype(slot.type)
                )
        return named

    def _shape(self, values, size):
        shapes = [
            numpy.shape(v)
            for p, v in zip(self.in_params + self.out_params, values, strict=False)
            if not p.raw
        ]
        if size is not None:
            return (size,)
        if not shapes:
            raise ValueError("Loop size is undecided.")
        return numpy.broadcast_shapes(*shapes)


class Slot:
    """One parameter of a kernel: `raw T x`."""

    def __init__(self, text):
        words = text.split()
        self.raw = "raw" in words
        self.type, self.name = words[-2], words[-1]
        self.letter = self.type

    def dtype(self, named):
        return named[self.type]


def operand(value):
    """Returns a kernel argument on the host; a NumPy array is refused."""
    if isinstance(value, ndarray):
        return value._host
    if isinstance(value, (bool, int, float, complex, numpy.generic)):
        return value
    raise TypeError(f"Unsupported type {type(value)}")


class Run:
    """One execution of the C text for all elements at once; each name stands for an array of
    values."""

    def __init__(self, text, shape, types):
        self.tokens, self.at = tokens(text), 0
        self.shape, self.types = shape, {**{k: numpy.dtype(v) for k, v in TYPES.items()}, **types}
        self.names, self.raw = {"i": numpy.arange(int(numpy.prod(shape))).reshape(shape)}, set()
        self.mask = None

    def enter(self, slot, value, dtype):
        if slot.raw:
            self.raw.add(slot.name)
            self.names[slot.name] = value
        else:
            self.names[slot.name] = numpy.broadcast_to(
                numpy.asarray(value).astype(dtype), self.shape
            ).copy()

    # statements

    def block_of_file(self):
        while self.at < len(self.tokens):
            self.statement()

    def statement(self):
        token = self.peek()
        if token == "{":
            self.next()
            while self.peek() != "}":
                self.statement()
            self.next()
        elif token == "if":
            self.branch()
        elif token == ";":
            self.next()
        elif token in ("for", "while", "do", "return", "switch", "goto"):
            raise NotImplementedError(f"the stand-in cannot run `{token}` in a kernel")
        elif token == "const" or self.type_here() is not None:
            self.declaration()
        else:
            self.assignment()
            self.want(";")

    def branch(self):
        self.want("if")
        self.want("(")
        condition = self.expression().astype(bool)
        self.want(")")
        outer = self.mask
        self.mask = condition if outer is None else outer & condition
        self.statement()
        if self.peek() == "else":
            self.next()
            self.mask = ~condition if outer is None else outer & ~condition
            self.statement()
        self.mask = outer

    def declaration(self):
        if self.peek() == "const":
            self.next()
        dtype = self.type_here(take=True)
        while True:
            name = self.next()
            value = numpy.zeros(self.shape, dtype)
            if self.peek() == "=":
                self.next()
                value = self.expression().astype(dtype)
            self.names[name] = numpy.broadcast_to(value, self.shape)
            if self.next() == ";":
                return

    def assignment(self):
        name = self.next()
        if name not in self.names:
            raise NotImplementedError(
                f"the stand-in cannot run a statement that begins with `{name}`"
            )
        index = None
        if self.peek() == "[":
            self.next()
            index = self.expression()
            self.want("]")
        sign = self.next()
        if sign not in ("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="):
            raise NotImplementedError(f"the stand-in cannot run `{name} {sign}`")
        value = self.expression()
        old = self.names[name]
        current = old if index is None else old.reshape(-1)[index]
        if sign != "=":
            value = arithmetic(sign[:-1], current, value)
        value = numpy.broadcast_to(value.astype(old.dtype), self.shape)
        if self.mask is not None:
            value = numpy.where(self.mask, value, current)
        if index is None:
            self.names[name] = value
        else:
            old.reshape(-1)[index] = value

    # expressions

    def expression(self):
        condition = self.binary(0)
        if self.peek() != "?":
            return condition
        self.next()
        yes = self.expression()
        self.want(":")
        no = self.expression()
        dtype = common(yes, no)
        return numpy.where(condition.astype(bool), yes.astype(dtype), no.astype(dtype))

    def binary(self, level):
        if level == len(LEVELS):
            return self.unary()
        left = self.binary(level + 1)
        while self.peek() in LEVELS[level]:
            sign = self.next()
            left = arithmetic(sign, left, self.binary(level + 1))
        return left

    def unary(self):
        token = self.peek()
        if token in ("-", "+", "!", "~"):
            self.next()
            value = self.unary()
            if token == "!":
                return ~value.astype(bool)
            value = value.astype(common(value, value))
            return {"-": numpy.negative, "+": numpy.positive, "~": numpy.invert}[token](value)
        if token == "(":
            self.next()
            dtype = self.type_here(take=True)
            if dtype is not None and self.peek() == ")":
                self.next()
                return self.unary().astype(dtype)
            value = self.expression()
            self.want(")")
            return value
        return self.atom()

    def atom(self):
        dtype = self.type_here(take=True)
        if dtype is not None:
            self.want("(")
            value = self.expression()
            self.want(")")
            return value.astype(dtype)
        token = self.next()
        if token[0].isdigit() or token[0] == ".":
            return number(token)
        if token in ("true", "false"):
            return numpy.asarray(token == "true")
        if token == "_ind" and [self.next() for _ in range(4)] == [".", "size", "(", ")"]:
            return numpy.asarray(int(numpy.prod(self.shape)))
        if self.peek() == "(":
            return self.call(token)
        if token not in self.names:
            raise NotImplementedError(f"the stand-in does not know `{token}` in a kernel")
        value = self.names[token]
        if self.peek() == "[":
            self.next()
            value = value.reshape(-1)[self.expression()]
            self.want("]")
        return value

    def call(self, name):
        host = CALLS.get(name) or CALLS.get(name.removesuffix("f"))
        if host is None:
            raise NotImplementedError(
                f"the stand-in does not know the function `{name}` of a kernel"
            )
        self.want("(")
        values = [self.expression()]
        while self.peek() == ",":
            self.next()
            values.append(self.expression())
        self.want(")")
        dtype = values[0].dtype
        for value in values:
            dtype = common(numpy.empty(0, dtype), value)
        if dtype.kind in "iub" and name not in ("max", "min", "abs"):
            dtype = numpy.dtype("d")
        return host(*[value.astype(dtype) for value in values])

    # reading

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def next(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def want(self, token):
        if self.next() != token:
            raise SyntaxError(
                f"expected `{token}` in a kernel, but got `{self.tokens[self.at - 1]}`"
            )

    def type_here(self, take=False):
        """Returns the type that is spelled at this index, of one to three words, or None."""
        for words in (3, 2, 1):
            spelled = " ".join(self.tokens[self.at : self.at + words])
            if spelled in self.types and spelled not in self.names:
                self.at += words if take else 0
                return self.types[spelled]
        return None


def tokens(text):
    """Returns the words of a C text, comments dropped."""
    found, at = [], 0
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL).strip()
    while at < len(text):
        match = TOKEN.match(text, at)
        if match is None:
            raise NotImplementedError(
                f"the stand-in cannot read `{text[at : at + 20]}` in a kernel"
            )
        found.append(match.group(1))
        at = match.end()
    return found


def number(token):
    """Returns a C literal with its type: 1 is int, 1.0 double, 1.0f float."""
    if token[:2].lower() == "0x":
        return numpy.asarray(int(token.rstrip("uUlL"), 16))
    digits = token.rstrip("fFuUlL")
    if "." in digits or "e" in digits.lower():
        return numpy.asarray(float(digits), "f" if token[-1] in "fF" else "d")
    if token[-1] in "fF":
        return numpy.asarray(float(digits), "f")
    value = int(digits)
    return numpy.asarray(value, "i" if abs(value) < 2**31 and token[-1] not in "lL" else "q")


def common(x, y):
    """Returns the type C computes in: the wider floating type, else an integer of at least 32
    bits."""
    kinds = [value.dtype for value in (x, y)]
    floats = [k for k in kinds if k.kind in "fc" or k == BFLOAT16]
    if not floats:
        size = max(4, *(k.itemsize for k in kinds))
        unsigned = any(k.kind == "u" and k.itemsize == size for k in kinds)
        return numpy.dtype(f"{'u' if unsigned else 'i'}{size}")
    if any(k.itemsize == 2 for k in floats) and len(floats) == 2 and kinds[0] != kinds[1]:
        floats = [numpy.dtype("f") if k.itemsize == 2 else k for k in floats]
    return numpy.result_type(*floats)


def arithmetic(sign, x, y):
    """Returns `x sign y` as C computes it."""
    if sign in ("&&", "||"):
        return (numpy.logical_and if sign == "&&" else numpy.logical_or)(x, y)
    dtype = common(x, y)
    x, y = x.astype(dtype), y.astype(dtype)
    if sign in COMPARE:
        return COMPARE[sign](x, y)
    if sign == "/":
        if dtype.kind in "iu":  # C cuts towards zero
            return numpy.asarray(numpy.trunc(x / numpy.where(y == 0, 1, y)) * (y != 0)).astype(
                dtype
            )
        return numpy.asarray(x / y)
    return numpy.asarray(ARITHMETIC[sign](x, y))


class ReductionKernel:
    """A kernel that can be defined; only a real GPU can run it."""

    def __init__(
        self,
        in_params,
        out_params,
        map_expr,
        reduce_expr,
        post_map_expr,
        identity,
        name="reduce_kernel",
        reduce_type=None,
        reduce_dims=True,
        preamble="",
        options=(),
    ):
        self.name = name

    def __call__(self, *arguments, **keywords):
        raise NotImplementedError(
            f"the stand-in cannot run the reduction kernel {self.name}: that needs a GPU"
        )
