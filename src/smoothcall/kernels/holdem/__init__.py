"""Kernels of `holdem`."""
