"""Readers and writers of file formats, on the level of bytes; they handle arrays and text, not
Tensors.
"""
