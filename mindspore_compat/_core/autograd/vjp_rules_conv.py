"""vjp rules of convolution and pooling.

vjp_rules.py describes the conventions. The gradient of each function is another function in this
file, so derivatives of every order exist.
"""

from .vjp_rules import derive

# Convolution --------------------------------------------------------------------------------------

derive(
    "convolve_nd(x, w, stride, pads, dilation, groups)",
    arrays="x w",
    x=lambda xp, g, w, x_shape, stride, pads, dilation, groups: xp.convolve_input(
        g, w, x_shape, stride, pads, dilation, groups
    ),
    w=lambda xp, g, x, w_shape, stride, pads, dilation, groups: xp.convolve_weight(
        g, x, w_shape, stride, pads, dilation, groups
    ),
    upcast="low_precision_products",
)
derive(
    "convolve_input(y, w, x_shape, stride, pads, dilation, groups)",
    arrays="y w",
    y=lambda xp, g, w, stride, pads, dilation, groups: xp.convolve_nd(
        g, w, stride, pads, dilation, groups
    ),
    w=lambda xp, g, y, w_shape, stride, pads, dilation, groups: xp.convolve_weight(
        y, g, w_shape, stride, pads, dilation, groups
    ),
    upcast="low_precision_products",
)
derive(
    "convolve_weight(y, x, w_shape, stride, pads, dilation, groups)",
    arrays="y x",
    y=lambda xp, g, x, stride, pads, dilation, groups: xp.convolve_nd(
        x, g, stride, pads, dilation, groups
    ),
    x=lambda xp, g, y, x_shape, stride, pads, dilation, groups: xp.convolve_input(
        y, g, x_shape, stride, pads, dilation, groups
    ),
    upcast="low_precision_products",
)
derive(
    "im2col(x, kernel, stride, pads, dilation)",
    x=lambda xp, g, x_shape, kernel, stride, pads, dilation: xp.col2im(
        g, x_shape[2:], kernel, stride, pads, dilation
    ),
)
derive(
    "col2im(y, size, kernel, stride, pads, dilation)",
    y=lambda xp, g, kernel, stride, pads, dilation: xp.im2col(g, kernel, stride, pads, dilation),
)

# Pooling ------------------------------------------------------------------------------------------

derive(
    "put_spatial(y, index, size)",
    arrays="y index",
    y=lambda xp, g, index, size: xp.take_spatial(g, index, len(size)),
)
derive(
    "max_pool(x, kernel, stride, pads, dilation, ceil_mode=False)",
    x=lambda xp, g, x, out, kernel, stride, pads, dilation: xp.max_pool_gradient(
        g, x, out, kernel, stride, pads, dilation
    ),
    upcast="low_precision_kernels",
)
derive(
    "max_pool_gradient(y, x, top, kernel, stride, pads, dilation)",
    arrays="y x top",
    y=lambda xp, g, x, top, kernel, stride, pads, dilation: xp.max_pick(
        g, x, top, kernel, stride, pads, dilation
    ),
)
derive(
    "max_pick(u, x, top, kernel, stride, pads, dilation)",
    arrays="u x top",
    u=lambda xp, g, x, top, kernel, stride, pads, dilation: xp.max_pool_gradient(
        g, x, top, kernel, stride, pads, dilation
    ),
)
derive(
    "average_pool(x, kernel, stride, pads, ceil_mode=False, include=True, divisor=None)",
    x=lambda xp, g, x_shape, kernel, stride, pads, ceil_mode, include, divisor: (
        xp.average_pool_gradient(g, x_shape, kernel, stride, pads, ceil_mode, include, divisor)
    ),
    upcast="low_precision_kernels",
)
derive(
    "average_pool_gradient(y, x_shape, kernel, stride, pads, ceil_mode, include, divisor)",
    arrays="y",
    y=lambda xp, g, kernel, stride, pads, ceil_mode, include, divisor: xp.average_pool(
        g, kernel, stride, pads, ceil_mode, include, divisor
    ),
    upcast="low_precision_kernels",
)
derive(
    "adaptive_average(x, goal)",
    x=lambda xp, g, x_shape, goal: xp.adaptive_pool_gradient(g, tuple(x_shape[-len(goal) :])),
    upcast="low_precision_kernels",
)
derive(
    "adaptive_pool_gradient(y, size)",
    y=lambda xp, g, y_shape, size: xp.adaptive_average(g, tuple(y_shape[-len(size) :])),
    upcast="low_precision_kernels",
)
derive(
    "take_spatial(u, index, spatial, adaptive=False)",
    arrays="u index",
    u=lambda xp, g, u_shape, index, spatial, adaptive: xp.add_spatial(
        g, index, tuple(u_shape[len(u_shape) - spatial :]), adaptive
    ),
    upcast="low_precision_kernels",
)
derive(
    "add_spatial(y, index, size, adaptive=False)",
    arrays="y index",
    y=lambda xp, g, index, size, adaptive: xp.take_spatial(g, index, len(size), adaptive),
    upcast="low_precision_kernels",
)
