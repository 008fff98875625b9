"""Infers metadata of Primitives' results: shapes, dtypes, and values of constants.

MindSpore does this while it compiles a graph; here only scripts call these methods.
"""

from ..._core.rules.vocabulary import InstanceOf
from ..._core.tensor import dtype as dtypes

_TensorType = InstanceOf(dtypes.TensorType).called("the dtype of a Tensor")

_HALF = dtypes.float16, dtypes.float32
INEXACT = (*_HALF, dtypes.float64, dtypes.complex64, dtypes.complex128)


def element(dtype):
    """Returns the dtype of a Tensor's elements, given a Tensor type; other dtypes unchanged."""
    return dtype.element_type() if isinstance(dtype, dtypes.TensorType) else dtype


def need_among(api, allowed, **names):
    """Rejects a dtype, of numbers or Tensors, that is not one of those allowed."""
    for name, dtype in names.items():
        if element(dtype) not in allowed:
            raise TypeError(
                f"For '{api}', the dtype of '{name}' must be one of "
                f"{', '.join(map(str, allowed))}, but got {dtype}."
            )


def need_tensors(api, **names):
    """Rejects a dtype that is not a Tensor type."""
    for name, dtype in names.items():
        if not isinstance(dtype, dtypes.TensorType):
            _TensorType.refuse(api, name, dtype)


def need_same(api, **names):
    """Rejects Tensor types whose element dtype differs from the element dtype of the first."""
    first = next(iter(names))
    for name, dtype in names.items():
        if element(dtype) != element(names[first]):
            raise TypeError(
                f"For '{api}', '{name}' must have the dtype of '{first}', "
                f"{names[first]}, but got {dtype}."
            )


def together(api, x_shape, y_shape):
    """Returns the broadcast shape of two shapes, as a list; -1 stands for an unknown length.

    Raises:
        ValueError: if they do not broadcast.
    """
    rank, lengths = max(len(x_shape), len(y_shape)), []
    shapes = [[1] * (rank - len(shape)) + list(shape) for shape in (x_shape, y_shape)]
    for size, other_size in zip(*shapes):
        choices = {size, other_size} - {1, -1}
        if len(choices) > 1:
            raise ValueError(
                f"For '{api}', the shapes of 'x' and 'y' must broadcast, but got "
                f"{list(x_shape)} and {list(y_shape)}."
            )
        lengths.append(choices.pop() if choices else min(size, other_size))
    return lengths


class InfersMomentum:
    """Adds the metadata inference of `ops.FusedWeightScaleApplyMomentum` to a class."""

    def infer_dtype(self, d_dtype, s_dtype, v_dtype, a_dtype, l_dtype, g_dtype, m_dtype):
        """Returns the dtype of the result: the dtype of the parameter.

        Raises:
            TypeError: if a dtype is neither float16 nor float32, or that of the parameter or the
                accumulator is not a Tensor type.
        """
        need_tensors(self.name, v=v_dtype, a=a_dtype)
        need_among(
            self.name,
            _HALF,
            v=v_dtype,
            a=a_dtype,
            l_dtype=l_dtype,
            g_dtype=g_dtype,
            m_dtype=m_dtype,
            d_dtype=d_dtype,
            s_dtype=s_dtype,
        )
        return v_dtype


class InfersAdam:
    """Adds the metadata inference of `ops.FusedCastAdamWeightDecay` to a class."""

    def infer_dtype(
        self,
        var_dtype,
        m_dtype,
        v_dtype,
        lr_dtype,
        beta1_dtype,
        beta2_dtype,
        epsilon_dtype,
        decay_dtype,
        grad_dtype,
        global_norm,
    ):
        """Returns the dtypes of the results: the dtypes of the parameter and of the moments. The
        norm may have any dtype.

        Raises:
            TypeError: if parameter or gradient is neither float16 nor float32, a moment is not a
                Tensor type of numbers, the moments differ, or another number is not float32.
        """
        need_tensors(self.name, m=m_dtype, v=v_dtype)
        need_among(self.name, dtypes.number_type, m=m_dtype, v=v_dtype)
        need_same(self.name, m=m_dtype, v=v_dtype)
        need_among(self.name, _HALF, var=var_dtype, grad=grad_dtype)
        need_among(
            self.name,
            (dtypes.float32,),
            lr=lr_dtype,
            beta1=beta1_dtype,
            beta2=beta2_dtype,
            epsilon=epsilon_dtype,
            decay=decay_dtype,
        )
        return var_dtype, m_dtype, v_dtype
