"""WaitedDSCallback: when it is called in a training, and its behaviour outside one."""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import dataset as ds
from mindspore_compat import nn
from mindspore_compat.train import Callback


class Net(nn.Cell):
    def construct(self, x, y):
        return x


class Waited(ds.WaitedDSCallback):
    """Notes when the dataset is called, and what training reported."""

    def __init__(self, events, step_size=1):
        super().__init__(step_size)
        self.events = events

    def sync_epoch_begin(self, train_run_context, ds_run_context):
        assert train_run_context.original_args().batch_num in (2, 4)
        self.events.append(("epoch of data", ds_run_context.cur_epoch_num))

    def sync_step_begin(self, train_run_context, ds_run_context):
        seen = train_run_context.original_args().cur_step_num
        self.events.append(("step of data", ds_run_context.cur_step_num, seen))


class Training(Callback):
    """Notes when training is called."""

    def __init__(self, events):
        self.events = events

    def epoch_end(self, run_context):
        self.events.append(("epoch", run_context.original_args().cur_epoch_num))

    def step_end(self, run_context):
        self.events.append(("step", run_context.original_args().cur_step_num))


def run(waited, events, batch=1, epochs=2):
    data = np.arange(4, dtype=np.float32)
    rows = ds.NumpySlicesDataset((data, data), ["x", "y"], shuffle=False)
    rows = rows.map(lambda x: x, callbacks=waited).batch(batch)
    ms.Model(Net()).train(
        epochs, rows, callbacks=[Training(events), waited], dataset_sink_mode=False
    )


def test_data_waits_for_each_step_and_epoch():
    events = []
    run(Waited(events), events)
    steps = [
        [("step of data", number, number - 1)] * (number > 1) + [("step", number)]
        for number in range(1, 9)
    ]
    first, second = sum(steps[:4], []), sum(steps[4:], [])
    assert events == [*first, ("epoch", 1), ("epoch of data", 2), *second, ("epoch", 2)]


def test_a_step_may_have_several_rows():
    events = []
    run(Waited(events, 2), events, batch=2)
    assert [each for each in events if each[0] == "step of data"] == [
        ("step of data", 3, 1),
        ("step of data", 5, 2),
        ("step of data", 7, 3),
    ]


def test_only_what_is_defined_waits():
    class Epochs(ds.WaitedDSCallback):
        called = 0

        def sync_epoch_begin(self, train_run_context, ds_run_context):
            self.called += 1

    waited = Epochs()
    run(waited, [], epochs=3)
    assert waited.called == 2 and waited.training_ended


def test_data_that_is_not_trained_on_waits_in_vain():
    before = ds.config.get_callback_timeout()
    ds.config.set_callback_timeout(1)
    try:
        rows = ds.NumpySlicesDataset([1, 2], ["x"]).map(lambda x: x, callbacks=Waited([]))
        iterator = rows.create_tuple_iterator(num_epochs=1)
        next(iterator)
        with pytest.raises(RuntimeError, match="'ds_step_begin' waited 1 seconds"):
            next(iterator)
    finally:
        ds.config.set_callback_timeout(before)


def test_after_training_nothing_waits():
    waited = Waited([])
    run(waited, [], epochs=1)
    rows = ds.NumpySlicesDataset([1, 2], ["x"]).map(lambda x: x, callbacks=waited)
    assert len(list(rows)) == 2


@pytest.mark.parametrize("step_size, error", [("a", TypeError), (1.0, TypeError), (0, ValueError)])
def test_what_a_step_may_be(step_size, error):
    with pytest.raises(error, match="'step_size'"):
        ds.WaitedDSCallback(step_size)


def test_it_is_a_callback_of_both():
    assert issubclass(ds.WaitedDSCallback, Callback)
    assert issubclass(ds.WaitedDSCallback, ds.DSCallback)


@pytest.mark.parametrize("kind", [ds.DSCallback, ds.WaitedDSCallback])
def test_a_callback_must_define_something(kind):
    rows = ds.NumpySlicesDataset([1, 2], ["x"]).map(lambda x: x, callbacks=kind())
    with pytest.raises(AttributeError, match="must be defined"):
        list(rows)

    class Telling(kind):
        def sync_step_begin(self, *contexts):
            """Is called by waited ones."""

        def ds_epoch_end(self, context):
            self.ended = True

    seen = Telling()
    assert seen.create_runtime_obj() is seen
    list(ds.NumpySlicesDataset([1], ["x"]).map(lambda x: x, callbacks=seen))
    assert seen.ended
