"""Graph mode: the call of a graph, and training steps that are replayed."""
