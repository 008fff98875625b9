"""Converts the layouts BNSD, BSND, BSH, SBH, TND, TH of queries, keys and values, and their
lengths."""

from ..._backend.arrays import to_host
from ..._core.autograd.traced import bare
from ..._core.rules.vocabulary import Int, ListOf, OneOf, TensorOf, TupleOf
from ..._core.tensor.tensor import Tensor

Counts = TensorOf("int32", "int64") | TupleOf(Int) | ListOf(Int)

# for each layout the positions of its axes (batch, head, step, feature); H joins heads and features
_AXES = {"BNSD": "bnsd", "BSND": "bsnd", "BSH": "bsh", "SBH": "sbh", "TND": "snd", "TH": "sh"}
Layout = OneOf("BSH", "BNSD", "SBH", "BSND", "TND")


def split_heads(x, layout, heads):
    """Returns a Tensor in the given layout as (batch, heads, steps, features)."""
    axes = _AXES[layout]
    if axes.endswith("h"):
        x = x.reshape((*x.shape[:-1], heads, x.shape[-1] // heads))
        axes = axes[:-1] + "nd"
    if "b" not in axes:
        x, axes = x.expand_dims(0), "b" + axes
    return x.transpose(tuple(axes.index(name) for name in "bnsd"))


def folded_heads(x, layout):
    """Returns a Tensor (batch, heads, steps, features) in the given layout."""
    axes = _AXES[layout].replace("h", "nd")
    if "b" not in axes:
        x = x.squeeze(0).transpose(tuple("nsd".index(name) for name in axes))
    else:
        x = x.transpose(tuple("bnsd".index(name) for name in axes))
    return x.reshape((*x.shape[:-2], -1)) if "h" in _AXES[layout] else x


def heads_of(api, query, key, value, layout, head_num):
    """Returns the number of key heads; rejects shapes that do not fit the layout."""
    rank = len(_AXES[layout])
    for name, tensor in (("query", query), ("key", key), ("value", value)):
        if tensor.ndim != rank:
            raise RuntimeError(
                f"For '{api}', '{name}' must have {rank} axes for layout "
                f"'{layout}', but got shape {tensor.shape}."
            )
    if head_num < 1:
        raise RuntimeError(f"For '{api}', 'head_num' must be at least 1, but got {head_num}.")
    if key.shape != value.shape:
        raise RuntimeError(
            f"For '{api}', 'key' and 'value' must have the same shape, but got "
            f"{key.shape} and {value.shape}."
        )
    if layout.endswith("H"):
        if query.shape[-1] % head_num or key.shape[-1] % (query.shape[-1] // head_num):
            raise RuntimeError(
                f"For '{api}', the features of 'query' must be divisible by "
                f"'head_num', and those of 'key' by the features of a head, but "
                f"got {query.shape[-1]}, {head_num} and {key.shape[-1]}."
            )
        heads = key.shape[-1] * head_num // query.shape[-1]
    else:
        at = layout.index("N")
        if query.shape[at] != head_num or query.shape[-1] != key.shape[-1]:
            raise RuntimeError(
                f"For '{api}', 'query' must have 'head_num' heads, {head_num}, and "
                f"as many features as 'key', but got shapes {query.shape} and "
                f"{key.shape}."
            )
        heads = key.shape[at]
    if heads < 1 or head_num % heads:
        raise RuntimeError(
            f"For '{api}', 'head_num' must be divisible by the heads of 'key', but "
            f"got {head_num} and {heads}."
        )
    if "B" in layout and query.shape[layout.index("B")] != key.shape[layout.index("B")]:
        raise RuntimeError(
            f"For '{api}', 'query' and 'key' must have the same batch size, but "
            f"got shapes {query.shape} and {key.shape}."
        )
    return heads


def numbers_of(counts):
    """Converts counts (a Tensor, array, tuple or list) to a list of ints; None stays None."""
    if counts is None or isinstance(counts, (tuple, list)):
        return counts if counts is None else list(counts)
    array = counts._array if isinstance(counts, Tensor) else bare(counts)
    return [int(n) for n in to_host(array).reshape(-1)]
