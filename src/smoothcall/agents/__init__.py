"""Everything that chooses actions, and the registry that names it.

| type | what it is |
| --- | --- |
| `Policy` (`policy`) | a table: probabilities of all actions at every row of one game; solvers return it |
| `BatchPolicy` (`simulation.batch_policy`) | a function: probabilities for a batch of observations of hands, with any stacks |
| `Player` (`view`) | an object that returns one move at a time, from what its seat may know (`View`) |
| `Strategy` (`fixed`) | a policy to be played as it is, or greedily without a second table |
| `Fixed` (`fixed`) | a `Strategy` or a scripted `Rule`: players whose probabilities kernels and exact evaluation can read |

| from | to | adapter |
| --- | --- | --- |
| policy | player | `policy_player.PolicyPlayer` |
| batch policy | player | `batch_player.BatchPlayer` |
| batch policy | policy | `tabulated.TabulatedPolicy` |

Batch policies are scripted players (`scripted`), the expert system (`expert`) and networks (`q_networks`, `nfsp_networks`;
playing them needs no JAX). `registry` turns a name into any of these.

SciPy is imported inside the functions that need it: `scipy.special` takes 0.3 s, which every start of the program would cost.
"""
