"""Bodies of several passes as one kernel: one trace, written out as CUDA C or as a host loop."""
