"""Views of Tensors, Cells and datasets in notebooks."""

import html

MOST = 20  # rows and columns of a table; a larger Tensor is shown as its printed form


def tensor_view(tensor):
    """Returns the HTML of a Tensor: shape, dtype, and its values, as a table if they are few."""
    name = html.escape(getattr(tensor, "name", ""))  # of a Parameter
    head = f"<b>{type(tensor).__name__}</b> {name} shape {tuple(tensor.shape)}, {tensor.dtype}"
    if tensor.ndim not in (1, 2) or max(tensor.shape) > MOST or not tensor.size:
        return f"{head}<pre>{html.escape(str(tensor))}</pre>"
    rows = tensor.asnumpy().reshape(-1, tensor.shape[-1])
    return head + table([[str(value) for value in row] for row in rows])


def cell_view(cell):
    """Returns the HTML of a Cell: its printed form, and the number of its parameters."""
    count = sum(param.size for param in cell.get_parameters())
    name = html.escape(type(cell).__name__)
    return f"<b>{name}</b> {count:,} parameters<pre>{html.escape(repr(cell))}</pre>"


def dataset_view(dataset):
    """Returns the HTML of a dataset: its operations from the last to the source, and its columns.
    No row is read."""
    names, node = [], dataset
    while node is not None:
        names.append(type(node).__name__)
        node = node.children[0] if node.children else None
    columns = html.escape(", ".join(map(str, dataset.get_col_names())))
    return f"<b>{' of '.join(names)}</b><br>columns: {columns}"


def table(rows, head=()):
    """Returns an HTML table of texts."""

    def line(tag, texts):
        return f"<tr>{''.join(f'<{tag}>{html.escape(text)}</{tag}>' for text in texts)}</tr>"

    top = line("th", head) if head else ""
    return f"<table>{top}{''.join(line('td', row) for row in rows)}</table>"
