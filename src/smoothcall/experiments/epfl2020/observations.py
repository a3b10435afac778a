"""Rows of epfl2020 on its results: Sections 7 and 8, Figs 5 and 6. Every figure is a mean over trainings of different seeds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from smoothcall.evaluation.statistics import Estimate
from smoothcall.experiments.epfl2020.figures import (
    CrossTable,
    over_trainings,
    pairs,
    published,
    published_half,
    published_mean,
)
from smoothcall.experiments.epfl2020.settings import PAPER, SCRIPTED
from smoothcall.experiments.verdicts import (
    Above,
    Below,
    Between,
    Criterion,
    Deviation,
    Every,
    Measured,
    Near,
    Row,
    deviating,
    share,
)

CHIPS = "chips a freezeout"
MISSING = (Deviation("nothing", "not measured yet"),)
FINAL = tuple(SCRIPTED)
SMALL_POTS = 'ours bet, and freezeouts end with a player broke; the published ones hardly do: see "Standard deviations"'
CROSS_TABLE = 'see "Cross table"'
EQUITIES = (
    "learned and played with exact equities, not with estimates from 100 games"  # what they change in matches is measured
)

Tables = Sequence[CrossTable]
Found = tuple[tuple[Measured, ...], str]  # our figures, and the cause where they differ
Figure = Callable[[CrossTable, str], float]  # of a learner


def unmeasured(source: str, statement: str, figure: str | None) -> Row:
    return Row(source, statement, figure, deviations=MISSING)


def observation_rows(tables: Tables) -> Iterator[Row]:
    for source, statement, figure, measured in _statements():
        if not tables:
            yield unmeasured(source, statement, figure)
            continue
        found, cause = measured(tables)
        yield deviating(Row(source, statement, figure, found, cause=cause), "algorithm", EQUITIES)
    yield _bold_row(tables)
    for row, column in pairs():
        yield pair_row(tables, row, column)


def _statements() -> Iterator[tuple[str, str, str, Callable[[Tables], Found]]]:
    """Yield (source, statement, published, our figures)."""
    yield "Section 7", "No agent has a positive average gain on all opponents", "none has", _unanimity
    lowest = ", ".join(f"{label} {min(_published_gains(label)):+g}" for label in PAPER)
    statement = "Monte Carlo is the more consistent and stable one against different strategies"
    yield "Section 7", statement, f"lowest gains: {lowest}", _stable
    statement = "Deep Q continuous counters the agents it trained against but performs poorly against new strategies"
    known, new = published_mean("DQC", FINAL), published_mean("DQC", PAPER)
    yield "Section 7", statement, f"{known:+.1f} against scripted players, {new:+.1f} against learners", _counters
    averages = ", ".join(f"{label} {published_mean(label):+.1f}" for label in PAPER)
    yield "Section 7", "Deep Q discrete gives the worst results on average", f"averages: {averages}", _worst
    yield "Section 7", "Deep Q discrete resists Monte Carlo", "against MC: DQD 0, DQC -500, CDQN -3037.5", _resists
    statement = "Clipped double DQN performs well against deep Q-learning"
    yield "Section 7", statement, "+2625 against DQC, +2612.5 against DQD", _well
    statement = "Clipped double DQN has a high variance of gains: it is a gambler"
    yield "Section 7", statement, "CDQN 1278 to 2077, most others 236 to 730", _gambler
    statement = "Clipped double DQN loses to the four final scripted players on average (mean of Fig 5)"
    yield "Section 7", statement, f"{published_mean('CDQN', FINAL):.1f}", _loses
    yield "Section 7", "Standard deviations of the gains (Fig 5)", "236 to 2077", _deviations
    statement = "Monte Carlo and clipped double DQN are extremely efficient against deep Q continuous"
    yield "Section 8", statement, "MC +500, CDQN +2625", _against_dqc
    averages = ", ".join(f"{label} {published_mean(label, FINAL):+.1f}" for label in ("DQC", "MC", "CDQN"))
    statement = "Deep Q continuous is on average better than these two against the scripted players"
    yield "Section 8", statement, f"{averages} (by its own Fig 5 not better than MC)", _better
    statement = "Strategies are efficient against some opponents and weak against others"
    yield "Section 8", statement, "confirm the intuition", _depends
    yield "Section 8.1", "The Monte-Carlo agent rarely calls, it mostly folds or raises", "rarely; mostly", _calls


def dqc_moves(tables: Tables) -> str:
    """Return the cause of what differs about DQC: how it raises with weak and with strong cards."""
    weak, strong = (
        over_trainings([table.move("DQC", f"{name} raise") for table in tables]).mean for name in ("weak", "strong")
    )
    where = 'see "Deep Q, continuous: the loss and alpha"'
    return f"our DQC raises {weak:.0%} of its decisions with an equity below 1/2 and {strong:.0%} of the others: {where}"


def dqd_moves(tables: Tables) -> str:
    """Return the cause of what differs about DQD: it bets, as the published one cannot have."""
    raises = over_trainings([table.move("DQD", "raise") for table in tables]).mean
    published_ones = [published("DQD", column).deviation for column in FINAL]
    return (
        f"our DQD raises in {raises:.0%} of its moves; the published one cannot have bet much against scripted players "
        f'(deviations of {min(published_ones):.0f} to {max(published_ones):.0f}): see "Standard deviations"'
    )


def mc_against_dqc(tables: Tables) -> str:
    """Return why MC loses to DQC: it calls, then folds."""

    def mean(row: str, column: str, name: str) -> float:
        return over_trainings([table.pair(row, column).moves[name] for table in tables]).mean

    weak, strong, stake = (mean("DQC", "MC", name) for name in ("weak raise", "strong raise", "stake"))
    calls, folds = (mean("MC", "DQC", name) for name in ("call", "fold"))
    return (
        f"against MC our DQC raises in {weak:.0%} of its decisions with an equity below 1/2 and in {strong:.0%} of the others, "
        f"by {stake:.0%} of its chips on average; MC calls in {calls:.0%} and folds in {folds:.0%} of its moves, so that it "
        "loses what it has called"
    )


def cdqn_forgets(tables: Tables) -> str:
    """Return why CDQN does worse than the published one: mirror training unlearns what it had learned."""
    gain = over_trainings([table.mean("CDQN", FINAL) for table in tables]).mean
    before = [table.before["CDQN"] for table in tables if "CDQN" in table.before]
    if not before:
        return CROSS_TABLE
    return (
        "mirror training unlearns what was learned before: CDQN gained "
        f"{over_trainings(before).mean:+,.0f} chips a freezeout against the scripted players just before it, exploring, and "
        f'{gain:+,.0f} after it: see "Learning" and "Our changes of the learners"'
    )


def _published_gains(label: str) -> list[float]:
    return [published(label, column).gain for column in (*PAPER, *FINAL) if column != label]


def _difference(tables: Tables, figure: Figure, one: str, other: str, criterion: Criterion, what: str) -> Measured:
    apart = over_trainings([figure(table, one) - figure(table, other) for table in tables])
    return Measured(apart, criterion, f"{what} of {one} less that of {other}", "+,.0f", "chips")


def _mean(tables: Tables, figure: Figure, label: str, criterion: Criterion | None, what: str) -> Measured:
    return Measured(over_trainings([figure(table, label) for table in tables]), criterion, what, "+,.0f", CHIPS)


def _others(label: str) -> list[str]:
    return [other for other in PAPER if other != label]


def _gain_against(opponent: str) -> Figure:
    return lambda table, label: table.pair(label, opponent).gain


def _against(columns: Sequence[str]) -> Figure:
    return lambda table, label: table.mean(label, columns)


def _unanimity(tables: Tables) -> Found:
    none = [all(table.lowest(label) <= 0 for label in PAPER) for table in tables]
    positive = [label for label in PAPER if any(table.lowest(label) > 0 for table in tables)]
    lowest = [_mean(tables, CrossTable.lowest, label, None, f"lowest gain of {label}") for label in PAPER]
    cause = f"{', '.join(positive)} of ours gains against all seven in some trainings; {dqd_moves(tables)}"
    return (Measured(share(none), Every(), "trainings in which none has:"), *lowest), cause


def _stable(tables: Tables) -> Found:
    found = [_difference(tables, CrossTable.lowest, "MC", other, Above(0), "lowest gain") for other in _others("MC")]
    return tuple(found), mc_against_dqc(tables)


def _counters(tables: Tables) -> Found:
    known = _mean(tables, _against(FINAL), "DQC", Above(0), "against the scripted players that it trained against")
    return (known, _mean(tables, _against(PAPER), "DQC", Below(0), "against the other learners")), dqc_moves(tables)


def _worst(tables: Tables) -> Found:
    found = [_difference(tables, CrossTable.mean, "DQD", other, Below(0), "average") for other in _others("DQD")]
    return tuple(found), dqd_moves(tables)


def _resists(tables: Tables) -> Found:
    figure = _gain_against("MC")
    found = [_difference(tables, figure, "DQD", other, Above(0), "gain against MC") for other in ("DQC", "CDQN")]
    return (*found, _mean(tables, figure, "DQD", None, "gain of DQD against MC")), mc_against_dqc(tables)


def _well(tables: Tables) -> Found:
    found = [_mean(tables, _gain_against(other), "CDQN", Above(0), f"against {other}") for other in ("DQC", "DQD")]
    return tuple(found), f"{cdqn_forgets(tables)}; {dqd_moves(tables)}"


def _gambler(tables: Tables) -> Found:
    what = "mean standard deviation"
    found = [_difference(tables, CrossTable.deviation, "CDQN", other, Above(0), what) for other in _others("CDQN")]
    return tuple(found), SMALL_POTS


def _loses(tables: Tables) -> Found:
    criterion = Near(published_mean("CDQN", FINAL), published_half("CDQN", FINAL))
    return (_mean(tables, _against(FINAL), "CDQN", criterion, ""),), cdqn_forgets(tables)


def _deviations(tables: Tables) -> Found:
    found = [[table.pair(*pair).deviation for pair in pairs()] for table in tables]
    least, most = over_trainings(list(map(min, found))), over_trainings(list(map(max, found)))
    range_ = Between(236, 2077)
    return (Measured(least, range_, "smallest", ",.0f"), Measured(most, range_, "largest", ",.0f")), SMALL_POTS


def _against_dqc(tables: Tables) -> Found:
    found = [_mean(tables, _gain_against("DQC"), label, Above(0), label) for label in ("MC", "CDQN")]
    return tuple(found), f"{mc_against_dqc(tables)}; {dqc_moves(tables)}"


def _better(tables: Tables) -> Found:
    found = [_difference(tables, _against(FINAL), "DQC", other, Above(0), "average") for other in ("MC", "CDQN")]
    return tuple(found), dqc_moves(tables)


def _depends(tables: Tables) -> Found:
    """Judged by the learners that gain against some opponents and lose to others."""
    mixed = [[min(gains) < 0 < max(gains) for gains in map(table.gains, PAPER)] for table in tables]
    each = [
        Measured(Estimate(float(np.mean(found)), 0.0, 0), None, f"of {label}:", ".0%")
        for label, found in zip(PAPER, zip(*mixed, strict=True), strict=True)
    ]
    return (Measured(share(list(map(any, mixed))), Every(), "trainings with such a learner:"), *each), CROSS_TABLE


# Section 8.1


def _calls(tables: Tables) -> Found:
    def mean(name: str, less: str | None = None, criterion: Criterion | None = None) -> Measured:
        values = [table.move("MC", name) - (table.move("MC", less) if less else 0) for table in tables]
        label = f"share of {name}s" + (f" less that of {less}s" if less else "")
        return Measured(over_trainings(values), criterion, label, "+.3f" if less else ".3f")

    active = over_trainings([table.move("MC", "fold") + table.move("MC", "raise") for table in tables])
    found = (
        Measured(active, Above(0.5), "folds and raises as a share of all moves", ".3f"),
        mean("call", "fold", Below(0)),
        mean("call", "raise", Below(0)),
        *(mean(name) for name in ("check", "call", "fold", "raise")),
    )
    return found, 'with 32 cards calls are cheap and folds expensive: see "Moves"'


def _bold_row(tables: Tables) -> Row:
    source, statement, figure = "Section 8.1", "It often takes big risks and bets big portions of its stack", "often; big"
    if not tables:
        return unmeasured(source, statement, figure)
    stake, big = (over_trainings([table.move("MC", name) for table in tables]) for name in ("stake", "big raise"))
    found = (
        Measured(stake, None, "share of the chips behind that a raise puts in, on average", ".3f"),
        Measured(big, None, "share of raises that put in more than half of them", ".3f"),
    )
    return Row(source, statement, figure, found, (Deviation("nothing", "the document does not say how often and how big"),))


# Figs 5 and 6


def pair_row(tables: Tables, row: str, column: str) -> Row:
    """Return the row of one cell of both figures."""
    cell, statement = published(row, column), f"{row} against {column}: mean gain, standard deviation, win rate"
    if not tables:
        return unmeasured("Figs 5 and 6", statement, cell.text)
    found = [table.pair(row, column) for table in tables]
    gain, deviation, wins = (over_trainings([getattr(each, name) for each in found]) for name in ("gain", "deviation", "wins"))
    measured = (
        Measured(gain, Near(cell.gain, cell.gain_half), "gain", "+,.0f"),
        Measured(deviation, Near(cell.deviation, cell.deviation_half), "deviation", ",.0f"),
        Measured(wins, Near(cell.wins, cell.wins_half), "won", ".3f"),
    )
    cause = f"{SMALL_POTS}; {dqc_moves(tables)}" if "DQC" in (row, column) else SMALL_POTS
    return deviating(Row("Figs 5 and 6", statement, cell.text, measured, cause=cause), "algorithm", EQUITIES)
