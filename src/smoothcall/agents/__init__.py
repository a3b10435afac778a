"""Batch policies: who can say how likely each move is in many observations at once (`kernels.simulation.freezeouts`), however it was learned.

The eleven scripted players of epfl2020 look at a observation and follow a rule. Networks have learned; playing them needs no JAX. A batch policy
is a policy too, once a game lists the observations: `TabulatedPolicy` works out what the batch policy does at each of its information states
when that is asked for.
"""
