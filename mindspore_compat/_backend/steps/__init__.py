"""Training steps that are recorded and replayed, on the host and on a GPU."""
