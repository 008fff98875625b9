"""Reads the documentation (wheels, pages, docstrings) and stores its facts as spec files."""
