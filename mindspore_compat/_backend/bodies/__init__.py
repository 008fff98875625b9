"""Kernels and host loops that are generated from the Python bodies of operators.

A *body* is the Python function that computes an operator on arrays, such as `standardized` of layer
norm. symbols.py runs it once on symbols and records its steps:

    an elementwise body        upcast.py (GPU)
    a body over rows or axes   row_plan.py decides which loop computes which step; then
        on a GPU               gpu.py: row_layout.py (threads), row_kernels.py (CUDA source)
        on the host            host.py: host_rows.py, host_axis.py, host_steps.py
    an optimizer's update      multi_tensor.py (GPU)

c_code.py has the C code of expressions, block_code.py that of reductions over the threads of a
block and of vector loads and stores.
"""
