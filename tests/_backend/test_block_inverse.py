"""Block inverses and products with them, compared with NumPy in float64."""

import numpy as np
import pytest
from kit import close, close_sums

from mindspore_compat._backend import arrays, block_inverse
from mindspore_compat._backend.threads import scheduler


def symmetric(size, seed=0):
    root = np.random.default_rng(seed).standard_normal((size, size))
    return (root @ root.T / size).astype(np.float32)


def whole(made, size):
    """The block-diagonal matrix that blocks stand for."""
    count, width, _ = made.shape
    out = np.zeros((count * width, count * width))
    for index in range(count):
        out[index * width : (index + 1) * width, index * width : (index + 1) * width] = made[index]
    return out[:size, :size]


def by_hand(matrix, shift):
    out = np.zeros(matrix.shape)
    for start in range(0, len(matrix), 128):
        part = matrix[start : start + 128, start : start + 128].astype(np.float64)
        out[start : start + 128, start : start + 128] = np.linalg.inv(
            part + shift * np.eye(len(part))
        )
    return out


@pytest.mark.parametrize("size", [1, 5, 128, 129, 256, 300])
def test_inverses_and_products(space, size):
    matrix = symmetric(size)
    made, used = block_inverse.inverse_blocks(space.asarray(matrix), 0.05)
    assert used == 0.05
    host = arrays.to_host(made)
    assert host.shape == block_inverse.shape_of(size) and host.dtype == np.float32
    expected = by_hand(matrix, 0.05)
    close(whole(host, size), expected, atol=1e-5)
    x = np.random.default_rng(1).standard_normal((size, 3)).astype(np.float32)
    left = block_inverse.blocks_times(made, space.asarray(x))
    right = block_inverse.times_blocks(space.asarray(np.ascontiguousarray(x.T)), made)
    for found, wanted in ((left, expected @ x), (right, x.T @ expected)):
        found = arrays.to_host(found)
        assert found.shape == wanted.shape
        close_sums(found, wanted)


def test_rounding_above_the_diagonal_takes_no_more_damping(space):
    """On a GPU the product x.T @ x is symmetric except for the last bits."""
    matrix = symmetric(200)
    matrix += np.triu(np.full(matrix.shape, np.float32(1e-6)), 1)
    found, used = block_inverse.inverse_blocks(space.asarray(matrix), 0.05)
    assert used == 0.05
    lower = np.tril(matrix) + np.tril(matrix, -1).T
    close(whole(arrays.to_host(found), 200), by_hand(lower, 0.05), atol=1e-5)


SHAPES = [(1, 5), (128, 640), (64, 147), (300, 700), (10, 512)]


def triples_of(space):
    """Returns, for each of SHAPES, (blocks, a matrix, blocks), and the explicit products."""
    triples, expected = [], []
    for rows, size in SHAPES:
        left, right = symmetric(rows), symmetric(size)
        x = np.random.default_rng(2).standard_normal((rows, size)).astype(np.float32)
        made = [block_inverse.inverse_blocks(space.asarray(each), 0.5)[0] for each in (left, right)]
        triples.append((made[0], space.asarray(x), made[1]))
        expected.append(by_hand(left, 0.5) @ x @ by_hand(right, 0.5))
    return triples, expected


def test_products_between_blocks_of_many_layers(space):
    triples, expected = triples_of(space)
    made = block_inverse.between_blocks(triples)
    for found, wanted in zip(made, expected, strict=True):
        found = arrays.to_host(found)
        assert found.dtype == np.float32 and found.shape == wanted.shape
        close_sums(found, wanted)


@pytest.mark.host
def test_products_between_blocks_have_the_same_bits_with_any_number_of_threads():
    triples, _ = triples_of(arrays.space_of(np.empty(0)))
    made = []
    try:
        for count in (1, 2, 4):
            scheduler.limit(count)
            made.append([each.tobytes() for each in block_inverse.between_blocks(triples)])
    finally:
        scheduler.limit(0)
    assert made[0] == made[1] == made[2]


def test_a_block_that_is_not_finite_spoils_itself_only(space):
    matrix = symmetric(200)
    matrix[150, 150] = np.inf
    made, _ = block_inverse.inverse_blocks(space.asarray(matrix), 0.1)
    finite = space.isfinite(made)
    assert bool(space.all(finite[0])) and not bool(space.any(finite[1]))


@pytest.mark.parametrize("scale", [0.0, 1e-6, 1.0, 1e9])
def test_a_matrix_that_is_not_positive_definite_gets_more_on_its_diagonal(space, scale):
    matrix = np.full((5, 5), scale, np.float32)
    matrix[0, 0] *= 0.999
    made, used = block_inverse.inverse_blocks(space.asarray(matrix), 0.0)
    host = arrays.to_host(made)
    assert used == pytest.approx(1e-3 * scale or 1.0, rel=1e-2)
    assert np.isfinite(host).all() and (np.linalg.eigvalsh(whole(host, 5)) > 0).all()


@pytest.mark.parametrize("scale", [1e-9, 1e9])
def test_the_size_of_the_numbers_does_not_matter(space, scale):
    matrix = symmetric(130) * np.float32(scale)
    made, used = block_inverse.inverse_blocks(space.asarray(matrix), 0.05 * scale)
    host = arrays.to_host(made)
    assert used == 0.05 * scale
    expected = by_hand(matrix, 0.05 * scale)
    # The inverse of a float32 matrix, by another method.
    np.testing.assert_allclose(whole(host, 130) * scale, expected * scale, rtol=2e-4, atol=1e-5)
