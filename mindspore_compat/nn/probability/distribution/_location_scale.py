"""LocationScale: the base class of distributions with a location and a scale."""

from .distribution import Distribution


class LocationScale(Distribution):
    """The distribution of `loc + scale x`, where x has a fixed distribution."""

    _shown = {"location": "_loc", "scale": "_scale"}

    def __init__(self, loc, scale, seed, dtype, name):
        super().__init__(
            seed, dtype, name, dict(loc=loc, scale=scale, seed=seed, dtype=dtype, name=name)
        )
        self._need_float()
        self._loc = self._add_parameter(loc, "loc")
        self._scale = self._add_parameter(scale, "scale")
        self._need_positive("scale")

    loc = property(lambda self: self._loc, doc="The middle, a Tensor or None.")
    scale = property(lambda self: self._scale, doc="The scale, a Tensor or None.")

    def _standardize(self, value, loc, scale):
        value = self._check_value(value)
        loc, scale = self._check_param_type(loc, scale)
        return (value - loc) / scale, scale
