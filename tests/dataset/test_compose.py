"""The results of direct calls of Compose have the types that MindSpore 2.10 gives."""

import numpy as np
import pytest

import mindspore_compat.dataset as ds
from mindspore_compat.dataset import transforms, vision

IMAGE = np.random.default_rng(0).integers(0, 256, (12, 16, 3), dtype=np.uint8)
IN_PYTHON = {  # transforms of one Compose → whether MindSpore 2.10 runs them in Python
    "arrays": (lambda: [vision.HorizontalFlip(), vision.ToTensor()], False),
    "functions": (lambda: [lambda x: x, vision.HWC2CHW()], False),
    "to PIL": (lambda: [vision.ToPIL(), vision.Resize(3), vision.ToTensor()], True),
    "to NumPy": (lambda: [vision.ToNumpy()], False),
    "erasing": (lambda: [vision.ToTensor(), vision.RandomErasing(0.0)], True),
    "linear": (lambda: [vision.LinearTransformation(np.eye(576), np.zeros(576))], True),
    "nested": (lambda: [transforms.Compose([vision.ToPIL()]), vision.ToTensor()], True),
    "order": (lambda: [transforms.RandomOrder([vision.HorizontalFlip()])], True),
    "choice": (lambda: [transforms.RandomChoice([vision.HorizontalFlip()])], False),
    "a part": (lambda: [transforms.RandomApply([vision.RandomErasing(0.0)])], True),
}


@pytest.mark.parametrize("case", IN_PYTHON)
def test_compose_returns_a_tuple_where_the_original_runs_in_python(case):
    image = pytest.importorskip("PIL.Image")
    make, in_python = IN_PYTHON[case]
    chain = transforms.Compose(make())
    result = chain(IMAGE)
    assert (isinstance(result, tuple) and len(result) == 1) is in_python
    assert chain.implementation == in_python
    if case not in ("erasing", "linear", "a part"):  # these take no PIL image
        (array,) = chain(image.fromarray(IMAGE))
        np.testing.assert_array_equal(array, result[0] if in_python else result)
    rows = ds.NumpySlicesDataset([IMAGE], ["image"]).map(chain, "image")
    (row,) = rows.create_tuple_iterator(output_numpy=True)
    np.testing.assert_array_equal(row[0], result[0] if in_python else result)
