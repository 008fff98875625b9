"""Python operators on values of a space (Traced, Batch, ...), by functions of that space."""

_BINARY = {
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "truediv": "divide",
    "floordiv": "floor_divide",
    "mod": "remainder",
    "pow": "power",
    "matmul": "matmul",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
}
_COMPARISONS = {
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
    "eq": "equal",
    "ne": "not_equal",
}
_UNARY = {"neg": "negative", "invert": "invert", "abs": "abs"}


def with_operators(cls):
    """Adds Python's operators to a class whose instances have an array namespace `space`: `a + b`
    calls `a.space.add(a, b)`.

    A decorator.
    """
    for short, name in (_BINARY | _COMPARISONS).items():
        setattr(cls, f"__{short}__", lambda a, b, name=name: getattr(a.space, name)(a, b))
    for short, name in _BINARY.items():
        setattr(cls, f"__r{short}__", lambda a, b, name=name: getattr(a.space, name)(b, a))
    for short, name in _UNARY.items():
        setattr(cls, f"__{short}__", lambda a, name=name: getattr(a.space, name)(a))
    return cls
