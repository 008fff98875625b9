"""The cases of `operators_mindspore`, for PyTorch."""

import torch
from operators_mindspore import CLASSES, SHAPES, WORDS, arrays
from torch.nn import functional


def functions():
    """Returns {case: function of the inputs}."""
    classes, words = torch.from_numpy(CLASSES).long(), torch.from_numpy(WORDS).long()
    batch_norm = torch.nn.BatchNorm2d(64)

    def conv(**options):
        return lambda x, w: functional.conv2d(x, w, **options)

    def attention(q, k, v):
        return torch.softmax(q @ k.swapaxes(2, 3) * 0.125, -1) @ v

    return {
        "conv 7x7, stride 2, 3 to 64": conv(stride=2, padding=3),
        "conv 3x3, 64 channels": conv(padding=1),
        "conv 3x3, 128 channels": conv(padding=1),
        "conv 1x1, 256 channels": conv(),
        "conv 3x3, depthwise, 96": conv(padding=1, groups=96),
        "conv 5x5, 6 to 16": conv(),
        "max-pool 2x2": lambda x: functional.max_pool2d(x, 2, 2),
        "batch norm": batch_norm,
        "softmax, cross-entropy": lambda x: functional.cross_entropy(x, classes),
        "layer norm": lambda x, gamma, beta: functional.layer_norm(x, (512,), gamma, beta),
        "GELU": lambda x: functional.gelu(x, approximate="tanh"),
        "embedding": lambda table: functional.embedding(words, table),
        "attention": attention,
    }


def forward_and_backward(case):
    """Returns a step: an operator and its gradients with respect to all inputs."""

    def make():
        function = functions()[case]
        inputs, by_result = arrays(case)
        inputs = [torch.from_numpy(each).requires_grad_() for each in inputs]
        by_result = torch.from_numpy(by_result)

        def step():
            gradients = torch.autograd.grad(function(*inputs), inputs, by_result)
            return gradients[0].flatten()[:700].sum().item()

        return step

    return make


CASES = {case: forward_and_backward(case) for case in SHAPES}
