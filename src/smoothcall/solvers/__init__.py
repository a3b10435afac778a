"""The named solvers. A variant is a name with other defaults, never a second traversal."""

from __future__ import annotations

from smoothcall.errors import unknown
from smoothcall.information.game import Game
from smoothcall.neural.clipped_double_dqn import ClippedDoubleDQN
from smoothcall.neural.deep_q import ContinuousDeepQ, DiscreteDeepQ
from smoothcall.neural.nfsp import NFSP
from smoothcall.neural.nfsp_sessions import SessionNFSP
from smoothcall.solvers.base import Solver
from smoothcall.solvers.cfr import CFR, CFRPlus, DiscountedCFR, LinearCFR, PredictiveCFRPlus
from smoothcall.solvers.fictitious_play import FictitiousPlay
from smoothcall.solvers.linear_program import LinearProgram
from smoothcall.solvers.mccfr import MonteCarloCFR
from smoothcall.solvers.monte_carlo import MonteCarloControl
from smoothcall.solvers.regret_matching import RegretMatching
from smoothcall.solvers.uct import UCT, SmoothUCT

SOLVERS: dict[str, tuple[type[Solver], str]] = {
    "cfr": (CFR, "counterfactual regret minimisation, full width"),
    "cfr+": (CFRPlus, "CFR that forgets negative regrets, later iterations counting more"),
    "linear-cfr": (LinearCFR, "CFR with everything weighted by the iteration"),
    "discounted-cfr": (DiscountedCFR, "CFR with the past discounted by three powers (alpha, beta, gamma)"),
    "predictive-cfr+": (PredictiveCFRPlus, "CFR+ that plays against the regrets it expects next"),
    "mccfr": (MonteCarloCFR, "Monte-Carlo CFR: external, outcome or chance sampling"),
    "xfp": (FictitiousPlay, "extensive-form fictitious play: best responses to the others' average"),
    "lp": (LinearProgram, "the exact equilibrium by linear programming (two players, zero sum)"),
    "uct": (UCT, "tree search by self-play, selecting by upper confidence bounds"),
    "smooth-uct": (SmoothUCT, "tree search that plays its average policy most of the time, and so converges"),
    "nfsp": (NFSP, "neural fictitious self-play: a best response and an average policy, each a network"),
    "nfsp-sessions": (SessionNFSP, "NFSP in no-limit games of several hands, by two copies or against somebody (pricope2021)"),
    "monte-carlo": (MonteCarloControl, "Monte-Carlo control over a coarse state, in sessions against dummies and itself"),
    "deep-q-continuous": (ContinuousDeepQ, "a network that says how much to bet, with a value network as its baseline"),
    "deep-q-discrete": (DiscreteDeepQ, "a network that says how likely six moves are, with a value network as its baseline"),
    "clipped-double-dqn": (ClippedDoubleDQN, "two networks of action values, each aiming at the smaller of their opinions"),
    "regret-matching": (RegretMatching, "regret matching on one-shot games, by playing them"),
}

__all__ = ["SOLVERS", "Solver", "solver"]


def solver(name: str, game: Game, *, seed: int = 0, threads: int = 1, **options: object) -> Solver:
    """A solver by name, with its options: `solver("mccfr", game, seed=1, sampling="outcome")`."""
    if name not in SOLVERS:
        raise unknown("solver", str(name), SOLVERS)
    return SOLVERS[name][0](name, game, seed=seed, threads=threads, options=options)
