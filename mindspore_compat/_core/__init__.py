"""The machine: Tensor, tape, op declarations, parameter rules, batching. It knows arrays and no
op."""
