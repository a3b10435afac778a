"""Kernels of `cluster`."""
