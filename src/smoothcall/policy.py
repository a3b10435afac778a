"""Tabular policies: probabilities over the legal actions at every information state of a game, and writing agent files.

`smoothcall.agents.files` reads agent files.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from smoothcall import files
from smoothcall.errors import UsageError, unknown
from smoothcall.information.game import Game
from smoothcall.information.packed_rows import pack
from smoothcall.information.sequence_form import from_rows, to_rows
from smoothcall.kernels.information.quantised import SCALE, first_wrong, quantise_rows, round_rows, threshold_rows
from smoothcall.kernels.information.sequences import plan_from_policy, policy_from_plan
from smoothcall.kernels.tables import Array
from smoothcall.options import number

PLAIN, FORMAT = 1, 2  # of the agent file: 2 where a table is packed
TOLERANCE = 1e-6  # how far given probabilities may be from summing to 1
Key = str | tuple[int, str]  # an information state, or (player, information state) where keys of players are the same


class Policy:
    """Probabilities [rows, A] of every action at every information state: never NaN, 0 where illegal, rows sum to 1.

    Probabilities are `weights` / `scale`: float64 and scale 1, or, in games with sampled deals, quantised to one byte each
    and scale 255.
    """

    def __init__(self, game: Game, weights: Array, card: Mapping[str, Any] | None = None) -> None:
        quantised = weights.dtype == np.uint8
        if not quantised or weights.flags.writeable:  # a read-only table is shared: those of large games take much memory
            weights = np.array(weights, dtype=np.uint8 if quantised else np.float64)
        shape = (game.tree.rows, len(game.actions))
        if weights.shape != shape:
            raise UsageError(f"a policy of {game.spec} has the shape {shape}, not {weights.shape}")
        self.scale = float(SCALE) if quantised else 1.0
        row = first_wrong(weights, self.scale, TOLERANCE, *game.node_rows)
        if row >= 0:
            given = (weights[row] / self.scale).tolist()
            raise UsageError(f"{game.key(row)!r} has the probabilities {given} (accepted: {_LAW})")
        self._rescaled = False
        if not quantised:
            sums = weights.sum(axis=1)
            inexact = abs(sums - 1) > 1e-12  # other rows stay as they are, so that a saved policy is read back bit for bit
            weights[inexact] /= sums[inexact, None]
            self._rescaled = bool(inexact.any())
        weights.flags.writeable = False
        self.game, self.weights = game, weights
        self.card = dict(card or {})  # where it comes from: solver, options, seed, measured results

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.game.spec}, {self.game.tree.rows} information states>"

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("sequences", "realisation_plan")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if "weights" in state:
            state["weights"].flags.writeable = False  # pickling forgets it, and kernels are compiled for read-only tables

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the table takes now."""
        return int(self.weights.nbytes)

    @property
    def table(self) -> Array:
        """[rows, A] float64 probabilities."""
        return self.weights if self.scale == 1 else self.weights / self.scale

    # Ways to make a policy

    @classmethod
    def uniform(cls, game: Game) -> Self:
        """Return the policy that takes every legal action with the same probability."""
        return cls.from_weights(game, np.zeros((game.tree.rows, len(game.actions)), np.uint8))

    @classmethod
    def from_sequences(cls, game: Game, values: Array, card: Mapping[str, Any] | None = None) -> Self:
        """Return the policy of probabilities [sequences], as full-width kernels hold them."""
        policy = cls(game, to_rows(game.form, values, game.legal.shape), card)
        if not policy._rescaled:
            policy.sequences = values.copy()
        return policy

    @classmethod
    def from_realisation_plan(cls, game: Game, plan: Array, card: Mapping[str, Any] | None = None) -> Self:
        """From realisation plans [sequences] times any positive number; uniform at rows that they do not reach."""
        values = np.ones(len(plan))
        for player in range(game.players):
            policy_from_plan(game.form, player, np.maximum(plan, 0.0), values)
        return cls.from_sequences(game, values, card)

    @classmethod
    def from_weights(
        cls, game: Game, weights: Array, card: Mapping[str, Any] | None = None, unseen: Array | None = None
    ) -> Self:
        """From non-negative weights [rows, A], such as visit counts. Rows without any have unseen[A], by default uniform."""
        otherwise = np.ones(len(game.actions)) if unseen is None else unseen
        if game.sampled:
            quantised = np.empty(weights.shape, np.uint8)
            row = quantise_rows(weights, *game.node_rows, otherwise, quantised)
            if row >= 0:
                raise UsageError(f"{game.key(row)!r} has the weights {weights[row].tolist()} (accepted: numbers of at least 0)")
            return cls(game, _frozen(quantised), card)
        weights = weights * game.legal
        total = weights.sum(axis=1, keepdims=True)
        even = game.legal * otherwise / (game.legal * otherwise).sum(axis=1, keepdims=True)
        return cls(game, np.where(total > 0, weights / np.where(total > 0, total, 1.0), even), card)

    @classmethod
    def from_probabilities(cls, game: Game, probabilities: Mapping[Key, Mapping[str, float]], *, strict: bool = False) -> Self:
        """From `{"K:": {"c": 0.4, "r": 0.6}}`. Actions not named get 0; states not named are uniform, or an error if `strict`.

        Where players move at once and share keys, a key names the states of all of them and `(player, key)` that of one.
        """
        table = np.array(game.legal / game.legal.sum(axis=1, keepdims=True))
        named = np.zeros(len(table), bool)
        for key, given in probabilities.items():
            player, text = key if isinstance(key, tuple) else (None, key)
            for row in game.rows(text, player):
                table[row] = _read_row(game, row, given)
                named[row] = True
        if strict and not named.all():
            missing = [game.key(int(row)) for row in np.flatnonzero(~named)]
            raise UsageError(f"{len(missing)} information states of {game.spec} are not named, such as {missing[0]!r}")
        return cls(game, table)

    @classmethod
    def mixture(cls, policies: Sequence[Policy], weights: Iterable[float] | None = None) -> Self:
        """Return the policy of a player who draws one of the policies before each hand, with these weights, and follows it.

        Realisation plans are averaged, so the expected values of the mixture are the average of theirs.
        """
        shares = np.array([1.0] * len(policies) if weights is None else list(weights), dtype=np.float64)
        if not policies or len(shares) != len(policies):
            raise UsageError(f"{len(policies)} policies with {len(shares)} weights (accepted: as many, at least one)")
        if not (np.isfinite(shares).all() and (shares >= 0).all() and shares.sum() > 0):
            raise UsageError(f"weights {shares.tolist()} (accepted: numbers of at least 0, not all 0)")
        first = policies[0].game
        for policy in policies:
            policy.verify_game(first)
        return cls.from_realisation_plan(
            first, sum(share * policy.realisation_plan for share, policy in zip(shares, policies, strict=True))
        )

    # Queries

    @cached_property
    def sequences(self) -> Array:
        """[sequences] the probability of each sequence's last action; 1 for the empty sequences."""
        return from_rows(self.game.form, self.table)

    @cached_property
    def realisation_plan(self) -> Array:
        """[sequences] the probability that a player takes all own actions of each sequence."""
        plan = np.ones(len(self.sequences))
        for player in range(self.game.players):
            plan_from_policy(self.game.form, player, self.sequences, plan)
        return plan

    def probabilities(self, key: str, player: int | None = None) -> dict[str, float]:
        """Return the probability of each legal action at an information state (of the first player who has the key)."""
        return self.at(self.game.rows(key, player)[0])

    def at(self, row: int) -> dict[str, float]:
        """Return the probability of each legal action at a row, by its letter."""
        tree, node = self.game.tree, self.game.node_of(row)
        return {
            letter: float(self.weights[row, tree.slot[child]]) / self.scale for letter, child in tree.children(node).items()
        }

    def greedy(self) -> Policy:
        """Return the deterministic policy of the most likely action; of equals, the first of the game's actions."""
        table = np.zeros_like(self.weights)
        table[np.arange(len(table)), self.weights.argmax(axis=1)] = self.scale
        return Policy(self.game, _frozen(table), {**self.card, "greedy": True})

    def thresholded(self, share: float | str) -> Policy:
        """Return the policy without actions less likely than `share`, the others scaled up.

        Ganzfried, Sandholm and Waugh 2012. This removes the exploratory actions that averages contain. The most likely
        action always stays; of equals, the first. Results on the card belong to the original policy and are dropped.
        """
        least = number(share, whole=False)
        if least is None or not 0 <= least <= 1:
            raise UsageError(f"threshold={share} (accepted: a number from 0 to 1)")
        if self.scale != 1:
            table = np.empty_like(self.weights)
            threshold_rows(self.weights, least * self.scale, table)
        else:
            table = np.where(self.weights >= least, self.weights, 0.0)
            most = np.arange(len(table)), self.weights.argmax(axis=1)
            table[most] = self.weights[most]
            cut = (table != self.weights).any(axis=1)
            table[cut] /= table[cut].sum(axis=1, keepdims=True)
        card = {name: entry for name, entry in self.card.items() if name != "results"}
        return Policy(self.game, _frozen(table), {**card, "threshold": least})

    def rounded(self, parts: int) -> Policy:
        """Return the policy with probabilities rounded to multiples of 1 / `parts`, by largest remainders: a smaller file.

        Where deals are sampled only. Results on the card belong to the original policy and are dropped.
        """
        if self.scale == 1 or parts < 1 or SCALE % parts:
            raise UsageError(f"rounded to {parts} parts (accepted where deals are sampled: divisors of {SCALE})")
        table = np.empty_like(self.weights)
        round_rows(self.weights, SCALE // parts, table)
        card = {name: entry for name, entry in self.card.items() if name != "results"}
        return Policy(self.game, _frozen(table), {**card, "rounded": parts})

    def replaced(self, player: int, other: Policy) -> Policy:
        """Return this policy with one player's rows taken from another."""
        other.verify_game(self.game)
        self.game.verify_player(player)
        mine = (self.game.row_player == player)[:, None]
        return Policy(self.game, _frozen(np.where(mine, other.weights, self.weights)))

    def verify_game(self, game: Game) -> None:
        """Refuse a game other than the policy's own."""
        if game is not self.game and game.fingerprint != self.game.fingerprint:
            raise UsageError(f"this policy plays {self.game.spec}, not {game.spec}")

    def within(self, twin: Game) -> Policy:
        """Return this policy over another `Game` of the same fingerprint, so that policies share one game's tables."""
        self.verify_game(twin)
        return Policy(twin, self.weights, self.card)

    # The agent file: a zip with card.json and arrays; of a table, policy.npy or packed rows

    KIND: ClassVar[str] = "table"

    def save(self, path: str | Path) -> None:
        """Write an agent file, whole or not at all."""
        path = Path(path)
        about = {"name": self.game.name, "options": self.game.options, "fingerprint": self.game.fingerprint}
        described, arrays = self._to_file()
        fixed = {"format": PLAIN, "kind": self.KIND, "game": about, "actions": list(self.game.actions)}
        card = {**fixed, **described, **self.card}
        with files.written(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            archive.writestr(zipfile.ZipInfo("card.json"), files.to_json(card).encode(), zipfile.ZIP_DEFLATED)
            for name, array in arrays.items():
                with archive.open(f"{name}.npy", "w", force_zip64=True) as stream:
                    np.lib.format.write_array(stream, array, allow_pickle=False)

    def _to_file(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Return (what the kind adds to the card, arrays by name) for the agent file."""
        packed = pack(self.weights) if self.scale != 1 else None
        return ({}, {"policy": self.weights}) if packed is None else ({"format": FORMAT}, packed)


def _frozen(table: Array) -> Array:
    """Make a new array read-only, so that a policy need not copy it."""
    table.flags.writeable = False
    return table


_LAW = "numbers from 0 to 1 that sum to 1, 0 for illegal actions"


def _read_row(game: Game, row: int, given: Mapping[str, float]) -> Array:
    key, values = game.key(row), np.zeros(len(game.actions))
    slots = {letter: int(game.tree.slot[child]) for letter, child in game.tree.children(game.node_of(row)).items()}
    for action, probability in given.items():
        if action not in slots and (probability != 0 or action not in game.actions):
            raise unknown(f"action at {key!r} of {game.spec}:", action, slots)
        if not 0 <= probability <= 1:
            raise UsageError(f"probability {probability} of {action!r} at {key!r} (accepted: 0 to 1)")
        values[slots.get(action, 0)] += probability  # 0 where it is illegal
    if abs(values.sum() - 1) > TOLERANCE:
        raise UsageError(f"the probabilities at {key!r} sum to {values.sum():.6g} (accepted: 1)")
    return values
