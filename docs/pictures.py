"""Pictures for pages of the reference, drawn when the documentation is built: the graph of each
elementwise activation, learning rates by step, what padding adds, what image transforms change, and
which keys a query attends to. They show what the names compute.
"""

import itertools

import numpy as np

import mindspore_compat as ms
from mindspore_compat import nn, ops
from mindspore_compat._core.declare.op import DECLARED
from mindspore_compat.dataset import vision
from mindspore_compat.experimental import optim

WIDTH, HEIGHT, MARGIN = 320, 200, 34
STYLE = """<style>
    text { font: 12px system-ui, Helvetica, Arial, sans-serif; fill: #6b7280 }
    .axis { stroke: #9ca3af; stroke-width: 1 }
    .curve { fill: none; stroke: #3b82f6; stroke-width: 2.2; stroke-linejoin: round }
</style>"""
STEPS = 100
SCHEDULES = {  # a schedule: its arguments, or for a function those before the number of steps
    "nn.CosineDecayLR": (0.01, 0.1, STEPS),
    "nn.ExponentialDecayLR": (0.1, 0.9, 10),
    "nn.InverseDecayLR": (0.1, 0.5, 10),
    "nn.NaturalExpDecayLR": (0.1, 0.9, 25),
    "nn.PolynomialDecayLR": (0.1, 0.01, STEPS, 0.5),
    "nn.WarmUpLR": (0.1, 60),
    "nn.cosine_decay_lr": (0.01, 0.1, STEPS, 1, STEPS),
    "nn.exponential_decay_lr": (0.1, 0.9, STEPS, 1, 10),
    "nn.inverse_decay_lr": (0.1, 0.5, STEPS, 1, 10),
    "nn.natural_exp_decay_lr": (0.1, 0.9, STEPS, 1, 25),
    "nn.piecewise_constant_lr": ([30, 60, STEPS], [0.1, 0.05, 0.01]),
    "nn.polynomial_decay_lr": (0.1, 0.01, STEPS, 1, STEPS, 0.5),
    "nn.warmup_lr": (0.1, STEPS, 1, 60),
}
SCHEDULERS = {  # of experimental.optim.lr_scheduler: its arguments after the optimizer
    "ConstantLR": {"factor": 0.3, "total_iters": 40},
    "CosineAnnealingLR": {"T_max": 40},
    "CosineAnnealingWarmRestarts": {"T_0": 15, "T_mult": 2},
    "CyclicLR": {"base_lr": 0.01, "max_lr": 0.1, "step_size_up": 20},
    "ExponentialLR": {"gamma": 0.97},
    "LambdaLR": {"lr_lambda": lambda step: 1 / (1 + step / 20)},
    "LinearLR": {"start_factor": 0.2, "total_iters": 40},
    "MultiStepLR": {"milestones": [30, 70], "gamma": 0.4},
    "MultiplicativeLR": {"lr_lambda": lambda step: 0.97},
    "PolynomialLR": {"total_iters": 80, "power": 2.0},
    "StepLR": {"step_size": 25, "gamma": 0.5},
}
PADDINGS = {  # a layer: its arguments
    "nn.ConstantPad2d": (1, 5.0),
    "nn.ReflectionPad2d": (1,),
    "nn.ReplicationPad2d": (1,),
    "nn.ZeroPad2d": (1,),
    "nn.ConstantPad1d": (2, 5.0),
    "nn.ReflectionPad1d": (2,),
    "nn.ReplicationPad1d": (2,),
}
PAD_MODES = {"constant": {"value": 0.0}, "reflect": {}, "replicate": {}, "circular": {}}
ATTENTION = {  # the label of a mask: arguments of ops.flash_attention_score
    "sparse_mode 0, pre_tokens 2, next_tokens 1": {"pre_tokens": 2, "next_tokens": 1},
    "sparse_mode 2": {"sparse_mode": 2},
    "sparse_mode 4, pre_tokens 2, next_tokens 1": {
        "sparse_mode": 4,
        "pre_tokens": 2,
        "next_tokens": 1,
    },
}
TRANSFORMS = {  # a transform of dataset.vision: its arguments
    "AdjustBrightness": (1.7,),
    "AdjustContrast": (2.0,),
    "AdjustGamma": (2.2,),
    "AdjustHue": (0.25,),
    "AdjustSaturation": (3.0,),
    "AdjustSharpness": (4.0,),
    "Affine": (25, [0.1, 0.1], 0.8, [10, 0]),
    "AutoContrast": (5.0,),
    "CenterCrop": (40,),
    "Crop": ((8, 16), 40),
    "CutOut": (24,),
    "Equalize": (),
    "Erase": (10, 20, 24, 30),
    "GaussianBlur": (9,),
    "Grayscale": (3,),
    "HorizontalFlip": (),
    "Invert": (),
    "Pad": ([8, 8, 8, 8], (255, 120, 0)),
    "Perspective": ([[0, 0], [63, 0], [63, 63], [0, 63]], [[8, 4], [56, 12], [63, 60], [0, 50]]),
    "Posterize": (2,),
    "Resize": ([40, 64],),
    "Rotate": (30,),
    "Solarize": ((100, 255),),
    "VerticalFlip": (),
}
OF_PIL_IMAGES = ("Grayscale",)


def write_all(folder, write):
    """Draws all pictures into a folder.

    Args:
        folder (Path): the folder.
        write (Callable): writes a text to a path.

    Returns:
        dict[str, tuple[str, str]], public path -> name of the file and what it shows.
    """
    drawn = {}
    for draw in (activations, schedules, paddings, masks):
        for name, (file, svg, shows) in draw():
            write(folder / file, svg)
            drawn[name] = (file, shows)
    return drawn | transforms(folder)


def activations():
    """Yields the graphs of the activations that work element by element."""
    x = np.linspace(-4, 4, 161, dtype=np.float32)
    number = itertools.count()  # some names differ in case alone
    for area in ("ops", "nn", "mint.nn", "mint.nn.functional", "mint"):
        for name, (op, *_) in list(DECLARED[area].items()):
            if "._activation." in f"{op.body.__module__}.":
                y = elementwise(at(f"{area}.{name}"), x)
                if y is not None:
                    file = f"activation-{next(number)}-{name}.svg"
                    text = "The values for inputs from -4 to 4."
                    yield f"{area}.{name}", (file, graph(x, y), text)


def elementwise(thing, x):
    """Returns the values of an activation with default arguments; None if it is not one of single
    elements."""

    def values(x):
        return function(ms.Tensor(x)).asnumpy()

    try:
        function = thing() if isinstance(thing, type) else thing
        y = values(x)
        same = y.shape == x.shape and np.array_equal(values(x[:40]), y[:40])
        return y if same and np.array_equal(values(x[::-1].copy()), y[::-1]) else None
    except Exception:  # noqa: BLE001  (it needs other arguments)
        return None


def schedules():
    """Yields graphs of the learning rate by step."""
    steps = np.arange(STEPS)
    for name, arguments in SCHEDULES.items():
        schedule = at(name)(*arguments)
        if not isinstance(schedule, list):
            schedule = [schedule(ms.Tensor(int(step), ms.int32)) for step in steps]
        rates = [float(rate) for rate in schedule]
        yield name, (f"schedule-{name}.svg", graph(steps, rates), _shown(name, arguments))
    for name, arguments in SCHEDULERS.items():
        optimizer = optim.SGD([ms.Parameter(ms.Tensor([1.0]))], 0.1)
        scheduler, rates = at(f"experimental.optim.lr_scheduler.{name}")(optimizer, **arguments), []
        for _ in steps:
            rates.append(float(scheduler.get_last_lr()[0]))
            scheduler.step()
        path = f"experimental.optim.lr_scheduler.{name}"
        plain = {key: value for key, value in arguments.items() if not callable(value)}
        yield path, (f"schedule-{name}.svg", graph(steps, rates), _shown(name, (), plain))


def _shown(name, arguments, named=None):
    """Returns the sentence below the graph of a schedule."""
    listed = [repr(value) for value in arguments]
    listed += [f"{key}={value!r}" for key, value in (named or {}).items()]
    return f"The learning rate by step, for `{name.rpartition('.')[2]}({', '.join(listed)})`."


def paddings():
    """Yields grids of numbers: an input and what padding makes of it."""
    image, row = np.arange(1.0, 10).reshape(1, 1, 3, 3), np.arange(1.0, 6).reshape(1, 1, 5)
    for name, arguments in PADDINGS.items():
        x = ms.Tensor(row if "1d" in name else image, ms.float32)
        padded = at(name)(*arguments)(x).asnumpy()[0, 0]
        text = f"A padded array, for `{name[3:]}({', '.join(map(repr, arguments))})`."
        inside = np.isin(np.arange(padded.size), _inner(padded.shape, arguments[0]))
        yield name, (f"{name}.svg", grids({"": (np.atleast_2d(padded), inside)}), text)
    modes = {}
    for mode, options in PAD_MODES.items():
        padded = ops.pad(ms.Tensor(row, ms.float32), [3, 3], mode=mode, **options).asnumpy()[0]
        modes[mode] = padded, np.isin(np.arange(padded.size), np.arange(3, 8))
    for name in ("ops.pad", "mint.nn.functional.pad"):
        text = "The numbers 1 to 5, with 3 elements added on both sides, in each mode."
        yield name, (f"{name}.svg", grids(modes), text)


def _inner(shape, border):
    """Returns the flat positions of the elements that are not in the border."""
    inner = tuple(slice(border, length - border) for length in shape)
    return np.arange(np.prod(shape)).reshape(shape)[inner].ravel()


def masks():
    """Yields grids in which a filled field is a key (column) that a query (row) attends to."""
    length = 6
    x = ms.Tensor(np.zeros((length, 1, 4)), ms.float32)
    later = ms.Tensor(np.triu(np.ones((length, length), bool), 1))
    _, weights = nn.MultiheadAttention(4, 1)(x, x, x, attn_mask=later)
    text = (
        "With a causal `attn_mask`: the keys (columns) that each query (row) attends to are filled."
    )
    yield "nn.MultiheadAttention", ("mask-causal.svg", fields({"": weights.asnumpy()[0] > 0}), text)
    shape = (1, length, 16)
    q, v = np.zeros(shape, np.float16), np.zeros(shape, np.float16)
    v[0, :, :length] = np.eye(length)
    tensors = [ms.Tensor(each) for each in (q, q, v)]
    attended = {}
    for label, options in ATTENTION.items():
        if "sparse_mode" in options:
            mask = np.triu(np.ones((2048, 2048), bool), 1)
        else:  # a band needs a mask, here one that hides nothing
            mask = np.zeros((length, length), bool)
        out = ops.flash_attention_score(*tensors, 1, attn_mask=ms.Tensor(mask), **options)
        attended[label] = out.asnumpy()[0, :, :length] > 0
    text = "The keys (columns) that each of 6 queries (rows) attends to are filled."
    yield "ops.flash_attention_score", ("mask-flash.svg", fields(attended), text)


def transforms(folder):
    """Draws a picture before and after each image transform into a folder; returns their names."""
    drawn, before = {}, sample_image()
    for name, arguments in TRANSFORMS.items():
        image = vision.ToPIL()(before) if name in OF_PIL_IMAGES else before
        after = np.asarray(at(f"dataset.vision.{name}")(*arguments)(image))
        height = max(before.shape[0], after.shape[0])
        sheet = np.full((height, before.shape[1] + after.shape[1] + 16, 3), 255, np.uint8)
        sheet[: before.shape[0], : before.shape[1]] = before
        sheet[: after.shape[0], -after.shape[1] :] = after
        file = f"transform-{name}.png"
        vision.write_png(str(folder / file), ms.Tensor(sheet.repeat(2, 0).repeat(2, 1)))
        called = f"{name}({', '.join(map(repr, arguments))})"
        drawn[f"dataset.vision.{name}"] = (file, f"A picture before and after `{called}`.")
    return drawn


def sample_image():
    """Returns an image of a sun over hills, (64, 64, 3) uint8."""
    y, x = np.mgrid[:64, :64] / 64.0
    image = np.stack([0.35 + 0.4 * y, 0.55 + 0.3 * y, 0.95 - 0.2 * y], -1)
    image[(x - 0.7) ** 2 + (y - 0.25) ** 2 < 0.018] = (1.0, 0.85, 0.2)
    image[y > 0.62 + 0.1 * np.sin(7 * x)] = (0.25, 0.6, 0.3)
    image[y > 0.8 + 0.07 * np.cos(9 * x)] = (0.15, 0.4, 0.2)
    image[(abs(x - 0.25) < 0.04) & (y > 0.45) & (y < 0.75)] = (0.5, 0.25, 0.15)
    return (image * 255).round().astype(np.uint8)


def at(path):
    """Returns the object at a public path."""
    thing = ms
    for part in path.split("."):
        thing = getattr(thing, part)
    return thing


def graph(x, y):
    """Returns an SVG of a curve with its axes."""
    x, y = np.asarray(x, float), np.asarray(y, float)
    low, high = min(y.min(), 0.0), max(y.max(), 0.0)
    high = high if high > low else low + 1
    across = MARGIN + (x - x[0]) / (x[-1] - x[0]) * (WIDTH - 1.5 * MARGIN)
    down = HEIGHT - MARGIN - (y - low) / (high - low) * (HEIGHT - 1.7 * MARGIN)
    zero = np.interp(0, [low, high], [HEIGHT - MARGIN, 0.7 * MARGIN])
    left = np.interp(0, x, across) if x[0] < 0 else MARGIN
    points = " ".join(f"{a:.1f},{d:.1f}" for a, d in zip(across, down, strict=True))
    labels = [(across[0], zero, x[0], 14), (across[-1] - 14, zero, x[-1], 14)]
    ends = (high, down.min()), (low, down.max())
    labels += [(left + 4, d, value, -3) for value, d in ends if abs(d - zero) > 16]
    texts = "".join(
        f'<text x="{a:.0f}" y="{d + below:.0f}">{value:.3g}</text>' for a, d, value, below in labels
    )
    return svg(
        WIDTH,
        HEIGHT,
        f'<line class="axis" x1="{MARGIN}" x2="{WIDTH}" y1="{zero:.1f}" y2="{zero:.1f}"/>'
        f'<line class="axis" x1="{left:.1f}" x2="{left:.1f}" y1="8" y2="{HEIGHT - 20}"/>'
        f'<polyline class="curve" points="{points}"/>{texts}',
    )


def grids(arrays):
    """Returns an SVG of arrays of numbers; what was there before is on blue ground.

    Args:
        arrays (dict[str, tuple]): label -> a matrix, and which of its elements were there before.
    """
    parts, top, right = [], 0, 0
    for label, (matrix, inside) in arrays.items():
        parts.append(f'<text x="0" y="{top + 20}">{label}</text>')
        left = 80 if label else 0
        for position, value in enumerate(matrix.ravel()):
            row, column = divmod(position, matrix.shape[1])
            colour = "#bfdbfe" if inside[position] else "#f3f4f6"
            x, y = left + 30 * column, top + 30 * row
            parts.append(
                f'<rect x="{x}" y="{y}" width="28" height="28" rx="3" fill="{colour}"/>'
                f'<text x="{x + 14}" y="{y + 19}" text-anchor="middle">{value:g}</text>'
            )
        top += 30 * matrix.shape[0] + (10 if label else 0)
        right = max(right, left + 30 * matrix.shape[1])
    return svg(right, top, "".join(parts))


def fields(matrices):
    """Returns an SVG of bool matrices side by side; true elements are filled."""
    parts, left, bottom = [], 0, 0
    for label, matrix in matrices.items():
        for (row, column), filled in np.ndenumerate(matrix):
            colour = "#3b82f6" if filled else "#e5e7eb"
            parts.append(
                f'<rect x="{left + 22 * column}" y="{22 * row}" width="20" height="20" rx="3" '
                f'fill="{colour}"/>'
            )
        bottom = 22 * matrix.shape[0] + (18 * len(label.split(", ")) if label else 0)
        for line, words in enumerate(label.split(", ")):
            y = 22 * matrix.shape[0] + 14 + 16 * line
            parts.append(f'<text x="{left}" y="{y}">{words}</text>')
        left += 22 * matrix.shape[1] + 24
    return svg(left, bottom, "".join(parts))


def svg(width, height, body):
    """Returns the text of an SVG file."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}">{STYLE}{body}</svg>\n'
    )
