"""The objects that argument texts name: Tensors, files, layers, callbacks, a process group."""
