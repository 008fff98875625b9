"""Embedding lookups, and caches of embedding rows."""
