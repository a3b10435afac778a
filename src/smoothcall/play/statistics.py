"""Playing statistics of a person: marks kept with every finished hand, and their summary over many hands."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import inf, sqrt

from smoothcall.errors import UsageError
from smoothcall.evaluation.statistics import Estimate
from smoothcall.games.betting import Call, Fold, Raise
from smoothcall.games.hand import Hand
from smoothcall.games.notation import split_moves
from smoothcall.play.person_view import Figure, signed

MOST_POINTS = 600  # of a curve


@dataclass(frozen=True, slots=True)
class Marks:
    """What one seat did in one hand. Checks are not counted."""

    vpip: bool  # put chips in voluntarily on the first street: a call, bet or raise; antes and blinds do not count
    preflop_raise: bool  # bet or raised on the first street
    bets: int  # bets and raises, on all streets
    calls: int
    folds: int  # 0 or 1
    showdown: bool  # reached a showdown
    won_showdown: float  # 1 won chips, 1/2 broke even, 0 lost or no showdown


@dataclass(frozen=True, slots=True)
class Played:
    """A finished hand, reduced to what statistics need."""

    game: str  # with its stakes, as the catalogue names it
    title: str
    opponents: str
    position: str  # the person's: "Small blind", "Button"
    won: Fraction  # net chips
    blind: int  # 1 mbb is a thousandth of it
    luck_adjusted: float | None  # net chips by AIVAT; None where it is not available
    marks: Marks


@dataclass(frozen=True, slots=True)
class Line:
    """A person's results in some of the hands of one game."""

    name: str  # of the opponents, or of the position
    hands: int
    won: str
    raw: Figure | None
    luck_adjusted: Figure | None


@dataclass(frozen=True, slots=True)
class GameStatistics:
    """One game at one stake. Fractions are of the hands, `showdowns_won` of the showdowns; None where the denominator is 0."""

    game: str
    title: str
    hands: int
    won: str  # net chips
    raw: Figure | None
    luck_adjusted: Figure | None  # of the hands that AIVAT covers
    vpip: float | None
    preflop_raise: float | None
    aggression: float | None  # (bets + raises) / calls; None without calls
    showdowns: float | None
    showdowns_won: float | None
    curve: tuple[float, ...]  # net big blinds, at MOST_POINTS points at most; the last is after the last hand
    luck_adjusted_curve: tuple[float, ...]  # at the same points; () unless AIVAT covers every hand
    by_opponent: tuple[Line, ...]
    by_position: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Statistics:
    """How a person plays, game by game: results of different games or stakes are not added up."""

    hands: int
    games: tuple[GameStatistics, ...]  # in the order in which they were first played


def marks(hand: Hand, seat: int) -> Marks:
    """Return the marks of a seat in a finished hand."""
    outcome = hand.outcome
    if outcome is None:
        raise UsageError("the hand is not over yet")
    opening = len(split_moves(hand.text.partition("/")[0]))  # moves on the first street
    early = [_kind(move) for move in hand.moves[:opening] if move.player == seat]
    kinds = [_kind(move) for move in hand.moves if move.player == seat]
    showdown = outcome.reason == "showdown" and hand.alive[seat]
    net = outcome.payoffs[seat]
    return Marks(
        vpip="bet" in early or "call" in early,
        preflop_raise="bet" in early,
        bets=kinds.count("bet"),
        calls=kinds.count("call"),
        folds=kinds.count("fold"),
        showdown=showdown,
        won_showdown=(1.0 if net > 0 else 0.5 if net == 0 else 0.0) if showdown else 0.0,
    )


class Running:
    """The mean of samples that come one by one, and its interval."""

    __slots__ = ("count", "mean", "squares")

    def __init__(self) -> None:
        self.count, self.mean, self.squares = 0, 0.0, 0.0  # squares: sum of squared distances from the mean

    def add(self, sample: float) -> None:
        self.count += 1
        apart = sample - self.mean
        self.mean += apart / self.count
        self.squares += apart * (sample - self.mean)

    @property
    def figure(self) -> Figure | None:
        """The mean with its 95 % interval, None without samples; samples that are all equal give no interval."""
        if not self.count:
            return None
        error = sqrt(self.squares / (self.count - 1) / self.count) if self.count > 1 else inf
        told = 0 < error < inf
        return Figure(self.mean, Estimate(self.mean, error, self.count).half_width() if told else None, self.count)


class _Part:
    """Results in some of the hands of a game, in mbb/h."""

    def __init__(self) -> None:
        self.won, self.raw, self.luck_adjusted = Fraction(), Running(), Running()

    def add(self, hand: Played) -> None:
        self.won += hand.won
        self.raw.add(1000 * float(hand.won) / hand.blind)
        if hand.luck_adjusted is not None:
            self.luck_adjusted.add(1000 * hand.luck_adjusted / hand.blind)

    def line(self, name: str) -> Line:
        return Line(name, self.raw.count, signed(self.won), self.raw.figure, self.luck_adjusted.figure)


class _Curve:
    """A sum after each sample, kept at every `stride`th one, so that its length is bounded."""

    def __init__(self) -> None:
        self.total, self.count, self.stride, self.kept = 0.0, 0, 1, list[float]()

    def add(self, value: float) -> None:
        self.total += value
        self.count += 1
        if self.count % self.stride == 0:
            self.kept.append(self.total)
        if len(self.kept) >= MOST_POINTS:
            self.kept, self.stride = self.kept[1::2], 2 * self.stride

    @property
    def points(self) -> tuple[float, ...]:
        return tuple(self.kept) if self.count % self.stride == 0 else (*self.kept, self.total)


class _Game:
    """The statistics of one game, hand by hand, in memory that does not grow with the hands."""

    def __init__(self, title: str) -> None:
        self.title, self.all = title, _Part()
        self.curve, self.luck_adjusted = _Curve(), _Curve()
        self.opponents, self.positions = dict[str, _Part](), dict[str, _Part]()
        self.vpip = self.raised = self.bets = self.calls = self.showdowns = 0
        self.showdowns_won = 0.0

    def add(self, hand: Played) -> None:
        self.all.add(hand)
        self.opponents.setdefault(hand.opponents, _Part()).add(hand)
        self.positions.setdefault(hand.position, _Part()).add(hand)
        self.curve.add(float(hand.won) / hand.blind)
        self.luck_adjusted.add((hand.luck_adjusted or 0.0) / hand.blind)
        did = hand.marks
        self.vpip, self.raised = self.vpip + did.vpip, self.raised + did.preflop_raise
        self.bets, self.calls = self.bets + did.bets, self.calls + did.calls
        self.showdowns, self.showdowns_won = self.showdowns + did.showdown, self.showdowns_won + did.won_showdown

    def summary(self, game: str) -> GameStatistics:
        hands, covered = self.all.raw.count, self.all.luck_adjusted.count
        return GameStatistics(
            game=game,
            title=self.title,
            hands=hands,
            won=signed(self.all.won),
            raw=self.all.raw.figure,
            luck_adjusted=self.all.luck_adjusted.figure,
            vpip=_share(self.vpip, hands),
            preflop_raise=_share(self.raised, hands),
            aggression=_share(self.bets, self.calls),
            showdowns=_share(self.showdowns, hands),
            showdowns_won=_share(self.showdowns_won, self.showdowns),
            curve=self.curve.points,
            luck_adjusted_curve=self.luck_adjusted.points if covered == hands else (),
            by_opponent=tuple(part.line(name) for name, part in self.opponents.items()),
            by_position=tuple(part.line(name) for name, part in self.positions.items()),
        )


def summarise(hands: Iterable[Played]) -> Statistics:
    """Return the statistics of hands, given in the order in which they were played; each is read once and dropped."""
    games: dict[str, _Game] = {}
    for hand in hands:
        games.setdefault(hand.game, _Game(hand.title)).add(hand)
    found = tuple(made.summary(game) for game, made in games.items())
    return Statistics(sum(game.hands for game in found), found)


def _kind(move: Fold | Call | Raise) -> str:
    if isinstance(move, Call):
        return "call" if move.amount else "check"
    return "bet" if isinstance(move, Raise) else "fold"


def _share(part: float, whole: int) -> float | None:
    return part / whole if whole else None
