"""The gradient of an embedding, which MindSpore exposes under an internal path only."""

from .._primitive_aliases.alias import alias, functional, ops, pull_back


@alias(
    "ops.auto_generate.EmbeddingDenseBackward()(grad, indices, num_weights, padding_idx=None, "
    "scale_grad_by_freq=False)"
)
def embedding_dense_backward(grad, indices, num_weights, padding_idx, scale_grad_by_freq):
    return pull_back(
        grad,
        lambda w: functional.embedding(indices, w, padding_idx, None, 2.0, scale_grad_by_freq),
        ops.zeros((num_weights, grad.shape[-1]), grad.dtype),
    )
