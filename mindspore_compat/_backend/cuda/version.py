"""The version of CUDA behind an array module."""


def cuda_major(module):
    """Returns the first number of the version of CUDA that an array module runs on, such as 13;
    None if it runs on something else.

    Args:
        module: CuPy, CuPy for ROCm, or a stand-in.
    """
    runtime = module.cuda.runtime
    if getattr(module.cuda, "cublas", None) is None or getattr(runtime, "is_hip", False):
        return None
    return runtime.runtimeGetVersion() // 1000
