"""The page that reviews hands from a file."""

from __future__ import annotations

import pytest

from smoothcall.play.review import review_text
from smoothcall.web.review import MOST, read_multipart
from tests.conftest import shipped
from tests.play.test_review import LOG
from tests.web.visitor import Visitor

FORM = {"hero": "hero", "by": "leduc-cfr", "kind": "acpc"}


def test_a_file_is_reviewed(visitor: Visitor) -> None:
    page = visitor.page("/review")
    assert "Review hands from a file" in page.source
    assert "/review" in visitor.page("/hands").links
    answer = visitor.post("/review", data=FORM, files={"file": ("some.log", LOG.encode())})
    assert answer.status_code == 200
    found = review_text(LOG, "acpc", "hero", "leduc-cfr", shipped().policy("leduc-cfr"), most=MOST)
    assert "hero: 4 hands, 6 decisions" in answer.text
    assert f"{found.ev_loss:.3f} chips" in answer.text
    assert f'<a href="{found.worst[0].link}"'.replace("&", "&amp;") in answer.text
    assert "1 skipped: Hero is not in the hand." in answer.text
    assert f'<th scope="row">Hand {found.worst[0].hand}</th>' in answer.text
    assert found.worst[0].hand == "3"
    pasted = visitor.post("/review", data={**FORM, "text": LOG})
    assert pasted.text == answer.text
    by_content = visitor.post("/review", data={**FORM, "kind": "", "text": LOG})
    assert "hero: 4 hands, 6 decisions" in by_content.text


def test_a_form_that_fails_is_shown_again(visitor: Visitor) -> None:
    answer = visitor.post("/review", data={**FORM, "hero": "nobody", "text": LOG})
    assert answer.status_code == 400
    assert 'role="alert"' in answer.text
    assert 'value="nobody"' in answer.text
    assert "STATE:4:rf:Ah|Qs:1|-1:one|two" in answer.text
    mixed = visitor.post("/review", data={**FORM, "kind": "", "by": "kuhn-lp", "text": "PokerStars Hand #1:\n" + LOG})
    assert "It was read as acpc; it also has pokerstars." in mixed.text


def test_hands_of_holdem_have_evs(visitor: Visitor) -> None:
    hand = """variant = "NT"
antes = [0, 0]
blinds_or_straddles = [5, 10]
min_bet = 10
starting_stacks = [100, 100]
players = ["other", "hero"]
actions = ["d dh p1 ????", "d dh p2 7c2d", "p2 cbr 100", "p1 cc", "d db AhKhQd", "d db 3s", "d db 4s"]
"""
    answer = visitor.post("/review", data={"hero": "hero", "by": "no-limit-holdem-mccfr", "kind": "phh", "text": hand})
    assert answer.status_code == 200
    assert "1 hands, 1 decisions" in answer.text
    assert "Raise to 100 (all in)" in answer.text
    assert '<td data-label="Better">Fold</td>' in answer.text
    other = visitor.post("/review", data={"hero": "other", "by": "no-limit-holdem-mccfr", "kind": "phh", "text": hand})
    assert "The cards of other are not known" in other.text


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"hero": " "}, "the name of a player in the file"),
        ({"text": ""}, "There is no file"),
        ({"kind": "csv"}, "accepted: phh, pokerstars, acpc"),
        ({"by": "nobody"}, "There is no agent"),
        ({"by": "probe"}, "plays by a rule"),
        ({"by": "kuhn-lp"}, "The file, line 2: "),
        ({"text": "STATE:0:rf:Ah|Qs:1|-1:hero|other\nnonsense"}, "1 skipped: The file has lines that are no hand of leduc"),
        ({"kind": "phh"}, "skipped"),
        ({"kind": "pokerstars"}, "files without hands of PokerStars"),
        ({"kind": "pokerstars"}, "5 skipped: Hands in another format, acpc"),
        ({"hero": "Hero"}, "'Hero' plays in none of the hands (accepted: 'hero', 'other', 'one', 'two')"),
    ],
)
def test_wrong_forms(visitor: Visitor, changes: dict[str, str], said: str) -> None:
    answer = visitor.post("/review", data={**FORM, "text": LOG, **changes})
    assert answer.status_code < 500
    assert said in answer.text.replace("&#39;", "'")
    assert "/tmp" not in answer.text


def test_files_are_bounded(visitor: Visitor) -> None:
    many = "".join(f"STATE:{number}:rf:Ah|Qs:1|-1:hero|other\n" for number in range(MOST + 5))
    answer = visitor.post("/review", data={**FORM, "text": many})
    assert f"hero: {MOST} hands" in answer.text
    assert "5 skipped: Only the first" in answer.text
    assert visitor.post("/review", data=FORM, files={"file": ("a.log", b"x" * 70_000)}).status_code == 413
    assert visitor.post("/review", data=FORM, files={"file": ("a.log", b"\xff\xfe")}).status_code == 400


def test_multipart_forms_that_are_damaged() -> None:
    for body, kind in [
        (b"", "multipart/form-data"),
        (b"--x--", "multipart/form-data; boundary=x"),
        (b"\x00" * 99, "multipart/form-data; boundary="),
    ]:
        with pytest.raises(ValueError, match="this form cannot be read"):
            read_multipart(body, kind)


def test_nobody_reviews_by_the_agent_of_a_hand_in_progress(visitor: Visitor) -> None:
    page = visitor.sit_down("leduc", **{"opponent-0": "leduc-cfr"})
    answer = visitor.post("/review", data={**FORM, "text": LOG})
    assert answer.status_code == 403, (page.source, answer.text, dict(visitor.client.cookies))
    assert "finish your hand first" in answer.text.lower()
