"""Private words of earlier versions stay out of source, documents, tests and templates."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]
SEARCHED = ("src", "docs", "tests", "benchmarks", "examples", "README.md", "CONTRIBUTING.md")
SUFFIXES = {".py", ".md", ".html", ".css", ".js", ".toml", ".json"}
NOT_OURS = ("/static/vendor/", "htmx", "/data.json", "/golden/")  # other people's text, and data
EXCEPT = {"tests/test_words.py"}  # names the words

# word (a regular expression, case-insensitive, matched as a whole word) -> what to say instead
WORDS = {
    r"minds?": "batch policy",
    r"Mind\w+": "batch policy, TabulatedPolicy, BatchPlayer",
    r"(?<![\"“])dumm(y|ies)(?![\"”])": 'scripted player (epfl2020 may be quoted: "dummies")',
    r"eyes": "observation, encoder",
    r"sights?": "person's view",
    r"wide situations?": "observation with cards",
    r"(?<!full[ _-])(?<!full-)houses?": "play service",
    r"given up": "EV loss",
    r"luck taken out": "luck-adjusted, AIVAT",
    r"chances": "probabilities",
    r"forests?": "stack trees",
}
PATTERNS = {word: re.compile(rf"(?<![A-Za-z]){word}(?![A-Za-z])", re.IGNORECASE) for word in WORDS}
PATTERNS[r"Mind\w+"] = re.compile(r"\bMind[A-Z]\w*")


def found_in(text: str) -> list[tuple[int, str, str]]:
    """Return (line number, word, what to say instead) of every private word."""
    return [
        (number, match[0], WORDS[word])
        for number, line in enumerate(text.splitlines(), 1)
        for word, pattern in PATTERNS.items()
        for match in pattern.finditer(line)
    ]


def searched() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", *SEARCHED], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    files = [name for name in listed.splitlines() if name not in EXCEPT and not any(part in f"/{name}" for part in NOT_OURS)]
    return [ROOT / name for name in files if Path(name).suffix in SUFFIXES and (ROOT / name).exists()]


def test_the_checker_finds_private_words() -> None:
    for bad in (
        "a mind says",
        "MindPolicy",
        "the dummies learn",
        "rules need no eyes",
        "a wide situation",
        "the house deals",
        "what was given up",
        "with the luck taken out",
        "chances of moves",
        "the forest of trees",
        "house_rules",
        "class Sight:",
    ):
        assert found_in(bad), bad
    for good in ('it calls them "dummies"', "a full house", "full_house", "remind", "mindful", "insight", "a chance node"):
        assert not found_in(good), good


def test_no_private_word_is_left() -> None:
    files = searched()
    assert len(files) > 300
    left = [
        f"{path.relative_to(ROOT)}:{number}: {word!r} (say: {instead})"
        for path in files
        for number, word, instead in found_in(path.read_text())
    ]
    assert not left, "\n" + "\n".join(left)
