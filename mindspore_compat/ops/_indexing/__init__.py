"""Reading and writing at an index: `Tensor[...]`, gather, scatter, in-place writes."""
