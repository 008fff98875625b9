"""Gradients of functions: grad, vjp, jvp and further transforms, and user-defined gradients."""
