"""Updates of parameters: an optimizer's formula over all tensors at once."""
