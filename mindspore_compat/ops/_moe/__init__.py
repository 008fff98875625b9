"""Mixture of experts (MoE): routing of tokens, their exchange, and grouped products."""
