"""The views of Tensors, Cells and datasets in notebooks."""

import mindspore_compat as ms
from mindspore_compat import nn, ops


def test_a_small_tensor_is_a_table():
    view = ms.Tensor([[1, 2], [3, 4]])._repr_html_()
    assert "shape (2, 2), Int64" in view and view.count("<tr>") == 2 and "<td>4</td>" in view
    assert ms.Tensor([1.5, 2.5])._repr_html_().count("<tr>") == 1


def test_a_parameter_shows_its_name():
    weight = ms.Parameter(ms.Tensor([1.0]), name="head.weight<0>")
    assert "<b>Parameter</b> head.weight&lt;0&gt; shape (1,), " in weight._repr_html_()


def test_other_tensors_are_text():
    for shape in [(), (2, 2, 2), (50, 2), (0,)]:
        view = ops.zeros(shape)._repr_html_()
        assert "<pre>" in view and f"shape {shape}" in view


def test_a_cell_shows_its_layers_and_parameters():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.dense = nn.Dense(2, 3)

    view = Net()._repr_html_()
    assert view.startswith("<b>Net</b> 9 parameters<pre>") and "(dense): Dense" in view


def test_a_dataset_shows_its_operations_without_reading_a_row():
    def rows():
        raise AssertionError("read")
        yield

    data = ms.dataset.GeneratorDataset(rows, ["<x>", "y"]).batch(2)
    view = data._repr_html_()
    assert view == "<b>BatchDataset of GeneratorDataset</b><br>columns: &lt;x&gt;, y"
