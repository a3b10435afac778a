"""Kernels of `agents`."""
