"""A client of the JSON API: play twenty hands of Leduc hold'em, then read their history.

The server is started here with a database of its own; with one that runs already (`smoothcall play`), only its address differs.
"""

import json
import re
import subprocess
import sys
import tempfile
from fractions import Fraction
from urllib.request import Request, urlopen


def ask(path: str, body: dict | None = None) -> dict:
    """Send a GET request, or a POST request with a JSON body. Return the JSON of the answer."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    with urlopen(Request(address + path, data, headers)) as answer:
        return json.load(answer)


with tempfile.TemporaryDirectory() as folder:
    command = [
        sys.executable,
        "-m",
        "smoothcall",
        "play",
        "--no-browser",
        "--port",
        "0",
        "--database",
        f"sqlite:///{folder}/hands",
    ]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        try:
            address = re.search(r"http://\S+?(?=/ )", server.stderr.readline())[0]  # "play at http://127.0.0.1:8000/ (...)"
            token = ""
            token = ask("/api/people", {})["token"]  # the key to the tables that it opens

            table = ask("/api/tables", {"game": "leduc", "opponents": ["leduc-cfr"]})
            won = Fraction()
            for number in range(1, 21):
                while not table["hand"]["over"]:
                    letters = [choice["letter"] for choice in table["hand"]["choices"]]
                    letter = "r" if "r" in letters else "c"  # raise whenever it is legal, never fold
                    move = {"letter": letter, "hand": number, "move": table["hand"]["move"]}
                    table = ask(f"/api/tables/{table['id']}/act", move)
                won += Fraction(table["hand"]["won"])
                if number < 20:
                    table = ask(f"/api/tables/{table['id']}/next", {"hand": number})

            assert table["hands"] == 20
            assert Fraction(table["won"]) == won
            results = ask(f"/api/tables/{table['id']}/results")
            assert results["curve"][-1] == float(won)
            assert results["luck_adjusted"]["half_width"] < results["raw"]["half_width"]  # AIVAT reduces the variance
            history = ask("/api/hands")
            assert history["total"] == 20
            review = ask(f"/api/hands/{history['hands'][0]['id']}/coach")
            assert all(decision["chosen"] in ("r", "c") for decision in review["decisions"])
        finally:
            server.terminate()
