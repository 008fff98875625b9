"""Real CuPy on a machine without a GPU (docs/cuda_on_host.rst).

`environment.py` sets up a virtual environment in which "device" memory is memory of the process,
CUDA's libraries are fakes (`src`), and g++ compiles the kernels that CuPy would give to NVRTC, for
the CPU (`site/simulated_cuda`). `build.py` builds the fakes; `checks` tests the simulation itself,
and runs only there.
"""
