"""Kernels of `smoothcall.search`: vectors over all hands on a public tree."""
