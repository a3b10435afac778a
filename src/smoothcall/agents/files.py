"""Read agent files: a zip with `card.json` and arrays (NumPy's `.npy`), written by `Policy.save`.

| kind | class | arrays |
| --- | --- | --- |
| `table` | `Policy` | `policy`: [rows, A] float64 probabilities, or uint8 quantised ones; these also as `packed_rows` |
| `batch_policy` | `TabulatedPolicy` | those of the batch policy (`agents.serialization`) |

The card holds `format`, `kind`, `game` (name, options, fingerprint) and `actions`; everything else on it is optional and says
where the policy comes from and what was measured. Sizes are checked before anything is read.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from smoothcall.agents.serialization import from_data
from smoothcall.agents.tabulated import TabulatedPolicy
from smoothcall.errors import DamagedFile, UsageError
from smoothcall.files import Archive, field, opened, optional, verify_size
from smoothcall.information.game import Game, spec_of
from smoothcall.information.named_games import game
from smoothcall.information.packed_rows import DISTINCT, HIGH, LOW, MAX_DISTINCT, unpack
from smoothcall.kernels.tables import Array
from smoothcall.policy import FORMAT, Policy

KINDS = (Policy.KIND, TabulatedPolicy.KIND)
MAX_NETWORK_BYTES = 1 << 28  # of all arrays of a batch policy
MAX_TEXT, MAX_MATCHES = 500, 100  # characters of a text on a card; matches that were measured
HEADER_BYTES = 1 << 10  # of an array's header, at most


class UnknownFormat(UsageError):
    """An agent file of a format or kind that this version does not read."""


def load(path: str | Path, of: Game | None = None) -> Policy:
    """Return the policy of an agent file; with `of`, refuse one of another game."""
    path = Path(path)
    try:
        with opened(path, "agent file") as file:
            archive = Archive(file)
            card = _card(archive)
            fingerprint, actions = field(card["game"], "fingerprint", str), field(card, "actions", list)
            del card["format"], card["actions"]
            kind, named = card.pop("kind"), card.pop("game")
            played = of if of is not None else game(named["name"], **named["options"])
            if fingerprint != played.fingerprint or list(played.actions) != actions:
                raise _other_game(path, named, played)
            if kind == Policy.KIND:
                return Policy(played, _table(played, archive), card)
            batch_policy = from_data(played, card.pop("batch_policy"), _arrays(archive))
            return TabulatedPolicy(played, batch_policy, card)
    except UnknownFormat as error:
        raise UsageError(f"{str(path)!r} is {error}") from None
    except DamagedFile as error:
        raise UsageError(f"{str(path)!r} is not an agent file, or a damaged one ({error})") from None


def read_card(path: Path) -> dict[str, Any]:
    """Return the card of an agent file, its fields checked, for a list of agents. Arrays are not read."""
    with opened(path, "agent file") as file:
        archive = Archive(file)
        card = _card(archive)
        if card["kind"] == Policy.KIND and not ("policy.npy" in archive or f"{DISTINCT}.npy" in archive):
            raise DamagedFile("'policy.npy' is missing")
    _verify_origin(card)
    _verify_results(field(card, "results", dict, {}))
    return card


def _card(archive: Archive) -> dict[str, Any]:
    """Return the card of an archive; what is needed to choose a reader is checked."""
    card: dict[str, Any] = archive.json("card.json")
    form, kind = field(card, "format", int, low=1), field(card, "kind", str)
    if form > FORMAT:
        raise UnknownFormat(f"an agent file of format {form}; this version reads up to {FORMAT}")
    if kind not in KINDS:
        raise UnknownFormat(f"an agent file of kind {kind!r}; this version reads {', '.join(KINDS)}")
    named = field(card, "game", dict)
    field(named, "name", str)
    field(named, "options", dict)
    if kind == TabulatedPolicy.KIND:
        field(field(card, "batch_policy", dict), "class", str)
    return card


def _verify_origin(card: dict[str, Any]) -> None:
    """Check the types of what a card says about where the policy comes from; all of it is optional."""
    for name, kind in (("name", str), ("learned", str), ("greedy", bool), ("solver", dict)):
        if name in card:
            field(card, name, kind)
    for name in ("name", "learned"):
        _verify_length(name, card.get(name, ""))
    for name, number in (("seconds", float), ("threshold", float), ("iterations", int)):
        if name in card:
            field(card, name, number, low=0)
    if "solver" in card:
        _verify_length("name", field(card["solver"], "name", str))
        field(card["solver"], "seed", int)
        field(card, "iterations", int, low=0)


def _verify_results(results: dict[str, Any]) -> None:
    """Check the types of what a card says was measured; all of it is optional."""
    optional(results, "nash_conv", float)
    matches = field(results, "matches", dict, {})
    if len(matches) > MAX_MATCHES:
        raise DamagedFile(f"{len(matches):,} matches (accepted: at most {MAX_MATCHES})")
    for opponent in matches:
        _verify_length("opponent", opponent)
        _verify_estimate(field(matches, opponent, dict), "hands")
    for name, count in (("local_best_response", "deals"), ("exact_response", "flops")):
        if optional(results, name, dict) is not None:
            _verify_estimate(results[name], count)


def _verify_length(name: str, text: str) -> None:
    if len(text) > MAX_TEXT:
        raise DamagedFile(f"{name!r} has {len(text):,} characters (accepted: at most {MAX_TEXT})")


def _verify_estimate(estimate: dict[str, Any], count: str) -> None:
    field(estimate, count, int, low=0)
    field(estimate, "mean", float)
    field(estimate, "half_width", float)


def _table(played: Game, archive: Archive) -> Array:
    """Return the table of a policy; no larger one is read than the game has rows for."""
    rows, actions = played.tree.rows, len(played.actions)
    if f"{DISTINCT}.npy" in archive:
        sizes = {DISTINCT: MAX_DISTINCT * actions, LOW: rows, HIGH: rows}
        packed = {name: archive.array(name, size + HEADER_BYTES) for name, size in sizes.items()}
        return _read_only(unpack(packed, actions))
    cells = rows * actions
    table = archive.array("policy", cells * np.dtype(np.float64).itemsize + HEADER_BYTES)
    if table.dtype != np.uint8 and table.dtype.kind != "f":
        raise DamagedFile(f"'policy.npy' holds {table.dtype} (accepted: float64, uint8)")
    return _read_only(np.ascontiguousarray(table))


def _read_only(table: Array) -> Array:
    table.flags.writeable = False  # so that the policy need not copy it
    return table


def _arrays(archive: Archive) -> dict[str, Array]:
    sizes = archive.arrays
    verify_size("all arrays", sum(sizes.values()), MAX_NETWORK_BYTES)
    return {name: archive.array(name, MAX_NETWORK_BYTES) for name in sizes}


def _other_game(path: Path, named: dict[str, Any], played: Game) -> UsageError:
    spec = spec_of(named["name"], named["options"])
    kind = "other rules of the same name" if spec == played.spec else spec
    return UsageError(f"{str(path)!r} plays {kind}, not {played.spec}")
