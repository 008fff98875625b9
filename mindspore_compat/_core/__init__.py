"""The core: Tensor, tape, operator declarations, parameter rules and vmap. It contains no
operators."""
