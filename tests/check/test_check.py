"""`python -m mindspore_compat --check`: its report on a project agrees with a run of the
project."""

import html
import json
import os
import subprocess
import sys
import textwrap

import pytest

from mindspore_compat import _check, standin
from mindspore_compat._check import extras, names, reading, releases, report

pytestmark = pytest.mark.quick


@pytest.fixture
def project(tmp_path, capsys):
    """A function that writes a file and returns the findings of its check, by kind."""

    def findings(text, kind, status=None):
        (tmp_path / "script.py").write_text(textwrap.dedent(text), "utf-8")
        ended = _check.main([str(tmp_path), "--json"])
        found = json.loads(capsys.readouterr().out)["findings"]
        assert status is None or ended == status
        return [(each["line"], each["name"]) for each in found if each["kind"] == kind]

    return findings


class TestMissing:
    @pytest.mark.parametrize(
        "code, name",
        [
            ("from mindspore import absent", "absent"),
            ("from mindspore.nn import Absent as A", "nn.Absent"),
            ("from mindspore.absent.deeper import x", "absent"),
            ("import mindspore.nn.absent", "nn.absent"),
            ("import mindspore as ms\nms.absent", "absent"),
            ("import mindspore as ms\nms.ops.absent(3)", "ops.absent"),
            ("import mindspore.ops as P\ndef f(x):\n  return P.absent(x)\nf(1)", "ops.absent"),
            ("from mindspore import ops as P\nF = P\nF.absent", "ops.absent"),
            ("from mindspore import Tensor\nTensor(1).absent()", "Tensor.absent"),
            ("from mindspore import Tensor\nx = Tensor(1)\nx.absent", "Tensor.absent"),
            (
                "import mindspore as ms\ndef f(x: ms.Tensor):\n  x.absent()\nf(ms.Tensor(1))",
                "Tensor.absent",
            ),
            (
                "from mindspore import nn\nclass A(nn.Cell):\n  def __init__(self):\n"
                "    super().__init__()\n    super().absent()\nA()",
                "nn.Cell.absent",
            ),
            ("from mindspore.nn import Cell\nCell.absent", "nn.Cell.absent"),
            (
                "import mindspore.dataset as ds\nd = ds.NumpySlicesDataset([1])\n"
                "d = d.batch(2)\nd.shuffle(2).absent()",
                "dataset.NumpySlicesDataset.absent",
            ),
        ],
    )
    def test_what_a_run_refuses_is_reported(self, project, code, name):
        standin.install()
        try:
            with pytest.raises((ImportError, AttributeError), match="(?i)absent"):
                exec(code, {})
        finally:
            standin.uninstall()
        assert [found for _, found in project(code, "missing", 1)] == [f"mindspore.{name}"]

    @pytest.mark.parametrize(
        "code",
        [
            "from mindspore.ops import operations as P, functional as F, composite as C\nP.Add()",
            "import mindspore.common.dtype as mstype\nmstype.float32",
            "from mindspore.profiler.schedule import ProfilerAction as A\nA.NONE",
            "from mindspore.communication.management import init, get_rank",
            "from mindspore.nn.metrics import Accuracy",
            "from mindspore.common.initializer import TruncatedNormal",
            "from mindspore import nn\nnn.Dense(3, 4).weight.asnumpy()\nnn.Momentum",
            "from mindspore import nn\nlayer = nn.Dense(3, 4)\nlayer.weight = 3\nlayer.in_channels",
            "import mindspore as ms\nms.Tensor.absent = 3\nms.Tensor(1).absent",
            "import mindspore as ms\nsetattr(ms.Tensor, 'absent', 3)\nms.Tensor(1).absent",
            "def f():\n  from mindspore import nn\n  setattr(nn, 'absent', 3)\n  nn.absent",
            "from mindspore import nn\nclass A(nn.Cell):\n  def f(self):\n    self.of_a_subclass()",
            "from mindspore import ops\ndef f(ops):\n  return ops.absent",
            "import torch.nn as nn\nnn.Module",
            "from mindspore import nn\nimport torch.nn as nn\nnn.Module",
            "from .mindspore import absent",
            "import mindspore.dataset as ds\nd = ds.NumpySlicesDataset([1])\nd = d.batch(2)\nd.x",
            "x = 3\nx = x.a\nx = x.b\nx.absent",
            "from mindspore.train.serialization import Checkpoint\nCheckpoint().value",
        ],
    )
    def test_nothing_is_missing(self, project, code):
        assert project(code, "missing", 0) == []

    def test_an_expected_absence_does_not_fail(self, project):
        code = """
            import mindspore
            try:
                from mindspore.ops import absent
            except ImportError:
                absent = None
            if hasattr(mindspore, "other"):
                mindspore.other()
        """
        names = [(4, "mindspore.ops.absent"), (8, "mindspore.other")]
        assert project(code, "missing", 0) == names

    def test_the_nearest_name_is_told(self, tmp_path, capsys):
        script = tmp_path / "script.py"
        script.write_text("from mindspore import nn\nnn.Dence(3, 4)\nnn.Module\nnn.bmm\n")
        assert _check.main([str(script)]) == 1
        printed = capsys.readouterr().out
        assert "mindspore.nn.Dense" in printed
        assert "networks derive from mindspore.nn.Cell" in printed
        assert "mindspore.ops.bmm" in printed
        assert f"{script}:2" in printed
        assert "1 file. Names missing: 3," in printed


class TestExtras:
    @pytest.mark.parametrize(
        "code, extra",
        [
            ("import mindspore.dataset.vision as v\nv.Decode()", "vision"),
            ("from mindspore.dataset.vision import c_transforms as C\nC.Resize(3)", "vision"),
            ("from mindspore.communication import init\ninit()", "mpi"),
            ("import mindspore as ms\nms.load_checkpoint('a', dec_key=b'k')", "crypto"),
            ("import mindspore as ms\nms.load_checkpoint('a', n, False, None, b'k')", "crypto"),
        ],
    )
    def test_extra(self, tmp_path, capsys, code, extra):
        script = tmp_path / "script.py"
        script.write_text(code)
        assert _check.main([str(script)]) == 0
        assert f"[{extra}], " in capsys.readouterr().out

    def test_transforms_of_arrays_need_none(self, project):
        code = "import mindspore.dataset.vision as v\nv.Normalize([0], [1])\nv.HWC2CHW()"
        assert project(code, "needs an extra") == []

    def test_table_names_what_exists(self):
        import mindspore_compat

        for path, extra in extras.TABLE.items():
            thing = mindspore_compat
            for part in path.partition("(")[0].split("."):
                thing = getattr(thing, part)
            assert callable(thing) and extra in extras.INSTALLS


class TestWithoutEffect:
    @pytest.mark.parametrize(
        "call, name",
        [
            ("ms.set_context(mode=0, save_graphs=True)", "set_context(save_graphs)"),
            ("ms.lazy_inline(3)", "lazy_inline"),
            ("ms.nn.RMSProp([], use_locking=True)", "nn.RMSProp(use_locking)"),
            ("ms.nn.Cell().set_boost('less_bn')", "nn.Cell.set_boost"),
            ("ms.Model(n).eval(d, None, True)", "Model.eval(dataset_sink_mode)"),
        ],
    )
    def test_reported(self, project, call, name):
        assert project(f"import mindspore as ms\n{call}", "no effect", 0) == [
            (2, f"mindspore.{name}")
        ]

    def test_the_default_is_not_reported(self, project):
        code = (
            "import mindspore as ms\nms.nn.RMSProp([], use_locking=False)\nms.set_context(mode=0)"
        )
        assert project(code, "no effect", 0) == []


class TestCommand:
    def test_pages_have_the_names(self, tmp_path, capsys):
        (tmp_path / "a.py").write_text("from mindspore import absent")
        page = tmp_path / "page.html"
        assert _check.main([str(tmp_path), "--html", str(page)]) == 1
        assert "mindspore.absent" in html.unescape(page.read_text("utf-8"))
        assert [each.name for each in tmp_path.iterdir() if each.name.startswith(".")] == []

    def test_a_failed_write_leaves_the_old_page(self, tmp_path, monkeypatch):
        def fail(*_):
            raise OSError("disk full")

        page = tmp_path / "page.html"
        page.write_text("old")
        monkeypatch.setattr(os, "replace", fail)
        with pytest.raises(OSError, match="disk full"):
            report.write(page, "new")
        assert page.read_text() == "old" and len(list(tmp_path.iterdir())) == 1

    def test_a_file_that_is_not_python_is_named(self, tmp_path, capsys):
        (tmp_path / "old.py").write_text("import mindspore\nprint 'x'")
        assert _check.main([str(tmp_path)]) == 0
        assert "1 could not be read" in capsys.readouterr().out

    def test_many_files_are_read_by_several_processes(self, tmp_path, monkeypatch, capsys):
        for i in range(3):
            (tmp_path / f"f{i}.py").write_text(f"from mindspore import absent{i}")
        monkeypatch.setattr(_check, "MANY", 2)
        assert _check.main([str(tmp_path)]) == 1
        assert "Names missing: 3" in capsys.readouterr().out

    @pytest.mark.parametrize("arguments", [[], ["--unknown", "."], ["/absent/path"]])
    def test_wrong_use_ends_with_2(self, arguments, capsys):
        with pytest.raises(SystemExit) as ended:
            _check.main(arguments)
        assert ended.value.code == 2

    def test_the_project_is_not_run(self, tmp_path):
        (tmp_path / "a.py").write_text("import mindspore\nraise SystemExit(7)")
        command = [sys.executable, "-m", "mindspore_compat", "--check", str(tmp_path)]
        assert subprocess.run(command, timeout=120, capture_output=True).returncode == 0


def test_calls_keep_their_literals():
    uses, _ = reading.read("import mindspore as m\ny = m.f(1, x, a='b', **k)")
    assert uses[-1].call == reading.Call((1, reading.UNKNOWN), (("a", "b"), (None, "?")))


class TestReleases:
    @pytest.mark.parametrize(
        "code, name",
        [
            ("ms.nn.Dense(3, 4)", "nn.Dense"),
            ("ms.nn.BCELoss()", "nn.BCELoss"),
            ("ms.ops.split(x, 1, 2)", "ops.split"),
            ("ms.nn.MaxPool2d(2, 2, 'valid', 'NCHW')", "nn.MaxPool2d"),
            ("ms.nn.Conv2dTranspose(3, 4, kernel_size=3)", "nn.Conv2dTranspose"),
            ("ms.Tensor(1).max(0)", "Tensor.max"),
            ("a = ms.load_param_into_net(n, p)", "load_param_into_net"),
            ("ms.set_context(device_id=1)", "set_context"),
            ("ms.Model(n).train(1, d)", "Model.train"),
            (
                "d = ms.dataset.NumpySlicesDataset([1])\nd = d.batch(2)\nd.map(f, column_order=[])",
                "dataset.NumpySlicesDataset.map",
            ),
        ],
    )
    def test_what_has_changed_since_is_reported(self, project, tmp_path, capsys, code, name):
        script = tmp_path / "script.py"
        script.write_text(f"import mindspore as ms\n{code}")
        assert _check.main([str(script), "--json", "--release", "1.9"]) == 0
        found = json.loads(capsys.readouterr().out)["findings"]
        changed = [each["name"] for each in found if each["kind"] == "changed since"]
        assert changed == [f"mindspore.{name}"]
        assert _check.main([str(script), "--json", "--release", "2.10"]) == 0
        assert "changed since" not in capsys.readouterr().out

    @pytest.mark.parametrize(
        "code",
        [
            "ms.nn.Dense(3, 4, 'zeros', 'zeros')",
            "ms.nn.BCELoss(reduction='mean')",
            "ms.nn.MaxPool2d(2, 2)",
            "ms.nn.MaxPool2d(kernel_size=3)",
            "ms.ops.split(x, split_size_or_sections=2)",
            "ms.load_param_into_net(n, p)",
            "ms.set_context(device_id=1)\nms.set_context(mode=0)",
            "ms.dataset.NumpySlicesDataset([1]).map(f)",
        ],
    )
    def test_the_same_meaning_is_not_reported(self, tmp_path, capsys, code):
        script = tmp_path / "script.py"
        script.write_text(f"import mindspore as ms\n{code}")
        assert _check.main([str(script), "--json", "--release", "1.9"]) == 0
        assert "changed since" not in capsys.readouterr().out

    @pytest.mark.parametrize(
        "code, release",
        [
            ("ms.Tensor(1)", None),
            ("ms.jit(f)", "2.0"),
            ("ms.mint.add(1, 2)", "2.3"),
            ("ms.ms_function(f)", "1.10"),
            ("ms.nn.Dropout(keep_prob=0.5)", "1.10"),
            ("ms.dataset.MindDataset(dataset_file='f')", "1.5"),
            ("ms.ms_function(f)\nms.jit(f)", "2.0"),
        ],
    )
    def test_guess(self, tmp_path, capsys, code, release):
        script = tmp_path / "script.py"
        script.write_text(f"import mindspore as ms\n{code}")
        _check.main([str(script), "--json"])
        assert json.loads(capsys.readouterr().out)["release"] == release
        _check.main([str(script)])
        is_least = "ms_" not in code and "=" not in code
        later = " or later; --release tells what changed since it" if is_least else ""
        assert release is None or f"for release {release}{later}." in capsys.readouterr().out

    def test_no_change_is_listed_since_the_earliest_release_that_fits(self, tmp_path, capsys):
        script = tmp_path / "script.py"
        script.write_text("import mindspore as ms\nms.value_and_grad(ms.nn.Dense(3, 4))")
        assert _check.main([str(script)]) == 0
        assert "mindspore.nn.Dense" not in capsys.readouterr().out
        script.write_text("import mindspore as ms\nms.ms_function(ms.nn.Dense(3, 4))")
        _check.main([str(script)])
        assert "mindspore.nn.Dense" in capsys.readouterr().out

    def test_the_release_of_the_environment_is_not_guessed(self, tmp_path):
        script = tmp_path / "script.py"
        script.write_text("import mindspore as ms\nms.jit(f)\nms.nn.BCELoss()")
        command = [sys.executable, "-m", "mindspore_compat", "--release", "1.9", "--check"]
        done = subprocess.run([*command, str(script)], timeout=120, capture_output=True, text=True)
        assert "Written for release 1.9." in done.stdout, done.stderr
        assert "mindspore.nn.BCELoss" in done.stdout

    def test_a_removed_name_is_present_in_its_release(self, tmp_path, capsys):
        script = tmp_path / "script.py"
        script.write_text("import mindspore as ms\nms.nn.TensorArray(ms.int64, ())")
        assert _check.main([str(script)]) == 1
        assert "removed in 2.8; --release gives it" in capsys.readouterr().out
        assert _check.main([str(script), "--release", "2.7"]) == 0
        assert "only with --release 2.7" in capsys.readouterr().out

    def test_signs_name_what_exists(self):
        for sign in (*releases.SINCE, *releases.BEFORE):
            path = ("mindspore", *sign.partition("(")[0].split("."))
            assert sign == "compression" or names.find(path).target is not None, sign
