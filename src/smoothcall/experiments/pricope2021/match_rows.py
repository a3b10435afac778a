"""Rows on matches: agents 1 and 2, Table 1, Figs 4 and 5."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from smoothcall.evaluation.statistics import Estimate
from smoothcall.experiments.parts import NotMeasured
from smoothcall.experiments.pricope2021.data import Data, apart, of_seeds
from smoothcall.experiments.pricope2021.published import BIG_BLIND, ERRORS, STACK, TABLE_1, TRAINED, Line
from smoothcall.experiments.pricope2021.results import Played, from_list, over_seeds
from smoothcall.experiments.pricope2021.row_figures import DENSE, Z, late_version, mbb_of, ours, smaller, stack_of, too_short
from smoothcall.experiments.pricope2021.settings import (
    CALL,
    DP,
    GP,
    HEURISTIC,
    IMAGES,
    ONE,
    RANDOM,
    TWO,
    TWO_CALLED,
    TWO_RANDOM,
)
from smoothcall.experiments.verdicts import Above, Below, Between, Deviation, Measured, Near, Row, deviating, difference, exact

OTHER_AGENT_2 = Deviation("opponents", "its agent 2 is not available; ours is trained as it describes")
OTHER_AGENT_1 = Deviation(
    "opponents", "its agent 1 is not available, and it prints none of its thresholds; ours is written anew"
)
OTHER_RANDOM = Deviation(
    "opponents",
    "its Random raises a random amount; ours raises here by the sizes that agents have, each equally often, and checks where "
    "that is free, of which the document says nothing",
)
NOT_YET = Deviation("nothing", "not measured yet")
LABELS = {"GP": GP, "DP": DP}


# Sections 3 and 4.1


def agent_2_beats_agent_1(data: Data) -> Row:
    return ours(Measured(_won_of(data, TWO, ONE), Above(0), form="+.0f", unit="mbb/h"))


def agent_2_called(data: Data) -> Row:
    measured = [
        Measured(_won_of(data, label, other), None, f"{label} against {other}", "+.0f")
        for label in (TWO, TWO_CALLED)
        for other in (ONE, RANDOM, CALL, HEURISTIC)
    ]
    return ours(*measured, note="mbb/h")


def _won_of(data: Data, label: str, other: str) -> Estimate:
    """Return what the trainings of an agent 2 win of a player, in mbb/h."""
    return data.mbb([Played.of(each) for each in data[f"{label} by seed"][other]])


def always_fold(data: Data) -> Row:
    """Every deal is played in both seats, so that the figure has no error."""
    return ours(Measured(exact(Played.of(data["always fold"]).mbb(data.blind).mean), Near(-750), form="+.0f", unit="mbb/h"))


def usual_winnings(data: Data) -> Row:
    inside = [abs(Played.of(result).mbb(data.blind).mean) <= 750 for _, _, result in data["cross table"]]
    return ours(Measured(exact(sum(inside) / len(inside)), Above(0.5), f"of {len(inside)} pairs of players", ".0%"))


# Table 1


def both_win(data: Data) -> Row:
    measured = [
        Measured(data.mbb(data.versions(label, TWO, at)), Above(0), f"{label}, {at:,} games", "+.0f")
        for label in (GP, DP)
        for at in data.points(label)
    ]
    return ours(*measured, note="mbb/h")


def self_play(data: Data) -> Row:
    measured = [
        Measured(
            data.mbb(data.versions(label, TWO, data.points(label)[-1])), Above(0), f"{label} against {TWO}", "+.0f", "mbb/h"
        )
        for label in (GP, DP)
    ]
    return ours(*measured, smaller=smaller(data, GP))


def gradient_wins_more(data: Data) -> Row:
    one, other = (data.versions(label, TWO, late_version(data, label)) for label in (GP, DP))
    return ours(
        Measured(apart(mbb_of(data), one, other), Above(0), f"{GP} less {DP}, against {TWO}", "+.0f", "mbb/h"),
        cause='section "Does gradient play help?"',
    )


def gradient_improves(data: Data) -> Row:
    return ours(_later(data, GP, Above(0)), cause=_TRAINING)


def discrete_falls(data: Data) -> Row:
    return ours(_later(data, DP, Below(0)), cause=_TRAINING)


_TRAINING = 'winnings against agent 2 by games of training, section "Agent 3 against agent 2 (Table 1)"'


def _later(data: Data, label: str, criterion: Above | Below) -> Measured:
    early, late = data.points(label)[0], late_version(data, label)
    change = apart(mbb_of(data), data.versions(label, TWO, late), data.versions(label, TWO, early))
    return Measured(change, criterion, f"{late:,} games less {early:,}", "+.0f", "mbb/h")


def gradient_trains_faster(data: Data) -> Row:
    at = data.points(GP)[0]
    seeds = min(len(data.trained(GP)), len(data.trained(DP)))
    ratio = over_seeds(data.moves(DP, at)[:seeds] / data.moves(GP, at)[:seeds])
    return ours(
        Measured(ratio, Between(10.5 / 6.5, 11.5 / 5.5), f"moves of {at:,} games, DP / GP", ".2f"),
        smaller=50_000 / at,
        cause="a move and its share of updates cost the same in both, so hours differ by the number of moves only",
    )


def errors_of_matches(data: Data) -> Row:
    line, games = TABLE_1[0], 250
    won = line.stack - STACK
    deviation = (STACK**2 - won**2) ** 0.5  # of a game, which wins or loses a stack
    half, hands = Z * deviation / games**0.5, won / BIG_BLIND * 1000 / line.mbb
    return ours(
        Measured(exact(half), Near(4.5, 0.5), "average stack ±", ".1f"),
        Measured(exact(half / hands / BIG_BLIND * 1000), Near(40, 5), "winnings ±", ".0f", "mbb/h"),
        cause=(
            f"a game is won or lost with all chips: with its average stack of {line.stack:g} the standard deviation of a game "
            f"is {deviation:.0f} chips and that of the mean of {games} games {deviation / games**0.5:.1f}"
        ),
        note=f"95 %, by arithmetic; {hands:.1f} hands a game as its own figures have it",
    )


def errors_halve(data: Data) -> Row:
    halves = [Z * STACK / games**0.5 for games in (250, 1000)]
    return ours(
        Measured(exact(halves[1] / halves[0]), None, "1,000 games / 250 games", ".2f"),
        deviations=[Deviation("nothing", "arithmetic: a standard error falls as the square root of the number of games")],
    )


def table_1(data: Data) -> Iterator[Row]:
    for line in TABLE_1:
        published = f"average stack {line.stack:g}, {line.mbb:g} mbb/h"
        statement = f"Agent3{line.agent}, {line.hours} hours, {line.games:,} games against agent 2"
        try:
            measured = _line(data, line)
        except NotMeasured:
            yield Row("Table 1", statement, published, deviations=(NOT_YET,))
            continue
        yield Row("Table 1", statement, published, measured, (OTHER_AGENT_2, Deviation("algorithm", DENSE)))


def _line(data: Data, line: Line) -> tuple[Measured, ...]:
    label, (stack, mbb) = LABELS[line.agent], ERRORS[line.games]
    at = _nearest(data, label, TRAINED[line.agent][line.hours])
    played = data.versions(label, TWO, at)
    return (
        Measured(data.stacks(played), Near(line.stack, stack), f"after {at:,} games: average stack", ".1f"),
        Measured(data.mbb(played), Near(line.mbb, mbb), "", "+.0f", "mbb/h"),
    )


def _nearest(data: Data, label: str, freezeouts: int) -> int:
    return min(data.points(label), key=lambda at: abs(at - freezeouts))


# Agent 1, Random (Figs 4 and 5)

_WON = Near(0.8846, Z * (0.8846 * 0.1154 / 130) ** 0.5)  # 115 of 130 games


def against_agent_1(data: Data) -> Row:
    at = data.points(GP)[0]
    played = data.versions(GP, ONE, at)
    found = data.parts.get(f"deep response to {ONE}")
    told = f"double DQN that learned against agent 1 alone wins {found.figures['wins']:.0%} of the games" if found else ""
    return ours(
        Measured(of_seeds(lambda each: each.wins, played), _WON, f"after {at:,} games: games won", ".1%"),
        Measured(data.stacks(played), Near(175, 4.5), "average stack", ".1f"),
        deviations=[OTHER_AGENT_1],
        cause='how strong our agent 1 is stands in section "Cross table: hands with full stacks"',
        note=told,
    )


def _against_random(data: Data, label: str) -> list[Played]:
    return data.versions(label, RANDOM, data.points(label)[0])


def almost_180(data: Data) -> Row:
    stack = Measured(data.stacks(_against_random(data, GP)), Near(180, 4.5), "average stack", ".1f")
    return ours(stack, deviations=[OTHER_RANDOM], cause=_best_against_random(data))


def _best_against_random(data: Data) -> str:
    others = data["against Random"]
    best = max(others, key=lambda label: others[label]["gain"][0])
    return (
        f"none of our players reaches it: the best, {best}, has {Played.of(others[best]).stack(data.stack).mean:.0f} "
        '(section "Against Random")'
    )


def overpower(data: Data) -> Row:
    others = {label: Played.of(data["against Random"][label]).stack(data.stack) for label in (ONE, CALL, HEURISTIC)}
    measured = [
        Measured(difference(data.stacks(_against_random(data, label)), stack), Above(0), f"{label} less {other}", "+.1f")
        for label in (GP, DP)
        for other, stack in others.items()
    ]
    return ours(*measured, deviations=[OTHER_RANDOM], note="average stack against Random", cause='section "Against Random"')


def as_agent_2(data: Data) -> Row:
    other = Played.of(data["against Random"][TWO_RANDOM]).stack(data.stack)
    apart_from_it = difference(data.stacks(_against_random(data, GP)), other)
    return ours(
        Measured(apart_from_it, Near(0, 4.5), f"average stack, {GP} less {TWO_RANDOM}", "+.1f"),
        deviations=[OTHER_RANDOM],
        cause='section "Against Random"',
    )


def gradient_beats_random_more(data: Data) -> Row:
    one, other = (_against_random(data, label) for label in (GP, DP))
    return ours(
        Measured(apart(stack_of(data), one, other), Above(0), f"average stack, {GP} less {DP}", "+.1f"),
        deviations=[OTHER_RANDOM],
        cause='section "Does gradient play help?"',
    )


def _style(data: Data, label: str, function: Callable[[Played], float]) -> Estimate:
    return of_seeds(function, _against_random(data, label))


def gradient_raises_more(data: Data) -> Row:
    one, other = (_against_random(data, label) for label in (GP, DP))
    return ours(
        Measured(apart(lambda each: each.raises, one, other), Above(0), f"share of raises, {GP} less {DP}", "+.1%"),
        deviations=[OTHER_RANDOM],
        cause='section "Does gradient play help?"',
    )


def gradient_calls_most(data: Data) -> Row:
    return ours(
        Measured(
            _style(data, GP, lambda each: each.actions[1] - max(each.actions[0], *each.actions[2:])),
            Above(0),
            "share of calls less that of the next action",
            "+.1%",
        ),
        Measured(_style(data, GP, lambda each: each.actions[1]), None, "calls", ".1%"),
        Measured(_style(data, GP, lambda each: each.raises), None, "raises", ".1%"),
        deviations=[OTHER_RANDOM],
    )


def discrete_calls(data: Data) -> Row:
    one, other = (_against_random(data, label) for label in (DP, GP))
    return ours(
        Measured(_style(data, DP, lambda each: each.actions[1]), Above(0.5), "calls", ".1%"),
        Measured(apart(lambda each: each.actions[-1], one, other), Below(0), f"all-in, {DP} less {GP}", "+.1%"),
        Measured(_style(data, DP, lambda each: each.actions[-1]), None, "all-in", ".1%"),
        deviations=[OTHER_RANDOM],
        cause='section "Does gradient play help?"',
    )


# The paper's networks on images


def _image_versions(data: Data, other: str) -> tuple[list[Played], int]:
    """Return the matches of the last versions on images that all trainings have, and their games of training."""
    at = data.shared_points(IMAGES)[-1]
    return data.versions(IMAGES, other, at), at


def image_beats_agent_2(data: Data) -> Row:
    played, at = _image_versions(data, TWO)
    return ours(
        Measured(data.mbb(played), Above(0), f"{at:,} games", "+.0f", "mbb/h"),
        deviations=[OTHER_AGENT_2, *too_short(data, IMAGES)],
    )


def image_against_agent_1(data: Data) -> Row:
    played, at = _image_versions(data, ONE)
    return ours(
        Measured(of_seeds(lambda each: each.wins, played), _WON, f"{at:,} games of training: games won", ".1%"),
        Measured(data.stacks(played), Near(175, 4.5), "average stack", ".1f"),
        deviations=[OTHER_AGENT_1, *too_short(data, IMAGES)],
    )


def image_almost_180(data: Data) -> Row:
    played, at = _image_versions(data, RANDOM)
    found = ours(
        Measured(data.stacks(played), Near(180, 4.5), "average stack", ".1f"),
        deviations=too_short(data, IMAGES),
        smaller=smaller(data, IMAGES, 50_000),
        cause=_best_against_random(data),
        note=f"after {at:,} games",
    )
    return deviating(found, OTHER_RANDOM.kind, OTHER_RANDOM.text)


def three_players(data: Data) -> Row:
    found = {seats: from_list(won) for seats, won in data["three players"].items()}
    return ours(
        Measured(found["3"], Above(0), "against two Randoms", "+.0f", "mbb/h"),
        Measured(found["2"], None, "against one", "+.0f"),
        note="of the first training",
    )
