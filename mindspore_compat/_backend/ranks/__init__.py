"""Ranks and processes: MPI, NCCL, launching, and how processes end."""
