"""Kernels of `evaluation`."""
