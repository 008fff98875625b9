"""The Primitives of Adafactor, each of which makes one in-place step with a gradient."""

from ..._backend import arrays
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Bool, Float, ListOf, TensorOf, TupleOf, checked
from ..._core.tensor.tensor import Tensor
from .._indexing.write_cast import standing
from .._rules import Float16Or32, Float16To64
from .formulas import adafactor_direction, adafactor_vector_direction, root_mean_square
from .update import Update

Scalar = Float | Float16Or32
Pair = TensorOf() | TupleOf(Float, length=2) | ListOf(Float, length=2)
Unused = Float | Float16Or32  # a state that is not used for some shapes


@public("ops.FusedAdaFactor")
class FusedAdaFactor(Update):
    """Updates a parameter with Adafactor, in place; see `nn.AdaFactor`.

    For a matrix, the running mean squares are stored as means over its rows and over its columns;
    for a vector, one per element.

    Args:
        enable_scale_parameter (bool): whether the learning rate is multiplied by the root mean
            square of the parameter.
        enable_first_moment (bool): whether a running average of the updates is used.
        enable_weight_decay (bool): whether weight decay is applied.

    Inputs:
        - **epsilon** (Union[Tensor, tuple[float], list[float]]) - two numbers: the first is added
          to squares, the second is the smallest scale of a parameter.
        - **clip_threshold**, **beta1**, **beta2**, **weight_decay**, **learning_rate**
          (Union[float, Tensor]) - one number each.
        - **gradient** (Tensor) - with the same number of elements as `param`, of a floating dtype.
        - **param** (Parameter) - float16 or float32.
        - **exp_avg** (Parameter) - the running average of updates, of the shape of `param`.
        - **exp_avg_sq_row** (Parameter) - for a matrix, of its shape without the last axis.
        - **exp_avg_sq_col** (Parameter) - for a matrix, of its shape without the second-to-last
          axis.
        - **exp_avg_sq** (Parameter) - for a vector, of its shape. States that the shape of `param`
          does not need are not used and may have any shape.

    Outputs:
        Tensor, the updated `param`.

    Raises:
        TypeError: if an argument or input is of the wrong type or dtype.
        ValueError: if shapes do not fit, or an input of one number has several elements.

    Source: mindspore.ops.FusedAdaFactor of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        enable_scale_parameter: Bool = False,
        enable_first_moment: Bool = False,
        enable_weight_decay: Bool = False,
    ):
        Update.__init__(self)
        self.enable_scale_parameter = enable_scale_parameter
        self.enable_first_moment = enable_first_moment
        self.enable_weight_decay = enable_weight_decay

    @checked
    def __call__(
        self,
        epsilon: Pair,
        clip_threshold: Scalar,
        beta1: Scalar,
        beta2: Scalar,
        weight_decay: Scalar,
        learning_rate: Scalar,
        gradient: Float16To64,
        param: Float16Or32,
        exp_avg: Unused,
        exp_avg_sq_row: Float16Or32,
        exp_avg_sq_col: Float16Or32,
        exp_avg_sq: Unused,
    ):
        exp_avg, exp_avg_sq = standing(param, exp_avg, exp_avg_sq)[1:]
        numbers = self.numbers(
            {
                "clip_threshold": clip_threshold,
                "beta1": beta1,
                "beta2": beta2,
                "weight_decay": weight_decay,
                "learning_rate": learning_rate,
            }
        )
        numbers["epsilon"] = self._pair(epsilon)
        squares = {"exp_avg_sq": exp_avg_sq}
        if param.ndim >= 2:
            squares = {"exp_avg_sq_row": exp_avg_sq_row, "exp_avg_sq_col": exp_avg_sq_col}
        if gradient.size == param.size:
            gradient = gradient.reshape(param.shape)
        self._look_at_shapes(gradient, param, exp_avg, squares)
        self._step(
            gradient._array,
            param._array,
            exp_avg._array,
            [tensor._array for tensor in squares.values()],
            numbers,
        )
        return param

    def _pair(self, epsilon):
        if isinstance(epsilon, (tuple, list)):
            return list(epsilon)
        if epsilon.size != 2:
            raise ValueError(
                f"For '{self.name}', 'epsilon' must have two elements, but got the "
                f"shape {epsilon.shape}."
            )
        return arrays.to_host(epsilon._array).ravel().tolist()

    def _look_at_shapes(self, gradient, param, exp_avg, squares):
        shape = param.shape
        expected_shapes = {"gradient": (gradient, shape)}
        if self.enable_first_moment:
            expected_shapes["exp_avg"] = (exp_avg, shape)
        shapes = (shape[:-1], shape[:-2] + shape[-1:]) if len(shape) >= 2 else (shape,)
        expected_shapes.update(
            (name, (tensors, fits))
            for (name, tensors), fits in zip(squares.items(), shapes, strict=True)
        )
        for name, (tensors, fits) in expected_shapes.items():
            if tensors.shape != fits:
                raise ValueError(
                    f"For '{self.name}', '{name}' must have the shape {fits} with a "
                    f"'param' of the shape {shape}, but got {tensors.shape}."
                )

    def _step(self, gradient, param, average, states, numbers):
        """Computes the step in float32 and writes it."""
        xp = arrays.space_of(param)
        gradient = arrays.to_space(xp, gradient)
        gradient, upcast = (xp.cast(array, "float32") for array in (gradient, param))
        formula = adafactor_direction if param.ndim >= 2 else adafactor_vector_direction
        direction, *new = formula(
            xp,
            gradient,
            *(xp.cast(array, "float32") for array in states),
            beta2=numbers["beta2"],
            eps=numbers["epsilon"][0],
        )
        rate = numbers["learning_rate"]
        if self.enable_scale_parameter:
            rate = rate * xp.maximum(root_mean_square(xp, upcast), numbers["epsilon"][1])
        size = root_mean_square(xp, direction) / numbers["clip_threshold"]
        direction = direction * (rate / xp.maximum(size, 1.0))
        if self.enable_first_moment:
            direction = numbers["beta1"] * average + (1 - numbers["beta1"]) * direction
            average[...] = direction
        if self.enable_weight_decay:
            direction = direction + numbers["weight_decay"] * rate * upcast
        for state, value in zip(states, new, strict=True):
            state[...] = value
        param[...] = upcast - direction


@public("ops.FusedAdaFactorWithGlobalNorm")
class FusedAdaFactorWithGlobalNorm(FusedAdaFactor):
    """Updates a parameter with Adafactor, after dividing the gradient by a number.

    Inputs:
        - the inputs of `FusedAdaFactor`.
        - **global_norm** (Union[float, Tensor]) - the divisor of the gradient.

    Source: mindspore.ops.FusedAdaFactorWithGlobalNorm of MindSpore 2.10.
    """

    @checked
    def __call__(
        self,
        epsilon: Pair,
        clip_threshold: Scalar,
        beta1: Scalar,
        beta2: Scalar,
        weight_decay: Scalar,
        learning_rate: Scalar,
        gradient: Float16To64,
        param: Float16Or32,
        exp_avg: Unused,
        exp_avg_sq_row: Float16Or32,
        exp_avg_sq_col: Float16Or32,
        exp_avg_sq: Unused,
        global_norm: Scalar,
    ):
        change = gradient._array.astype("float32") / self._number("global_norm", global_norm)
        return super().__call__(
            epsilon,
            clip_threshold,
            beta1,
            beta2,
            weight_decay,
            learning_rate,
            Tensor._wrap(change),
            param,
            exp_avg,
            exp_avg_sq_row,
            exp_avg_sq_col,
            exp_avg_sq,
        )
