"""The environment that a launcher (`mpiexec`, `msrun-compat`) gives its processes, and the MPI
library."""

import functools
import os

# (rank, size, rank on the machine) in the environment.
LAUNCHERS = (
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"),
    ("PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"),
    ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID"),
)


def launched():
    """Returns (rank, size) from the launcher's environment; None outside a launcher."""
    for rank, size, _ in LAUNCHERS:
        if rank in os.environ and size in os.environ:
            return int(os.environ[rank]), int(os.environ[size])
    return None


def launched_local_rank():
    """Returns the rank on this machine from the launcher's environment, else 0."""
    return next((int(os.environ[local]) for _, _, local in LAUNCHERS if local in os.environ), 0)


@functools.cache
def mpi():
    """Returns mpi4py's MPI; importing it joins this process to the others."""
    try:
        from mpi4py import MPI
    except ImportError as error:
        raise RuntimeError(
            "Several processes need mpi4py and an MPI library: install the extra "
            f"'mpi' of mindspore_compat. ({error})"
        ) from error
    return MPI
