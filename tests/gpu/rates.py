"""Measures the speed of a GPU: medians of CUDA events, compared with PyTorch in the same process.

    python -m tests.gpu.rates [--dry] [--output FOLDER]

prints a table and writes rates.json: milliseconds, the rate (GB/s or TFLOP/s), milliseconds of
PyTorch where it is installed and has the same, and the ratio of both. With --dry sizes are tiny and
everything runs once, which checks this file and no GPU.
"""

import argparse
import importlib.util
import json
import pathlib
import statistics
import sys
import traceback
from functools import partial

import numpy as np

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops
from mindspore_compat._backend import arrays

from . import networks
from .host import host

DTYPES = ("float32", "float16", "bfloat16")


class Sizes:
    """The sizes of the operands; `dry` ones are tiny."""

    def __init__(self, dry):
        self.copy = 1 << (10 if dry else 26)  # elements
        self.matrix = 8 if dry else 4096
        self.images = (2, 4, 8, 8) if dry else (64, 64, 56, 56)
        self.tokens = (2, 4, 8) if dry else (32, 512, 768)
        self.classes = 16 if dry else 30522
        self.parameters = [(8, 8)] * 3 if dry else [(1024, 1024)] * 64
        self.images_network = networks.LeNet5 if dry else networks.ResNet50
        self.images_batch = (1, 1, 32, 32) if dry else (32, 3, 224, 224)
        self.bert = (2, 4, 8, 2) if dry else (32, 128, 768, 12)  # batch, length, width, heads
        self.repeats, self.warm_up = (1, 3) if dry else (20, 5)


def milliseconds(run, event, sizes):
    """Returns the median time of a call between two events on the current stream."""
    for _ in range(sizes.warm_up):
        run()
    times = []
    for _ in range(sizes.repeats):
        start, end = event(), event()
        start.record()
        run()
        end.record()
        end.synchronize()
        times.append(elapsed(start, end))
    return statistics.median(times)


def elapsed(start, end):
    """Returns the milliseconds between two events of CuPy or of PyTorch."""
    if hasattr(start, "elapsed_time"):
        return start.elapsed_time(end)
    return arrays._device_space().module.cuda.get_elapsed_time(start, end)


def random(shape, dtype="float32"):
    """Returns a Tensor of normal numbers on the device."""
    array = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    return Tensor(array).astype(getattr(ms, dtype))


def size_of(dtype):
    return 4 if dtype == "float32" else 2


# Each case yields (name, amount, unit, run, run_torch): amount is what a call moves or computes, in
# billions of the unit; run_torch makes the call of PyTorch from the module, or is None.


def memory_cases(sizes):
    """Yields copies and bodies, which memory limits."""
    x = random(sizes.copy)
    yield "copy", 8e-9 * sizes.copy, "GB", x.copy, lambda t: t.randn(sizes.copy).cuda().clone
    count = int(np.prod(sizes.tokens))
    width = sizes.tokens[-1]
    for dtype in DTYPES:
        moved = 2e-9 * count * size_of(dtype)
        x = random(sizes.tokens, dtype)
        scale, shift = random(width, dtype), random(width, dtype)
        norm = ops.LayerNorm(-1, -1)
        bodies = {
            "softmax": (lambda x=x: ops.softmax(x), lambda t, x: t.softmax(x, -1)),
            "GELU": (lambda x=x: ops.gelu(x), lambda t, x: t.nn.functional.gelu(x)),
            "layer norm": (
                lambda x=x, scale=scale, shift=shift, norm=norm: norm(x, scale, shift),
                lambda t, x: t.nn.functional.layer_norm(x, (width,)),
            ),
            "dropout": (
                lambda x=x: ops.dropout(x, 0.1),
                lambda t, x: t.nn.functional.dropout(x, 0.1),
            ),
        }
        for name, (run, other) in bodies.items():
            yield f"{name}, {dtype}", moved, "GB", run, on_torch(other, sizes.tokens, dtype)
    images = random(sizes.images)
    layer = nn.BatchNorm2d(sizes.images[1]).set_train()
    yield (
        "batch norm",
        8e-9 * images.size,
        "GB",
        lambda: layer(images),
        on_torch(
            lambda t, x: t.nn.functional.batch_norm(x, None, None, training=True), sizes.images
        ),
    )
    logits = random((sizes.tokens[0], sizes.classes))
    labels = Tensor(np.zeros(sizes.tokens[0], np.int32))
    moved = 4e-9 * logits.size
    yield "cross entropy", moved, "GB", lambda: ops.cross_entropy(logits, labels), None


def on_torch(function, shape, dtype="float32"):
    """Returns a function that, given PyTorch, makes a call of it on a random array."""

    def make(torch):
        x = torch.randn(*shape, device="cuda").to(getattr(torch, dtype))
        return lambda: function(torch, x)

    return make


def product_cases(sizes):
    """Yields products of matrices and convolutions, which arithmetic limits."""
    n = sizes.matrix
    channels = sizes.images[1]
    for dtype in DTYPES:
        x, y = random((n, n), dtype), random((n, n), dtype)
        yield (
            f"product, {dtype}",
            2e-12 * n**3,
            "TFLOP",
            lambda x=x, y=y: ops.matmul(x, y),
            on_torch(lambda t, x: x @ x, (n, n), dtype),
        )
        x, y = (random((16, n // 4, n // 4), dtype) for _ in range(2))
        yield (
            f"stack of products, {dtype}",
            2e-12 * 16 * (n // 4) ** 3,
            "TFLOP",
            lambda x=x, y=y: ops.matmul(x, y),
            on_torch(lambda t, x: x @ x, (16, n // 4, n // 4), dtype),
        )
        images = random(sizes.images, dtype)
        for kernel in (1, 3):
            weights = random((channels, channels, kernel, kernel), dtype)
            yield (
                f"convolution of {kernel} x {kernel}, {dtype}",
                2e-12 * images.size * channels * kernel**2,
                "TFLOP",
                lambda x=images, w=weights: ops.conv2d(x, w, pad_mode="same"),
                torch_convolution(sizes.images, kernel, dtype),
            )


def torch_convolution(shape, kernel, dtype):
    """Returns a function that, given PyTorch, makes its convolution of random images."""

    def make(torch):
        kind = {"device": "cuda", "dtype": getattr(torch, dtype)}
        x = torch.randn(*shape, **kind)
        weights = torch.randn(shape[1], shape[1], kernel, kernel, **kind)
        return lambda: torch.nn.functional.conv2d(x, weights, padding=kernel // 2)

    return make


def optimizer_cases(sizes):
    """Yields one update of all parameters."""
    count = sum(int(np.prod(shape)) for shape in sizes.parameters)
    gradients = tuple(random(shape) for shape in sizes.parameters)
    for name, words in (("Adam", 7), ("Lamb", 10), ("AdamOffload", 7)):
        run = partial(update_of(name, sizes), gradients)
        other = torch_adam(sizes) if name == "Adam" else None
        yield f"{name}, {count} numbers", 4e-9 * words * count, "GB", run, other
    # The parts of AdamOffload: gradients down and parameters up, and the update on the host.
    yield "AdamOffload, copies", 8e-9 * count, "GB", lambda: there_and_back(gradients), None
    with host():
        on_host = tuple(random(shape) for shape in sizes.parameters)
        run = partial(update_of("Adam", sizes), on_host)

    def update_on_host():
        with host():
            run()

    yield "AdamOffload, host", 28e-9 * count, "GB", update_on_host, None


def update_of(name, sizes):
    """Returns an optimizer of parameters on the current device target."""
    shapes = enumerate(sizes.parameters)
    parameters = [ms.Parameter(random(shape), name=f"p{index}") for index, shape in shapes]
    return getattr(nn, name)(parameters, 1e-3)


def there_and_back(gradients):
    """Copies arrays to the host and back."""
    for gradient in gradients:
        arrays.to_current(arrays.to_host(gradient._array))


def torch_adam(sizes):
    """Returns a function that, given PyTorch, makes an update of its fused Adam."""

    def make(torch):
        weights = [torch.nn.Parameter(torch.randn(*s, device="cuda")) for s in sizes.parameters]
        for weight in weights:
            weight.grad = torch.randn_like(weight)
        return torch.optim.Adam(weights, 1e-3, fused=True).step

    return make


def network_cases(sizes):
    """Yields training steps of ResNet-50 and of a BERT layer, in each dtype, eager and captured."""
    images = random(sizes.images_batch)
    rows, length, features, heads = sizes.bert
    tokens = random((rows, length, features))
    makes = {
        sizes.images_network.__name__: (sizes.images_network, images),
        "BERT layer": (lambda: networks.Block(features, heads), tokens),
    }
    for name, (make, data) in makes.items():
        labels = Tensor(np.zeros(len(data), np.int32))
        for dtype in DTYPES:
            for mode, text in ((ms.PYNATIVE_MODE, "eager"), (ms.GRAPH_MODE, "captured")):
                network = make().to_float(getattr(ms, dtype))
                loss = nn.WithLossCell(network, nn.CrossEntropyLoss()).set_train()
                step = nn.TrainOneStepCell(loss, nn.Momentum(network.trainable_params(), 0.01, 0.9))
                yield (
                    f"{name}, {dtype}, {text}",
                    1e-9 * len(data),
                    "G samples",
                    in_mode(mode, step, data, labels),
                    None,
                )


def in_mode(mode, step, data, labels):
    """Returns a call of a step in graph mode or not."""

    def run():
        ms.set_context(mode=mode)
        step(data, labels)

    return run


CASES = (memory_cases, product_cases, optimizer_cases, network_cases)


def measured(sizes, torch=None):
    """Returns each case as a dict; one that fails has the reason instead of its times."""
    cuda = arrays._device_space().module.cuda
    rows = []
    for cases in CASES:
        for name, amount, unit, run, run_torch in cases(sizes):
            row = {"name": name, "unit": unit}
            try:
                row["ms"] = milliseconds(run, cuda.Event, sizes)
                row["rate"] = amount / max(row["ms"], 1e-6) * 1e3
                if torch is not None and run_torch is not None:
                    event = lambda: torch.cuda.Event(enable_timing=True)  # noqa: E731
                    row["torch ms"] = milliseconds(run_torch(torch), event, sizes)
                    row["ratio"] = row["ms"] / row["torch ms"]
            except Exception as error:  # continue with the other cases
                traceback.print_exc()
                row["failed"] = f"{type(error).__name__}: {error}"
            rows.append(row)
            print(line(row), flush=True)
    return rows


def line(row):
    """Returns a case as a line of the table."""
    if "failed" in row:
        return f"{row['name']:36} {row['failed'][:60]}"
    text = f"{row['name']:36} {row['ms']:10.4f} ms {row['rate']:12.4g} {row['unit']}/s"
    return text + (f"   {row['ratio']:6.2f} of PyTorch's time" if "ratio" in row else "")


def main(arguments=None):
    """Measures everything; returns 1 if a case failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.gpu.rates")
    parser.add_argument("--dry", action="store_true")
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("."))
    options = parser.parse_args(arguments)
    arrays.set_target("GPU")
    torch = None
    if importlib.util.find_spec("torch") and not options.dry:
        import torch
    mode = ms.get_context("mode")
    rows = measured(Sizes(options.dry), torch)
    ms.set_context(mode=mode)
    options.output.mkdir(parents=True, exist_ok=True)
    text = json.dumps(rows, indent=1) + "\n"
    (options.output / "rates.json").write_text(text, encoding="utf-8")
    return int(any("failed" in row for row in rows))


if __name__ == "__main__":
    sys.exit(main())
