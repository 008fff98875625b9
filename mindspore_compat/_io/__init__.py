"""File formats, read and written byte by byte; they know arrays and texts, but no Tensor."""
