"""What public sources say of Heinrich and Silver (2016), "Deep Reinforcement Learning from Self-Play in Imperfect-Information
Games".

The paper itself is not among the documents. Its abstract is public (arXiv 1603.01121); macmanus2019 summarises it in Section
2.5.2; its author published a program (github.com/Johannes-H/nfsp-leduc, commit b86356e); and the points of its Figure 1 below
were read off by others (github.com/aicenter/openspiel_reproductions, target_results/nfsp_leduc_heinrich_silver_*.csv).
"""

from __future__ import annotations

ABSTRACT = "arXiv 1603.01121, abstract"
FIGURE_1 = "Fig 1"
MACMANUS = "macmanus2019, Section 2.5.2"
PROGRAM = "author's program, README"
SOURCES = (ABSTRACT, FIGURE_1, MACMANUS, PROGRAM)

# exploitability by iterations of the program, of networks with this many units in one hidden layer
CURVES: dict[int, dict[int, float]] = {
    16: {
        1_000: 1.957,
        7_210: 1.276,
        18_254: 0.872,
        41_622: 1.015,
        86_596: 0.792,
        189_849: 0.598,
        365_174: 0.515,
        577_250: 0.335,
        1_026_511: 0.253,
        1_665_677: 0.229,
        2_962_040: 0.225,
    },
    128: {
        1_000: 2.023,
        9_870: 1.028,
        17_324: 0.829,
        33_761: 0.817,
        58_485: 0.659,
        96_151: 0.473,
        148_066: 0.307,
        243_424: 0.199,
        346_555: 0.153,
        540_698: 0.113,
        865_964: 0.0930,
        1_265_531: 0.0801,
        1_665_677: 0.0702,
        3_001_047: 0.0605,
    },
}
LAST = 3_001_047  # iterations of Figure 1

MACMANUS_BELOW, MACMANUS_START = 0.1, 1.5  # exploitability of 128 units on Leduc, in the end and at the start
PROGRAM_REACHES, PROGRAM_HOURS = 0.1, 5  # exploitability of 64 units after so many hours on an AWS c5.large
