"""Random numbers of mint: distributions, generators, devices, and rejected calls."""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, mint


@pytest.fixture(autouse=True)
def seeded():
    ms.set_seed(11)


X = Tensor(np.ones((40, 50), np.float32))


@pytest.mark.parametrize(
    "make, mean, deviation",
    [
        (lambda: mint.rand(40, 50), 0.5, 12**-0.5),
        (lambda: mint.rand((40, 50), ms.float32), 0.5, 12**-0.5),
        (lambda: mint.rand_like(X), 0.5, 12**-0.5),
        (lambda: mint.randn([40, 50], device="Ascend"), 0, 1),
        (lambda: mint.randn_like(X, device="npu"), 0, 1),
        (lambda: mint.normal(2.0, 3.0, (40, 50)), 2, 3),
        (lambda: mint.normal(X, 3.0), 1, 3),
        (lambda: mint.normal(0.0, X * 2), 0, 2),
        (lambda: mint.normal(0, 3, (40, 50)), 0, 3),
        (lambda: mint.normal(X, True), 1, 1),
        (lambda: mint.randint(2, 6, (40, 50)), 3.5, 1.25**0.5),
        (lambda: mint.randint(4, (40, 50)), 1.5, 1.25**0.5),
        (lambda: mint.randint_like(X, 2, 6), 3.5, 1.25**0.5),
        (lambda: mint.bernoulli(X * 0.3), 0.3, 0.21**0.5),
    ],
)
def test_moments(make, mean, deviation):
    found = make()
    assert found.shape == (40, 50)
    values = found.asnumpy().astype(float)
    assert values.mean() == pytest.approx(mean, abs=5 * deviation / 2000**0.5)
    assert values.std() == pytest.approx(deviation, rel=0.1)


@pytest.mark.parametrize(
    "make, dtype",
    [
        (lambda: mint.rand(3), ms.float32),
        (lambda: mint.rand(3, dtype=ms.float16), ms.float16),
        (lambda: mint.randn((3,), ms.float64), ms.float64),
        (lambda: mint.rand_like(X, dtype=ms.float64), ms.float64),
        (lambda: mint.rand_like(X.astype(ms.float16)), ms.float16),
        (lambda: mint.randint(5, (3,)), ms.int64),
        (lambda: mint.randint(5, (3,), dtype=ms.float32), ms.float32),
        (lambda: mint.randint_like(X, 5), ms.float32),
        (lambda: mint.randint_like(X, 5, dtype=ms.int32), ms.int32),
        (lambda: mint.bernoulli(X.astype(ms.float16)), ms.float16),
        (lambda: mint.multinomial(X, 3), ms.int64),
    ],
)
def test_dtypes(make, dtype):
    assert make().dtype == dtype


def test_a_generator_has_numbers_of_its_own():
    def drawn(seed):
        generator = ms.Generator()
        generator.manual_seed(seed)
        return [
            make(generator=generator).asnumpy().tolist()
            for make in (
                lambda **g: mint.rand(4, **g),
                lambda **g: mint.randn(4, **g),
                lambda **g: mint.randint(100, (4,), **g),
                lambda **g: mint.normal(0.0, 1.0, (4,), **g),
                lambda **g: mint.bernoulli(X * 0.5, **g),
                lambda **g: mint.multinomial(X[0], 4, **g),
            )
        ]

    assert drawn(3) == drawn(3) != drawn(4)
    assert mint.normal(0.0, 1.0, (4,), ms.Generator()).shape == (4,)


def test_multinomial_draws_without_replacement_unless_asked():
    for _ in range(20):
        assert sorted(mint.multinomial(X[0, :5], 5).asnumpy()) == [0, 1, 2, 3, 4]
    weights = Tensor([0.0, 1.0, 3.0])
    counts = np.bincount(mint.multinomial(weights, 4000, True).asnumpy(), minlength=3)
    assert counts[0] == 0 and counts[2] == pytest.approx(3000, abs=150)


@pytest.mark.parametrize(
    "make, error",
    [
        (lambda: mint.rand(2, device="CPU"), RuntimeError),
        (lambda: mint.rand(2, device="GPU"), ValueError),
        (lambda: mint.rand(2, device=1), TypeError),
        (lambda: mint.rand(2, seed=1), TypeError),
        (lambda: mint.rand(2, 3, ms.float16), TypeError),
        (lambda: mint.rand((2,), dtype=ms.int32), TypeError),
        (lambda: mint.rand(-1), ValueError),
        (lambda: mint.rand(2.0), TypeError),
        (lambda: mint.randn(2, device="CPU"), RuntimeError),
        (lambda: mint.rand_like(X, device="GPU"), ValueError),
        (lambda: mint.rand_like(X.astype(ms.int32)), TypeError),
        (lambda: mint.rand_like(X, dtype=ms.int32), TypeError),
        (lambda: mint.rand_like(1), TypeError),
        (lambda: mint.randn_like(X, device="CPU"), RuntimeError),
        (lambda: mint.randint(5, (2,), device="CPU"), RuntimeError),
        (lambda: mint.randint(0, 5, (2,), device="cuda"), ValueError),
        (lambda: mint.randint(0.5, 5, (2,)), TypeError),
        (lambda: mint.randint(0, 5, 2), TypeError),
        (lambda: mint.randint((2,)), TypeError),
        (lambda: mint.randint(5, 5, (2,)), RuntimeError),
        (lambda: mint.randint_like(X, 5, device="GPU"), ValueError),
        (lambda: mint.randint_like(X, True), TypeError),
        (lambda: mint.randint_like(X), TypeError),
        (lambda: mint.randint_like(), TypeError),
        (lambda: mint.normal("1", X), TypeError),
        (lambda: mint.normal(X, None), TypeError),
        (lambda: mint.normal(0, -1, (2,)), ValueError),
        (lambda: mint.normal(0.0, 1.0), TypeError),
        (lambda: mint.normal(0.0, -1.0, (2,)), ValueError),
        (lambda: mint.bernoulli(X.astype(ms.int32)), TypeError),
        (lambda: mint.bernoulli(X * 2), ValueError),
        (lambda: mint.bernoulli(X * float("nan")), ValueError),
        (lambda: mint.multinomial(X, 0.5), TypeError),
        (lambda: mint.multinomial(X, 0), RuntimeError),
        (lambda: mint.multinomial(X, 51), RuntimeError),
    ],
)
def test_wrong_arguments_are_refused(make, error):
    with pytest.raises(error):
        make()
