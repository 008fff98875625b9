"""Collectives, point-to-point exchanges, and products fused with them, as ops and Primitives."""
