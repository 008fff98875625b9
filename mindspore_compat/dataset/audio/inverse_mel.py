"""InverseMelScale: estimates a spectrogram from a mel spectrogram by gradient descent."""

import numpy as np

from ..._core.rules.checked import Forbid, checked
from .._rules import AnInstance, positive
from ._wave import NotNegative, Positive, Real, SpectrogramOperation, rows_of
from .spectra import check_frequencies
from .utils import MelType, NormType, mel_bank

__all__ = ["InverseMelScale"]


@checked
def _check_descent(api, sgd_lr: NotNegative, sgd_momentum: NotNegative):
    """Checks the arguments of the gradient descent."""


class InverseMelScale(SpectrogramOperation):
    """Estimates a spectrogram from a mel spectrogram.

    The estimate is found by gradient descent from random values in [0, 1). Takes numbers of shape
    (..., n_mels, time) and returns float32 or float64 of shape (..., n_stft, time); as in
    MindSpore, an input with two axes gets a third.

    Args:
        n_stft (int): the number of frequencies to return.
        n_mels (int, optional): the number of filters.
        sample_rate (int, optional): the sample rate in Hz.
        f_min (float, optional): the lowest frequency in Hz.
        f_max (float, optional): the highest frequency in Hz; None is `sample_rate // 2`.
        max_iter (int, optional): the maximum number of steps.
        tolerance_loss (float, optional): the mean squared error at which the descent stops.
        tolerance_change (float, optional): the change of the error at which the descent stops.
        sgdargs (dict, optional): "sgd_lr", the learning rate, 0.1 by default, and "sgd_momentum",
            which is checked but, as in MindSpore, has no effect.
        norm (NormType, optional): SLANEY if all filters have the same area.
        mel_type (MelType, optional): the formula of the scale.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if an argument is out of range, or `f_min` is not below `f_max`.
        RuntimeError: if the input is not of that shape; raised when it is used.

    Source: mindspore.dataset.audio.InverseMelScale of MindSpore 2.10.

    Examples:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import audio
        >>> audio.InverseMelScale(9, 4, 8000, max_iter=10)(np.ones((1, 4, 2))).shape
        (1, 9, 2)
    """

    @checked(Forbid("(sample_rate // 2 if f_max is None else f_max) <= f_min"))
    def __init__(
        self,
        n_stft: positive,
        n_mels: positive = 128,
        sample_rate: positive = 16000,
        f_min: Real = 0.0,
        f_max: Positive | None = None,
        max_iter: positive = 100000,
        tolerance_loss: Positive = 1e-5,
        tolerance_change: Positive = 1e-8,
        sgdargs: AnInstance(dict) | None = None,
        norm: AnInstance(NormType) = NormType.NONE,
        mel_type: AnInstance(MelType) = MelType.HTK,
    ):
        arguments = {"sgd_lr": 0.1, "sgd_momentum": 0.9, **(sgdargs or {})}
        _check_descent("InverseMelScale", arguments["sgd_lr"], arguments["sgd_momentum"])
        self.n_stft, self.n_mels, self.sample_rate = n_stft, n_mels, sample_rate
        self.f_min, self.f_max = f_min, sample_rate // 2 if f_max is None else f_max
        self.max_iter, self.step = max_iter, arguments["sgd_lr"]
        self.tolerance_loss, self.tolerance_change = tolerance_loss, tolerance_change
        self.norm, self.mel_type = norm, mel_type

    def _check(self, x, lead):
        super()._check(x, lead)
        check_frequencies("InverseMelScale", x, self.n_mels)

    def _compute(self, x):
        bank = mel_bank(
            self.n_stft,
            self.f_min,
            self.f_max,
            self.n_mels,
            self.sample_rate,
            self.norm,
            self.mel_type,
        ).astype(x.dtype)
        draw = self._random.unit if x.dtype == np.float64 else self._random.unit32
        rows, shape = rows_of(x, 2), (self.n_stft, x.shape[-1])
        starts = [np.array([draw() for _ in range(shape[0] * shape[1])], x.dtype) for _ in rows]
        out = np.stack(
            [
                self._descend(row, start.reshape(shape), bank)
                for row, start in zip(rows, starts, strict=True)
            ]
        )
        return out.reshape(*(x.shape[:-2] or (1,)), *shape)

    def _descend(self, target, estimate, bank):
        """Runs the gradient descent for one example, from a start value."""
        loss, step = np.inf, target.dtype.type(self.step / target.shape[-1])
        for _ in range(self.max_iter):
            error = target - bank.T @ estimate
            before, loss = loss, (error * error).mean()
            if loss < self.tolerance_loss or abs(before - loss) < self.tolerance_change:
                break
            estimate = estimate + step * (bank @ error)
        return np.maximum(estimate, 0.0)
