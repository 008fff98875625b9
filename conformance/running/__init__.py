"""Runs cases in worker processes and judges their outcomes."""
