"""Printing, summaries, dumps, float status, and batches taken from a queue."""
