"""Suppression of many boxes, in blocks, equals the plain loop over boxes."""

import tracemalloc

import numpy as np

from mindspore_compat import Tensor, ops

RNG = np.random.default_rng(0)


def test_many_boxes_are_suppressed_with_little_memory():
    """A mask of all pairs of 900 boxes would alone take 0.8 MB."""
    low = RNG.gamma(1, 1, (900, 2)) * 20
    boxes = np.concatenate([low, low + RNG.gamma(1, 8, (900, 2))], 1).astype(np.float32)
    order = np.argsort(-boxes[:, 3], kind="stable")
    wanted = []
    for i in order:
        corner = np.minimum(boxes[wanted, 2:], boxes[i, 2:])
        corner -= np.maximum(boxes[wanted, :2], boxes[i, :2])
        shared = np.maximum(corner, 0).prod(1)
        areas = (boxes[[*wanted, i], 2:] - boxes[[*wanted, i], :2]).prod(1)
        if not (shared > 0.4 * (areas[:-1] + areas[-1] - shared)).any():
            wanted.append(i)
    given = Tensor(boxes), Tensor(boxes[:, 3]), 900, 0.4, 0.0
    found = ops.NonMaxSuppressionV3()(*given).asnumpy()
    tracemalloc.start()
    ops.NonMaxSuppressionV3()(*given)
    memory = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.tolist() == wanted and len(wanted) > 256
    if isinstance(given[0]._array, np.ndarray):
        assert memory < 4e6
    marks = ops.NMSWithMask(0.4)(Tensor(np.column_stack([boxes, boxes[:, 3]])))[2].asnumpy()
    assert order[marks].tolist() == wanted
