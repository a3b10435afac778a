"""The rows of the page: every statement of the paper, and the function that has our figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from smoothcall.experiments.parts import NotMeasured
from smoothcall.experiments.pricope2021 import learning_rows as learning
from smoothcall.experiments.pricope2021 import match_rows as matches
from smoothcall.experiments.pricope2021.data import Data
from smoothcall.experiments.pricope2021.match_rows import NOT_YET, table_1
from smoothcall.experiments.pricope2021.row_figures import dense
from smoothcall.experiments.verdicts import Deviation, Row


def rows(data: Data) -> Iterator[Row]:
    """Yield all rows; one whose parts are not measured yet says so."""
    for source, statement, published, make in STATEMENTS:
        try:
            row = make(data)
        except NotMeasured:
            row = Row("", "", None, deviations=(NOT_YET,))
        told = "not measured yet" if published is None and NOT_YET in row.deviations else row.note
        yield Row(source, statement, published, row.measured, row.deviations, row.smaller, row.cause, told)
    yield from table_1(data)
    for source, statement, published, why in UNMEASURED:
        yield Row(source, statement, published, deviations=(why,))
    for source, statement, published, reason in NOTHING:
        yield Row(source, statement, published, deviations=(Deviation("nothing", reason),))


UNMEASURED = (  # source, statement, published, why there is nothing to measure
    (
        "Section 1",
        "NFSP does poorly in games with a large search space and depth",
        "poor performance",
        Deviation("nothing", "quoted from Zhang et al. 2019"),
    ),
    (
        "Section 4.1",
        "A professional aims at winnings of 50 mbb/h at least",
        "50 mbb/h",
        Deviation("nothing", "quoted, without a source; Section 4.2 calls less than that indecisive"),
    ),
    (
        "Section 4.2",
        "Training takes 80 hours for 150,000 games on the document's computers",
        "80 hours",
        Deviation("unit", "hours of other programs on other computers"),
    ),
    (
        "Fig 2",
        "There are spikes around points 100 and 200, where one copy exploits the other for a while",
        "spikes",
        Deviation("nothing", "single points of one training, without a criterion; the level of chance has a row of its own"),
    ),
    (
        "Section 4.2.2",
        "Agent 2 can rival amateurs, and agent 3 rivals experts",
        "rivals",
        Deviation("opponents", "people, whom only people can replace"),
    ),
)
NOTHING = (  # source, statement, published, why there is nothing to measure
    ("Section 1", "Programs play no-limit hold'em above any person, and limit hold'em is solved", "solved", "quoted"),
    (
        "Sections 2.2 and 3.3",
        "The mixture of average, greedy and gradient policy follows from an approximation of a derivative",
        "a derivation",
        "definitions; what gradient play is worth has rows of its own",
    ),
    (
        "Section 2.2",
        "With a good eta anticipation makes equilibria more stable",
        "is proved",
        "quoted from Shamma and Arslan 2005",
    ),
    (
        "Section 3.3",
        "Networks on images of 17 x 17 x 9: four convolutions, two poolings, one dense layer",
        "17 x 17 x 9; 4, 2, 1",
        "a setting: that of our networks on images; numbers of channels and units are not printed",
    ),
    (
        "Section 4.1",
        "Players to compare with: Call, Random (3 of 5 calls, else a raise by a random amount or a fold), HeuristicMC",
        "rules",
        "a description; it prints no rule of HeuristicMC, and how our Random differs stands in the rows on it",
    ),
    (
        "Section 4.2",
        "Settings: eta 0.1, epsilon 0.9, rho 0.92, memories of 200,000 and 1,000,000, batches of 256 every 64 steps",
        "a list",
        'settings: ours but for epsilon, whose schedule is not printed; section "Agent 3"',
    ),
    (
        "Section 4.2",
        "Rewards come at the end of a hand or game only, in chips",
        "a definition",
        "a definition; returns of games and hands and units of Q have rows of their own",
    ),
    ("Section 4.2", "The trained players run on everyday computers", "can be run", "no figure, and none was measured"),
    (
        "Section 4.2.1",
        "A Monte-Carlo search would draw attention to very weak cards",
        "a temporary solution",
        "a plan; not measured, no such player was made",
    ),
    (
        "Section 4",
        "Everybody can play against the agents",
        "a page",
        "a page of its author; [ours](../web.md)",
    ),
    (
        "Section 5",
        "With more training agent 3 may come closer to an equilibrium",
        "maybe",
        "a conjecture; stronger after more training is a row of its own",
    ),
    (
        "Section 5",
        "Only matches with professionals or the best programs, such as Hyperborean, would show how strong the agents are",
        "cannot know",
        "a plan; neither can be had",
    ),
    (
        "Section 5",
        "For more general play the small blind should be a share of the stack",
        "recommended",
        "a plan; not measured, all agents have learned with the same blinds",
    ),
)
_IMAGES = "With networks on 17 x 17 x 9 images"  # as the paper's
STATEMENTS: tuple[tuple[str, str, str | None, Callable[[Data], Row]], ...] = (
    ("Section 3.1", "Agent 1 uses two classifiers as models of its opponent", None, learning.both_classifiers),
    ("Section 3.2", "Agent 2 learns to beat agent 1", "consistently", dense(matches.agent_2_beats_agent_1)),
    ("Section 3.2", "Agent 2 is worth beating: it wins of those who call as well", None, matches.agent_2_called),
    ("Fig 1", "Architecture of the self-play system", "(diagram)", learning.listing),
    (
        "Algorithm 1",
        "Agent 3: three networks, a mixture of average, greedy and gradient policy",
        "(listing)",
        learning.algorithm,
    ),
    ("Section 4.1", "A player that always folds loses 750 mbb/h", "750 mbb/h", matches.always_fold),
    ("Section 4.1", "Winnings usually stay between -750 and 750 mbb/h", "[-750, 750]", dense(matches.usual_winnings)),
    (
        "Section 4.2",
        "Action values are of whole games: does it win more games than values of hands?",
        None,
        learning.games_or_hands,
    ),
    (
        "Fig 2",
        "The difference between two copies falls to 0 to 20 mbb/h in the last 50 points",
        "0 to 20 mbb/h",
        dense(learning.copies_end_in_range),
    ),
    ("Fig 2", "The difference between two copies becomes smaller", "after the 250th point", dense(learning.copies_approach)),
    (
        "Fig 2",
        f"{_IMAGES}, the difference between two copies falls to 0 to 20 mbb/h in the last 50 points",
        "0 to 20 mbb/h",
        learning.image_copies_end_in_range,
    ),
    (
        "Fig 2",
        f"{_IMAGES}, the difference between two copies becomes smaller",
        "after the 250th point",
        learning.image_copies_approach,
    ),
    ("Figs 2 and 3", "Difference between two identical copies, by chance", None, learning.chance_level),
    (
        "Fig 3",
        "With raw inputs the difference between two copies becomes smaller too",
        "still converges",
        dense(learning.raw_copies_approach),
    ),
    (
        "Fig 3",
        f"{_IMAGES} and raw inputs, the difference between two copies becomes smaller too",
        "still converges",
        learning.image_raw_copies_approach,
    ),
    ("Fig 3", "With raw inputs the difference falls more slowly", "range of the last 50 points", dense(learning.raw_copies)),
    (
        "Section 4.2",
        "With raw inputs fewer games are played in 72 hours",
        "a little smaller number of games",
        dense(learning.raw_games),
    ),
    ("Section 4.2", "Hand-made inputs help an agent to train better", "Figs 2 and 3", dense(learning.inputs_help)),
    (
        "Fig 3",
        f"{_IMAGES} and raw inputs, the difference falls more slowly",
        "range of the last 50 points",
        learning.image_raw_copies,
    ),
    (
        "Section 4.2",
        f"{_IMAGES} and raw inputs, fewer games are played in 72 hours",
        "a little smaller number of games",
        learning.image_raw_games,
    ),
    ("Section 4.2", f"{_IMAGES}, hand-made inputs help an agent to train better", "Figs 2 and 3", learning.image_inputs_help),
    (
        "Abstract, Section 4.2",
        "Agent 3 comes close to a Nash equilibrium: less than 50 mbb/h decides nothing",
        "below 50 mbb/h",
        dense(learning.close_to_nash),
    ),
    ("Section 4.2.1", "Agent 3 beats an expert: 10 games, 56 hands", "241.07 mbb/h, 7-3", learning.human_match),
    (
        "Section 4.2.1",
        "Agent 3 calls raises with very weak cards, such as 7-3",
        "(an expert's judgement)",
        dense(learning.weak_cards),
    ),
    ("Section 4.2.1", "More training makes agent 3 stronger", "considerably", dense(learning.more_training)),
    ("Section 4.2.2", "Both versions of agent 3 beat agent 2", "193 to 361 mbb/h", dense(matches.both_win)),
    ("Section 4.2.2", f"{_IMAGES}, GP beats agent 2", "248 to 361 mbb/h", matches.image_beats_agent_2),
    (
        "Table 1",
        "GP wins more of agent 2 than DP after 45 hours",
        "361.08 against 234.22 mbb/h",
        dense(matches.gradient_wins_more),
    ),
    ("Table 1", "GP improves from 6 to 45 hours of training", "248.35 to 361.08 mbb/h", dense(matches.gradient_improves)),
    ("Table 1", "DP becomes worse from 11 to 45 hours of training", "299.03 to 234.22 mbb/h", dense(matches.discrete_falls)),
    ("Section 4.2.2", "GP trains faster than DP: 50,000 games", "6 hours against 11", dense(matches.gradient_trains_faster)),
    ("Section 4.2.2", "Statistical error of 250 games", "± 4.5 chips, ± 40 mbb/h", matches.errors_of_matches),
    ("Section 4.2.2", "The error is halved with 1,000 games", "roughly halved", matches.errors_halve),
    (
        "Section 4.2.2",
        "GP against agent 1 after 30 hours, 130 games",
        "88.46 % won, average stack 175",
        dense(matches.against_agent_1),
    ),
    (
        "Section 4.2.2",
        f"{_IMAGES}, GP against agent 1, 130 games",
        "88.46 % won, average stack 175",
        matches.image_against_agent_1,
    ),
    ("Fig 4", f"{_IMAGES}, GP against Random", "average stack almost 180", matches.image_almost_180),
    ("Fig 4", "GP against Random after 50,000 games of training", "average stack almost 180", dense(matches.almost_180)),
    ("Fig 4", "GP and DP do better against Random than all other players", "(bars)", dense(matches.overpower)),
    (
        "Fig 4",
        "GP does as well against Random as agent 2 that trained with Random",
        "almost identical",
        dense(matches.as_agent_2),
    ),
    ("Fig 4", "GP does better against Random than DP", "(bars)", dense(matches.gradient_beats_random_more)),
    ("Fig 5", "GP is the more aggressive of the two", "(bars)", dense(matches.gradient_raises_more)),
    ("Fig 5", "GP mostly calls, and raises", "calls predominant", dense(matches.gradient_calls_most)),
    ("Fig 5", "DP mainly calls and very rarely goes all-in", "(bars)", dense(matches.discrete_calls)),
    (
        "Section 4.2.2",
        "Agent 3 plays at larger tables, with the average of its opponents",
        "may lose performance",
        dense(matches.three_players),
    ),
    (
        "Abstract, Section 3.3",
        "Gradient play improves on NFSP",
        "GP above DP in Table 1 and Fig 4",
        dense(learning.gradient_helps),
    ),
    ("Section 3.3", "How far gradient play moves the policy, by the unit of Q", None, learning.unit_of_values),
    (
        "Abstract, Section 6",
        "Self-play does better than training against a fixed opponent hand by hand",
        "drastically",
        dense(matches.self_play),
    ),
)
