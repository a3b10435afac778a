"""Exact hold'em on ranges: vectors over all hands on a public tree with real cards."""
