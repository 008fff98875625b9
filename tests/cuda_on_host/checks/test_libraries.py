"""Functions of CuPy that call CUDA's libraries give NumPy's results."""

import cupy
import cupyx
import cupyx.scipy.fft
import cupyx.scipy.linalg
import numpy as np
import scipy.linalg

from .common import RNG, counted, refused, same


def test_products():
    for dtype, tolerance in (("f", 1e-5), ("d", 1e-12), ("e", 2e-3), ("F", 1e-5), ("D", 1e-12)):
        for a, b in (
            ((5, 40), (40, 3)),
            ((2, 5, 40), (2, 40, 3)),
            ((2, 5, 40), (40, 3)),
            ((40,), (40, 3)),
        ):
            a, b = (RNG.standard_normal(s).astype(dtype) for s in (a, b))
            if dtype in "FD":
                a = (a + 1j * RNG.standard_normal(a.shape)).astype(dtype)
            wide = {"e": "f"}.get(dtype, dtype)
            expected = (a.astype(wide) @ b.astype(wide)).astype(dtype)
            same(cupy.asarray(a) @ cupy.asarray(b), expected, 10 * tolerance)
    a = RNG.standard_normal((30, 40, 6))
    d = cupy.asarray(a)
    same(
        cupy.matmul(d.transpose(2, 1, 0), d.transpose(2, 0, 1)),
        a.transpose(2, 1, 0) @ a.transpose(2, 0, 1),
        1e-12,
    )
    same(cupy.dot(d[:, 0, 0], d[:, 1, 0]), np.dot(a[:, 0, 0], a[:, 1, 0]), 1e-12)
    axes = ([0, 1], [0, 1])
    same(cupy.tensordot(d, d, axes), np.tensordot(a, a, axes), 1e-11)
    same(cupy.einsum("ijk,ljk->il", d, d), np.einsum("ijk,ljk->il", a, a), 1e-11)
    i = RNG.integers(-9, 9, (4, 5))
    same(cupy.asarray(i) @ cupy.asarray(i.T), i @ i.T)
    out = cupy.empty((40, 40))
    same(cupy.matmul(d[:, :, 0].T, d[:, :, 1], out=out), a[:, :, 0].T @ a[:, :, 1], 1e-12)


def test_tf32():
    from cupy._core import _routines_linalg as routines

    a = RNG.standard_normal((8, 64)).astype("f")
    tf32_type, default_type = 7, 0  # COMPUTE_TYPE_TF32, COMPUTE_TYPE_DEFAULT
    routines.set_compute_type("f", tf32_type)
    try:
        rough = cupy.asnumpy(cupy.asarray(a) @ cupy.asarray(a.T))
    finally:
        routines.set_compute_type("f", default_type)
    off = abs(rough - a @ a.T).max()
    assert 1e-5 < off < 0.1, off


def test_dense_linear_algebra():
    for dtype, tolerance in (("d", 1e-10), ("f", 2e-3), ("D", 1e-10)):
        a = RNG.standard_normal((3, 6, 6)).astype(dtype)
        if dtype == "D":
            a = a + 1j * RNG.standard_normal(a.shape)
        b = RNG.standard_normal((3, 6, 2)).astype(dtype)
        p = a @ a.conj().swapaxes(1, 2) + 6 * np.eye(6, dtype=dtype)
        for x, y, q in ((a, b, p), (a[0], b[0], p[0])):
            dx, dy, dq = map(cupy.asarray, (x, y, q))
            same(cupy.linalg.cholesky(dq), np.linalg.cholesky(q), tolerance)
            same(cupy.linalg.solve(dx, dy), np.linalg.solve(x, y), tolerance)
            same(cupy.linalg.inv(dx), np.linalg.inv(x), tolerance)
            same(cupy.linalg.det(dx), np.linalg.det(x), tolerance * 100)
            w, v = cupy.linalg.eigh(dq)
            same(w, np.linalg.eigvalsh(q), tolerance)
            same(dq @ v, cupy.asnumpy(v * w[..., None, :]), tolerance * 100)
            for tall in (dx, dx[..., :4], dx[..., :4, :]):
                u, s, vh = cupy.linalg.svd(tall, full_matrices=False)
                same((u * s[..., None, :]) @ vh, tall.get(), tolerance)
                u, s, vh = cupy.linalg.svd(tall, full_matrices=True)
                same(s, np.linalg.svd(tall.get(), compute_uv=False), tolerance)
                q_, r = cupy.linalg.qr(tall)
                same(q_ @ r, tall.get(), tolerance)
            w, v = cupy.linalg.eig(dx)
            np.testing.assert_allclose(
                (dx @ v).get(), (v * w[..., None, :]).get(), 0, 30 * tolerance
            )
        same(cupy.linalg.pinv(cupy.asarray(a[0, :, :3])), np.linalg.pinv(a[0, :, :3]), tolerance)
        same(
            cupy.linalg.lstsq(cupy.asarray(a[0]), cupy.asarray(b[0]), None)[0],
            np.linalg.lstsq(a[0], b[0], None)[0],
            tolerance * 10,
        )
        for ours, theirs in zip(
            cupyx.scipy.linalg.lu(cupy.asarray(a[0])), scipy.linalg.lu(a[0]), strict=True
        ):
            np.testing.assert_allclose(ours.get(), theirs, tolerance, tolerance)
        same(
            cupyx.scipy.linalg.solve_triangular(cupy.asarray(a[0]), cupy.asarray(b[0])),
            scipy.linalg.solve_triangular(a[0], b[0]),
            1e3 * tolerance,
        )
    with cupyx.errstate(linalg="raise"):
        refused(np.linalg.LinAlgError, "", cupy.linalg.cholesky, cupy.asarray(-np.eye(3)))


def test_fourier_transforms():
    for n in (1, 8, 15, 49, 61, 128, 1001):
        x = RNG.standard_normal((3, n)) + 1j * RNG.standard_normal((3, n))
        d = cupy.asarray(x)
        same(cupy.fft.fft(d), np.fft.fft(x), 1e-11)
        same(cupy.fft.ifft(d, axis=0), np.fft.ifft(x, axis=0), 1e-12)
        same(cupy.fft.rfft(d.real), np.fft.rfft(x.real), 1e-11)
        same(cupy.fft.irfft(d, 2 * n), np.fft.irfft(x, 2 * n), 1e-11)
    x = RNG.standard_normal((4, 6, 10))
    d = cupy.asarray(x)
    same(cupy.fft.fftn(d), np.fft.fftn(x), 1e-11)
    same(cupy.fft.rfftn(d), np.fft.rfftn(x), 1e-11)
    same(cupy.fft.rfft2(d, axes=(0, 2)), np.fft.rfft2(x, axes=(0, 2)), 1e-11)
    same(cupy.fft.irfftn(cupy.fft.rfftn(d)), x, 1e-12)
    same(cupy.fft.irfftn(cupy.fft.rfftn(d), d.shape), x, 1e-12)
    same(cupyx.scipy.fft.fft(d.astype("f")), np.fft.fft(x.astype("f")).astype("F"), 1e-4)
    same(
        cupyx.scipy.fft.fftn(d.astype("F")[::2, ::-1]),
        np.fft.fftn(x.astype("F")[::2, ::-1]).astype("F"),
        1e-3,
    )


def test_random_numbers():
    for make in (cupy.random.XORWOW, cupy.random.MRG32k3a, cupy.random.Philox4x3210):
        draw = cupy.random.Generator(make(7))
        again = cupy.random.Generator(make(7))
        same(draw.random(10), again.random(10).get())
        n = 4000
        assert abs(draw.standard_normal(n).mean()) < 0.1
        assert abs(draw.random(n, dtype="f").mean() - 0.5) < 0.05
        assert 0 <= draw.integers(0, 7, n).min() and draw.integers(0, 7, n).max() == 6
        assert abs(draw.exponential(2.0, n).mean() - 2) < 0.2
        assert abs(draw.gamma(3.0, 1.0, n).mean() - 3) < 0.2
        assert abs(draw.poisson(4.0, n).mean() - 4) < 0.2
        assert abs(draw.binomial(10, 0.3, n).mean() - 3) < 0.2
        assert abs(draw.beta(2.0, 2.0, n).mean() - 0.5) < 0.05
        assert abs(draw.geometric(0.5, n).mean() - 2) < 0.2
    cupy.random.seed(3)
    first = cupy.random.rand(5).get()
    cupy.random.seed(3)
    same(cupy.random.rand(5), first)
    assert abs(cupy.random.randn(4001).std() - 1) < 0.1
    assert abs(cupy.random.standard_normal(4001, dtype="f").mean()) < 0.1
    assert sorted(cupy.random.permutation(20).tolist()) == list(range(20))
    assert set(cupy.random.randint(0, 3, 200).tolist()) == {0, 1, 2}
    assert abs(cupy.random.poisson(5, 4000).mean() - 5) < 0.2
    assert len(set(cupy.random.choice(50, 20, replace=False).tolist())) == 20


def test_one_rank_of_nccl():
    from cupy.cuda import nccl

    communicator = nccl.NcclCommunicator(1, nccl.get_unique_id(), 0)
    x, y = cupy.arange(5, dtype="f"), cupy.empty(5, "f")
    stream = cupy.cuda.get_current_stream().ptr
    communicator.allReduce(x.data.ptr, y.data.ptr, 5, nccl.NCCL_FLOAT32, nccl.NCCL_SUM, stream)
    same(y, np.arange(5, dtype="f"))
    refused(nccl.NcclError, "", nccl.NcclCommunicator, 2, nccl.get_unique_id(), 0)


def test_algorithms_are_counted():
    x = cupy.arange(6, dtype="f").reshape(2, 3)
    with counted() as found:
        x.sum(), x.sum(1), cupy.sort(x), cupy.cumsum(x)
    assert found["algorithms"] == 4
