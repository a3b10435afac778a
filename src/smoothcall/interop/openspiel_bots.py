"""Bots of OpenSpiel as players of the registry: `openspiel://uniform_random` (extra `[interop]`).

In games named `openspiel:...` a bot that gives probabilities is a policy. At tables of Kuhn and Leduc poker any bot plays hand
by hand: the hand is replayed as a state of OpenSpiel's game, in which hidden cards are some that were not seen. So a bot that
searches the state itself learns nothing from it.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from smoothcall.agents.policy_player import PolicyPlayer
from smoothcall.agents.view import Player, View
from smoothcall.errors import UsageError
from smoothcall.games.catalog import KUHN, KUHN_3P, LEDUC
from smoothcall.games.notation import split_moves
from smoothcall.games.rules import PokerRules
from smoothcall.information.extensive import ExtensiveGame
from smoothcall.information.game import Game
from smoothcall.information.translation import same_table
from smoothcall.interop.openspiel import PREFIX, from_openspiel, load
from smoothcall.policy import Policy

SCHEME = "openspiel"
TABLES = ((KUHN, "kuhn_poker"), (KUHN_3P, "kuhn_poker(players=3)"), (LEDUC, "leduc_poker"))  # with OpenSpiel's names
KUHN_PASS, KUHN_BET = 0, 1
LEDUC_LETTERS = "fcr"  # of its actions

MakeBot = Callable[[Any, int, int], Any]  # from (game of OpenSpiel, player, seed)


def open_bot(address: str, of: Game, random: Random) -> Player:
    """Return the player of `openspiel://NAME`, a registered bot, for a seat of a game."""
    name = address.partition("://")[2]
    return bot_player(lambda source, player, seed: _registered(name, source, player, seed), of, random, name)


def bot_player(make: MakeBot, of: Game, random: Random | None = None, name: str = "bot") -> Player:
    """Return a bot of OpenSpiel as a player for a game: `make` is called once for each seat."""
    draws = random or Random()
    if isinstance(of, ExtensiveGame) and of.name.startswith(PREFIX):
        return PolicyPlayer(bot_policy(make, of, name, draws), random=draws)
    for own, theirs in TABLES:
        if same_table(of.rules, own):
            return BotPlayer(make, theirs, draws)
    accepted = f"{PREFIX}..., {', '.join(own.name for own, _ in TABLES)}"
    raise UsageError(f"bots of OpenSpiel do not play {of.spec} (accepted: {accepted})")


def bot_policy(make: MakeBot, of: Game, name: str = "bot", random: Random | None = None) -> Policy:
    """Return the probabilities of a bot at every information state of an `openspiel:` game."""
    source, draws = load(of.name.removeprefix(PREFIX)), random or Random()
    bots = [make(source, player, draws.randrange(2**31)) for player in range(of.players)]
    if not all(bot.provides_policy() for bot in bots):
        raise UsageError(f"bot {name!r} gives no probabilities (accepted in {of.spec}: bots that do)")

    class Asked:
        def action_probabilities(self, state: Any) -> dict[int, float]:
            return dict(bots[state.current_player()].get_policy(state))

    return from_openspiel(of, Asked())


class BotPlayer:
    """Plays hands of Kuhn or Leduc poker by bots of OpenSpiel, one for each seat."""

    def __init__(self, make: MakeBot, game: str, random: Random) -> None:
        self._source, self._kuhn = load(game), game.startswith("kuhn")
        self._bots = [make(self._source, seat, random.randrange(2**31)) for seat in range(self._source.num_players())]

    def act(self, view: View) -> str:
        state, bot = self.state(view), self._bots[view.seat]
        bot.restart_at(state)
        return self._letter(int(bot.step(state)), view)

    def state(self, view: View) -> Any:
        """Return the hand as a state of OpenSpiel's game; cards that the seat cannot see are some that are left."""
        assert isinstance(view.rules, PokerRules)
        board = [card for cards in view.boards for card in cards]
        seen = {*view.hole, *board}
        hidden = iter([card for card in range(view.rules.deck.size) if card not in seen])
        state = self._source.new_initial_state()
        for seat in range(view.rules.seats):
            state.apply_action(view.hole[0] if seat == view.seat else next(hidden))
        bets = 0
        for letter in split_moves(view.text):
            while state.is_chance_node():
                state.apply_action(board[0])
                bets = 0
            state.apply_action(self._action(letter, facing=bets > 0))
            bets += letter == "r"
        while state.is_chance_node():
            state.apply_action(board[0])
        return state

    def _action(self, letter: str, *, facing: bool) -> int:
        if not self._kuhn:
            return LEDUC_LETTERS.index(letter)
        return KUHN_BET if letter == "r" or (letter == "c" and facing) else KUHN_PASS

    def _letter(self, action: int, view: View) -> str:
        if not self._kuhn:
            return LEDUC_LETTERS[action]
        if action == KUHN_BET:
            return "c" if view.to_call else "r"
        return "f" if view.to_call else "c"


def _registered(name: str, source: Any, player: int, seed: int) -> Any:
    import pyspiel

    known = pyspiel.registered_bots()
    if name not in known:
        raise UsageError(f"OpenSpiel has no bot {name!r} (accepted: {', '.join(known)})")
    for options in ({"seed": seed}, {}):
        try:
            return pyspiel.load_bot(name, source, player, options)
        except (pyspiel.SpielError, TypeError, ValueError) as error:
            reason = str(error).strip().partition("\n")[0][:160]
    raise UsageError(f"OpenSpiel's bot {name!r} does not play {source.get_type().short_name}: {reason}")
