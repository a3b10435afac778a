"""Kernels of `solvers`."""
