"""Seeded random numbers: streams, and the generators that reproduce MindSpore's CPU kernels.

`streams` maps a seed and an offset to a draw, on the host and on a GPU. `kernels` keeps one stream
for each random CPU kernel of MindSpore. `engines` computes the numbers of those kernels from the
generators in `philox` and `twister`; loops/twister.py and loops/polar.py are compiled versions.
"""
