"""The registry: every way to name a player, what it stands for, and clear errors for what stands for nothing."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import numpy as np
import pytest

import smoothcall as sc
from smoothcall.agents.batch_player import BatchPlayer
from smoothcall.agents.batch_wrappers import Greedy, Table, Thresholded
from smoothcall.agents.fixed import Strategy
from smoothcall.agents.policy_player import PolicyPlayer
from smoothcall.agents.registry import SCRIPTED_PLAYERS, Kind, Registry
from smoothcall.agents.scripted import RULES, AnyAmount, HeuristicMC, MostlyCalls, Rule, Scripted
from smoothcall.agents.suffixes import Search, Suffixes, split_name
from smoothcall.agents.tabulated import TabulatedPolicy
from smoothcall.app import App
from smoothcall.kernels.simulation.observations import CARD_OBSERVATION
from smoothcall.kernels.tables import Array
from smoothcall.search.player import SearchPlayer, search_player
from smoothcall.simulation.batch_policy import sees_cards
from tests.conftest import TINY, WHOLE_BETS, built

CARDS = "no-limit-holdem:stack=30,grid=6/6/6"
MODULE = """
import numpy as np

class Caller:
    def act(self, view):
        return "c"

class Drawn:
    def __init__(self, random):
        self.random = random

    def act(self, view):
        return self.random.choice(view.letters)

class Batch:
    IGNORES_OBSERVATIONS = True

    def probabilities(self, observations, legal):
        return legal / legal.sum(axis=1, keepdims=True)

class Needy:
    def __init__(self, more):
        pass

class Mute:
    pass
"""


def some_policy(game: sc.Game) -> sc.Policy:
    return sc.Policy.from_weights(game, np.random.default_rng(3).random(game.legal.shape) ** 3)


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("leduc-cfr", ("leduc-cfr", Suffixes())),
        ("leduc-cfr:greedy", ("leduc-cfr", Suffixes(greedy=True))),
        ("runs/a:threshold=0.05", ("runs/a", Suffixes(threshold=0.05))),
        ("a:threshold=5e-2:greedy", ("a", Suffixes(True, 0.05))),
        ("a:greedy:threshold=0", ("a", Suffixes(True, 0.0))),
        ("mine:Player:greedy", ("mine:Player", Suffixes(True))),
        ("mine:Player", ("mine:Player", Suffixes())),
        (":greedy", (":greedy", Suffixes())),
        ("a:search", ("a", Suffixes(search=Search(2.0)))),
        ("runs/a:threshold=0.05:search=0.5", ("runs/a", Suffixes(threshold=0.05, search=Search(0.5)))),
        ("a:unsafe-search=5:greedy", ("a", Suffixes(True, search=Search(5.0, safe=False)))),
        ("a:searching", ("a:searching", Suffixes())),
    ],
)
def test_what_stands_behind_a_name(name: str, parts: tuple[str, Suffixes]) -> None:
    assert split_name(name) == parts


def test_every_kind_of_name(tmp_path: Path) -> None:
    policy = some_policy(built("leduc"))
    policy.save(tmp_path / "file.agent")
    (tmp_path / "runs" / "leduc" / "snapshots").mkdir(parents=True)
    (tmp_path / "runs" / "leduc" / "config.json").write_text("{}")
    policy.save(tmp_path / "runs" / "leduc" / "agent.agent")
    policy.save(tmp_path / "runs" / "leduc" / "snapshots" / "10.agent")
    registry = Registry(tmp_path / "runs")
    kinds = {
        "probe": Kind.SCRIPTED,
        "leduc-cfr": Kind.BUILT_IN,
        "leduc-cfr:greedy": Kind.BUILT_IN,
        "leduc-smooth-uct.1000": Kind.BUILT_IN,
        "leduc": Kind.RUN,
        "leduc.snapshots.10": Kind.RUN,
        str(tmp_path / "file.agent"): Kind.FILE,
        str(tmp_path / "runs" / "leduc"): Kind.RUN,
        "json:JSONDecoder": Kind.CLASS,
    }
    for name, kind in kinds.items():
        assert registry.resolve(name).kind is kind, name
    for name in ("leduc", "leduc.snapshots.10", str(tmp_path / "file.agent"), str(tmp_path / "runs" / "leduc")):
        np.testing.assert_array_equal(registry.policy(name).weights, policy.weights)
    assert registry.policy("leduc-smooth-uct.1000").card["iterations"] == 1000
    assert registry.policy("leduc-cfr:greedy").table.max(axis=1).min() == 1
    cut = registry.policy("leduc:threshold=0.2").table
    np.testing.assert_array_equal(cut, policy.thresholded(0.2).table)


def test_files_of_other_forms_have_readers(tmp_path: Path) -> None:
    """App hands in the reader of macmanus2019's strategies."""
    (tmp_path / "strategy.json").write_text(json.dumps({}))
    policy = App(tmp_path).registry().policy(str(tmp_path / "strategy.json"))
    assert policy.game.spec == "leduc:suits=apart"
    with pytest.raises(sc.UsageError, match="is not an agent file"):
        Registry().policy(str(tmp_path / "strategy.json"))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "leduc-cfx",
            r"unknown player 'leduc-cfx'; did you mean 'leduc-cfr'\? \(accepted: always-raise, .* leduc-cfr, .* module:Class",
        ),
        ("prob", r"did you mean 'probe'\?"),
        ("leduc-smooth-uct.100", "did you mean 'leduc-smooth-uct"),
        ("nowhere/file.agent", "there is no agent file 'nowhere/file.agent'"),
        ("probe:greedy", r"probe is scripted \(accepted behind agents only: :greedy, :threshold=0.05, :search\)"),
        ("probe:search=3", "probe is scripted"),
        ("json:Player:search", ":threshold= and :search are for agents"),
        ("leduc-cfr:threshold=2", r"threshold=2 \(accepted: a number from 0 to 1\)"),
        ("leduc-cfr:threshold=x", "threshold=x"),
        ("leduc-cfr:look", "unknown player 'leduc-cfr:look'; did you mean 'leduc-cfr'"),
        ("leduc-cfr:search=0", r"search=0 \(accepted: seconds above 0, at most 3600\)"),
        ("leduc-cfr:search=soon", "search=soon"),
        ("leduc-cfr:unsafe-search=1e9", "search=1e9"),
        ("", "unknown player ''"),
        ("x" * 5000, "unknown player 'xxx"),
        ("a\0b", "unknown player"),
    ],
)
def test_what_stands_for_nothing(name: str, message: str) -> None:
    with pytest.raises(sc.UsageError, match=message):
        Registry().resolve(name)


def test_an_id_and_a_path_are_not_confused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "leduc-cfr").mkdir()
    policy = some_policy(built("leduc"))
    policy.save(tmp_path / "leduc-cfr" / "agent.agent")
    with pytest.raises(sc.UsageError, match=r"'leduc-cfr' is the id of an agent and a path here \(accepted: ./leduc-cfr"):
        Registry().resolve("leduc-cfr")
    np.testing.assert_array_equal(Registry().policy("./leduc-cfr").weights, policy.weights)
    assert Registry(tmp_path).resolve("kuhn-lp").kind is Kind.BUILT_IN
    (tmp_path / "empty").mkdir()
    with pytest.raises(sc.UsageError, match="'empty' is not a run folder"):
        Registry().resolve("empty")
    (tmp_path / "empty" / "config.json").touch()
    with pytest.raises(sc.UsageError, match="run 'empty' has no agent yet"):
        Registry().resolve("empty")


def test_importable_classes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "smoothcall_test_players.py").write_text(MODULE)
    registry, leduc = Registry(), built("leduc")
    name = "smoothcall_test_players"
    assert sc.match(leduc, [f"{name}:Caller", "always-call"], hands=20).engine == "hand by hand"
    one, two = (registry.player(f"{name}:Drawn", leduc, Random(5)) for _ in range(2))
    assert one.player.random.random() == two.player.random.random()  # type: ignore[attr-defined]
    batch = registry.player(f"{name}:Batch", leduc)
    assert isinstance(batch, BatchPlayer)
    np.testing.assert_allclose(registry.policy(f"{name}:Batch", leduc).table, sc.Policy.uniform(leduc).table)
    assert isinstance(registry.batch_policy(f"{name}:Batch:greedy", leduc), Greedy)
    for wrong, message in {
        "Nobody": "has no 'Nobody'",
        "Needy": "cannot be made",
        "Mute": "cannot play",
    }.items():
        with pytest.raises(sc.UsageError, match=message):
            registry.player(f"{name}:{wrong}", leduc)
    with pytest.raises(sc.UsageError, match="No module named 'smoothcall_no_such_module'"):
        registry.player("smoothcall_no_such_module:Player", leduc)
    with pytest.raises(sc.UsageError, match="acts hand by hand"):
        registry.batch_policy(f"{name}:Caller", leduc)
    with pytest.raises(sc.UsageError, match="acts hand by hand"):
        registry.player(f"{name}:Caller:greedy", leduc)


def test_scripted_players_in_every_form() -> None:
    registry, equity, cards = Registry(), built(WHOLE_BETS), built(CARDS)
    assert set(SCRIPTED_PLAYERS) == {*Rule, *RULES, "mostly-calls", "heuristic-mc", "expert"}
    assert registry.batch_policy("probe", equity) is Rule.PROBE
    assert registry.batch_policy("call", cards) is Rule.ALWAYS_CALL
    assert isinstance(registry.batch_policy("mirror", equity), Scripted)
    assert isinstance(registry.batch_policy("heuristic-mc", cards), HeuristicMC)
    assert isinstance(registry.batch_policy("mostly-calls", cards), MostlyCalls)
    assert isinstance(registry.player("mostly-calls", cards), AnyAmount)
    assert isinstance(registry.player("mirror", equity), PolicyPlayer)
    for name in ("random", "always-call", "probe", "always-raise"):
        for spec in ("leduc", "kuhn-3p", WHOLE_BETS, CARDS):
            policy, rule = registry.policy(name, built(spec)), Rule(name)
            step = 0 if policy.scale == 1 else 1 / policy.scale  # of quantised probabilities
            np.testing.assert_allclose(policy.table, rule.among(built(spec).legal), atol=step)
    with pytest.raises(sc.UsageError, match=r"mirror plays no-limit hold'em .* such as no-limit-holdem-32: say which one"):
        registry.policy("mirror")
    with pytest.raises(sc.UsageError, match="mirror cannot play leduc"):
        registry.policy("mirror", built("leduc"))
    with pytest.raises(sc.UsageError, match="probe plays poker, not rps"):
        registry.player("probe", built("rps"))
    with pytest.raises(sc.UsageError, match="leduc-cfr is a table for full stacks"):
        registry.batch_policy("leduc-cfr", built("leduc"))


def test_wrapped_batch_policies_see_what_they_wrap() -> None:
    for batch_policy in (HeuristicMC(), Scripted("mirror", Table.of(built(WHOLE_BETS).rules))):  # type: ignore[arg-type]
        for wrapped in (Greedy(batch_policy), Thresholded(batch_policy, 0.1)):
            assert sees_cards(wrapped) == sees_cards(batch_policy)


def test_what_stands_behind_an_agent_changes_the_batch_policy(tmp_path: Path) -> None:
    """Its table is a mean over hands: a greedy or thresholded agent is not made of that."""
    game = built(CARDS)
    TabulatedPolicy(game, HeuristicMC()).save(tmp_path / "a.agent")
    registry, name = Registry(), str(tmp_path / "a.agent")
    greedy, cut = registry.policy(f"{name}:greedy"), registry.policy(f"{name}:threshold=0.2")
    assert isinstance(greedy, TabulatedPolicy)
    assert isinstance(cut, TabulatedPolicy)
    assert isinstance(greedy.batch_policy, Greedy)
    observations: Array = np.random.default_rng(1).random((200, CARD_OBSERVATION)).astype(np.float32)
    legal = np.ones((200, len(game.actions)), bool)
    whole, left = HeuristicMC().probabilities(observations, legal), cut.batch_policy.probabilities(observations, legal)
    assert ((left > 0) == ((whole >= 0.2) | (whole == whole.max(axis=1, keepdims=True)))).all()
    np.testing.assert_allclose(left.sum(axis=1), 1)
    assert (left != whole).any()
    player = registry.player(f"{name}:greedy", game)
    assert isinstance(player, PolicyPlayer)
    assert isinstance(player.fixed, Strategy)
    assert player.fixed.greedy


def test_the_list_of_players() -> None:
    found = {info.name: info for info in Registry().players()}
    assert set(SCRIPTED_PLAYERS) <= set(found)
    assert (found["leduc-cfr"].kind, found["leduc-cfr"].games) == ("built-in", "leduc")
    assert found["probe"].as_dict()["games"] == "any poker game"
    assert all(info.summary and info.games for info in found.values())
    for name in found:
        assert Registry().resolve(name).base == name


def test_players_that_search(tmp_path: Path) -> None:
    """They are players only: no policy, no batch policy; a registry without a searcher refuses them."""
    agent, registry = str(tmp_path / "a.agent"), Registry(searcher=search_player)
    policy = some_policy(built(TINY))
    policy.save(agent)
    player = registry.player(f"{agent}:search=0.5", built(TINY))
    assert isinstance(player, SearchPlayer)
    assert player.seconds == 0.5
    assert player.safe
    unsafe = registry.player(f"{agent}:threshold=0.3:unsafe-search", built(TINY))
    assert isinstance(unsafe, SearchPlayer)
    assert (unsafe.seconds, unsafe.safe) == (2.0, False)
    np.testing.assert_array_equal(unsafe.blueprint.policy.weights, policy.thresholded(0.3).weights)
    for ask in (registry.policy, registry.batch_policy):
        with pytest.raises(sc.UsageError, match="acts hand by hand: search has no table"):
            ask(f"{agent}:search", built(TINY))
    with pytest.raises(sc.UsageError, match="agents do not search here"):
        Registry().player(f"{agent}:search", built(TINY))
    with pytest.raises(sc.UsageError, match="leduc-cfr:search: search does not play leduc"):
        registry.player("leduc-cfr:search", built("leduc"))
    with pytest.raises(sc.UsageError, match="search follows a table, and this agent of no-limit-holdem has none"):
        registry.player("no-limit-holdem-pricope-agent-1:search", built("no-limit-holdem"))
