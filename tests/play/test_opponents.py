"""Who there is to play against: found by their cards, loaded when they play, never from anywhere else."""

from __future__ import annotations

import json
import re
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import pytest

import smoothcall as sc
from smoothcall.agents import expert
from smoothcall.agents.fixed import Rule, Strategy
from smoothcall.agents.folders import BUILT_IN
from smoothcall.agents.registry import SCRIPTED_PLAYERS, Games
from smoothcall.agents.tabulated import TabulatedPolicy, scripted_policy
from smoothcall.agents.view import view_of
from smoothcall.experiments.heinrich2014_holdem import folded
from smoothcall.games.hand import Hand
from smoothcall.games.rules import PokerRules
from smoothcall.kernels.holdem.buckets import Cards
from smoothcall.kernels.tables import Array
from smoothcall.play import opponents as module
from smoothcall.play.explorer import explore
from smoothcall.play.opponents import SCRIPTED_GAME, Agents
from smoothcall.play.stakes import DEPTHS, PLAY_GAMES, STANDARD, Stakes, with_stakes
from smoothcall.search.player import SearchPlayer
from smoothcall.store.runs import Run
from tests.conftest import WHOLE_BETS, built, shipped
from tests.games.random_hands import step

THREE = "limit-holdem-3p-mccfr"  # the shipped agent


@pytest.fixture(scope="module")
def agents() -> Agents:
    return shipped()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two files, one of them further down; a run with snapshots, one still without an agent; a run of a tree search."""
    top = tmp_path_factory.mktemp("agents")
    (top / "deep" / "er").mkdir(parents=True)
    policy = sc.Policy.uniform(built("kuhn"))
    policy.save(top / "even.agent")
    policy.save(top / "deep" / "er" / "my kuhn+.agent")
    sc.Policy.uniform(built("leduc:suits=apart")).save(top / "deep" / "suits.agent")
    Run.create(top / "runs" / "kuhn-cfr+", "kuhn", "cfr+", iterations=2500, keep=True).train()
    Run.create(top / "runs" / "new", "kuhn", "cfr+", iterations=100)
    Run.create(top / "runs" / "uct", "kuhn", "uct", iterations=500).train()
    return top


def test_built_in_agents(agents: Agents) -> None:
    assert agents.problems == []
    files = list(BUILT_IN.glob("*.agent"))
    assert sum(path.stat().st_size for path in files) < 6_000_000
    mine = [card for card in agents.cards() if card.kind == "built-in"]
    assert {"kuhn-lp", "kuhn-3p-cfr", "leduc-cfr", "leduc-smooth-uct", "no-limit-holdem-mccfr"} <= {card.id for card in mine}
    for card in mine:
        assert card.measured
        assert card.learned
        assert card.name != card.id
        assert re.fullmatch("[A-Za-z0-9._-]+", card.id)
    assert {path.stem for path in files} == {card.id for card in mine} | {own for card in mine for _, own in card.snapshots}


def test_every_game_has_an_opponent(agents: Agents) -> None:
    for spec in PLAY_GAMES:
        cards = agents.cards(spec)
        assert {card.id for card in cards} >= set(Rule)
        assert spec == SCRIPTED_GAME or ":" in spec or any(card.kind == "built-in" for card in cards)
        for name, player in SCRIPTED_PLAYERS.items():
            if player.games in (Games.EQUITY, Games.CARDS):
                plays = spec == SCRIPTED_GAME if player.games is Games.EQUITY else spec.split(":")[0] == "no-limit-holdem"
                assert (name in {card.id for card in cards}) == plays
        for card in cards:
            agents.verify_fits(card.id, spec)


@pytest.mark.parametrize("player_id", ["kuhn-lp", "kuhn-3p-cfr", "leduc-cfr", "leduc-smooth-uct", "leduc-smooth-uct.1000"])
def test_what_cards_say_is_so(agents: Agents, player_id: str) -> None:
    policy = agents.policy(player_id)
    loss = sc.nash_conv(policy.game, policy)
    assert loss == pytest.approx(policy.card["results"]["nash_conv"], abs=1e-12)
    line = agents.card(player_id).measured[0]
    assert line == ("An exact equilibrium (NashConv 0)" if player_id == "kuhn-lp" else f"NashConv {loss:.2g} chips per hand")
    for opponent, won in policy.card["results"].get("matches", {}).items():
        exact = sc.match(policy.game, [policy, opponent]).exact
        assert exact is not None
        assert exact[0] == pytest.approx(won["mean"])


def test_leduc_is_played_by_value_or_by_its_average(agents: Agents) -> None:
    """As in macmanus2019: the stochastic strategy are the visits, the deterministic one is the action of the highest value."""
    average, by_value = agents.policy("leduc-smooth-uct"), agents.policy("leduc-smooth-uct-greedy")
    assert average.card["solver"] == by_value.card["solver"]
    assert average.card["iterations"] == by_value.card["iterations"] == 10_000_000
    assert set(by_value.table.ravel()) == {0.0, 1.0}
    assert (average.table > 0.05).sum() - len(average.table) > 0, "the average mixes"
    assert (by_value.table != average.greedy().table).any(), "the highest value is not always the likeliest action"
    assert "the action of the highest value only" in agents.card("leduc-smooth-uct-greedy").learned


def test_snapshots_get_better(agents: Agents) -> None:
    snapshots = agents.card("leduc-smooth-uct").snapshots
    assert [iterations for iterations, _ in snapshots] == [10**power for power in range(3, 8)]
    assert snapshots[-1][1] == "leduc-smooth-uct"
    losses = [agents.policy(player_id).card["results"]["nash_conv"] for _, player_id in snapshots]
    assert losses == sorted(losses, reverse=True)
    assert agents.card("leduc-smooth-uct.1000").learned.startswith("Smooth UCT, 1,000 episodes, seed 1")
    assert "leduc-smooth-uct.1000" not in {card.id for card in agents.cards()}


@pytest.mark.parametrize("player_id", ["no-limit-holdem-mccfr", "limit-holdem-smooth-uct"])
def test_holdem_agents_beat_the_simple_players(agents: Agents, player_id: str) -> None:
    policy = agents.policy(player_id)
    for opponent in Rule:
        won = sc.match(policy.game, [policy, opponent], hands=60_000, seed=3).estimates[0]
        assert won.mean - won.half_width(0.999) > 0
        stored = policy.card["results"]["matches"][opponent]
        assert abs(stored["mean"] - won.mean) < 2 * won.half_width(0.999)
        assert f"{stored['mean']:+.0f} ± {stored['half_width']:.0f} mbb/h against {opponent}" in " ".join(
            agents.card(player_id).measured
        )


@pytest.mark.parametrize("depth", [each for each in DEPTHS if each >= 10])
def test_tables_of_two_have_an_agent_that_learned_their_stacks(agents: Agents, depth: int) -> None:
    """Of 200 big blinds at the blinds of the ACPC. Its card says what the measured responder could do."""
    small = 50 if depth == 200 else STANDARD.small_blind
    spec = with_stakes(2, Stakes(small, 2 * small * depth))
    name = f"no-limit-holdem-{depth}bb-cfr-br" if depth > 10 else "no-limit-holdem-cfr-br"
    card = next(card for card in agents.cards(spec) if card.id == name)
    menu = r" and the raises of its menu \(pot\+all-in\), a lower bound of" if depth > 10 else ","
    told = rf"\+\d+ ± \d+ mbb/h for a best response with real cards{menu} its true exploitability \(95 %, \d+ flops drawn\)"
    assert any(re.fullmatch(told, line) for line in card.measured)
    assert card.may_search


def test_an_agent_of_another_stack_plays_whole_hands(agents: Agents) -> None:
    """Raises of any size are translated to the raises of its menu."""
    spec, random = with_stakes(2, Stakes(5, 200)), Random(5)
    rules = built(spec).rules
    assert isinstance(rules, PokerRules)
    player = agents.player_at("no-limit-holdem-20bb-cfr-br", spec, random)
    for _ in range(40):
        hand = Hand(rules)
        while hand.outcome is None:
            if hand.due is None and hand.player == 0:
                hand.play(player.act(view_of(hand, 0)))
            else:
                step(hand, random)
        assert sum(hand.outcome.payoffs) == 0


@pytest.mark.parametrize("hands", [40, pytest.param(200, marks=pytest.mark.long)])
def test_the_agent_for_three_plays_the_whole_game_with_a_small_tree(agents: Agents, hands: int) -> None:
    """Its card says what it is, with a figure for two of each scripted player; hands beyond its raises are played."""
    card, policy = agents.card(THREE), agents.policy(THREE)
    assert THREE in {each.id for each in agents.cards("limit-holdem-3p")}
    assert THREE not in {each.id for each in agents.cards("limit-holdem")}
    assert policy.game.tree.nodes == 315_068, "that of limits of 3, 2, 2 and 2 raises; the whole game has 24 million"
    assert "guarantees no equilibrium" in card.learned
    assert agents.equilibrium("limit-holdem-3p") is None
    whole = built("limit-holdem-3p")
    for opponent in Rule:
        won = sc.match(whole, [policy, opponent, opponent], hands=hands, seed=3).estimates[0]
        stored = policy.card["results"]["matches"][f"2 x {opponent}"]
        assert abs(stored["mean"] - won.mean) < stored["half_width"] + 2 * won.half_width(0.999)
        line = f"{stored['mean']:+.0f} ± {stored['half_width']:.0f} mbb/h against 2 x {opponent}"
        assert any(each.startswith(line) for each in card.measured)
    assert "tree" not in vars(whole)


@pytest.mark.parametrize("player_id", ["limit-holdem-cfr-br", "limit-holdem-smooth-uct", "limit-holdem-smooth-uct-greedy"])
def test_holdem_agents_never_fold_aces_before_the_flop(agents: Agents, player_id: str) -> None:
    policy = agents.policy(player_id)
    assert folded(policy, "AA") == folded(policy, "KK") == 0
    assert folded(policy, "72o") > 0


def test_equilibria(agents: Agents) -> None:
    exact = agents.equilibrium("kuhn")
    assert exact is not None
    assert sc.nash_conv(exact.game, exact) < 1e-12
    near = agents.equilibrium("leduc")
    assert near is not None
    assert near.card["solver"]["name"] == "cfr+"
    assert sc.nash_conv(near.game, near) < 1e-6
    assert agents.equilibrium("kuhn-3p") is not None
    assert agents.equilibrium("kuhn:pot=8") is None
    assert agents.equilibrium("limit-holdem") is None


def test_a_folder(folder: Path) -> None:
    found = Agents(folder)
    cards = {card.id: card for card in found.cards() if card.kind in ("file", "run")}
    assert list(cards) == ["even", "deep.suits", "deep.er.my-kuhn-", "runs.kuhn-cfr-", "runs.uct", "runs.uct.greedy"]
    assert cards["deep.er.my-kuhn-"].name == "deep/er/my kuhn+"
    assert cards["even"].learned == "of unknown origin"
    run = cards["runs.kuhn-cfr-"]
    assert (run.name, run.kind, run.games) == ("runs/kuhn-cfr+", "run", ("kuhn",))
    assert run.learned.startswith("CFR+, 2,500 iterations, seed 0")
    assert [iterations for iterations, _ in run.snapshots] == [10, 100, 1000, 2500]
    assert run.snapshots[0][1] == "runs.kuhn-cfr-.snapshots.10"
    assert run.snapshots[-1][1] == run.id
    assert found.card("runs.kuhn-cfr-.snapshots.10").name == "runs/kuhn-cfr+ after 10"
    assert found.policy("runs.kuhn-cfr-.snapshots.10").card["iterations"] == 10
    assert cards["runs.uct.greedy"].name == "runs/uct, greedy by value"
    greedy = found.policy("runs.uct.greedy")
    assert greedy.card["results"]["nash_conv"] == pytest.approx(sc.nash_conv(greedy.game, greedy))
    assert found.problems == ["run 'runs/new' has no agent yet"]
    assert {card.id for card in found.cards("leduc")} >= {"deep.suits", "leduc-cfr"}  # seen otherwise, the same at the table
    assert "even" not in {card.id for card in found.cards("leduc")}
    assert Agents(folder / "runs" / "kuhn-cfr+").card("kuhn-cfr-").kind == "run"  # the folder may be a run itself


def test_broken_files_are_left_out_and_reported(tmp_path: Path) -> None:
    (tmp_path / "noise.agent").write_bytes(b"noise")
    (tmp_path / "empty.agent").write_bytes(b"")
    about = {"format": 1, "kind": "table", "game": {"name": "chess", "options": {}}, "actions": []}
    for name, change in [("game", {}), ("newer", {"format": 9}), ("list", None)]:
        with zipfile.ZipFile(tmp_path / f"{name}.agent", "w") as archive:
            archive.writestr("card.json", json.dumps([1] if change is None else about | change))
            archive.writestr("policy.npy", b"")
    with zipfile.ZipFile(tmp_path / "bare.agent", "w") as archive:
        archive.writestr("card.json", json.dumps(about | {"game": {"name": "kuhn", "options": {}}}))
    (tmp_path / "folder.agent").mkdir()
    (tmp_path / ".hidden.agent").write_bytes(b"")
    whole = Agents()
    found = Agents(tmp_path)
    assert found.cards() == whole.cards()
    assert sorted(problem.split()[0] for problem in found.problems) == [
        "bare.agent", "empty.agent", "game.agent", "list.agent", "newer.agent", "noise.agent",
    ]  # fmt: skip
    assert any("unknown game 'chess'" in problem for problem in found.problems)


def test_a_table_that_is_broken_is_found_when_it_is_played(tmp_path: Path) -> None:
    sc.Policy.uniform(built("kuhn")).save(tmp_path / "whole.agent")
    with zipfile.ZipFile(tmp_path / "whole.agent") as whole, zipfile.ZipFile(tmp_path / "cut.agent", "w") as cut:
        cut.writestr("card.json", whole.read("card.json"))
        cut.writestr("policy.npy", whole.read("policy.npy")[:-40])
    found = Agents(tmp_path)
    assert found.card("cut").games == ("kuhn",)
    with pytest.raises(sc.UsageError, match="damaged") as caught:
        found.strategy("cut")
    assert str(tmp_path) not in str(caught.value)  # it is told to people who play
    assert isinstance(found.strategy("whole"), Strategy)


def test_ids_name_nothing_outside_the_folder(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    sc.Policy.uniform(built("kuhn")).save(tmp_path / "secret.agent")
    (inside / "link.agent").symlink_to(tmp_path / "secret.agent")
    (inside / "way").symlink_to(tmp_path)
    found = Agents(inside)
    assert found.cards() == Agents().cards()
    for player_id in [
        "../secret",
        "..secret",
        str(tmp_path / "secret"),
        "link",
        "way.secret",
        "",
        ".",
        ":greedy",
        "probe:greedy",
    ]:
        for ask in (found.card, found.strategy, found.policy):
            with pytest.raises(sc.UsageError, match="unknown agent"):
                ask(player_id)


def test_ids_are_never_shared(tmp_path: Path) -> None:
    policy = sc.Policy.uniform(built("kuhn"))
    for name in ("a b", "a+b", "leduc-cfr", "always-call", "mirror"):
        policy.save(tmp_path / f"{name}.agent")
    found = Agents(tmp_path)
    files = [card.id for card in found.cards() if card.kind == "file"]
    assert files == ["a-b", "a-b-2", "always-call-2", "leduc-cfr-2", "mirror-2"]
    assert found.card("leduc-cfr").kind == "built-in"
    assert found.card("always-call").kind == "scripted"


def test_opponents_that_search(agents: Agents) -> None:
    """Behind tables of two-player hold'em; what the coach reads is their blueprint."""
    name = "limit-holdem-smooth-uct:search"
    agents.verify_fits(name, "limit-holdem")
    assert agents.card(name).searches
    assert not agents.card("limit-holdem-smooth-uct").searches
    assert agents.card(name).name == f"{agents.card('limit-holdem-smooth-uct').name}, searching"
    player = agents.player(name, Random(1))
    assert isinstance(player, SearchPlayer)
    blueprint = agents.strategy(name)
    assert isinstance(blueprint, Strategy)
    assert player.blueprint.policy is blueprint.policy
    for other in ("leduc-cfr", "no-limit-holdem-pricope-agent-1", "kuhn-3p-cfr"):
        assert not agents.card(other).may_search
        with pytest.raises(sc.UsageError, match=r"cannot search \(accepted: tables of two-player hold.em\)"):
            agents.verify_fits(f"{other}:search", agents.card(other).games[0])
    with pytest.raises(sc.UsageError, match="unknown agent"):
        agents.card("probe:search")
    assert agents.id_of(name, "limit-holdem") == name
    timed = agents.id_of("limit-holdem-smooth-uct:search=0.5", "limit-holdem")
    assert agents.card(timed).searches
    named = agents.player(timed, Random(1))
    assert isinstance(named, SearchPlayer)
    assert named.seconds == 0.5
    assert isinstance(agents.strategy(timed), Strategy)


def test_strategies_and_players(agents: Agents) -> None:
    assert agents.strategy("always-call") is Rule.ALWAYS_CALL
    mixed, greedy = agents.strategy("leduc-cfr"), agents.strategy("leduc-cfr:greedy")
    assert isinstance(mixed, Strategy)
    assert isinstance(greedy, Strategy)
    assert (mixed.greedy, greedy.greedy) == (False, True)
    assert mixed.policy is greedy.policy
    assert agents.policy("leduc-smooth-uct").game is mixed.policy.game  # one game for all who play it
    assert agents.card("leduc-cfr:greedy").name == "CFR+, greedy"
    with pytest.raises(sc.UsageError, match="plays by a rule"):
        agents.policy("probe")
    with pytest.raises(sc.UsageError, match="CFR\\+ plays leduc, not kuhn"):
        agents.verify_fits("leduc-cfr", "kuhn")


def test_scripted_players_of_epfl2020(agents: Agents) -> None:
    card = agents.card("bluffer-moderate")
    assert (card.name, card.kind, card.games) == ("Bluffer moderate", "scripted", ("no-limit-holdem-32",))
    assert card.learned == "Moderate, but half of the time raises flop by one bet and turn by two."
    for name in ("kuhn", "no-limit-holdem", "limit-holdem"):
        with pytest.raises(sc.UsageError, match=f"Mirror plays no-limit-holdem-32, not {name}"):
            agents.verify_fits("mirror", name)
    with pytest.raises(sc.UsageError, match="plays by a rule"):
        agents.policy("mirror")
    with pytest.raises(sc.UsageError, match="unknown agent"):
        agents.strategy("mirror:greedy")
    strategy = agents.strategy("mirror")
    assert isinstance(strategy, Strategy)
    assert isinstance(strategy.policy, TabulatedPolicy)
    assert strategy.policy.game.spec == "no-limit-holdem-32"
    assert strategy == agents.strategy("mirror"), "made once"
    assert strategy.policy.nbytes == 0


def test_batch_policies_in_a_folder(tmp_path: Path) -> None:
    batch_policy = scripted_policy(built(WHOLE_BETS), "moderate")
    batch_policy.card = {"solver": {"name": "monte-carlo", "options": {}, "seed": 3}, "iterations": 5_000}
    batch_policy.save(tmp_path / "mine.agent")
    with zipfile.ZipFile(tmp_path / "mine.agent") as whole, zipfile.ZipFile(tmp_path / "odd.agent", "w") as odd:
        odd.writestr("card.json", whole.read("card.json").replace(b'"kind": "batch_policy"', b'"kind": "oracle"'))
    found = Agents(tmp_path)
    assert found.problems == ["odd.agent (odd): an agent file of kind 'oracle'; this version reads table, batch_policy"]
    card = found.card("mine")
    assert (card.games, card.kind) == ((built(WHOLE_BETS).spec,), "file")
    assert card.learned == "Monte-Carlo control, 5,000 hands, seed 3"
    policy = found.policy("mine")
    assert isinstance(policy, TabulatedPolicy)
    found.verify_fits("mine", f"{WHOLE_BETS.replace('10/10/10', '20/20/20')}")  # seen otherwise, the same at the table
    player, hand = found.player("mine:greedy", Random(1)), Hand(policy.rules)
    hand.deal_random(Random(2))
    hand.play(player.act(view_of(hand, 0)))
    assert policy.nbytes == 0, "nobody has asked for the table"
    assert explore(policy, "cc/").lines


@pytest.mark.parametrize(
    ("spec", "player_id"),
    [
        ("kuhn-3p", "kuhn-3p-cfr:greedy"),
        ("leduc", "leduc-cfr"),
        ("leduc", "probe"),
        (SCRIPTED_GAME, "bluffer-aggressive"),
    ],
)
def test_players_play(agents: Agents, spec: str, player_id: str) -> None:
    rules, random = built(spec).rules, Random(1)
    assert isinstance(rules, PokerRules)
    player = agents.player(player_id, Random(2))
    for number in range(30):
        hand, seat = Hand(rules), number % rules.seats
        while hand.outcome is None:
            if hand.player == seat and hand.due is None:
                hand.play(player.act(view_of(hand, seat)))
            else:
                step(hand, random)


def test_threads_share_one_policy_and_old_ones_go(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found, loads = Agents(folder), []
    real = module.load
    monkeypatch.setattr(module, "load", lambda path, of: (time.sleep(0.02), loads.append(path), real(path, of))[2])
    player_ids = ["leduc-cfr", "kuhn-lp", "even"] * 8
    with ThreadPoolExecutor(12) as pool:
        policies = list(pool.map(found.policy, player_ids))
    assert len(loads) == 3
    assert len({id(policy) for policy in policies}) == 3
    found.cache.limit = 1  # one is always kept
    found.policy("runs.uct")
    assert found.policy("runs.uct") is found.policy("runs.uct")
    found.policy("even")
    assert len(loads) == 5


def test_a_lobby_of_a_hundred_files_is_instant(tmp_path: Path) -> None:
    policy = sc.Policy.uniform(built("limit-holdem"))
    policy.save(tmp_path / "0.agent")
    for number in range(1, 100):
        (tmp_path / f"{number}.agent").write_bytes((tmp_path / "0.agent").read_bytes())
    Agents()
    started = time.process_time()
    found = Agents(tmp_path)
    assert len(found.cards("limit-holdem:grid=L")) >= 100
    assert time.process_time() - started < 1.0


def test_the_expert_is_prepared_before_its_first_move(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its kernel is compiled while the table is opened: after an installation that takes longer than a move may."""
    sizes, weigh = list[int](), expert.weigh_hands

    def counted(cards: Cards, edges: Array, classes: Array, observations: Array, found: Array) -> None:
        sizes.append(len(observations))
        weigh(cards, edges, classes, observations, found)

    monkeypatch.setattr(expert, "weigh_hands", counted)
    Agents().player("expert", Random(1))
    assert sizes == [0]
