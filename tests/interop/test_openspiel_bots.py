"""Bots of OpenSpiel as players of the registry, and the explorer on games that are given as trees."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from random import Random

import numpy as np
import pytest

import smoothcall as sc
from smoothcall.agents.policy_player import PolicyPlayer
from smoothcall.agents.registry import Registry
from smoothcall.agents.view import view_of
from smoothcall.app import App
from smoothcall.errors import UsageError
from smoothcall.games.hand import deal_hand
from smoothcall.interop.gambit import write_efg
from smoothcall.interop.openspiel_bots import BotPlayer
from smoothcall.interop.sources import OPENERS, READERS, game
from smoothcall.play.explorer import explore
from smoothcall.play.opponents import Agents
from smoothcall.web.server import create
from tests.conftest import built
from tests.web.visitor import Visitor


def test_its_bots_are_players_of_the_registry() -> None:
    registry = Registry(openers=OPENERS)
    of = game("openspiel:kuhn_poker")
    assert registry.resolve("openspiel://uniform_random").kind == "address"
    player = registry.player("openspiel://uniform_random", of, Random(1))
    assert isinstance(player, PolicyPlayer)
    assert np.array_equal(player.fixed.policy.weights, sc.Policy.uniform(of).weights)
    first = registry.player("openspiel://fixed_action_preference", of, Random(1))
    assert isinstance(first, PolicyPlayer)
    assert (first.fixed.policy.weights.max(axis=1) == 1).all()
    exact = sc.match(of, [player, player]).exact
    assert exact is not None


@pytest.mark.parametrize("spec", ["kuhn", "kuhn-3p", "leduc"])
def test_its_bots_play_at_our_tables(spec: str) -> None:
    """States are those of OpenSpiel: with every hidden card replaced, its legal actions are ours."""
    registry, of = Registry(openers=OPENERS), built(spec)
    seen = Counter[str]()
    for player in ("openspiel://uniform_random", "openspiel://fixed_action_preference"):
        seats = [registry.player(player, of, Random(seat)) for seat in range(of.players)]
        random = Random(3)
        for _ in range(40):
            hand = deal_hand(of.rules, random.randrange(10**9))  # type: ignore[arg-type]
            while not hand.finished:
                view = view_of(hand, hand.player)  # type: ignore[arg-type]
                bot = seats[view.seat].player  # type: ignore[attr-defined]
                assert isinstance(bot, BotPlayer)
                state = bot.state(view)
                assert state.current_player() == view.seat
                letters = {bot._letter(action, view) for action in state.legal_actions()}
                assert letters == {letter for letter in view.letters if letter}
                seen[seats[view.seat].act(view)] += 1
                hand.play(random.choice([letter for letter in hand.slots if letter]))
                hand.deal_random(random)
    assert set(seen) == {"f", "c", "r"}


def test_bots_that_cannot_play_are_refused() -> None:
    registry = Registry(openers=OPENERS)
    with pytest.raises(UsageError, match="OpenSpiel has no bot 'nobody'"):
        registry.player("openspiel://nobody", built("kuhn"), Random(1))
    with pytest.raises(UsageError, match="bots of OpenSpiel do not play limit-holdem"):
        registry.player("openspiel://uniform_random", built("limit-holdem"), Random(1))
    with pytest.raises(UsageError, match="does not play kuhn_poker"):
        registry.player("openspiel://uniform_restricted_actions", built("kuhn"), Random(1))


# The explorer on trees


def test_the_explorer_walks_histories(tmp_path: Path) -> None:
    of = game("openspiel:kuhn_poker")
    solver = sc.solver("cfr+", of)
    solver.run(50)
    policy = solver.policy()
    start = explore(policy)
    assert (start.player, len(start.moves)) == ("Chance", 3)
    assert sum(move.share for move in start.moves) == pytest.approx(1)
    dealt = explore(policy, "0 1")
    assert (dealt.seat, dealt.betting) == (0, "0 1")
    assert dealt.lines[0].probabilities == pytest.approx(policy.at(of.rows(dealt.lines[0].key, 0)[0]))
    [called] = [move for move in explore(policy, "0 1 1").moves if move.letter == "1"]
    assert (called.leads, called.ending) == (None, "pays -2, +2")
    with pytest.raises(UsageError, match="no '7' there"):
        explore(policy, "7")
    with pytest.raises(UsageError, match="is over"):
        explore(policy, "0 1 0 0")
    efg = tmp_path / "kuhn.efg"
    efg.write_text(write_efg(built("kuhn")))
    written = sc.Policy.uniform(game(str(efg)))
    spot = explore(written)
    while spot.moves[0].leads is not None:
        spot = explore(written, spot.moves[0].leads)
    assert spot.moves[0].ending.startswith("pays")


def test_the_page_explores_trees(tmp_path: Path) -> None:
    policy = sc.Policy.uniform(game("openspiel:kuhn_poker"))
    policy.card.update({"name": "Uniform"})
    policy.save(tmp_path / "tree.agent")
    agents = Agents(tmp_path, READERS)
    assert not agents.problems
    service = App().play_service("sqlite://", agents)
    with asyncio.Runner() as runner:
        visitor = Visitor(create(service), runner)
        assert "/explore/tree" in visitor.page("/explore").links
        page = visitor.page("/explore/tree?at=0%201")
        assert "Player 0 to act" in page.source
        assert "Chance to act" in visitor.page("/explore/tree").source
        assert visitor.get("/explore/tree?at=9").status_code == 400
