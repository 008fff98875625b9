"""Losses of regression and classification, of margins, CTC, transducers, candidate samplers."""
