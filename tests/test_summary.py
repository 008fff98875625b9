"""The table of the layers of a network."""

import pytest

import mindspore_compat as ms
from mindspore_compat import nn, ops
from mindspore_compat.summary import main, summary

NET = """
from mindspore import nn
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3, has_bias=True)
        self.flat, self.dense = nn.Flatten(), nn.Dense(32, 5)
    def construct(self, x):
        return self.dense(self.flat(ops.relu(self.conv(x))))
"""


def test_rows_and_sums():
    net = nn.SequentialCell(nn.Conv2d(1, 2, 3, has_bias=True), nn.ReLU(), nn.Flatten())
    net.set_train()
    table = summary(net, ops.ones((1, 1, 4, 4)))
    assert [(row.name, row.shape) for row in table.rows[:2]] == [
        ("0", "(1, 2, 4, 4)"),
        ("1", "(1, 2, 4, 4)"),
    ]
    assert [row.flops for row in table.rows] == [2 * 9 * 32, 32, 32]
    assert table.parameters == 20 and table.parameter_bytes == 80
    assert table.flops == 640 and table.output_bytes == 3 * 128
    assert net.training
    assert "640 FLOPs" in repr(table) and "<td>Conv2d</td>" in table._repr_html_()


def test_a_layer_with_an_activation_counts_both():
    table = summary(nn.Dense(2, 16, activation="tanh"), ops.ones((1, 2)))
    rows = [(row.type, row.parameters, row.flops) for row in table.rows]
    assert rows == [("Dense", 48, 64), ("Tanh", 0, 16)]
    assert table.parameters == 48 and table.flops == 80


def test_a_recurrent_layer_counts_its_parameters_once():
    table = summary(nn.LSTM(3, 4), ops.ones((5, 2, 3)))
    assert sum(row.parameters for row in table.rows) == table.parameters == 144


@pytest.mark.parametrize(
    "layer, shape, flops",
    [
        (nn.Dense(3, 2), (4, 3), 48),
        (nn.Conv2dTranspose(2, 3, 2, pad_mode="valid"), (1, 2, 4, 4), 2 * 32 * 12),
        (nn.Conv2d(4, 4, 3, group=2), (1, 4, 2, 2), 2 * 16 * 18),
    ],
)
def test_operations_of_a_layer(layer, shape, flops):
    assert summary(layer, ops.ones(shape)).flops == flops


def test_a_failing_network_keeps_its_mode_and_loses_the_hooks():
    net = nn.SequentialCell(nn.Dense(3, 2))
    net.set_train()
    with pytest.raises(ValueError):
        summary(net, ops.ones((4, 4)))
    assert net.training
    assert len(summary(net, ops.ones((4, 3))).rows) == 1


def test_the_command(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("mindspore_compat.summary.install_for_children", ms.install)
    (tmp_path / "net.py").write_text(NET.replace("import nn\n", "import nn, ops\n"))
    try:
        assert main([str(tmp_path / "net.py"), "Net", "1,1,4,4"]) == 0
    finally:
        ms.uninstall()
    shown = capsys.readouterr().out
    assert shown.startswith("Net\nlayer") and "185 parameters" in shown
    assert main([]) == 2


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["none.py", "Net"], "there is no file 'none.py'"),
        (["net.py", "Nut"], "'net.py' defines no class or function 'Nut'"),
        (["net.py", "Net", "1x1"], "a SHAPE must be sizes such as 1,3,32,32, but is '1x1'"),
    ],
)
def test_wrong_arguments_of_the_command(arguments, message, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("mindspore_compat.summary.install_for_children", lambda: None)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "net.py").write_text("Net = list\n")
    assert main(arguments) == 2
    assert capsys.readouterr().err == f"{message}\n"
