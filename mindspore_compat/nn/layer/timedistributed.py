"""TimeDistributed: applies a layer to every time step."""

from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import CellOf, Int, TensorOf, checked
from ...ops._shape.join_split import stack
from ..cell import Cell

__all__ = ["TimeDistributed"]


@public("nn.TimeDistributed")
class TimeDistributed(Cell):
    """Applies a layer to each slice of the input along the time axis.

    With `reshape_with_axis` the two axes are joined and the layer is called once, which is faster;
    without it the layer is called once per slice.

    Args:
        layer (Union[Cell, Primitive]): the layer.
        time_axis (int): the time axis.
        reshape_with_axis (int): the axis that is joined with the time axis; None calls the layer
            per slice.

    Inputs:
        - **inputs** (Tensor): of at least 3 axes.

    Outputs:
        Tensor: the outputs of the layer, put together along the time axis.

    Raises:
        TypeError: if `layer` is neither a Cell nor a Primitive, or an axis is not an int.
        ValueError: if the input has fewer than 3 axes, or both axes are 0.

    Example:
        >>> import mindspore_compat as ms
        >>> layer = ms.nn.TimeDistributed(ms.nn.Dense(4, 2), time_axis=1, reshape_with_axis=0)
        >>> print(layer(ms.ops.ones((5, 3, 4))).shape)
        (5, 3, 2)
    """

    @checked
    def __init__(
        self,
        layer: CellOf | CellOf("Primitive"),
        time_axis: Int,
        reshape_with_axis: Int | None = None,
    ):
        super().__init__()
        self.layer = layer
        self.time_axis = time_axis
        self.reshape_with_axis = reshape_with_axis

    def construct(self, inputs):
        """Returns the outputs of the layer, with the time axis in its original position."""
        TensorOf().refuse("TimeDistributed", "inputs", inputs)
        if inputs.ndim < 3:
            raise ValueError(
                f"For 'TimeDistributed', the input must have at least 3 axes, but got "
                f"shape {inputs.shape}."
            )
        time = self.time_axis % inputs.ndim
        if self.reshape_with_axis is None:
            return self._apply_slice_by_slice(inputs, time)
        return self._apply_joined(inputs, time, self.reshape_with_axis % inputs.ndim)

    def _apply_slice_by_slice(self, inputs, time):
        slices = inputs.moveaxis(time, 0)
        outputs = [self.layer(slices[i]) for i in range(slices.shape[0])]
        return stack.run(outputs, time)

    def _apply_joined(self, inputs, time, other):
        """Moves the time axis next to the other axis, joins the two, calls the layer, and splits
        them again. As in MindSpore, the time axis of the result is on the other side of the
        other axis.
        """
        if time == other == 0:
            raise ValueError(
                "For 'TimeDistributed', 'time_axis' and 'reshape_with_axis' must not both be 0."
            )
        order = [axis for axis in range(inputs.ndim) if axis != time]
        order.insert(other, time)
        first = other if other < time else other - 1
        x = inputs.transpose(*order)
        lengths = x.shape[first : first + 2]
        x = x.reshape(*x.shape[:first], lengths[0] * lengths[1], *x.shape[first + 2 :])
        output = self.layer(x)
        rest = output.shape
        output = output.reshape(*rest[:first], *lengths, *rest[first + 1 :])
        back = list(range(output.ndim))
        back[first : first + 2] = first + 1, first
        return output.transpose(*back)
