"""Single operators with their gradients, of `python -m tests.bench`, for MindSpore's API.

`operators_torch` uses the same `SHAPES` and `arrays`.
"""

import numpy as np
from networks_mindspore import labels, normal

# {case: (shapes of the inputs that get gradients, shape of the result)}
SHAPES = {
    "conv 7x7, stride 2, 3 to 64": [((16, 3, 224, 224), (64, 3, 7, 7)), (16, 64, 112, 112)],
    "conv 3x3, 64 channels": [((16, 64, 56, 56), (64, 64, 3, 3)), (16, 64, 56, 56)],
    "conv 3x3, 128 channels": [((16, 128, 28, 28), (128, 128, 3, 3)), (16, 128, 28, 28)],
    "conv 1x1, 256 channels": [((16, 256, 14, 14), (256, 256, 1, 1)), (16, 256, 14, 14)],
    "conv 3x3, depthwise, 96": [((16, 96, 56, 56), (96, 1, 3, 3)), (16, 96, 56, 56)],
    "conv 5x5, 6 to 16": [((32, 6, 14, 14), (16, 6, 5, 5)), (32, 16, 10, 10)],
    "max-pool 2x2": [((16, 64, 56, 56),), (16, 64, 28, 28)],
    "batch norm": [((16, 64, 56, 56),), (16, 64, 56, 56)],
    "softmax, cross-entropy": [((1024, 1000),), ()],
    "layer norm": [((1024, 512), (512,), (512,)), (1024, 512)],
    "GELU": [((1024, 2048),), (1024, 2048)],
    "embedding": [((10_000, 256),), (4096, 256)],
    "attention": [((16, 4, 128, 64),) * 3, (16, 4, 128, 64)],
}
CLASSES, WORDS = labels(1024, 1000), labels(4096, 10_000)


def arrays(case):
    """Returns the inputs of a case, and the gradient with respect to its result."""
    shapes, result = SHAPES[case]
    inputs = [normal(seed, *shape) for seed, shape in enumerate(shapes)]
    return inputs, np.asarray(normal(7, *result))


def functions(ms):
    """Returns {case: function of the inputs}."""
    nn, ops = ms.nn, ms.ops
    classes, words = ms.Tensor(CLASSES), ms.Tensor(WORDS)
    normalize = ops.LayerNorm(1, 1, 1e-5)

    def conv(filters, kernel, padding=0, **options):
        return ops.Conv2D(filters, kernel, pad_mode="pad", pad=padding, **options)

    def cross_entropy(x):
        return ops.cross_entropy(x, classes)

    def layer_norm(x, gamma, beta):
        return normalize(x, gamma, beta)[0]

    def embedding(table):
        return ops.gather(table, words, 0)

    def attention(q, k, v):
        return ops.matmul(ops.softmax(ops.matmul(q, k.swapaxes(2, 3)) * 0.125, -1), v)

    return {
        "conv 7x7, stride 2, 3 to 64": conv(64, 7, 3, stride=2),
        "conv 3x3, 64 channels": conv(64, 3, 1),
        "conv 3x3, 128 channels": conv(128, 3, 1),
        "conv 1x1, 256 channels": conv(256, 1),
        "conv 3x3, depthwise, 96": conv(96, 3, 1, group=96),
        "conv 5x5, 6 to 16": conv(16, 5),
        "max-pool 2x2": ops.MaxPool(2, 2),
        "batch norm": nn.BatchNorm2d(64).set_train(),
        "softmax, cross-entropy": cross_entropy,
        "layer norm": layer_norm,
        "GELU": ops.GeLU(),
        "embedding": embedding,
        "attention": attention,
    }


def forward_and_backward(case):
    """Returns a step: an operator and its gradients with respect to all inputs."""

    def make(ms):
        class Operator(ms.nn.Cell):
            def __init__(self):
                super().__init__()
                self.function = functions(ms)[case]

            def construct(self, *inputs):
                return self.function(*inputs)

        class Gradients(ms.nn.Cell):
            def __init__(self):
                super().__init__()
                self.operator = Operator()
                self.gradient = ms.ops.GradOperation(get_all=True, sens_param=True)

            def construct(self, *given):
                return self.gradient(self.operator)(*given)

        inputs, by_result = arrays(case)
        gradients, given = Gradients(), [ms.Tensor(each) for each in (*inputs, by_result)]
        return lambda: float(gradients(*given)[0].asnumpy().reshape(-1)[:700].sum())

    return make


CASES = {case: forward_and_backward(case) for case in SHAPES}
