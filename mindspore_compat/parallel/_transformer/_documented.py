"""Common parts of the docstrings of the transformer layers."""

from ..._core.declare.templates import template

documented = template(
    """
    batch_size (int): the batch; None where `use_past` is False and it is not known.
    hidden_size (int): the features of a token.
    num_heads (int): the number of heads.
    attention_dropout_rate (float): dropout of the probabilities, in [0, 1). Default: ``0.1``.
    hidden_dropout_rate (float): dropout of the results. Default: ``0.1``.
    hidden_act (Union[str, Cell]): the activation. Default: ``"gelu"``.
    post_layernorm_residual (bool): whether a result is added to the normalised input.
        Default: ``False``.
    layernorm_compute_type (mindspore.dtype): of the normalisation. Default: ``float32``.
    softmax_compute_type (mindspore.dtype): of the softmax. Default: ``float32``.
    param_init_type (mindspore.dtype): of the parameters. Default: ``float32``.
    use_past (bool): whether tokens come one after another. Default: ``False``.
    parallel_config (Union[OpParallelConfig, MoEParallelConfig]): stored.
    """
)
