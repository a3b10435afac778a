"""The registry of solvers and learners. A variant is a name with other defaults, never a second traversal.

Classes are named as text, `"module:Class"`, and imported when first asked for: learners are in packages that import
this one, and JAX is loaded only when a network learns.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module

from smoothcall.errors import unknown
from smoothcall.information.game import Game
from smoothcall.solvers.base import Solver


@dataclass(frozen=True, slots=True)
class Registered:
    """A solver by name."""

    where: str  # "module:Class" below `smoothcall`
    summary: str

    def load(self) -> type[Solver]:
        """Import the class."""
        module, _, name = self.where.partition(":")
        found: type[Solver] = getattr(import_module(f"smoothcall.{module}"), name)
        return found


SOLVERS: dict[str, Registered] = {
    "cfr": Registered("solvers.cfr:CFR", "counterfactual regret minimisation, full width"),
    "cfr+": Registered("solvers.cfr:CFRPlus", "CFR that forgets negative regrets, later iterations counting more"),
    "linear-cfr": Registered("solvers.cfr:LinearCFR", "CFR with everything weighted by the iteration"),
    "discounted-cfr": Registered(
        "solvers.cfr:DiscountedCFR", "CFR with the past discounted by three powers (alpha, beta, gamma)"
    ),
    "predictive-cfr+": Registered(
        "solvers.cfr:PredictiveCFRPlus", "CFR+ that matches its regrets plus a prediction of the next ones"
    ),
    "mccfr": Registered("solvers.mccfr:MonteCarloCFR", "Monte-Carlo CFR: external, outcome or chance sampling"),
    "public-cfr": Registered(
        "search.public_cfr:PublicCFR", "CFR with public chance sampling: a board is drawn, all hands learn (two players)"
    ),
    "cfr-br": Registered(
        "search.public_cfr:CFRBR", "CFR against responders that play a best response with real cards on the last street"
    ),
    "xfp": Registered(
        "solvers.fictitious_play:FictitiousPlay", "extensive-form fictitious play: best responses to the others' average"
    ),
    "lp": Registered(
        "solvers.linear_program:LinearProgram", "the exact equilibrium by linear programming (two players, zero sum)"
    ),
    "uct": Registered("solvers.uct:UCT", "tree search by self-play, selecting by upper confidence bounds"),
    "smooth-uct": Registered(
        "solvers.uct:SmoothUCT", "tree search that plays its average policy most of the time, and so converges"
    ),
    "nfsp": Registered(
        "learners.nfsp:NFSP", "neural fictitious self-play: a best response and an average policy, each a network"
    ),
    "nfsp-freezeouts": Registered(
        "learners.nfsp_freezeouts:FreezeoutNFSP",
        "NFSP in no-limit freezeouts, by two copies or against one player (pricope2021)",
    ),
    "monte-carlo": Registered(
        "learners.monte_carlo:MonteCarloControl", "Monte-Carlo control over a coarse state, against scripted players and itself"
    ),
    "deep-q-continuous": Registered(
        "learners.deep_q:ContinuousDeepQ", "a network that says how much to bet, with a value network as its baseline"
    ),
    "deep-q-discrete": Registered(
        "learners.deep_q:DiscreteDeepQ", "a network that says how likely six moves are, with a value network as its baseline"
    ),
    "clipped-double-dqn": Registered(
        "learners.clipped_double_dqn:ClippedDoubleDQN",
        "two networks of action values, whose common target is the smaller of their two estimates",
    ),
    "regret-matching": Registered(
        "solvers.regret_matching:RegretMatching", "regret matching on one-shot games, by playing them"
    ),
}

__all__ = ["SOLVERS", "Registered", "Solver", "solver", "solver_class"]


def solver_class(name: str) -> type[Solver]:
    """Return the class of a named solver."""
    if name not in SOLVERS:
        raise unknown("solver", str(name), SOLVERS)
    return SOLVERS[name].load()


def solver(name: str, game: Game, /, *, seed: int = 0, threads: int = 1, **options: object) -> Solver:
    """Build a solver by name, with its options: `solver("mccfr", game, seed=1, sampling="outcome")`."""
    return solver_class(name)(name, game, seed=seed, threads=threads, options=options)
