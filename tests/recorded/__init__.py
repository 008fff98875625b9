"""Calls of mindspore.dataset whose results in MindSpore 2.10 are recorded in tests/data.

Each `…_calls` module lists calls and defines how their results are written. To record them again,
run `python -m recorded.audio_calls` in tests/ with an interpreter that has MindSpore.
"""
