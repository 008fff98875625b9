"""Short-time Fourier transforms against NumPy's."""

import numpy as np

from mindspore_compat import Tensor, ops

X = np.arange(1, 9, dtype=np.float32)


def test_a_window_shorter_than_the_frame_is_padded_with_zeros():
    found = ops.stft(Tensor(X[None]), 8, 4, 4, center=False, return_complex=True)
    frame = X * np.float32([0, 0, 1, 1, 1, 1, 0, 0])
    np.testing.assert_allclose(found.asnumpy()[0, :, 0], np.fft.rfft(frame), atol=1e-5)
