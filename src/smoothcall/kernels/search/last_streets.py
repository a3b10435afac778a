"""One board of the last street but one with the boards behind it, walked by one call, or by one for each thread.

The processor's cache holds nothing of the interpreter after a walk over many boards, so work between two calls is slow.
"""

from __future__ import annotations

from smoothcall.kernels import inlined, kernel
from smoothcall.kernels.search.all_ins import all_in_values
from smoothcall.kernels.search.sweep import NEXT_STREET, Betting, Boards, Scratch, Tables, Weights, walk_boards
from smoothcall.kernels.tables import Array
from smoothcall.kernels.vectors import add, copy


@kernel
def walk_last_streets(
    board: int,
    down: bool,
    begin: int,
    end: int,
    up: bool,
    runs: int,
    partial: Array,
    betting: Betting,
    boards: Boards,
    locked: Array,
    scratch: Scratch,
    last_betting: Betting,
    last_boards: Boards,
    last_locked: Array,
    last: Scratch,
    player: int,
    how: int,
    tables: Tables,
    weights: Weights,
) -> None:
    """Walk a board down to the last street's entries, unless their reach is known, boards begin:end behind it, and it up.

    Values are added to the entries of the board's street. `runs` and `partial` are those of `walk_boards`, for the last
    street; its entries that are in none of its parts are all-ins. Threads walk the board down each in its own buffers, some of
    the boards behind it, and not `up`; then one of them walks none of these boards and `up`.
    """
    none, yes, no, no_runs = partial[:0], bool(1), bool(0), int(0)  # no literals: Numba compiles a callee once more for each
    walked = last_betting.part[-1]
    if down:
        walk_boards(board, board + 1, yes, no, no_runs, none, betting, boards, player, how, tables, locked, weights, scratch)
    if begin < end:
        _enter_last(betting, player, scratch, last)
        last.entry_value[:] = 0
        walk_boards(
            begin, end, yes, yes, runs, partial, last_betting, last_boards, player, how, tables, last_locked, weights, last
        )
        if len(boards.ahead):
            hands, first, last_board = boards.hands[player, board], boards.children[board], boards.children[board + 1]
            some, more = (begin - first) * hands // (last_board - first), (end - first) * hands // (last_board - first)
            all_in_values(some, more, last_betting, boards, last_boards.weight, player, last, partial[0])
    if up:
        found = partial[0] if runs > 0 else last.entry_value
        for run in range(1, len(partial) if runs > 0 else 0):
            for entry in range(walked):
                add(partial[run, entry], found[entry])
        for node in range(len(betting.kind)):
            if betting.kind[node] == NEXT_STREET:
                copy(found[betting.entry[node]], scratch.value[node])
        walk_boards(board, board + 1, no, yes, no_runs, none, betting, boards, player, how, tables, locked, weights, scratch)


@inlined
def _enter_last(betting: Betting, player: int, scratch: Scratch, last: Scratch) -> None:
    """Write the opponent's reach at the last street's entries."""
    for node in range(len(betting.kind)):
        if betting.kind[node] == NEXT_STREET:
            entry = betting.entry[node]
            last.entry_reached[entry] = scratch.reached[node]
            copy(scratch.reach[betting.source[player, node]], last.entry_reach[entry])
