"""The gradient of a weight that a recorded step uses many times is computed in few matrix
products."""

import numpy as np
import pytest
from kit import close_sums
from kit.steps import STEPS, Run, batches, network_of, plain_step, replays, runs

from mindspore_compat import nn, ops
from mindspore_compat._backend.steps import weight_products
from mindspore_compat._backend.thresholds import Least, Most
from mindspore_compat.common._graph_mode import reachable

pytestmark = [pytest.mark.host, pytest.mark.usefixtures("recording_allowed")]
USES = 7


class Repeated(nn.Cell):
    """Uses a dense layer and an LSTM cell alternately; returns the sum of all outputs."""

    def __init__(self):
        super().__init__()
        self.dense, self.cell = nn.Dense(5, 5), nn.LSTMCell(5, 5)

    def construct(self, x):
        state, total = (x, x), 0
        for _ in range(USES):
            x = ops.tanh(self.dense(x))
            state = self.cell(x, state)
            total = total + state[0]
        return total


@pytest.fixture
def sums(monkeypatch):
    """The number of products that each sum joins."""
    found, sum_of = [], weight_products.sum_of

    def noted(products, total):
        found.append(len(products))
        return sum_of(products, total)

    monkeypatch.setattr(weight_products, "sum_of", noted)
    monkeypatch.setattr(Least, "JOINED_WORK", 1)
    return found


@pytest.mark.parametrize(
    "most, groups", [(100, [7, 7, 7]), (2, [5, 2, 7, 7])], ids=["one", "several"]
)
def test_products_of_all_uses_are_joined(most, groups, sums, monkeypatch):
    monkeypatch.setattr(Most, "JOINED_OPERANDS", most)
    eager, recorded = runs((Repeated, (1, 5)), "Momentum")
    assert replays(recorded.step) == [STEPS - reachable.WARM_UP - 1]
    assert sorted(sums) == sorted(groups * replays(recorded.step)[0]), "of three weights"
    for mine, others in zip(recorded.results, eager.results, strict=True):
        close_sums(mine.astype(np.float32), others.astype(np.float32))
    for name, value in recorded.values.items():
        close_sums(value, eager.values[name])


def test_few_or_small_products_stay_as_they_are(sums, monkeypatch):
    monkeypatch.setattr(Least, "JOINED_PRODUCTS", USES + 1)
    eager, recorded = runs((Repeated, (2, 5)), "Momentum")
    recorded.same_as(eager)
    monkeypatch.setattr(Least, "JOINED_PRODUCTS", 2)
    monkeypatch.setattr(Least, "JOINED_WORK", 1 << 18)
    eager, recorded = runs((Repeated, (2, 5)), "Momentum")
    recorded.same_as(eager)
    assert sums == []


def lines_of(*, writes=(0, 0, 0), also=""):
    """The lines of a plan with three products, with the number of writes before each product."""
    product = weight_products.Product(np.ones((2, 3)), np.ones((2, 4)))
    joins, lines = weight_products.Joins(), []
    for slot in ("s1", "s2", "s4"):
        lines.append(f"({slot}, s9, ) = c0(host, x0)")
        joins.note_product(slot, len(lines) - 1, product, writes[min(len(lines) // 2, 2)])
        if len(lines) > 1:
            total, left = ("s3", "s1") if slot == "s2" else ("s5", "s3")
            lines.append(f"{total} = add({left}, {slot})")
            joins.note_sum(total, len(lines) - 1, left, slot, writes[len(lines) // 2])
    names = {id(weight_products.HOST): "host", id(weight_products.DEFERRING): "deferring"}
    return joins.apply([*lines, also], "s5", lambda value: names.get(id(value), "sum_of"))


def test_a_product_that_is_used_twice_or_across_a_write_is_not_joined(sums, monkeypatch):
    monkeypatch.setattr(Least, "JOINED_PRODUCTS", 2)
    assert "s5 = sum_of((s1, s2, s4, ), None)" in lines_of()
    assert "s3 = sum_of((s1, s2, ), None)" in lines_of(also="c7(s4)")
    assert not any("sum_of" in line for line in lines_of(also="c7(s1, s3, s4)"))
    assert "s3 = sum_of((s1, s2, ), None)" in lines_of(writes=(0, 0, 1))


def test_a_joined_sum_is_added_to_gradients_of_other_uses(sums):
    class Tied(Repeated):
        def construct(self, x):
            return super().construct(x) + x @ self.dense.weight

    eager, recorded = (
        Run(graph, plain_step(network_of((Tied, (2, 5)))[0], "Momentum"), batches((2, 5)))
        for graph in (False, True)
    )
    assert max(sums) >= Least.JOINED_PRODUCTS
    for name, value in recorded.values.items():
        close_sums(value, eager.values[name])


def test_a_sum_of_products():
    rng = np.random.default_rng(0)
    pairs = [(rng.standard_normal((n, 3)), rng.standard_normal((n, 4))) for n in (2, 1, 5)]
    products, total = [weight_products.Product(*pair) for pair in pairs], np.ones((3, 4))
    want = sum(g.T @ x for g, x in pairs)
    np.testing.assert_allclose(weight_products.sum_of(products, None), want)
    assert weight_products.sum_of(products, total) is total
    np.testing.assert_allclose(total, want + 1)
