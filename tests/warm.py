"""Compile every kernel that is kept on disk, once: `python -m tests.warm`."""

from __future__ import annotations

import smoothcall as sc


def main() -> None:
    for spec in ("rps", "kuhn", "kuhn-3p"):
        game = sc.game(spec)
        for name, options in [
            ("cfr+", {}),
            ("mccfr", {}),
            ("mccfr", {"sampling": "chance"}),
            ("mccfr", {"sampling": "chance", "prune": 1e-3}),
            ("xfp", {}),
            ("uct", {}),
        ]:
            if not (options.get("prune") and spec == "rps"):
                solver = sc.solver(name, game, **options)
                solver.run(1)
                sc.nash_conv(game, solver.policy())
    threads = sc.solver("smooth-uct", sc.game("kuhn"), threads=2)
    threads.run(1)
    matching = sc.solver("regret-matching", sc.game("rps"))
    matching.run(1)


if __name__ == "__main__":
    main()
