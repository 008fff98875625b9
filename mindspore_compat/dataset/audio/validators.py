"""`mindspore.dataset.audio.validators`: decorators that check arguments like the transforms."""

from .. import audio
from .._validators import validators
from .utils import *  # noqa: F403 - the enumerations are shown too

_TARGETS = "masking=FrequencyMasking mu_law_coding=MuLawEncoding"
_VALUES = """
biquad_central_freq(central_freq) = AllpassBiquad(44100, central_freq)
biquad_coeff(coeff, arg_name) = Biquad(coeff, 0.0, 0.0, 1.0, 0.0, 0.0)
biquad_const_skirt_gain(const_skirt_gain) = BandpassBiquad(44100, 200.0, 0.707, const_skirt_gain)
biquad_cutoff_freq(cutoff_freq) = HighpassBiquad(44100, cutoff_freq)
biquad_gain(gain) = BassBiquad(44100, gain)
biquad_noise(noise) = BandBiquad(44100, 200.0, 0.707, noise)
biquad_q(q) = AllpassBiquad(44100, 200.0, q)
biquad_sample_rate(sample_rate) = AllpassBiquad(sample_rate, 200.0)
mel_scale_freq(f_min, f_max, sample_rate) = MelScale(sample_rate=sample_rate, f_min=f_min, \
f_max=f_max)
mel_scale_mel_type(mel_type) = MelScale(mel_type=mel_type)
mel_scale_n_mels(n_mels) = MelScale(n_mels=n_mels)
mel_scale_n_stft(n_stft) = MelScale(n_stft=n_stft)
mel_scale_norm(norm) = MelScale(norm=norm)
mel_scale_sample_rate(sample_rate) = MelScale(sample_rate=sample_rate)
mel_spectrogram_freq(f_min, f_max, sample_rate) = MelSpectrogram(sample_rate=sample_rate, \
f_min=f_min, f_max=f_max)
power(power) = Spectrogram(power=power)
"""

__getattr__, __dir__, __all__ = validators(
    __name__, {name: getattr(audio, name) for name in audio.__all__}, _TARGETS, _VALUES
)
