"""Members that subclasses and libraries reach into: attributes of Primitives, steps of generators,
Tensors of a subclass, the compiled module."""

import subprocess
import sys

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Generator, Tensor, ops
from mindspore_compat.dataset import text, transforms


def test_attributes_of_a_primitive():
    add = ops.Add()
    add.add_prim_attr("first", 1).add_attr("second", 2)
    assert add.get_attr_dict() == {"first": 1, "second": 2}
    assert (add.second, add.attrs) == (2, {"first": 1})
    add.get_attr_dict()["third"] = 3
    assert "third" not in add.get_attr_dict()
    with pytest.raises(TypeError, match="For 'Add', 'name' must be a str"):
        add.add_attr(3, 4)


@pytest.mark.parametrize("name", ["Shape", "Size", "Rank", "DType"])
def test_queries_are_primitives(name):
    query = getattr(ops, name)()
    assert isinstance(query, ops.Primitive) and query.name == name
    x = Tensor(np.zeros((2, 3), np.float32))
    assert query(x) == {"Shape": (2, 3), "Size": 6, "Rank": 2, "DType": ms.float32}[name]


def test_a_generator_moves_on():
    generator = Generator().manual_seed(5)
    steps = [generator._step(Tensor(count)) for count in (3, 4)]
    assert [(int(seed), int(offset)) for seed, offset in steps] == [(5, 0), (5, 3)]
    assert steps[0][0].dtype == ms.int64
    assert generator.get_state().asnumpy()[8] == 7
    with pytest.raises(TypeError, match="'step' must be a Tensor"):
        generator._step(3)


def test_a_subclass_shares_the_memory():
    class Named(Tensor):
        def __init__(self):
            raise AssertionError("it is not called")

    base = Tensor([1.0, 2.0])
    named = Tensor._make_subclass(Named, base, label="x")
    named[0] = 9
    assert (type(named), named.label, base.asnumpy().tolist()) == (Named, "x", [9, 2])
    for arguments in ((3, base), (Named, 3), (int, base)):
        with pytest.raises(TypeError, match=r"For 'Tensor\._make_subclass'"):
            Tensor._make_subclass(*arguments)


def test_the_compiled_module_limits_threads():
    script = """
from mindspore_compat import _c_expression
from mindspore_compat._backend.threads import scheduler
from mindspore_compat import Tensor
assert _c_expression.TensorPy is Tensor
_c_expression.disable_multi_thread()
print(scheduler.threads())
"""
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "1"


def test_padding_leaves_a_scalar():
    assert transforms.PadEnd([2], 7)(np.array(3)).tolist() == 3


def test_truncated_text_is_as_wide_as_its_longest_word():
    words = text.Truncate(2)(np.array(["ab", "c", "defg"]))
    assert words.tolist() == ["ab", "c"] and words.dtype == np.dtype("<U2")


def test_the_dtype_of_labels():
    check = ms.nn.loss.loss._check_label_dtype
    for dtype in (ms.int32, ms.int64):
        check(dtype, "Focal")
    with pytest.raises(TypeError, match="For 'Focal', 'labels' must be of dtype int32 or int64"):
        check(ms.float32, "Focal")


def test_inputs_of_losses_that_are_no_tensors():
    check = ms.nn.loss.loss._check_is_tensor
    check("logits", ms.Tensor([1.0]), "Focal")
    check("logits", ms.Parameter(1.0), "Focal")
    check("logits", None, "Focal")
    with pytest.raises(TypeError, match="For 'Focal', 'logits' must be a Tensor, but got float"):
        check("logits", 1.0, "Focal")
