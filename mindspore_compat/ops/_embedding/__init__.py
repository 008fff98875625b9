"""Embedding tables: which rows a small cache of one holds."""
