"""Kernels of `learners`."""
