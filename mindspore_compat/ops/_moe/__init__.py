"""Mixtures of experts: routing of tokens, their exchange, and grouped products."""
