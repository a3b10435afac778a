"""Minds: who can say how likely each move is in many situations at once (`kernels.sessions`), however it was learned.

The eleven dummies of epfl2020 look at a situation and follow a rule. Networks have learned; playing them needs no JAX. A mind
is a policy too, once a game lists the situations: `MindPolicy` works out what the mind does at each of its information states
when that is asked for.
"""
