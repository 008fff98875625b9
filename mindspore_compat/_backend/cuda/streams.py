"""The default stream of a thread.

With `CUPY_CUDA_PER_THREAD_DEFAULT_STREAM=1` each thread has a default stream of its own, and all of
them have the same address. Memory that belongs to a stream is then kept for each thread.
"""

PER_THREAD = 2  # this address, cudaStreamPerThread
