"""Descriptions that the docstrings of batch and instance normalization share."""

from ..._core.declare.templates import template

batch_norm = template(
    """
    num_features (int): the number of channels.
    eps (float): added to the variance.
    momentum (float): the weight of the old running statistics, in [0, 1].
    affine (bool): whether gamma and beta are trained.
    gamma_init (Union[Tensor, str, Initializer, numbers.Number]): gamma's first values.
    beta_init (Union[Tensor, str, Initializer, numbers.Number]): beta's first values.
    moving_mean_init (Union[Tensor, str, Initializer, numbers.Number]): the first running mean.
    moving_var_init (Union[Tensor, str, Initializer, numbers.Number]): the first running
        variance.
    use_batch_statistics (bool): True for the statistics of the batch in any mode, False for the
        running ones; None lets the mode decide.
    data_format (str): "NCHW", or on a GPU "NHWC".
    dtype (mindspore.dtype): the type of the parameters.
    """,
    Outputs="Tensor of the shape and dtype of `x`.",
    Raises="""
    TypeError: if `num_features` is not an int, `eps` or `momentum` not a number, or `affine` not a
        bool; in a call, where `eps` is an int.
    ValueError: if there is no channel, `momentum` is outside [0, 1], or a choice unknown.
    """,
)
instance_norm = template(
    """
    num_features (int): the number of channels.
    eps (float): added to the variance.
    momentum (float): accepted, in [0, 1]; running statistics are not used.
    affine (bool): whether gamma and beta are trained.
    gamma_init (Union[Tensor, str, Initializer, numbers.Number]): gamma's first values.
    beta_init (Union[Tensor, str, Initializer, numbers.Number]): beta's first values.
    dtype (mindspore.dtype): the type of the parameters.
    """,
    Outputs="Tensor of the shape and dtype of `x`.",
    Raises="""
    TypeError: if `num_features` is not an int, `eps` or `momentum` not a float, `affine` not a
        bool, or an initial Tensor not float32.
    ValueError: if `num_features` is less than 1, `momentum` not in [0, 1], or `eps` not in (0, 1].
    """,
)
