"""`mindspore.dataset.vision.validators`: decorators that check arguments like the transforms."""

from .. import vision
from .._validators import validators
from ..core.validator_helpers import type_check
from ..transforms.transforms import TensorOperation  # noqa: F401 - shown too
from ..transforms.validators import check_transform_op_type  # noqa: F401 - shown too
from .utils import AutoAugmentPolicy, Border, ConvertMode, ImageBatchFormat, Inter, SliceMode  # noqa: F401 - shown too

_TARGETS = """
alpha=RandomLighting cut_mix_batch_c=CutMixBatch cutout_new=CutOut
device_target=AdjustBrightness.device linear_transform=LinearTransformation
mix_up_batch_c=MixUpBatch normalize_c=Normalize normalize_py=Normalize normalizepad_c=NormalizePad
normalizepad_py=NormalizePad num_channels=Grayscale positive_degrees=RandomColor
prob=RandomHorizontalFlip random_resize_crop=RandomResizedCrop
random_select_subpolicy_op=RandomSelectSubpolicy resize=RandomResize resize_interpolation=Resize
uniform_augment_cpp=UniformAugment uniform_augment_py=UniformAugment
"""
_VALUES = """
crop_coordinates(coordinates) = Crop(coordinates, 1)
crop_size(size) = CenterCrop(size)
degrees(degrees) = RandomRotation(degrees)
erasing_value(value) = RandomErasing(value=value)
fill_value(fill_value) = Pad(1, fill_value)
normalize_c_param(mean, std) = Normalize(mean, std)
normalize_param(mean, std) = Normalize(mean, std)
normalize_py_param(mean, std) = Normalize(mean, std)
padding(padding) = Pad(padding)
resample_expand_center_fill_value_params(resample, expand, center, fill_value) = \
RandomRotation(0, resample, expand, center, fill_value)
resize_size(size) = Resize(size)
size_scale_ration_max_attempts_paras(size, scale, ratio, max_attempts) = \
RandomResizedCrop(size, scale, ratio, max_attempts=max_attempts)
"""

__getattr__, __dir__, __all__ = validators(
    __name__, {name: getattr(vision, name) for name in vision.__all__}, _TARGETS, _VALUES
)
__all__ += ["check_random_color_adjust_param"]


def check_random_color_adjust_param(
    value, input_name, center=1, bound=(0, 2**24), non_negative=True
):
    """Checks the range of a colour adjustment: a non-negative number, or (min, max) in `bound`.

    Args:
        value (Union[int, float, list, tuple]): the number or range.
        input_name (str): the name of the argument in messages.
        center (int): is accepted and has no effect here: the center of the range that a number
            stands for. Default: 1.
        bound (tuple): the smallest and the largest number. Default: (0, 2**24).
        non_negative (bool): is accepted and has no effect. Default: ``True``.
    """
    type_check(value, (int, float, list, tuple), input_name)
    pair = (0, value) if isinstance(value, (int, float)) else tuple(value)
    if (
        len(pair) != 2
        or not min(bound[0], 0) <= pair[0] <= pair[1] <= bound[1]
        or (isinstance(value, (list, tuple)) and pair[0] < bound[0])
    ):
        raise ValueError(
            f"'{input_name}' must be a number that is not negative, or (min, max) in "
            f"[{bound[0]}, {bound[1]}], but got {value}."
        )
