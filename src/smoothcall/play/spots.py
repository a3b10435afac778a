"""Spots of the explorer, and those of games that are given as trees (`openspiel:...`, `.efg`).

A tree of histories has no public betting, so a spot of such a game is one history: its moves, those of chance included, joined
by spaces. The strategy there is that of the acting player's information state.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from smoothcall.errors import UsageError
from smoothcall.information.extensive import ExtensiveGame
from smoothcall.kernels.tables import CHANCE, FIXED
from smoothcall.policy import Policy

MOST = 40  # moves named in an error


@dataclass(frozen=True, slots=True)
class SpotMove:
    """A move at a spot, and where it leads."""

    letter: str
    name: str  # "Fold", "Check", "Call 10", "Bet 10", "Raise to 40", "Raise to 100 (all in)"
    chips: int  # what it adds to the pot
    share: float  # its probability, averaged over the range
    leads: str | None  # the betting of the decision that follows; None where the hand ends
    ending: str  # "fold" or "showdown" where the hand ends, pay-offs where a game from elsewhere ends, else ""
    street: str  # the name of the street that begins with it, else ""


@dataclass(frozen=True, slots=True)
class SpotLine:
    """The strategy with certain cards."""

    label: str  # "K", "K/Q", "AKs", "#17"
    key: str  # of the information state
    meaning: str  # of a bucket: "E[HS²] 0.170 to 0.180", "E[HS] 0.410 to 0.420" of an equity; else ""
    probabilities: dict[str, float]  # by letter
    deal_probability: float  # of the cards
    reach: float  # probability of the player's own moves up to here with them
    share: float  # of the range; 0 where the player never gets here with them


@dataclass(frozen=True, slots=True)
class Spot:
    """A decision of the betting and the strategy at it."""

    game: str
    betting: str
    note: str  # if the betting was translated to the agent's menu: how
    street: int
    street_name: str
    seat: int  # who acts; -1: chance
    player: str  # the seat's name: "Small blind", "First player"
    pot: int
    to_call: int
    reach: float  # probability of the player's own moves up to here
    path: tuple[tuple[str, str], ...]  # (what happened, the betting then) from the start to here
    moves: tuple[SpotMove, ...]
    lines: tuple[SpotLine, ...]
    grid: tuple[tuple[SpotLine, ...], ...]  # hold'em before the flop: rows and columns from aces down, suited above the pairs
    sampled: bool  # whether reach and shares are estimated from sampled deals


@dataclass(frozen=True, slots=True)
class _Step:
    """A move from a node: `name` without spaces, a number where two moves share a name."""

    name: str
    child: int
    chance: float  # its probability where chance moves


def explore_history(policy: Policy, history: str = "") -> Spot:
    """Return the spot after a history of a game that is given as a tree."""
    game = policy.game
    assert isinstance(game, ExtensiveGame)
    tree, node, path, reach = game.tree, 0, [("Start", "")], dict.fromkeys(range(game.players), 1.0)
    for name in history.split():
        steps = {step.name: step for step in _steps(game, node)}
        if name not in steps:
            accepted = ", ".join(list(steps)[:MOST]) or "none, the game is over"
            raise UsageError(f"history {history!r}: no {name!r} there in {game.spec} (accepted: {accepted})")
        who = int(tree.player[node])
        if who >= 0:
            reach[who] *= _share(policy, node, steps[name])
        node = steps[name].child
        path.append((f"{_name(who)}: {name}", f"{path[-1][1]} {name}".strip()))
    if tree.kind[node] == FIXED:
        raise UsageError(f"history {history!r}: {game.spec} is over")
    who, known = int(tree.player[node]), path[-1][1]
    shares = {step.name: _share(policy, node, step) for step in _steps(game, node)}
    key, own = ("chance", 1.0) if who < 0 else (game.key(int(tree.first_row[node])), reach[who])
    return Spot(
        game=game.spec,
        betting=known,
        note="",
        street=0,
        street_name="a move of chance" if who < 0 else "a decision",
        seat=who,
        player=_name(who),
        pot=0,
        to_call=0,
        reach=own,
        path=tuple(path),
        moves=tuple(_move(game, step, shares[step.name], known) for step in _steps(game, node)),
        lines=(SpotLine(key, key, "", shares, 1.0, own, 1.0 if own else 0.0),),
        grid=(),
        sampled=False,
    )


def _name(player: int) -> str:
    return f"Player {player}" if player >= 0 else "Chance"


def _steps(game: ExtensiveGame, node: int) -> list[_Step]:
    """Return the moves from a node; those of chance behind unnamed moves, which split large chance nodes, are its own."""
    tree, found = game.tree, list[_Step]()
    for child in tree.child[node][tree.child[node] >= 0].tolist():
        chance = float(tree.chance[child])
        if tree.kind[node] == CHANCE and not tree.letters[child] and tree.kind[child] == CHANCE:
            found += [_Step(step.name, step.child, chance * step.chance) for step in _steps(game, child)]
        else:
            found.append(_Step("_".join(tree.letters[child].split()), child, chance))
    names = Counter(step.name for step in found)
    return [
        step if step.name and names[step.name] == 1 else _Step(str(place), step.child, step.chance)
        for place, step in enumerate(found)
    ]


def _share(policy: Policy, node: int, step: _Step) -> float:
    """Return the probability of a move: of chance, or of the policy."""
    tree = policy.game.tree
    if tree.kind[node] == CHANCE:
        return step.chance
    return float(policy.weights[int(tree.first_row[node]), int(tree.slot[step.child])]) / policy.scale


def _move(game: ExtensiveGame, step: _Step, share: float, history: str) -> SpotMove:
    ended = game.tree.kind[step.child] == FIXED
    told = "pays " + ", ".join(f"{each:+g}" for each in game.tree.payoff[step.child].tolist()) if ended else ""
    return SpotMove(step.name, step.name, 0, share, None if ended else f"{history} {step.name}".strip(), told, "")
