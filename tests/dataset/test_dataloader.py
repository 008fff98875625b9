"""Batches of Tensors from indexed and iterable data. Orders are those of MindSpore 2.10."""

import collections

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor
from mindspore_compat.dataset.dataloader import (
    BatchSampler,
    DataLoader,
    Dataset,
    DistributedSampler,
    IterableDataset,
    RandomSampler,
    SequentialSampler,
    TensorDataset,
    default_collate,
    default_convert,
    get_worker_info,
)


class Squares(Dataset):
    """Row i is (i, i squared)."""

    def __init__(self, length=10):
        self.length = length

    def __getitem__(self, index):
        if index == 99:
            raise KeyError("no such row")
        return index, np.float32(index**2)

    def __len__(self):
        return self.length


class Counting(IterableDataset):
    """Numbers from 0 on; each of several workers has its own."""

    def __iter__(self):
        info = get_worker_info()
        first, step = (0, 1) if info is None else (info.id, info.num_workers)
        return iter(range(first, 7, step))

    def __len__(self):
        return 7


def listed(loader):
    """The batches as lists."""
    return [
        [part.asnumpy().tolist() for part in batch]
        if isinstance(batch, list)
        else batch.asnumpy().tolist()
        for batch in loader
    ]


@pytest.mark.parametrize("workers", [0, 2])
def test_batches_by_index(workers):
    loader = DataLoader(Squares(5), batch_size=2, num_workers=workers)
    expected = [[[0, 1], [0, 1]], [[2, 3], [4, 9]], [[4], [16]]]
    assert listed(loader) == expected
    assert listed(loader) == expected
    assert len(loader) == 3
    assert len(DataLoader(Squares(5), 2, drop_last=True)) == 2


@pytest.mark.parametrize("workers", [0, 1])
def test_batches_of_what_is_iterated(workers):
    loader = DataLoader(Counting(), batch_size=3, num_workers=workers)
    assert listed(loader) == [[0, 1, 2], [3, 4, 5], [6]]
    assert len(loader) == 3
    assert listed(DataLoader(Counting(), 3, drop_last=True, num_workers=workers)) == [
        [0, 1, 2],
        [3, 4, 5],
    ]
    assert list(DataLoader(Counting(), None)) == list(range(7))


def test_workers_share_what_is_iterated():
    loader = DataLoader(Counting(), batch_size=2, num_workers=2, persistent_workers=True)
    for _ in range(2):
        assert sorted(sum(listed(loader), [])) == list(range(7))


def test_an_error_of_a_worker_is_raised_here():
    loader = DataLoader(Squares(), batch_sampler=[[0], [99]], num_workers=1)
    with pytest.raises(KeyError, match="no such row"):
        list(loader)


def test_random_orders():
    def order(**settings):
        return list(RandomSampler(range(10), generator=np.random.default_rng(3), **settings))

    assert order() == np.random.default_rng(3).permutation(10).tolist()
    assert order(replacement=True, num_samples=5) == (
        np.random.default_rng(3).integers(0, 10, (5,)).tolist()
    )
    assert len(order(num_samples=25)) == 25
    assert list(BatchSampler(SequentialSampler(range(5)), 2, True)) == [[0, 1], [2, 3]]
    loader = DataLoader(Squares(), 10, shuffle=True, generator=np.random.default_rng(3))
    assert listed(loader)[0][0] == order()


def test_orders_of_several_processes():
    shares = [list(DistributedSampler(range(5), 2, rank, shuffle=False)) for rank in (0, 1)]
    assert shares == [[0, 2, 4], [1, 3, 0]]
    sampler = DistributedSampler(range(8), 2, 0, seed=4)
    sampler.set_epoch(1)
    assert list(sampler) == np.random.default_rng(5).permutation(8).tolist()[::2]
    assert len(DistributedSampler(range(5), 2, 0, drop_last=True)) == 2


def test_collating():
    pair = collections.namedtuple("pair", "a b")
    made = default_collate([pair(1, "x"), pair(2, "y")])
    assert made.a.asnumpy().tolist() == [1, 2]
    assert made.b == ["x", "y"]
    made = default_collate([{"a": 1.5, "b": Tensor([1])}, {"a": 2.5, "b": Tensor([2])}])
    assert made["a"].dtype == ms.float64
    assert made["b"].asnumpy().tolist() == [[1], [2]]
    with pytest.raises(RuntimeError, match="length"):
        default_collate([[1, 2], [1]])
    with pytest.raises(TypeError, match="object"):
        default_collate([object()])
    assert isinstance(default_convert([np.array([1])])[0], Tensor)
    assert default_convert("text") == "text"


def test_a_converted_array_shares_its_memory():
    array = np.array([1.0, 2.0])
    tensor = default_convert({"a": array})["a"]
    array[0] = 7.0
    assert tensor.asnumpy().tolist() == [7, 2]


def test_tensors_as_rows():
    data = TensorDataset(Tensor([1, 2, 3]), Tensor([4.0, 5.0, 6.0]))
    assert listed(DataLoader(data, 3)) == [[[1, 2, 3], [4, 5, 6]]]
    with pytest.raises(ValueError, match="length"):
        TensorDataset(Tensor([1]), Tensor([1, 2]))


@pytest.mark.parametrize(
    "settings, error",
    [
        ({"batch_size": 0}, ValueError),
        ({"batch_size": 1.5}, TypeError),
        ({"sampler": [0], "shuffle": True}, ValueError),
        ({"num_workers": -1}, ValueError),
        ({"batch_sampler": [[0]], "batch_size": 2}, ValueError),
        ({"timeout": -1}, ValueError),
        ({"prefetch_factor": 2}, ValueError),
        ({"persistent_workers": True}, ValueError),
        ({"generator": 3}, TypeError),
        ({"drop_last": 1}, TypeError),
    ],
)
def test_what_is_refused(settings, error):
    with pytest.raises(error):
        DataLoader(Squares(), **settings)


def test_datasets_that_are_refused():
    with pytest.raises(NotImplementedError):
        DataLoader(3)
    with pytest.raises(ValueError, match="shuffle"):
        DataLoader(Counting(), shuffle=True)
