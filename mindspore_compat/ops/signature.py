"""mindspore.ops.signature: how a user's Primitive describes its inputs.

    __mindspore_signature__ = (make_sig("var", sig_rw.RW_WRITE, dtype=sig_dtype.T), ...)

The graph compiler reads this. In eager execution it has no effect: `__call__` receives its inputs
unchanged.
"""

import enum
from typing import NamedTuple

sig_rw = enum.IntEnum(
    "sig_rw", "RW_READ RW_WRITE RW_REF RW_EMPTY_DEFAULT_VALUE", start=0, module=__name__
)
sig_kind = enum.IntEnum(
    "sig_kind",
    "KIND_POSITIONAL_KEYWORD KIND_VAR_POSITIONAL KIND_KEYWORD_ONLY KIND_VAR_KEYWARD "
    "KIND_EMPTY_DEFAULT_VALUE",
    start=0,
    module=__name__,
)
sig_dtype = enum.IntEnum(
    "sig_dtype", "T T1 T2 T3 T4 T5 T6 T7 T8 T9 T_EMPTY_DEFAULT_VALUE", start=0, module=__name__
)


class Signature(NamedTuple):
    """Describes one input of a Primitive: its name, whether it is written to, how it is passed, its
    default, and its dtype letter. Inputs with the same letter are converted to one dtype."""

    name: str
    rw: sig_rw
    kind: sig_kind
    default: object
    dtype: sig_dtype


def make_sig(
    name="var",
    rw=sig_rw.RW_READ,
    kind=sig_kind.KIND_POSITIONAL_KEYWORD,
    default=sig_kind.KIND_EMPTY_DEFAULT_VALUE,
    dtype=sig_dtype.T_EMPTY_DEFAULT_VALUE,
):
    """Makes the Signature of an input.

    Args:
        name (str): the name of the input. Default: "var".
        rw (sig_rw): whether the input is written to. Default: ``sig_rw.RW_READ``.
        kind (sig_kind): how the input is passed. Default: ``sig_kind.KIND_POSITIONAL_KEYWORD``.
        default (Any): its default value. Default: ``sig_kind.KIND_EMPTY_DEFAULT_VALUE``, no
            default.
        dtype (sig_dtype): the letter of its dtype. Default: ``sig_dtype.T_EMPTY_DEFAULT_VALUE``, no
            letter.

    Source: mindspore.ops.signature.make_sig of MindSpore 2.10.
    """
    return Signature(name, rw, kind, default, dtype)
