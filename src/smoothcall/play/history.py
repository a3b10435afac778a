"""Finished hands as the person saw them: results, coach, history, statistics, exports."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from fractions import Fraction
from typing import TYPE_CHECKING

from smoothcall.agents.fixed import Fixed, Rule
from smoothcall.agents.suffixes import STYLES, style_of, without_style
from smoothcall.agents.view import visible_hole_cards
from smoothcall.errors import Forbidden, NotFound, UsageError
from smoothcall.games.cards import Cards
from smoothcall.games.hand import Hand
from smoothcall.games.notation import split_moves
from smoothcall.play.exports import Exported, joined, json_pieces, phh_pieces
from smoothcall.play.log import position_name
from smoothcall.play.opponents import Agents
from smoothcall.play.person_view import HandView, Results, signed
from smoothcall.play.stakes import PLAY_GAMES, seated_game, table_game
from smoothcall.play.standing import Standing, match_of, new_standing
from smoothcall.play.statistics import Marks, Played, Statistics, summarise
from smoothcall.play.table import hand_steps, opponent_seats, replay
from smoothcall.store.deadlines import check_stopped
from smoothcall.store.histories import Histories
from smoothcall.store.records import Filter, HandRow, TableRow

if TYPE_CHECKING:  # imported on first use: playing alone needs neither
    from smoothcall.evaluation.aivat import AIVAT
    from smoothcall.play.coach import Coach, Review

PAGE = 25  # hands on a page of the history
ADJUSTED_AT_ONCE = 200  # hands that AIVAT adjusts per request
EXPORTED = 20_000  # hands in one file

FORMS = ("phh", "json")
NO_AIVAT_WITH_CARRIED_CHIPS = "AIVAT needs hands that begin with full stacks; here chips are carried over."


@dataclass(frozen=True, slots=True)
class HandLine:
    """A finished hand in the history."""

    id: int
    table: str
    number: int
    game: str
    title: str
    opponents: str
    cards: tuple[str, ...]  # the person's
    board: tuple[str, ...]
    betting: str
    reason: str
    won: str
    won_chips: float
    luck_adjusted: float | None
    coached: bool  # whether the coach can help with it
    ended: datetime


@dataclass(frozen=True, slots=True)
class HandLinks:
    """Where to go from a hand."""

    table: str
    previous: int | None  # ids of the hands before and after it at its table
    next: int | None
    coached: bool  # whether the coach can help with it
    agent: str | None  # the opponent whose strategy the coach compares with, by its player id


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the history, the latest hands first."""

    hands: tuple[HandLine, ...]
    page: int  # from 1
    pages: int
    total: int


class History:
    """The read-only half of the play service. `person` is always an id returned by `PlayService.person`."""

    def __init__(self, histories: Histories, agents: Agents) -> None:
        self.agents = agents
        self._histories = histories

    def results(self, person: int, id: str) -> Results:
        """Return what a person has won at a table, raw and luck-adjusted (AIVAT)."""
        row = self._table_row(person, id)
        won, curve, adjusted = Fraction(), array("d"), array("d")

        def counted() -> Iterator[Played]:
            """Yield the hands one by one; a number of each is kept."""
            nonlocal won
            for hand in self._played(Filter(table=id), person):
                won += hand.won
                curve.append(float(won))
                if hand.luck_adjusted is not None:
                    adjusted.append(hand.luck_adjusted + (adjusted[-1] if adjusted else 0.0))
                yield hand

        found = next(iter(summarise(counted()).games), None)
        carried = row.freezeouts or row.cash
        reason = NO_AIVAT_WITH_CARRIED_CHIPS if carried else self._why_not(row.game, row.opponents)
        maker = None if reason or not curve else self._aivat_of(row.game, row.opponents, 0)
        return Results(
            hands=len(curve),
            won=signed(won),
            curve=tuple(curve),
            luck_adjusted_curve=tuple(adjusted) if len(adjusted) == len(curve) else (),
            raw=found.raw if found is not None else None,
            luck_adjusted=found.luck_adjusted if found is not None else None,
            note=reason or (maker.note if maker is not None else ""),
            match=match_of(row, self._standing(row)),
        )

    def coach(self, person: int, hand_id: int, *, longer: bool = False) -> Review:
        """Return the EV of each of the person's decisions in a finished hand; `longer`: from more boards in hold'em."""
        row = self._hand_row(person, hand_id)
        if row.ended is None:
            raise Forbidden("the coach is available once the hand is over")
        if not self.coached(row.game, row.opponents) and row.game not in PLAY_GAMES:
            raise UsageError("there is no coach for these blinds and stacks")
        full = table_game(row.game).rules.stack  # type: ignore[union-attr]
        if row.stacks is not None and set(row.stacks) != {full}:
            raise UsageError(
                f"the coach knows hands with full stacks; this one began with {' and '.join(map(str, row.stacks))}"
            )
        seen = self._seen(row)
        given = (row.game, row.opponents, row.seat)
        return self.agents.cache.get(("coach", *given), lambda: self._make_coach(*given)).review(
            *seen, longer=longer, check=check_stopped
        )

    def links(self, person: int, hand_id: int) -> HandLinks:
        """Return where to go from a hand."""
        row = self._hand_row(person, hand_id)
        before, after = self._histories.neighbours(row.table, row.number)
        learned = (player_id for player_id in row.opponents if self._has_learned(player_id))
        return HandLinks(row.table, before, after, self._coaches(row), next(learned, None))

    def _coaches(self, row: HandRow) -> bool:
        """Return whether the coach can help with a hand: it is over, had a decision, and began with full stacks."""
        full = seated_game(row.game)[1].stack
        if row.ended is None or (row.stacks is not None and set(row.stacks) != {full}):
            return False
        decided = any(move.player == row.seat for move in replayed(row).moves)
        return decided and self.coached(row.game, row.opponents)

    def _has_learned(self, player_id: str) -> bool:
        try:
            return self.agents.card(player_id).kind != "scripted"
        except UsageError:  # its file is gone
            return False

    def coached(self, played: str, opponents: Sequence[str]) -> bool:
        """Return whether the coach can help with hands of a table: by EVs, or by the strategy of a learned opponent."""
        try:
            if any(self._too_many_for(played, player_id) for player_id in opponents):
                return False
        except UsageError:  # a file is gone
            return False
        return any(map(self._has_learned, opponents)) or not table_game(played).sampled

    def _too_many_for(self, played: str, player_id: str) -> bool:
        """Return whether an opponent has learned for fewer players than a game has."""
        seats = table_game(played).players
        return all(table_game(own).players < seats for own in self.agents.card(player_id).games or (played,))

    def hands(self, person: int, chosen: Filter, *, page: int = 1) -> Page:
        chosen = self._widened(chosen)
        total = self._histories.count(person, chosen)
        pages = max(1, -(-total // PAGE))
        if not 1 <= page <= pages:
            raise NotFound(f"page {page} (accepted: 1 to {pages})")
        rows = self._histories.hands(person, chosen, limit=PAGE, offset=(page - 1) * PAGE)
        return Page(tuple(map(self._line, self._luck_adjusted(rows))), page, pages, total)

    def hand(self, person: int, hand_id: int) -> tuple[HandView, ...]:
        """Return a person's views of a hand, one per step."""
        row = self._hand_row(person, hand_id)
        _, rules = seated_game(row.game)
        names = names_of(row.seat, short_names(self._names(row.opponents)))
        return hand_steps(rules, row.deck, row.betting, row.seat, names, id=row.id, number=row.number, stacks=row.stacks)

    def statistics(self, person: int, chosen: Filter) -> Statistics:
        return summarise(self._played(self._widened(chosen), person))

    def export(self, person: int, chosen: Filter, form: str) -> str:
        """Return finished hands as a file, oldest first, without cards that were not shown."""
        return "".join(self.export_pieces(person, chosen, form))

    def export_pieces(self, person: int, chosen: Filter, form: str) -> Iterator[str]:
        """Return the pieces of a file of finished hands: the latest EXPORTED, oldest first, CHUNK to a piece."""
        if form not in FORMS:
            raise UsageError(f"export as {form!r} (accepted: {', '.join(FORMS)})")
        chosen = self._widened(chosen)
        chunks = self._histories.stream(person, chosen, latest=EXPORTED)
        hands = (self._exported(row) for rows in chunks for row in rows)
        if form == "json":
            return joined(json_pieces(hands))
        games = {spec: seated_game(spec)[1] for spec in self._histories.count_by_game(person, chosen)}
        return joined(phh_pieces(hands, games))

    def may_explore(self, person: int, player_id: str) -> None:
        """Raise Forbidden while the person is in a hand with this agent: its strategy tells what it may hold."""
        near = self.agents.family(player_id)
        for table, other in self._histories.opponents_in_hand(person):
            if without_style(other) in near:
                raise Forbidden(
                    f"finish your hand first: the strategy of {self._name(player_id)} tells what it may hold", table
                )

    # Rows that belong to the person

    def _table_row(self, person: int, id: str) -> TableRow:
        row = self._histories.table(id)
        if row is None or row.person != person:
            raise no_table(id)
        return row

    def _hand_row(self, person: int, hand_id: int) -> HandRow:
        row = self._histories.hand(hand_id) if 0 < hand_id < 2**31 else None
        if row is None or row.person != person:
            raise NotFound(f"there is no hand {hand_id} of yours")
        return row

    def _standing(self, row: TableRow) -> Standing:
        """Return where a table stands, from its finished hands in the database."""
        standing = new_standing(row)
        for seat, payoffs, stacks, marks in self._histories.finished(row.id):
            standing = standing.after(seat, payoffs, stacks, marks)
        return standing

    def _names(self, player_ids: Sequence[str]) -> tuple[str, ...]:
        return tuple(map(self._name, player_ids))

    def _name(self, player_id: str) -> str:
        try:
            return self.agents.card(player_id).name
        except UsageError:  # its file is gone; its hands are kept
            return player_id

    def _seen(self, row: HandRow) -> tuple[Cards, list[Cards], str]:
        """Return what the person saw of a hand: own cards, boards, betting."""
        hand = replayed(row)
        return hand.hole[row.seat], hand.boards, row.betting

    # AIVAT and the coach

    def _others(self, opponents: Sequence[str], seat: int) -> dict[int, Fixed]:
        seats = opponent_seats(seat, len(opponents) + 1)
        return {place: self.agents.strategy(player_id) for place, player_id in zip(seats, opponents, strict=True)}

    def _make_aivat(self, played: str, opponents: tuple[str, ...], seat: int) -> AIVAT | None:
        """Return AIVAT with everything it computes once, so that the cache knows its size; its game goes with it."""
        from smoothcall.evaluation.aivat import HoldemAIVAT, aivat, why_not

        others = self._others(opponents, seat)
        if why_not(table_game(played), others):
            return None
        ruled = all(isinstance(player, Rule) for player in others.values())
        made = aivat(self.agents.game(played) if ruled else table_game(played), seat, others)
        if isinstance(made, HoldemAIVAT):
            made.values  # noqa: B018 - estimated now
        return made

    def _aivat_of(self, played: str, opponents: tuple[str, ...], seat: int) -> AIVAT | None:
        return self.agents.cache.get(("aivat", played, opponents, seat), lambda: self._make_aivat(played, opponents, seat))

    def _why_not(self, played: str, opponents: tuple[str, ...]) -> str:
        """Return why AIVAT is not available, "" where it is."""
        from smoothcall.evaluation.aivat import why_not

        if played not in PLAY_GAMES:
            return "AIVAT is not available at these blinds and stacks."
        try:
            for player_id in opponents if table_game(played).players == 2 else ():
                card = self.agents.card(player_id)
                if card.searches or (card.any_seats and card.kind != "scripted"):
                    how = "solves the rest of each hand" if card.searches else "evaluates observations"
                    return f"AIVAT needs a tabular opponent: {card.name} {how} instead."
                if card.adapts:
                    return f"AIVAT needs an opponent with one strategy: {card.name} observes how you play and changes its own."
            return why_not(table_game(played), self._others(opponents, 0))
        except UsageError as error:
            return str(error)

    def _make_coach(self, played: str, opponents: tuple[str, ...], seat: int) -> Coach:
        from smoothcall.play.coach import Coach

        for player_id in opponents:
            if self._too_many_for(played, player_id):
                seats = table_game(played).players
                raise UsageError(
                    f"there is no coach against {self._name(player_id)} here: it has learned for fewer than {seats} players"
                )
        others = self._others(opponents, seat)
        return Coach(table_game(played), seat, others, equilibrium=self.agents.equilibrium(played))

    def _luck_adjusted(self, rows: list[HandRow], most: int = ADJUSTED_AT_ONCE) -> list[HandRow]:
        """Return the hands with missing AIVAT results added, for at most `most` of them."""
        found: dict[int, float] = {}
        reasons: dict[tuple[str, tuple[str, ...]], str] = {}
        for row in rows:
            if row.luck_adjusted is not None or row.stacks is not None or len(found) >= most:
                continue
            table = (row.game, row.opponents)
            if table not in reasons:
                reasons[table] = self._why_not(*table)
            maker = None if reasons[table] else self._aivat_of(*table, row.seat)
            if maker is not None:
                check_stopped()
                found[row.id] = maker.luck_adjusted(*self._seen(self._with_deck(row)))
        if found:
            self._histories.set_luck_adjusted(found)
        return [replace(row, luck_adjusted=found[row.id]) if row.id in found else row for row in rows]

    def _with_deck(self, row: HandRow) -> HandRow:
        found = row if row.deck else self._histories.hand(row.id)
        assert found is not None
        return found

    # Finished hands

    def _widened(self, chosen: Filter) -> Filter:
        """Return a filter that includes an opponent's snapshots, and those that are greedy or search."""
        if chosen.opponent is None or style_of(chosen.opponent):
            return chosen
        try:
            near = self.agents.family(chosen.opponent)
        except UsageError:  # the agent is gone; its hands are kept
            near = {chosen.opponent}
        return replace(chosen, player_ids=tuple(sorted(f"{each}{style}" for each in near for style in ("", *STYLES))))

    def _played(self, chosen: Filter, person: int) -> Iterator[Played]:
        """Yield finished hands in the order they were played, with AIVAT results where available."""
        return (
            Played(
                game=row.game,
                title=seated_game(row.game)[0],
                opponents="; ".join(self._names(row.opponents)),
                position=position_name(seated_game(row.game)[1], row.seat),
                won=Fraction(row.payoffs[row.seat]),
                blind=table_game(row.game).blind,
                luck_adjusted=row.luck_adjusted,
                marks=Marks(**(row.marks or {})),
            )
            for row in self._streamed(person, chosen)
        )

    def _streamed(self, person: int, chosen: Filter) -> Iterator[HandRow]:
        """Yield finished hands without their decks, with AIVAT results; at most ADJUSTED_AT_ONCE of these are computed."""
        left = ADJUSTED_AT_ONCE
        for rows in self._histories.stream(person, chosen, with_decks=False):
            check_stopped()
            adjusted = self._luck_adjusted(rows, left)
            left -= sum(new is not old for new, old in zip(adjusted, rows, strict=True))
            yield from adjusted

    def _line(self, row: HandRow) -> HandLine:
        title, rules = seated_game(row.game)
        hole, boards, _ = self._seen(row)
        return HandLine(
            id=row.id,
            table=row.table,
            number=row.number,
            game=row.game,
            title=title,
            opponents="; ".join(self._names(row.opponents)),
            cards=tuple(map(rules.deck.name, sorted(hole, reverse=True))),
            board=tuple(rules.deck.name(card) for cards in boards for card in cards),
            betting=row.betting,
            reason=row.reason,
            won=signed(Fraction(row.payoffs[row.seat])),
            won_chips=float(row.won or 0),
            luck_adjusted=row.luck_adjusted,
            coached=self._coaches(row),
            ended=(row.ended or row.started).replace(tzinfo=UTC),
        )

    def _exported(self, row: HandRow) -> Exported:
        hand = replayed(row)
        return Exported(
            hand=hand,
            seat=row.seat,
            hole=visible_hole_cards(hand, row.seat),
            names=tuple(names_of(row.seat, self._names(row.opponents))),
            table=row.table,
            number=row.number,
            ended=row.ended or row.started,
            game=row.game,
        )


def replayed(row: HandRow) -> Hand:
    """Return a hand as it is in the database."""
    return replay(seated_game(row.game)[1], row.deck, split_moves(row.betting), row.stacks)


def short_names(names: Sequence[str]) -> list[str]:
    """Return names that fit a seat, all different: up to the comma, then with initials or a number where two are alike.

    `Agent 3, discrete play` and `Agent 3, gradient play` are `Agent 3 DP` and `Agent 3 GP`. Of several opponents those of
    Monte-Carlo CFR are `MCCFR`.
    """
    parts = [(name if len(names) == 1 else name.replace("Monte-Carlo CFR", "MCCFR")).partition(", ") for name in names]
    found = [first for first, _, _ in parts]
    for place, (first, _, rest) in enumerate(parts):
        if rest and any(other[0] == first and other[2] != rest for other in parts):
            found[place] = f"{first} {''.join(word[0] for word in rest.split()).upper()}"
    return [f"{name} {found[: place + 1].count(name)}" if found.count(name) > 1 else name for place, name in enumerate(found)]


def names_of(seat: int, opponents: Sequence[str]) -> list[str]:
    """Return the name in each seat; the person's is "You"."""
    names = ["You"] * (len(opponents) + 1)
    for place, name in zip(opponent_seats(seat, len(names)), opponents, strict=True):
        names[place] = name
    return names


def no_table(id: str) -> NotFound:
    return NotFound(f"there is no table {id[:40]!r} of yours")
