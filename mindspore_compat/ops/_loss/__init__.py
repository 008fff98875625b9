"""Losses of regression and classification, CTC, transducers, candidate samplers."""
