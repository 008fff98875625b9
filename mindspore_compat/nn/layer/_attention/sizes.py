"""Rules for the sizes of attention layers.

MindSpore divides the width by the number of heads before it checks either, so numbers and
Tensors that do not divide raise a ValueError.
"""

from ...._core.rules.vocabulary import AsValue, Bool, Int, Number, OneOf, TensorOf, any_dtype

Anything = TensorOf(any_dtype)
Size = Int(ge=1)
_divisible = Number(numpy_scalars=True) | Bool | Anything
Width = AsValue(Size, _divisible)
Heads = AsValue(Int(ge=1, numpy_scalars=True) | OneOf(True), _divisible)
FeatureSize = AsValue(Size)
