"""Imports every module of this package that declares a Primitive of `ops.auto_generate`."""

from . import (  # noqa: F401
    generated,
    generated_fused,
    generated_grads,
    generated_inplace,
    generated_nn,
    generated_random,
    grad_ops,
    kernel_attention,
    kernel_communication_lines,
    kernel_functions,
    kernel_lines,
    python_values,
)
