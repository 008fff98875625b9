"""reshape_and_cache writes each token's row into its slot."""

import numpy
import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, ops
from mindspore_compat.ops.auto_generate import reshape_and_cache

RNG = numpy.random.default_rng(0)
SLOTS = Tensor([7, 0, 10], ms.int32)


def tensor(*shape, dtype="float16"):
    return Tensor(RNG.standard_normal(shape).astype(dtype))


@pytest.mark.parametrize("shape", [(3, 2, 5), (3, 10), (1, 3, 10)])
def test_rows_go_to_their_slots(shape):
    key, value = tensor(*shape), tensor(*shape)
    caches = [Parameter(tensor(3, 4, 2, 5), name=name) for name in ("key", "value")]
    before = [cache.asnumpy().copy() for cache in caches]
    assert ops.ReshapeAndCache()(key, value, *caches, SLOTS) is key
    for rows, cache, old in zip((key, value), caches, before):
        wanted = old.copy()
        for row, slot in zip(rows.asnumpy().reshape(3, 2, 5), (7, 0, 10)):
            wanted[slot // 4, slot % 4] = row
        numpy.testing.assert_array_equal(cache.asnumpy(), wanted)


def test_keys_alone():
    cache, key = tensor(3, 4, 2, 5), tensor(3, 2, 5)
    reshape_and_cache(key, key_cache=cache, slot_mapping=SLOTS)
    numpy.testing.assert_array_equal(cache.asnumpy()[1, 3], key.asnumpy()[0])


@pytest.mark.parametrize(
    "change, error",
    [
        (dict(key=1), TypeError),
        (dict(key_cache=None), TypeError),
        (dict(value=None), TypeError),
        (dict(slot_mapping=None), TypeError),
        (dict(slot_mapping=tensor(3)), TypeError),
        (dict(key=tensor(3, 2, 5, dtype="float32")), TypeError),
        (dict(key=tensor(3, 2, 4)), ValueError),
        (dict(slot_mapping=SLOTS + 2), ValueError),
        (dict(slot_mapping=SLOTS - 1), ValueError),
        (dict(slot_mapping=SLOTS[:2]), ValueError),
    ],
)
def test_refusals_change_nothing(change, error):
    given = dict(
        key=tensor(3, 2, 5),
        value=tensor(3, 2, 5),
        key_cache=tensor(3, 4, 2, 5),
        value_cache=tensor(3, 4, 2, 5),
        slot_mapping=SLOTS,
    )
    before = given["value_cache"].asnumpy().copy()
    with pytest.raises(error, match="^For 'reshape_and_cache'"):
        reshape_and_cache(**{**given, **change})
    numpy.testing.assert_array_equal(given["value_cache"].asnumpy(), before)
