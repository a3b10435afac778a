"""Kernels of `experiments`."""
