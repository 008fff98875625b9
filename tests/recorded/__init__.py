"""Calls of mindspore.dataset whose results in MindSpore 2.10 are recorded in tests/data.

Each `…_calls` module lists calls and says how their results are written down. Run in tests/ by an
interpreter with the original, as `python -m recorded.audio_calls`, it records them anew.
"""
