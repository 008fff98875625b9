"""Variables within jit: values unknown to a graph, and rejected sequences."""

import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, mint, mutable, ops


def within_jit(function):
    return ms.jit(function)()


def test_what_is_computed_from_a_variable_is_one():
    def found():
        n = mutable(2)
        return [ops.isconstant(v) for v in (n, n + 1, 3 * n, -n, (n, 1), 3, mutable((1, 2))[0])]

    assert within_jit(found) == [False, False, False, False, False, True, False]
    assert found() == [True] * 7


def test_tensors_are_variables_within_jit():
    def found(x):
        pair = [x, x + 1]
        return (
            ops.isconstant(x),
            ops.isconstant(pair),
            ops.is_sequence_value_unknown(pair * 2),
            ops.is_sequence_shape_unknown(pair * 2),
            ops.isconstant(len(pair)),
        )

    assert ms.jit(found)(Tensor([1])) == (False, False, True, False, True)
    assert ops.isconstant(Tensor([1]))


def test_results_of_variables_are_plain_numbers_outside():
    assert type(mutable(2) + 1) is int and mutable(2) + 1 == 3
    assert type(mutable((1, 2)) + (3,)) is tuple
    assert mutable([1, 2])[0] == 1 and mutable([1, 2]) * 2 == [1, 2, 1, 2]


@pytest.mark.parametrize(
    "make, unknown",
    [
        (lambda: mutable((1, 2), True), (True, True)),
        (lambda: mutable((1, 2), True) * 2, (True, True)),
        (lambda: mutable((1, 2)) * 2, (False, True)),
        (lambda: mutable((1, 2)) * mutable(2), (True, True)),
        (lambda: [1, 2] * mutable(2), (True, True)),
        (lambda: mutable((1, 2), True)[1:], (True, True)),
        (lambda: mutable((1, 2)) + (3,), (False, True)),
        (lambda: mutable((1, 2)) + mutable((3,), True), (True, True)),
        (lambda: (1, mutable(2)), (False, True)),
        (lambda: (1, 2), (False, False)),
    ],
)
def test_what_is_unknown_of_a_sequence(make, unknown):
    def found():
        x = make()
        return ops.is_sequence_shape_unknown(x), ops.is_sequence_value_unknown(x)

    assert within_jit(found) == unknown


def test_an_empty_sequence_of_dynamic_length_has_unknown_items():
    assert ops.is_dynamic_sequence_element_unknown(mutable([], True))
    assert not ops.is_dynamic_sequence_element_unknown(mutable([1], True))
    with pytest.raises(TypeError, match="variable length"):
        ops.is_dynamic_sequence_element_unknown([])
    with pytest.raises(TypeError, match="tuple or list"):
        ops.is_sequence_value_unknown(3)


def changed(change):
    x = mutable([1, 2], True)
    change(x)
    return x


@pytest.mark.parametrize(
    "refused, error",
    [
        (lambda: mutable((1, 2.0), True), ValueError),
        (lambda: mutable(mutable((1, 2), True)), RuntimeError),
        (lambda: changed(lambda x: x.append(2.0)), TypeError),
        (lambda: changed(lambda x: x.extend([2])), RuntimeError),
        (lambda: changed(lambda x: x.__setitem__(0, Tensor(1))), TypeError),
        (lambda: changed(lambda x: x.__setitem__(slice(1), [1.0])), ValueError),
        (lambda: changed(lambda x: x.insert(0, 2.0)), TypeError),
        (lambda: mutable([1], True) + [2.0], TypeError),
        (lambda: [2.0] + mutable([1], True), TypeError),
        (lambda: (1, 2) + mutable((3.0,), True), TypeError),
        (lambda: mutable((Tensor([1]),), True) + (Tensor([1, 2]),), TypeError),
        (lambda: changed(lambda x: x.__iadd__([2.0])), TypeError),
        (lambda: mutable((1, 2), True).count(1.0), TypeError),
        (lambda: mutable((1, 2), True).index(1.0), TypeError),
        (lambda: mutable((1, 2))[mutable(2)], ValueError),
        (lambda: mutable((1, 2), True)[mutable(-3)], ValueError),
        (lambda: mutable((1, 2), True)[2], RuntimeError),
        (lambda: changed(lambda x: x.__setitem__(2, 1)), ValueError),
        (lambda: mutable([], True)[0], RuntimeError),
        (lambda: mutable([])[mutable(0)], ValueError),
    ],
)
def test_refusals_within_jit(refused, error):
    with pytest.raises(error):
        within_jit(refused)


def test_sequences_of_dynamic_length_take_items_alike():
    def grown():
        x = mutable([1, 2], True)
        x.append(3)
        x[0:1] = [5, 6]
        return x

    assert within_jit(grown) == [5, 6, 2, 3]
    assert changed(lambda x: x.append(2.0)) == [1, 2, 2.0]
    with pytest.raises(TypeError):
        mutable(Tensor(1), True)


def test_joined_sequences_of_dynamic_length_stay_dynamic():
    def joined():
        x = mutable((1, 2), True)
        return [ops.is_sequence_shape_unknown(y) for y in ((3,) + x, x + (3,), (1, 2) + (3,))]

    assert within_jit(joined) == [True, True, False]
    assert within_jit(lambda: 1.0 in mutable((1, 2), True)) is False
    assert (2.0,) + mutable((1,), True) == (2.0, 1)
    assert 1.0 in mutable((1, 2), True)


def test_sequences_join_tensors_by_the_rule_of_the_tensor():
    x = mutable([1, 2])
    assert within_jit(lambda: x + Tensor([3, 4])).asnumpy().tolist() == [4, 6]
    assert (mutable((1, 2)) * Tensor([3, 4])).asnumpy().tolist() == [3, 8]


@pytest.mark.parametrize(
    "call",
    [
        lambda x: ops.celu(x, mutable(1.0)),
        lambda x: ops.huber_loss(x, x, delta=mutable(1.0)),
        lambda x: mint.add(x, x, alpha=mutable(2)),
        lambda x: x.sub_(x, alpha=mutable(2)),
        lambda x: x * mutable(2.5) + mutable(2),
    ],
)
def test_a_variable_number_does_not_promote(call):
    assert call(Tensor([1.0, -2.0])).dtype == ms.float32
