"""Calls of mindspore.dataset whose results in MindSpore 2.10 are recorded in tests/data.

Each `…_calls` module lists calls and defines how their results are written. Run as `python -m
recorded.audio_calls` in tests/, by an interpreter with the original, it records them again.
"""
