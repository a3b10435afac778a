"""A table on the console. It reads and writes lines, so that scripts can play too; hands go to the same database."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.status import Status
from rich.table import Table
from rich.text import Text

from smoothcall.errors import Conflict, Unauthenticated, UsageError
from smoothcall.play.person_view import Choice, Figure, HandView, SeatView, TableView
from smoothcall.store.records import Filter

if TYPE_CHECKING:
    from smoothcall.play.coach import Decision, Review
    from smoothcall.play.service import PlayService
    from smoothcall.play.statistics import GameStatistics

Cell = Text | str

LINES = 10  # hands of the history on one screen
LIKELY = 8  # classes of the opponent's range that the coach lists
TABLES = 200  # latest tables of a person searched for one to resume
_SUITS = str.maketrans({"c": "♣", "d": "♦", "h": "♥", "s": "♠"})
_RED = "dh"
_AMOUNT = re.compile(r"(?:r|bet|raise)? ?(?:to )?([0-9]+)")
_KEYS = "Enter next hand, k coach, h history, s statistics, t tables, ? help, q leave, or close"
_HELP = (
    "Type the letter of a move; in no-limit games add the amount (r40, or just 40). Enter checks when checking is free, and "
    "deals the next hand. h lists your hands, h 12 replays hand 12, k asks the coach about your decisions, k 12 about those "
    "in hand 12, s shows your statistics, t lists your tables, t 2 goes to the second, ? shows this help. q leaves the table, "
    "which waits for you; close (the word) closes it for good and folds your hand. At a cash table b buys chips between hands."
)


def person_of(service: PlayService, path: Path) -> int:
    """Return the person who plays in this user's terminal. A private file keeps their tokens, one per database."""
    try:
        return _person_of(service, path)
    except (OSError, UnicodeDecodeError) as error:
        why = (isinstance(error, OSError) and error.strerror) or "it is not a text"
        raise UsageError(
            f"cannot keep your token in {str(path)!r}: {why} (accepted: a file that you may read and write, in the data "
            "folder, which SMOOTHCALL_DATA names)"
        ) from None


def _person_of(service: PlayService, path: Path) -> int:
    tokens = path.read_text(encoding="utf-8").split() if path.exists() else []
    for token in tokens:
        try:
            return service.person(token)
        except Unauthenticated:
            continue
    token = service.newcomer()
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "w", encoding="utf-8") as file:
        file.write(f"{token}\n")
    path.chmod(0o600)
    return service.person(token)


def letter_of(text: str, choices: Sequence[Choice]) -> str:
    """Return the move for a typed line: `f`, `c`, `r`, `fold`, `call`, `raise to 40`, `r40`, `40`, `pot`; empty: check.

    Amounts are chips on this street alone.
    """
    said = " ".join(text.lower().split())
    by_letter = {choice.letter: choice for choice in choices}
    by_word = {choice.name.split()[0].lower(): choice for choice in choices}
    raising, call = by_letter.get("r"), by_letter["c"]
    if not said:
        if call.chips:
            raise UsageError(f"Enter only checks, and here it costs {call.chips} chips to call")
        return "c"
    chosen = by_letter.get(said) or by_word.get(said)
    if raising is not None and raising.low is not None and raising.high is not None:
        low, high = raising.low - raising.earlier, raising.high - raising.earlier
        named = dict(raising.presets)
        wanted = said.removeprefix("r ") if said.removeprefix("r ") in named else said
        if wanted in named:
            return f"r{named[wanted]}"
        if amount := _AMOUNT.fullmatch(said):
            if len(amount[1]) > 9 or not low <= int(amount[1]) <= high:
                raise UsageError(f"{raising.name} to {amount[1][:12]}? Choose from {low} to {high} chips")
            return f"r{int(amount[1]) + raising.earlier}"
        if chosen is raising:
            raise UsageError(f"{raising.name} to how many chips? {low} to {high}, as r{low}")
    if chosen is None:
        raise UsageError(f"{text.strip()[:20]!r} is not a move here")
    return chosen.letter


def keys(choices: Iterable[Choice]) -> str:
    """Return what may be typed: `f Fold, c Call 4, r Raise to 8`."""
    found = []
    for choice in choices:
        if choice.low is None or choice.high is None:
            found.append(f"{choice.letter} {choice.name}")
        else:
            least, most = choice.low - choice.earlier, choice.high - choice.earlier
            named = ", ".join(f"{name} {total - choice.earlier}" for name, total in choice.presets)
            span = f"r{least} to r{most}" if most > least else f"r{least}"
            found.append(f"{span} {choice.name}{f' ({named})' if named else ''}")
    return ", ".join(found)


class Terminal:
    """One person's table on a console. `kept`: a sentence that says where hands are stored."""

    def __init__(
        self,
        service: PlayService,
        person: int,
        game: str,
        against: Sequence[str],
        *,
        freezeouts: int = 0,
        cash: bool = False,
        kept: str = "",
        console: Console | None = None,
        read: Callable[[], str] | None = None,
    ) -> None:
        self.service, self.person, self.game, self.against, self.freezeouts = service, person, game, list(against), freezeouts
        self.cash = cash
        self.console = console or Console(highlight=False)
        self._read = read or _read_line
        self._help = f"{_HELP}\n{kept}".rstrip()
        self._symbols = self.console.is_terminal and (self.console.encoding or "").lower().startswith("utf")
        self._told: tuple[int, int] = (0, 0)  # (hand, how many of its events are on the screen)
        self._listed: list[str] = []  # ids of the tables on the screen

    def play(self) -> None:
        """Play until the person leaves (`q`, end of input or Ctrl-C) or closes the table."""
        table = self._find_table()
        try:
            self._say(_about(table), "bold")
            self._say(self._help, "dim")
            while not table.closed:
                table = self._turn(table)
            self._show(table)
            self._say("The table is closed.")
        except (EOFError, KeyboardInterrupt):
            self._say("")
        self._say(f"{_hands(table.hands)}, {table.won} chips. Your hands are kept.")

    def _find_table(self) -> TableView:
        """Return the person's latest unfinished table with exactly these opponents, or a new one."""
        for table in self.service.tables(self.person, TABLES):
            freezeouts = 0 if table.match is None else table.match.freezeouts
            over = table.match is not None and table.match.over
            asked = (self.game, self.against, self.freezeouts, False, self.cash)
            if (table.game, [opponent.id for opponent in table.opponents], freezeouts, over, bool(table.cash)) == asked:
                self._say("Resuming your table.", "dim")
                return table
        return self.service.open_table(self.person, self.game, self.against, freezeouts=self.freezeouts, cash=self.cash)

    def _turn(self, table: TableView) -> TableView:
        """Ask until a typed line changes the table; return the new view."""
        self._show(table)
        while True:
            words = self._ask(_between(table) if table.hand.over else f"{keys(table.hand.choices)}, ? help")
            try:
                after = self._answer(words, table)
            except Conflict as error:  # the same table is open elsewhere
                self._say(str(error), "red")
                return self.service.table(self.person, table.id)
            except UsageError as error:
                self._say(str(error), "red")
                continue
            if after is not None:
                return after

    def _answer(self, words: list[str], table: TableView) -> TableView | None:
        """Return the table after a typed command; None if the command only showed something."""
        hand, (key, *rest) = table.hand, words or [""]
        if key in ("q", "quit", "leave"):
            raise EOFError
        if key == "close":
            return self.service.close_table(self.person, table.id)
        if key in ("t", "tables"):
            if rest:
                return self._go_to(rest)
            self._list_tables(table)
            return None
        if key in ("b", "buy", "rebuy") and hand.over and _short(table):
            return self.service.next_hand(self.person, table.id, hand=hand.number, rebuy=True)
        if key in ("h", "history"):
            if rest:
                self._replay(self.service.hand(self.person, _hand_id(rest))[-1])
            else:
                self._history()
        elif key in ("k", "coach"):
            self._coach(_hand_id(rest) if rest else hand.id)
        elif key in ("s", "statistics"):
            self._statistics(table)
        elif key in ("?", "help"):
            self._say(self._help, "dim")
        elif not hand.over:
            letter = letter_of(" ".join(words), hand.choices)
            return self.service.act(self.person, table.id, letter, hand=hand.number, move=hand.move)
        elif key:
            raise UsageError(f"{' '.join(words)[:20]!r} is not a command here: the hand is over")
        else:
            return self.service.next_hand(self.person, table.id, hand=hand.number)
        return None

    def _list_tables(self, at: TableView) -> None:
        tables = self.service.tables(self.person, TABLES)
        self._listed = [table.id for table in tables]
        rows: list[list[Cell]] = [
            [str(place), _about(table), "here" if table.id == at.id else "", f"{table.hands:,}", table.won]
            for place, table in enumerate(tables, 1)
        ]
        self._table(["", "table", "", "hands", "won"], rows, left=3)

    def _go_to(self, words: list[str]) -> TableView:
        """Return the table of a number in the latest list."""
        word = "".join(words)
        if not (word.isascii() and word.isdigit() and len(word) <= 4 and 1 <= int(word) <= len(self._listed)):
            most = f"1 to {len(self._listed)}" if self._listed else "a number from the list, see t"
            raise UsageError(f"{' '.join(words)[:20]!r} is not one of your tables (accepted: {most})")
        table = self.service.table(self.person, self._listed[int(word) - 1])
        self._told = (0, 0)
        self._say(_about(table), "bold")
        return table

    # Output

    def _say(self, text: str | Text, style: str = "") -> None:
        self.console.print(text if isinstance(text, Text) else Text(text, style))

    def _wait(self) -> Status:
        """AIVAT takes seconds the first time in a game with many deals."""
        return self.console.status("computing luck-adjusted results")

    def _ask(self, what: str) -> list[str]:
        self._say(what, "bold")
        self.console.print("> ", end="")
        line = self._read()
        if not sys.stdin.isatty():
            self._say(line)  # echo a script's input into its transcript
        return line.lower().split()

    def _show(self, table: TableView) -> None:
        """Show the new events and the state of the hand."""
        hand = table.hand
        if self._told[0] != hand.id:
            self._told = (hand.id, 0)
            self._say(f"\nHand {hand.number} (no. {hand.id})", "bold")
        news = hand.events[self._told[1] :]
        self._told = (hand.id, len(hand.events))
        for event in news:
            self._say(event.text, "" if event.kind in ("move", "show", "end") else "dim")
        if news or not hand.over:
            self._stand(hand)
        if news and hand.over:
            self._result(table)

    def _stand(self, hand: HandView) -> None:
        board = [card for cards in hand.boards for card in cards]
        line = Text(f"{hand.street_name}  pot {hand.pot}")
        if board:
            line.append_text(Text("  board ").append_text(self._cards(board)))
        self._say(line)
        stacks = any(seat.stack is not None for seat in hand.seats)
        heads = ["", "cards", "won" if hand.over else "bet", *(["stack"] if stacks else [])]
        rows: list[list[Cell]] = []
        for seat in hand.seats:
            chips = [(seat.won or "") if hand.over else str(seat.bet), *([str(seat.stack)] if stacks else [])]
            rows.append(
                [Text(f"{seat.name}{' (button)' if seat.button else ''}", "bold" if seat.you else ""), self._held(seat), *chips]
            )
        self._table(heads, rows, left=2)

    def _held(self, seat: SeatView) -> Text:
        if seat.cards:
            return self._cards(seat.cards).append("" if seat.alive else " folded")
        return Text("folded" if not seat.alive else " ".join(["??"] * seat.hidden), "dim")

    def _cards(self, cards: Iterable[str]) -> Text:
        """Return cards as Qh, or as Q♥ where the terminal supports it; hearts and diamonds are red."""
        line = Text()
        for place, card in enumerate(cards):
            name = card[:1] + card[1:].translate(_SUITS) if self._symbols else card
            line.append(" " if place else "").append(name, "bold red" if card[1:] in tuple(_RED) else "bold")
        return line

    def _result(self, table: TableView) -> None:
        hand = table.hand
        self._say(f"{hand.verdict} ({hand.money(hand.won or '0')}). {_hands(table.hands)}: {table.won} chips")
        if (match := table.match) is not None:
            stands = "The match is over" if match.over else f"Freezeouts of {match.freezeouts} won and lost"
            of_hands = f" (hand {match.hand} of {match.length})" if match.length and not match.freezeout_over else ""
            self._say(f"{stands}: {match.won}-{match.lost}{f', {match.drawn} drawn' if match.drawn else ''}{of_hands}", "bold")
        with self._wait():
            found = self.service.results(self.person, table.id)
        self._say(_mbb(found.raw))
        if found.luck_adjusted is not None:
            self._say(f"{_mbb(found.luck_adjusted)} luck-adjusted (AIVAT)")
        elif found.note:
            self._say(f"AIVAT: {found.note}", "dim")

    def _history(self) -> None:
        with self._wait():
            found = self.service.hands(self.person, Filter())
        if not found.hands:
            self._say("No finished hands yet.")
            return
        rows: list[list[Cell]] = []
        for line in found.hands[:LINES]:
            seen = self._cards(line.cards)
            if line.board:
                seen.append(" / ").append_text(self._cards(line.board))
            rows.append([str(line.id), line.title, seen, line.betting, line.won])
        self._table(["hand", "game", "cards", "betting", "won"], rows, left=4)
        if found.total > LINES:
            self._say(f"The latest {LINES} of {found.total}.", "dim")

    def _replay(self, hand: HandView) -> None:
        for event in hand.events:
            self._say(event.text)
        self._stand(hand)

    def _coach(self, id: int) -> None:
        with self._wait():
            review: Review = self.service.coach(self.person, id)
        for decision in review.decisions:
            self._decision(decision)
        if not review.decisions:
            self._say("You had no decision to make in this hand.")
        if review.ev_loss is not None:
            self._say(f"Total EV loss: {_chips(review.ev_loss, sign=False)} chips", "bold")
        if review.note:
            self._say(review.note, "dim")

    def _decision(self, decision: Decision) -> None:
        self._say(f"{decision.key}", "bold")
        if decision.equity is not None:
            odds = "" if decision.pot_odds is None else f", pot odds {_percent(decision.pot_odds)}"
            boards = f"; EVs from {decision.samples:,} sampled boards" if decision.samples else ""
            self._say(f"Equity {_percent(decision.equity)}{odds}{boards}. {decision.note}".strip(), "dim")
            likely = sorted((cell for row in decision.grid for cell in row), key=lambda cell: -cell.share)[:LIKELY]
            self._say(f"Opponent: {', '.join(f'{cell.label} {cell.share:.1%}' for cell in likely)}, ...", "dim")
        heads = ["", "EV", "EV loss", "equilibrium", "opponent"]
        rows: list[list[Cell]] = []
        for move in decision.moves:
            mine = move.letter == decision.chosen
            loss = f"{_chips(move.ev_loss, sign=False)}{_interval(move.ev_loss_half_width)}"
            cells = [f"{_chips(move.ev)}{_interval(move.half_width)}", loss, _percent(move.equilibrium), _percent(move.agent)]
            rows.append([Text(f"{'* ' if mine else '  '}{move.name}", "bold" if mine else ""), *cells])
        used = [0, *(column for column in range(1, len(heads)) if any(row[column] for row in rows))]
        self._table([heads[column] for column in used], [[row[column] for column in used] for row in rows], left=1)

    def _statistics(self, table: TableView) -> None:
        with self._wait():
            here = self.service.statistics(self.person, Filter(table=table.id))
            every = self.service.statistics(self.person, Filter(game=table.game))
        if not here.hands:
            self._say("No finished hands yet.")
            return
        named = zip(_lines(here.games[0]), _lines(every.games[0]), strict=True)
        self._table(["", "this table", table.title], [[name, mine, all_mine] for (name, mine), (_, all_mine) in named], left=1)

    def _table(self, heads: list[str], rows: list[list[Cell]], *, left: int) -> None:
        """Print a table: the first `left` columns are text, the others numbers. Narrow terminals wrap lines."""
        printed = Table(box=None, pad_edge=False, header_style="dim", show_header=any(heads))
        for place, head in enumerate(heads):
            printed.add_column(head, overflow="fold", justify="left" if place < left else "right")
        for row in rows:
            printed.add_row(*(cell if isinstance(cell, Text) else Text(cell) for cell in row))
        self.console.print(printed)


def _about(table: TableView) -> str:
    kind = ", cash" if table.cash else f", {table.match.freezeouts} freezeouts" if table.match is not None else ""
    return f"{table.title}{kind} against {', '.join(opponent.name for opponent in table.opponents)}"


def _short(table: TableView) -> bool:
    """Return whether the person may buy chips: at a cash table, with less than a full stack."""
    return bool(table.cash) and (table.hand.you.stack or 0) < table.cash


def _between(table: TableView) -> str:
    """Return what may be typed after a hand."""
    if not _short(table):
        return _KEYS
    full = table.hand.money(table.cash)
    return f"b top up to {full}, {_KEYS}" if table.hand.you.stack else f"b rebuy {full}, {_KEYS.partition(', ')[2]}"


def _read_line() -> str:
    if sys.stdin is None:  # closed before the program started
        raise EOFError
    return input()


def _hand_id(words: list[str]) -> int:
    word = "".join(words)
    if not (word.isascii() and word.isdigit() and len(word) <= 9):
        raise UsageError(f"{' '.join(words)[:20]!r} is not a hand (accepted: a number from the history, see h)")
    return int(word)


def _hands(count: int) -> str:
    return f"{count:,} hand{'' if count == 1 else 's'}"


def _mbb(figure: Figure | None) -> str:
    if figure is None:
        return "no figure yet"
    width = "" if figure.half_width is None else f" ± {figure.half_width:,.0f}"
    return f"{figure.mean:+,.0f}{width} mbb/h ({figure.mean / 10:+,.1f} bb/100)"


def _chips(value: float | None, *, sign: bool = True) -> str:
    if value is None:
        return ""
    value = round(value, 3) + 0.0  # no negative zero
    return f"{value:+.3f}" if sign else f"{value:.3f}"


def _interval(half_width: float | None) -> str:
    return f" ± {half_width:.1f}" if half_width else ""


def _percent(share: float | None) -> str:
    return "" if share is None else f"{share:.0%}"


def _lines(found: GameStatistics) -> list[tuple[str, str]]:
    return [
        ("hands", f"{found.hands:,}"),
        ("chips", found.won),
        ("won", _mbb(found.raw)),
        ("luck-adjusted (AIVAT)", _mbb(found.luck_adjusted)),
        ("VPIP", _percent(found.vpip)),
        ("preflop raise", _percent(found.preflop_raise)),
        ("aggression", "" if found.aggression is None else f"{found.aggression:.2f}"),
        ("showdowns", _percent(found.showdowns)),
        ("showdowns won", _percent(found.showdowns_won)),
    ]
