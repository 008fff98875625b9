"""vmap, Jacobians, GradOperation, HyperMap, control flow, and rules of batching."""
