"""Whoever can sit in a seat."""
