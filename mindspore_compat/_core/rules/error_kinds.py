"""Arguments for which MindSpore does not raise the usual error.

Usually a value of a wrong type raises a TypeError, and a value out of range a ValueError (base.py).
There are two exceptions. MindSpore checks some arguments late, when it reads a number from a Tensor
or infers the shape of the result; for these the two errors are exchanged. From other arguments
MindSpore reads an attribute such as `shape` before any check, so a value without this attribute
raises an AttributeError. The tables list what was observed in MindSpore 2.10, one value at a time,
in the first call of a process.
"""

import functools

import numpy as np

from ..tensor.dtype import Type, int_type
from .base import registered

# Error -> public module -> "function or class: parameter=kinds ...; ..."; see `kind_of`. Without
# kinds, a parameter has the error for all kinds of values that are neither Tensors nor arrays.
_TABLE = {
    ValueError: {
        "Tensor": """
            approximate_equal:
            other=array,bool,complex,dtype,empty,float,int,object,scalar,sequence,text
            tolerance=Tensor,intTensor,Tensors,None,array,bool,complex,dtype,empty,int,object
            tolerance=scalar,sequence,text;
            clamp: min=scalar; cummin: axis=Tensors,array; diagonal:
            axis1=Tensors; diff: axis=Tensors; norm: ord=array; renorm: p=Tensors; slice_scatter:
            end=scalar; trace: axis1=Tensors axis2=Tensors offset=Tensors
        """,
        "mint.linalg": """
            norm: ord=object,sequence
        """,
        "numpy": """
            bincount: length=Tensors; polyint: m=Tensors,array
        """,
        "ops": """
            adaptive_max_pool3d: output_size=array,complex; AllGatherV: group=array; ApplyAddSign:
            m=scalar; AssignSub: value=scalar; batch_dot:
            axes=array,complex,dtype,empty,object,scalar,text; bitwise_left_shift:
            other=Tensors; Cdist: p=Tensors; CeLU: alpha=Tensors; Concat: axis=Tensors;
            conv3d_transpose: inputs=scalar; count_nonzero:
            dtype=scalar; cummin: axis=Tensors,array; deformable_conv2d: bias=Tensors; index_add:
            x=scalar; InplaceIndexAdd: updates=scalar var=scalar; interpolate:
            recompute_scale_factor=Tensors; kaiser_window: beta=array,empty;
            Lstsq: fast=Tensors l2_regularizer=Tensors; multinomial: num_samples=Tensors,array;
            norm: ord=array; Padding: x=array,complex,dtype,object,scalar; padding:
            x=complex,dtype,empty,object,scalar,text; Range: maxlen=Tensors; scatter_div:
            input_x=scalar; scatter_nd_max: input_x=scalar; scatter_nd_mul: updates=scalar;
            ScatterNdMax: updates=scalar; ScatterNdMul: input_x=scalar; ScatterNdSub:
            updates=scalar; softplus: beta=Tensors threshold=Tensors; topk: dim=Tensors;
            unsorted_segment_max: num_segments=intTensor;
            unsorted_segment_min: num_segments=intTensor
        """,
        "scipy.fft": """
            dct: type=Tensors; dctn: type=Tensors; idctn: type=Tensors
        """,
    },
    TypeError: {
        "ops": """
            dstack: tensors=empty; row_stack: tensors=empty; vstack: inputs=empty
        """
    },
    RuntimeError: {
        "ops": """
            HyperMap: ops ops=scalar
        """
    },
    AttributeError: {
        "Tensor": """
            inner: other
        """,
        "mint.linalg": """
            matrix_norm: A; norm: A
        """,
        "mint.nn.functional": """
            nll_loss: input target; one_hot: tensor
        """,
        "nn": """
            LeakyReLU: input=None
        """,
        "numpy": """
            absolute: x; count_nonzero: x; diagonal: a; log10: x; log2: x; trace: a
        """,
        "ops": """
            adjoint: x; argmax: input; argmin: input; cond: A A=array; conv1d: input weight;
            conv2d: input weight; conv3d: input weight; conv3d_transpose: inputs weight;
            cosine_similarity: x1=bool,int,float x2=bool,int,float; cov: aweights fweights input;
            deformable_conv2d: weight; exp2: input; group_norm: input; inner: input other;
            matrix_norm: A; max: input; min: input; nll_loss: inputs target; norm: A;
            repeat_interleave: input; t: input; topk: input; unique: input; zeros_like: input;
            zeta: input=None,complex,dtype,empty,object,sequence,text
            other=None,complex,dtype,empty,object,sequence,text
        """,
    },
}
_WITHOUT_ATTRIBUTES = "None,bool,complex,dtype,empty,float,int,object,sequence,text"
_PLAIN = {
    bool: "bool",
    int: "int",
    float: "float",
    complex: "complex",
    str: "text",
    bytes: "text",
    type(None): "None",
}


def kind_of(value) -> str:
    """Returns the kind of an argument: "intTensor" or "Tensor" for a Tensor of a single element,
    else "Tensors"; "bool", "int", "float", "complex", "text", "None", "dtype"; "empty" for a tuple,
    list or dict without entries, else "sequence"; "array" and "scalar" for arrays and scalars of
    NumPy; "object" for the others.
    """
    kind = _PLAIN.get(type(value))
    if kind is not None:
        return kind
    if isinstance(value, (tuple, list, dict)):
        return "sequence" if value else "empty"
    if isinstance(value, registered("Tensor")):
        single = "intTensor" if value.dtype in int_type else "Tensor"
        return single if value.size == 1 else "Tensors"
    if isinstance(value, (np.ndarray, np.generic)):
        return "array" if isinstance(value, np.ndarray) else "scalar"
    return "dtype" if isinstance(value, Type) else "object"


@functools.cache
def _errors() -> dict[str, dict]:
    """Returns {public path: {(parameter, kind): error}}."""
    errors_at = {}
    for error, areas in _TABLE.items():
        for area, text in areas.items():
            for entry in text.split(";"):
                name, _, parameters = entry.partition(":")
                at = errors_at.setdefault(f"{area}.{name.strip()}", {})
                for parameter in parameters.split():
                    parameter, _, kinds = parameter.partition("=")
                    kinds = kinds or _WITHOUT_ATTRIBUTES
                    at.update({(parameter, kind): error for kind in kinds.split(",")})
    return errors_at


def error_kinds(path: str) -> dict:
    """Returns the errors of a public function or class ("ops.Concat") that are not the usual ones:
    {(parameter, kind of the value): error}."""
    return _errors().get(path, {})
