"""The value of a best response estimated from a sample of flops, with control variates.

What a best response does from the flop on depends on one flop only; what it does before the flop does not. So its choices
before the flop are made on nine tenths of the flops and valued on the rest, in turn: the mean is an unbiased estimate of what
these choices win, and no strategy wins more than a best response. Choices made and valued on the same flops win too much.

Values differ between flops because flops favour one range or the other. The *check-down* value, what a way into the flop is
worth if nobody bets any more, follows that too, and its mean over all flops is known. A multiple of its distance from the
mean is subtracted from the value of every way into the flop with every class of hands (one factor for each way). All-in
before the flop, values are check-down values, and nothing is left to estimate. Then what the choices win on a flop is
predicted by ridge regression from its *texture* (ranks, ace, pair, suits, gaps) and from the check-down values of the chosen
ways, and the prediction's distance from its mean over all flops is subtracted. Factors and predictions, too, come from the
flops outside the part that is valued, so the mean of what is subtracted is 0 whatever they are.

Any other values of the ways into the flop can take the place of check-down values where their mean over all flops is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from smoothcall.evaluation.statistics import Estimate
from smoothcall.games.cards import Deck
from smoothcall.kernels.tables import Array
from smoothcall.search.policy_response import PolicyResponse

PARTS = 10  # of a sample: choices made on all but one are valued on that one
LEAST = 10  # flops from which predictions are made; with fewer there are none
PENALTY = 0.3  # of ridge regression, in flops, on check-down values, which have variance 1
PENALTIES = (0.3, 3.0, 30.0, 1e6)  # on textures; the last leaves them out
TINY = 1e-9  # chips: check-down values that differ less are alike
WIDE_GAP = 5  # ranks between two cards of a flop from which they are in no straight

Choices = list[dict[int, Array]]


@dataclass(frozen=True, slots=True)
class Winnings:
    """What the responder wins, in the units of `scale`."""

    seats: tuple[float, float]  # by the responder's seat
    found: Estimate  # the mean of both seats
    upper: float  # the winnings of choices made and valued on the same flops, which are too high on average


def textures(classes: Array, count: Array, deck: Deck) -> Array:
    """Return [flops, 6] covariates of classes[flops, 3] of flops, of mean 0 and variance 1 where count[flops] weighs them."""
    suits, top = len(deck.suits), deck.size // len(deck.suits) - 1
    rank = np.sort(classes.astype(np.int64) // suits, axis=1)
    gaps, height = np.diff(rank, axis=1), rank / top
    different = (np.diff(np.sort(classes % suits, axis=1), axis=1) > 0).sum(axis=1)
    columns = (
        height.mean(axis=1), (height**2).mean(axis=1), rank[:, 2] == top, gaps.min(axis=1) == 0, different,
        np.minimum(gaps, WIDE_GAP).sum(axis=1),
    )  # fmt: skip
    found, share = np.stack(columns, axis=1).astype(np.float64), count / count.sum()
    found -= share @ found
    found /= np.sqrt(share @ found**2)
    return found


def estimate(
    response: PolicyResponse, values: Array, check_down: Array, mean: Array, texture: Array, flops: Sequence[int], scale: float
) -> Winnings:
    """Return what the responder wins, estimated from the values[F, entries, C] of F drawn flops.

    check_down[F, entries, C] are their check-down values, mean[entries, C] is the mean of these over all flops; texture[F, K]
    are covariates whose mean over all flops is 0; `flops`[F] are numbers of flops, which may repeat.
    """
    away = check_down - mean
    kind = {flop: place % PARTS for place, flop in enumerate(dict.fromkeys(flops))}  # images of one flop are in one part
    part, every = np.array([kind[flop] for flop in flops]), np.ones(len(flops), np.bool_)
    won = np.zeros((2, len(flops)))
    for out in np.unique(part):
        won[:, part == out] = _value(response, values, check_down, away, texture, part != out, part == out)
    each = won.mean(axis=0) * scale
    found = Estimate(float(each.mean()), float(each.std(ddof=1)) / len(each) ** 0.5, len(each))
    upper = float(_value(response, values, check_down, away, texture, every, every).mean() * scale)
    first, second = (won.mean(axis=1) * scale).tolist()
    return Winnings((first, second), found, upper)


def _value(
    response: PolicyResponse, values: Array, check_down: Array, away: Array, texture: Array, known: Array, fresh: Array
) -> Array:
    """Return [2, fresh flops] what choices made on the flops known[F] bool win on the flops fresh[F] bool, by seat."""
    controlled = values - _factors(values[known], check_down[known]) * away
    _, choices = response.respond(controlled[known].mean(axis=0)[None])
    won = response.respond(controlled, choices)[0]
    found: Array = won[:, fresh]
    if int(known.sum()) < LEAST:
        return found
    shift = _chosen(response, away, choices).T
    covariates = np.concatenate([shift / np.maximum(shift[known].std(axis=0), TINY), texture], axis=1)
    slopes = _slopes(covariates[known], won[:, known].T, shift.shape[1])
    found -= (covariates[fresh] @ slopes).T
    return found


def _factors(values: Array, check_down: Array) -> Array:
    """Return [entries, 1]: the slopes of values over check-down values, of all classes together; 1 where they do not differ."""
    one, other = (each - each.mean(axis=0) for each in (values, check_down))
    squares = (other * other).sum(axis=(0, 2))
    found: Array = np.divide((one * other).sum(axis=(0, 2)), squares, out=np.ones(len(squares)), where=squares > 0)
    return found[:, None]


def _chosen(response: PolicyResponse, away: Array, choices: Choices) -> Array:
    """Return [2, F]: by seat, the sum of `away` over the chosen ways into the flop that lead to more betting."""
    later = np.where(response.all_in[:, None], 0.0, away)
    nothing = response.respond(np.zeros_like(later[:1]), choices)[0]
    found: Array = response.respond(later, choices)[0] - nothing
    return found


def _slopes(x: Array, y: Array, shifts: int) -> Array:
    """Return [K, 2] the slopes of y[F, 2] over covariates x[F, K], by ridge regression; the first `shifts` are no textures.

    The penalty on textures is the one that predicts each flop best from the others.
    """
    one, other = x - x.mean(axis=0), y - y.mean(axis=0)
    found, least = np.zeros((x.shape[1], 2)), np.inf
    for penalty in PENALTIES:
        weights = np.where(np.arange(x.shape[1]) < shifts, PENALTY, penalty)
        inverse = np.linalg.inv(one.T @ one + np.diag(weights))
        slopes = inverse @ one.T @ other
        leverage = 1 / len(x) + np.einsum("fk,kl,fl->f", one, inverse, one)
        missed = (other - one @ slopes).sum(axis=1) / np.maximum(1 - leverage, TINY)
        if float(missed @ missed) < least:
            found, least = slopes, float(missed @ missed)
    return found
