"""Parameter updates: the formula of an optimizer applied to all tensors at once."""
