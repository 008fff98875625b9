"""A table of the layers of a network: output shapes, parameters, operations and memory.

    python -m mindspore_compat.summary FILE Net 1,1,32,32

The command imports a file, builds the class `Net` without arguments, or calls the function of that
name, and runs it once on float32 inputs of ones with the given shapes. `summary(net, *inputs)` does
the same with a network and its inputs, and shows a table in notebooks.

Operations are estimated: two for each weight that a dense or convolution layer applies, none for
the look-up of an embedding, and one for each element that another layer without layers inside
returns.
"""

import html
import os
import re
import runpy
import sys

from .common import Tensor
from .log import print_escaped
from .ops import ones
from .standin import install_for_children

_SHAPE = re.compile(r"\d+(,\d+)*")
_HEAD = ("layer", "type", "output shape", "parameters", "FLOPs")


def summary(net, *inputs):
    """Runs a network once, and returns a table of its layers, which prints itself.

    Args:
        net (Cell): the network. It is in evaluation mode meanwhile.
        *inputs (Tensor): its inputs.

    Returns:
        Summary, with the attributes `rows`, `parameters`, `flops`, `parameter_bytes` and
        `output_bytes`.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.summary import summary
        >>> net = ms.nn.SequentialCell(ms.nn.Dense(3, 2), ms.nn.ReLU())
        >>> summary(net, ms.ops.ones((4, 3))).flops
        56
    """
    calls, running, training = [], [], net.training  # a layer stands before the layers inside it

    def start(name):
        def hook(cell, args):
            running.append([name])
            calls.append(running[-1])

        return hook

    def finish(cell, args, out):
        running.pop().extend((cell, args, out))

    hooks = []
    for name, cell in net.cells_and_names():
        if _has_row(cell):
            hooks.append(cell.register_forward_pre_hook(start(name)))
            hooks.append(cell.register_forward_hook(finish))
    net.set_train(False)
    try:
        net(*inputs)
    finally:
        for hook in hooks:
            hook.remove()
        net.set_train(training)
    return Summary(net, [Row(*call) for call in calls])


class Row:
    """One call of a layer that has parameters of its own or no layers inside.

    Args:
        name (str): its path in the network.
        cell (Cell): the layer.
        args (tuple): its inputs.
        out (Union[Tensor, tuple]): what it returned.
    """

    def __init__(self, name, cell, args, out):
        outs = _tensors(out)
        self.name, self.type = name or "(the network)", type(cell).__name__
        self.shape = ", ".join(str(tuple(tensor.shape)) for tensor in outs)
        self.parameters = sum(tensor.size for tensor in cell.get_parameters(expand=False))
        self.output_bytes = sum(tensor.nbytes for tensor in outs)
        self.flops = _flops(cell, _tensors(args), outs)

    def cells(self):
        """Returns the texts of its columns."""
        return self.name, self.type, self.shape, f"{self.parameters:,}", f"{self.flops:,}"


class Summary:
    """The layers of a network in the order of their calls, and their sums.

    Args:
        net (Cell): the network; a parameter that several layers share counts once.
        rows (list[Row]): its layers.
    """

    def __init__(self, net, rows):
        params = [*net.get_parameters()]
        self.title, self.rows = type(net).__name__, rows
        self.parameters = sum(param.size for param in params)
        self.parameter_bytes = sum(param.nbytes for param in params)
        self.flops = sum(row.flops for row in rows)
        self.output_bytes = sum(row.output_bytes for row in rows)

    def total(self):
        """Returns the sums in one line."""
        return (
            f"{self.parameters:,} parameters ({_megabytes(self.parameter_bytes)}), "
            f"{self.flops:,} FLOPs, outputs {_megabytes(self.output_bytes)}"
        )

    def __repr__(self):
        table = [_HEAD, *(row.cells() for row in self.rows)]
        widths = [max(map(len, column)) for column in zip(*table)]
        lines = [
            "  ".join(
                text.rjust(width) if column > 2 else text.ljust(width)
                for column, (text, width) in enumerate(zip(row, widths))
            ).rstrip()
            for row in table
        ]
        return "\n".join([self.title, lines[0], "-" * sum(widths, 8), *lines[1:], self.total()])

    def _repr_html_(self):
        def line(tag, cells):
            return "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells)

        rows = "".join(f"<tr>{line('td', row.cells())}</tr>" for row in self.rows)
        caption = f"{html.escape(self.title)}: {self.total()}"
        return f"<table><caption>{caption}</caption><tr>{line('th', _HEAD)}</tr>{rows}</table>"


def _has_row(cell):
    return not [*cell.cells()] or [*cell.get_parameters(expand=False)] != []


def _tensors(value):
    if isinstance(value, (tuple, list)):
        return [tensor for item in value for tensor in _tensors(item)]
    return [value] if isinstance(value, Tensor) else []


def _flops(cell, args, outs):
    """Returns the estimated operations of one call."""
    weight, size = getattr(cell, "weight", None), sum(out.size for out in outs)
    kind = type(cell).__name__
    if kind.startswith("Embedding"):
        return 0
    if not isinstance(weight, Tensor) or weight.ndim < 2:
        return 0 if [*cell.cells()] else size
    # The first axis of a weight counts the output channels, or input channels if transposed.
    applied = args[0].size if "Transpose" in kind else size
    return 2 * applied * (weight.size // weight.shape[0])


def _megabytes(count):
    return f"{count / 2**20:.2f} MB"


def main(arguments):
    """Reads the command line, and prints the table."""
    if len(arguments) < 2:
        print("usage: python -m mindspore_compat.summary FILE NAME [SHAPE ...]", file=sys.stderr)
        return 2
    path, name, *shapes = arguments
    if not os.path.exists(path):
        print(f"there is no file {path!r}", file=sys.stderr)
        return 2
    for shape in shapes:
        if not _SHAPE.fullmatch(shape):
            print(f"a SHAPE must be sizes such as 1,3,32,32, but is {shape!r}", file=sys.stderr)
            return 2
    install_for_children()
    definitions = runpy.run_path(path)
    if not callable(definitions.get(name)):
        print(f"{path!r} defines no class or function {name!r}", file=sys.stderr)
        return 2
    sizes = [tuple(map(int, shape.split(","))) for shape in shapes]
    print_escaped(summary(definitions[name](), *map(ones, sizes)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
