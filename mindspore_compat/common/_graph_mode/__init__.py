"""Graph mode: the call of a graph, and the replay of training steps."""
