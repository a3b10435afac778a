"""The search of macmanus2019's program, written from its description with histories as texts: an oracle for the kernel.

A history is the seat of player 1, the private cards of both positions, the actions, the public card, the actions. Actions are
letters f, c, r; who opens a street raises (bets) or folds.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt

from smoothcall.experiments.macmanus2019.search import DISCOUNT, ETA0, GAMMA, C, Method
from smoothcall.kernels.random import draw
from smoothcall.kernels.tables import Array

CARDS = ["Jh", "Js", "Qh", "Qs", "Kh", "Ks"]
WORST_FIRST = ["QJ", "QJs", "KJ", "KQ", "KJs", "KQs", "JJ", "QQ", "KK"]


@dataclass
class Node:
    visits: int = 1
    value: float = 0.0
    expanded: bool = False


class History(str):
    """A text with what follows from it."""

    @property
    def seat(self) -> int:
        return int(self[0])

    @property
    def streets(self) -> list[str]:
        """The actions of each street."""
        board = next((place for place in range(5, len(self)) if self[place] in "JQK"), None)
        return [self[5:]] if board is None else [self[5:board], self[board + 2 :]]

    @property
    def ended(self) -> bool:
        return self.endswith("f") or (len(self.streets) == 2 and self.endswith("c"))

    @property
    def actor(self) -> int:
        """1 or -1, and 0 for chance."""
        if not self or self.endswith("c"):
            return 0
        return 1 if len(self.streets[-1]) % 2 == self.seat else -1

    def choices(self) -> list[str]:
        if not self:
            return [f"{seat}{one}{other}" for seat in (0, 1) for one in CARDS for other in CARDS if one != other]
        if self.endswith("c"):
            return [card for card in CARDS if card not in self]
        betting = self.streets[-1]
        return ["f", "r"] if not betting else ["f", "c"] + ["r"] * (betting == "r")

    def known(self, player: int) -> str:
        """The history without the other player's card."""
        if not self:
            return ""
        first = 1 + 2 * (self.seat if player == 1 else 1 - self.seat)
        return self[0] + self[first : first + 2] + self[5:]

    def reward(self) -> float:
        """The pot, won or lost by player 1."""
        pot, betting = 2, self.streets
        for size, actions in zip((2, 4), betting, strict=False):
            pot += sum({"f": 0, "c": size, "r": size if place == 0 else 2 * size}[each] for place, each in enumerate(actions))
        if self.endswith("f"):
            won = (len(betting[-1]) - 1) % 2 != self.seat
        else:
            board = self[5 + len(betting[0]) :][:2]
            places = [_place(self[start : start + 2], board) for start in (1, 3)]
            won = places[self.seat] > places[1 - self.seat]
        return pot if won else -pot


def _place(private: str, board: str) -> int:
    high, low = sorted((private, board), key=lambda card: "KQJ".index(card[0]))
    return WORST_FIRST.index(high[0] + low[0] + "s" * (high[1] == low[1] and high != low))


class TextSearch:
    def __init__(self, method: Method, generator: Array) -> None:
        self.method, self.generator = method, generator
        self.trees: dict[int, dict[str, Node]] = {1: {}, -1: {}}
        self.outside = False

    def play(self, text: str) -> float:
        """Play an episode from a history; return its discounted reward."""
        history = History(text)
        if text and history.ended:
            self.outside = False
            return history.reward()
        actor, choices = history.actor, history.choices()
        rolled_out = bool(actor) and self.outside
        if actor == 0:
            choice = self._any(choices)
            for player, tree in self.trees.items():
                for each in (history, History(history + choice)):
                    tree.setdefault(each.known(player), Node())
        elif rolled_out:
            choice = self._any(choices)
        elif not self.trees[actor].get(history.known(actor), Node()).expanded:
            for player, tree in self.trees.items():
                tree.setdefault(history.known(player), Node()).expanded = True
                for each in choices:
                    tree.setdefault(History(history + each).known(player), Node())
            self.outside, choice = True, self._any(choices)
        elif actor == -1 and self.method.against == "random":
            choice = self._any(choices)
        else:
            choice = self._select(history.known(actor), choices, actor)
        reward = self.play(history + choice)
        return reward if rolled_out else self._update(history, History(history + choice), DISCOUNT * reward)

    def _update(self, left: History, entered: History, reward: float) -> float:
        for player, tree in self.trees.items():
            one, other = tree.get(left.known(player)), tree.get(entered.known(player))
            if one is not None and other is not None:
                one.visits += 1
                other.visits += 1
                other.value += (reward - other.value) / other.visits
        return reward

    def _any(self, choices: list[str]) -> str:
        return choices[int(draw(self.generator) * len(choices))]

    def _select(self, known: str, choices: list[str], player: int) -> str:
        tree, d = self.trees[player], self.method.d
        visits = {choice: tree[known + choice].visits for choice in choices}
        total = tree[known].visits
        if d is not None and draw(self.generator) >= max(GAMMA, ETA0 / (1 + d * sqrt(total))):
            left = draw(self.generator) * sum(visits.values())
            for choice in choices:
                left -= visits[choice]
                if left < 0:
                    break
            return choice
        bounds = {
            each: player * tree[known + each].value + C * sqrt(log(total + 1)) / sqrt(visits[each])
            for each in sorted(choices, key="crf".index)
        }
        return max(bounds, key=lambda each: bounds[each])
