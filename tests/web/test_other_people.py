"""A visitor cannot read, change or even detect what belongs to another person."""

from __future__ import annotations

import asyncio
import re

from tests.web.asking import Answer, Asker
from tests.web.leaks import Twin, act, routes, table_in

OWN = (
    "GET /tables/{table}", "GET /tables/{table}/results", "POST /tables/{table}/act", "POST /tables/{table}/next",
    "POST /tables/{table}/close", "POST /api/tables/{table}/close",
    "GET /hands/{hand}", "GET /hands/{hand}/coach",
    "GET /api/tables/{table}", "GET /api/tables/{table}/results",
    "POST /api/tables/{table}/act", "POST /api/tables/{table}/next",
    "GET /api/hands/{hand}", "GET /api/hands/{hand}/coach",
)  # fmt: skip


def test_nobody_elses_cookie_reads_or_moves_anything() -> None:
    """The answers are the same as for tables and hands that do not exist."""

    async def run() -> None:
        twin = Twin()
        owner, other, nobody = Asker(twin.app), Asker(twin.app), Asker(twin.app)
        for asker in (owner, other):
            asker.token = (await asker.post_json("/api/people")).json["token"]
        table = table_in(await owner.post_json("/api/tables", game="leduc", opponents=["always-call"]))
        over = table["hand"]["id"]
        while not table["hand"]["over"]:
            table = table_in(await act(owner, table, "c"))
        table = table_in(await owner.post_json(f"/api/tables/{table['id']}/next", hand=1))
        going = table["hand"]["id"]

        async def ask(asker: Asker, own: str, id: str, hand: object) -> Answer:
            method, path = own.format(table=id, hand=hand).split(" ")
            fields = {"letter": "c", "hand": table["hand"]["number"], "move": table["hand"]["move"]}
            if method == "GET":
                return await asker.get(path)
            return await (asker.post_json(path, **fields) if path.startswith("/api/") else asker.post_form(path, fields))

        for own in OWN:
            for hand in (over, going) if "{hand}" in own else (over,):
                if own.startswith("GET"):
                    refused = own.endswith("coach") and hand == going
                    assert (await ask(owner, own, table["id"], hand)).status == (403 if refused else 200), own
                found, none = await ask(other, own, table["id"], hand), await ask(other, own, "s0", 10**6)
                assert found.status == 404, own
                text = found.text.replace(table["id"], "s0").replace(f"hand {hand} ", f"hand {10**6} ")
                assert text == none.text, own
                assert (await ask(nobody, own, table["id"], hand)).status in (401, 404), own
                assert (await owner.get(f"/api/tables/{table['id']}")).json == table, own
        for query in ("", f"?table={table['id']}"):
            assert [(await asker.get(f"/api/hands{query}")).json["total"] for asker in (owner, other)] == [1, 0]
            assert [(await asker.get(f"/api/statistics{query}")).json["hands"] for asker in (owner, other)] == [1, 0]
            assert [f"/hands/{over}" in (await asker.get(f"/hands{query}")).text for asker in (owner, other)] == [True, False]
            assert [len((await asker.get(f"/export{query}")).text) > 20 for asker in (owner, other)] == [True, False]
        assert (await other.get("/api/export?form=json")).json == {"hands": []}
        assert (await other.get("/api/tables")).json == []
        assert table["id"] not in (await other.get("/")).text
        assert {(own.split("/")[0].strip(), re.sub("{.*}", "{id}", own.split(" ")[1])) for own in OWN} == {
            route for route in routes() if "{id}" in route[1]
        }

    asyncio.run(run())
