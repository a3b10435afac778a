"""Everything that chooses actions, and the registry that names it.

Two protocols: a `BatchPolicy` (`simulation.batch_policy`) gives probabilities for a batch of observations; a `Player`
(`agents.view`) returns one move for what its seat may know. A `Policy` is a table of probabilities for every row of a game.

| from | to | adapter |
| --- | --- | --- |
| policy | player | `policy_player.PolicyPlayer` |
| batch policy | player | `batch_player.BatchPlayer` |
| batch policy | policy | `tabulated.TabulatedPolicy` |

Batch policies are scripted players (`scripted`), the expert system (`expert`) and networks (`q_networks`, `nfsp_networks`;
playing them needs no JAX). `registry` turns a name into any of these.
"""
