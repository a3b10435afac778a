"""Kernels of `information` and `policy`."""
