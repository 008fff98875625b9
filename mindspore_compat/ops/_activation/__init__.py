"""Activation functions: elementwise, in-place, and softmax with its variants.

To add one, declare it with `@op` in the file of its family; its `nn.` line makes the layer (see
`relu` in relu.py). A new file is also listed in ops/_declarations.py. An activation that
`nn.Dense(activation="...")` accepts by name is added to the table in nn/layer/activation.py.
"""
