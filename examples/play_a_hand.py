"""One hand of Leduc hold'em with the rules engine: `can_fold` asks, `fold` acts or raises, and every step leaves a record."""

from fractions import Fraction

from smoothcall.games.betting import IllegalMove
from smoothcall.games.catalog import LEDUC
from smoothcall.games.hand import Hand
from smoothcall.games.notation import read_hand, write_hand

hand = Hand(LEDUC)
hand.deal("Kh")  # player 0
hand.deal("Qs")  # player 1
hand.raise_to()
assert hand.can_raise()
hand.call()
hand.deal("Qh")  # the board: player 1 has a pair
assert not hand.can_fold()  # there is nothing to fold to
try:
    hand.fold()
except IllegalMove as error:
    reason = str(error)
assert reason == "fold: there is nothing to call, check instead"
hand.call()
hand.raise_to()
hand.call()

assert hand.outcome is not None
assert hand.outcome.reason == "showdown"
assert hand.outcome.payoffs == (Fraction(-7), Fraction(7))
assert write_hand(hand) == "Kh|Qs/Qh:rc/crc"
assert read_hand(LEDUC, "Kh|Qs/Qh:rc/crc").records == hand.records
