"""A player of your own. Check it: cd examples && smoothcall players --check your_own_player:Cautious"""

from random import Random

import smoothcall as sc


class Cautious:
    """Calls while the price is low, raises with an ace or a king, folds otherwise."""

    def __init__(self, random):
        self.random = random

    def act(self, view):
        ranks = view.rules.deck.names(view.hole) if view.hole else ""
        raises = [letter for letter in view.letters if letter[0] == "r"]
        if raises and any(rank in ranks for rank in "AK"):
            return self.random.choice(raises)
        return "c" if "c" in view.letters and view.to_call * 4 <= view.pot else view.letters[0]


if __name__ == "__main__":
    found = sc.match(sc.game("leduc"), [Cautious(Random(1)), "leduc-cfr"], hands=500)
    assert found.estimates[0].mean < 0, "an equilibrium wins"
