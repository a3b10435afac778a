"""Review of hands from files: what each decision of one player cost, judged by an agent (`play.coach`).

The other players' cards are never read: a review depends on the hero's cards, the board and the betting.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote

from smoothcall.agents.fixed import Strategy
from smoothcall.agents.registry import Kind, Registry, modified
from smoothcall.errors import UsageError
from smoothcall.games.betting import ENOUGH, Betting
from smoothcall.games.hand import Hand
from smoothcall.games.rules import PokerRules
from smoothcall.information.translation import seat_shift
from smoothcall.interop.acpc import read_damaged_log
from smoothcall.interop.acpc_dealer import in_positions
from smoothcall.interop.hand_files import read_hands
from smoothcall.play.coach import Coach, Decision
from smoothcall.policy import Policy

WORST = 10  # decisions that are shown
NAMES = 12  # of players that are listed where the hero is not among them
WORK = 0.3  # of a coach's work for one hand: files have many
KINDS = {"phh": ".phhs", "pokerstars": ".txt", "acpc": ".log"}  # suffixes of texts
_HANDS = {"phh": r"(?m)^[ \t]*variant[ \t]*=", "pokerstars": r"(?m)^\ufeff?PokerStars ", "acpc": r"(?m)^STATE:"}  # one a hand


@dataclass(frozen=True, slots=True)
class ReviewedDecision:
    """A decision and its price. EV losses are chips a hand."""

    hand: str  # file and number of the hand
    key: str
    chosen: str  # name of the move
    ev_loss: float | None  # against the agent; None where there are no EVs
    half_width: float | None  # of its 95 % interval; None where it is exact
    solved_ev_loss: float | None  # in the solved equilibrium; None where nothing was solved
    share: float | None  # how likely the agent makes this move
    best: str  # the move of the highest EV; where there are no EVs, the agent's most likely one
    link: str  # to this spot in the page's explorer; "" where the page does not list the agent


@dataclass(frozen=True, slots=True)
class HandReview:
    """The review of a player's hands, worst decisions first."""

    hero: str
    by: str
    hands: int
    decisions: int
    ev_loss: float | None  # chips, over all hands
    worst: tuple[ReviewedDecision, ...]
    skipped: dict[str, int]  # hands that were not reviewed, by reason
    note: str

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class _Found:
    name: str
    hand: Hand
    names: Sequence[str]
    known: Sequence[bool]


def review_hands(
    paths: Sequence[Path],
    hero: str,
    by: str,
    registry: Registry,
    *,
    worst: int = WORST,
    solve: bool = False,
    check: Callable[[int], None] | None = None,
) -> HandReview:
    """Review a player's decisions: the EV lost against an agent, at tables without EVs the probability that the agent makes the
    same move.

    `solve`: sort by the EV lost in equilibria, which are solved from the turn on in hold'em for two. `check` is called with the
    number of hands so far, also within a hand; it may raise to stop.
    """
    entry = registry.resolve(by)
    if entry.path is None:
        raise UsageError(f"{by} is {entry.kind} (accepted: agents, which have probabilities)")
    policy = modified(registry.read(entry), entry)
    page = by if entry.kind in (Kind.BUILT_IN, Kind.RUN) else ""
    return _review(paths, hero, by, policy, page, worst, solve, check or (lambda hands: None), most=None)


def review_text(
    text: str, kind: str, hero: str, player_id: str, policy: Policy, *, most: int, check: Callable[[], None] | None = None
) -> HandReview:
    """Review the hands of a text, `most` of them at most; `kind` is one of KINDS, "" for that of which it has most."""
    others = {each: len(re.findall(pattern, text)) for each, pattern in _HANDS.items()}
    kind = kind or max(others, key=lambda each: others[each])
    if kind not in KINDS:
        raise UsageError(f"kind {kind!r} (accepted: {', '.join(KINDS)})")
    with TemporaryDirectory() as folder:
        one = kind == "phh" and not re.search(r"^\s*\[\s*[0-9]+\s*\]", text, re.MULTILINE)  # several hands are numbered tables
        path = Path(folder) / f"hands{'.phh' if one else KINDS[kind]}"
        path.write_text(text, "utf-8")
        stop = check or (lambda: None)

        def named(reason: str) -> str:
            """Nobody must learn where the text was put."""
            return reason.replace(str(path), "the file").replace(path.name, "the file")

        try:
            found = _review([path], hero, player_id, policy, player_id, WORST, False, lambda hands: stop(), most=most)
        except UsageError as error:
            more = [each for each, count in others.items() if count and each != kind]
            also = f". It was read as {kind}; it also has {', '.join(more)}" if more else ""
            raise UsageError(f"{named(str(error))}{also}") from None
        worst = [replace(each, hand=each.hand.removeprefix(f"{path.name} ")) for each in found.worst]
        skipped = {named(reason): count for reason, count in found.skipped.items()}
        skipped |= {f"hands in another format, {each}": n for each, n in others.items() if n and each != kind}
        return replace(found, worst=tuple(worst), skipped=skipped)


def _review(
    paths: Sequence[Path],
    hero: str,
    by: str,
    policy: Policy,
    page: str,
    worst: int,
    solve: bool,
    check: Callable[[int], None],
    *,
    most: int | None,
) -> HandReview:
    game, own = policy.game, policy.game.rules
    if not isinstance(own, PokerRules):
        raise UsageError(f"{by} plays {game.spec} (accepted: agents of poker games)")
    skipped, coaches, names = Counter[str](), dict[int, Coach](), Counter[str]()
    found, total, hands, note, valued = list[ReviewedDecision](), 0.0, 0, "", False
    reading = _hands(paths, own, skipped)
    for each in islice(reading, most):
        names.update(each.names)
        try:
            seat, own_seat = _seats(each, hero, own)
        except UsageError as error:
            skipped[str(error)] += 1
            continue
        others = {other: Strategy(policy) for other in range(game.players) if other != own_seat}
        coach = coaches.setdefault(own_seat, Coach(game, own_seat, others, work=1.0 if solve else WORK, solve=solve))
        seen, done = (each.hand.hole[seat], each.hand.boards, each.hand.text), hands
        review, note = coach.review(*seen, longer=solve, check=lambda done=done: check(done)), coach.note  # type: ignore[misc]
        found += [_reviewed(each.name, decision, page) for decision in review.decisions]
        total, hands, valued = total + (review.ev_loss or 0.0), hands + 1, valued or review.ev_loss is not None
    if most is not None and (left := sum(1 for _ in reading)):
        skipped[f"only the first {most} hands are read here (the command line reads all: smoothcall review)"] += left
    if not hands and not skipped:
        raise UsageError(f"there are no hands in {', '.join(map(str, paths))}")
    if names and hero not in names:
        raise UsageError(f"{hero!r} plays in none of the hands (accepted: {_listed(names)})")
    found.sort(key=lambda each: (-_cost(each, solve=solve), -(each.ev_loss or 0.0), 1.0 if each.share is None else each.share))
    return HandReview(hero, by, hands, len(found), total if valued else None, tuple(found[:worst]), dict(skipped), note)


def _listed(names: Counter[str]) -> str:
    """Return the names of those who play most, and how many others there are."""
    shown = [repr(name) for name, _ in names.most_common(NAMES)]
    return ", ".join(shown) + (f" and {len(names) - len(shown):,} others" if len(names) > len(shown) else "")


def _cost(decision: ReviewedDecision, *, solve: bool) -> float:
    """Return what a decision lost at least: a sampled EV loss less half of its interval."""
    if solve:
        return decision.solved_ev_loss or 0.0
    return max(0.0, (decision.ev_loss or 0.0) - (decision.half_width or 0.0))


def _hands(paths: Sequence[Path], own: PokerRules, skipped: Counter[str]) -> Iterator[_Found]:
    logs = [log for path in paths if path.is_dir() for log in sorted(path.rglob("*.log"))]
    for path in (*paths, *logs):
        if path.suffix == ".log":
            states, problems = read_damaged_log(in_positions(own), path)
            if problems and not states:
                raise UsageError(f"{path.name}, {problems[0]}")
            if problems:
                skipped[f"{path.name} has lines that are no hand of {own.name}"] += len(problems)
            yield from (_Found(f"{path.name} {each.number}", each.hand, each.names, [True] * own.seats) for each in states)
            continue
        read = read_hands([path])
        skipped.update(read.skipped)
        for number, recorded in enumerate(read.hands, 1):
            yield _Found(f"{path.name} {number}", recorded.hand, recorded.names, recorded.known)


def _seats(found: _Found, hero: str, own: PokerRules) -> tuple[int, int]:
    """Return the hero's seat in the file and in the agent's game."""
    hand = found.hand
    if hero not in found.names:
        raise UsageError(f"{hero} is not in the hand")
    seat = list(found.names).index(hero)
    if not found.known[seat]:
        raise UsageError(f"the cards of {hero} are not known")
    shift = seat_shift(own, hand.rules)
    if shift is None:
        raise UsageError(f"the rules are not those of {own.name}")
    stacks = Betting(own).starting
    if hand.starting[shift:] + hand.starting[:shift] != stacks and min(stacks) < ENOUGH:
        raise UsageError(f"the stacks are not those of {own.name}")
    return seat, (seat - shift) % own.seats


def _reviewed(hand: str, decision: Decision, page: str) -> ReviewedDecision:
    chosen = next(move for move in decision.moves if move.letter == decision.chosen)
    valued = [move for move in decision.moves if move.ev is not None]
    best = max(valued or decision.moves, key=lambda move: (move.ev if valued else move.agent) or 0.0)
    link = (
        f"/explore/{quote(page)}?at={quote(decision.betting)}&cards={quote(decision.label)}" if page and decision.label else ""
    )
    costs = (chosen.ev_loss, chosen.ev_loss_half_width or None, chosen.solved_ev_loss)
    return ReviewedDecision(hand, decision.key, chosen.name, *costs, chosen.agent, best.name, link)
