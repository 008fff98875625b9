"""Communication between ranks by MPI and NCCL, and the start and end of processes."""
