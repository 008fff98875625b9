"""Loss scale managers: the objects that they create, values of a dynamic scale, rejected calls."""

import pytest

from mindspore_compat import nn
from mindspore_compat.amp import DynamicLossScaleManager, FixedLossScaleManager, LossScaleManager


def test_a_fixed_scale():
    manager = FixedLossScaleManager()
    assert manager.get_loss_scale() == 128.0
    assert manager.get_drop_overflow_update() is True
    cell = manager.get_update_cell()
    assert type(cell) is nn.FixedLossScaleUpdateCell and cell.get_loss_scale() == 128.0
    manager.update_loss_scale(True)
    assert manager.get_loss_scale() == 128.0
    fixed = FixedLossScaleManager(1024, drop_overflow_update=False)
    assert fixed.get_update_cell() is None and fixed.get_loss_scale() == 1024


def test_the_course_of_a_dynamic_scale():
    manager = DynamicLossScaleManager(init_loss_scale=8, scale_factor=4, scale_window=3)
    found = []
    for overflow in (False, False, False, False, True, False, False, False, True, True, True):
        manager.update_loss_scale(overflow)
        found.append(manager.get_loss_scale())
    assert found == [8, 8, 32, 32, 8, 8, 8, 32, 8, 2, 1]
    cell = manager.get_update_cell()
    assert type(cell) is nn.DynamicLossScaleUpdateCell
    assert (cell.loss_scale_value, cell.scale_factor, cell.scale_window) == (1, 4, 3)
    assert manager.get_drop_overflow_update() is True
    assert DynamicLossScaleManager().get_loss_scale() == 2**24


def test_more_than_a_thousand_overflows_in_a_row_are_an_error():
    manager = DynamicLossScaleManager()
    for _ in range(1000):
        manager.update_loss_scale(True)
    with pytest.raises(RuntimeError, match="1001 steps"):
        manager.update_loss_scale(True)


def test_a_finite_step_ends_the_row():
    manager = DynamicLossScaleManager()
    for _ in range(3):
        for _ in range(900):
            manager.update_loss_scale(True)
        manager.update_loss_scale(False)
    assert manager.get_loss_scale() == 1


@pytest.mark.parametrize(
    "manager, arguments, error",
    [
        (FixedLossScaleManager, (0.5,), ValueError),
        (FixedLossScaleManager, ("1",), TypeError),
        (FixedLossScaleManager, (float("nan"),), ValueError),
        (DynamicLossScaleManager, (0.5,), ValueError),
        (DynamicLossScaleManager, ("8",), TypeError),
        (DynamicLossScaleManager, (8, 0), ValueError),
        (DynamicLossScaleManager, (8, "2"), TypeError),
        (DynamicLossScaleManager, (8, 2, 0), ValueError),
        (DynamicLossScaleManager, (8, 2, 1.5), TypeError),
    ],
    ids=str,
)
def test_refusals(manager, arguments, error):
    with pytest.raises(error, match=f"For '{manager.__name__}'"):
        manager(*arguments)


def test_a_manager_of_a_script():
    class Held(LossScaleManager):
        def get_loss_scale(self):
            return 2.0

        def update_loss_scale(self, overflow):
            self.last = overflow

        def get_update_cell(self):
            return None

    manager = Held()
    manager.update_loss_scale(True)
    assert manager.last and manager.get_loss_scale() == 2.0
