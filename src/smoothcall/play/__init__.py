"""People at a table: what they may see, the hands they play, and what becomes of them.

`sight` is what one seat may see of a table; `table` the server-side truth of one table; `house` keeps all tables in a
database, `past` says what became of their hands; `agents` finds opponents; `explorer` walks through an agent's strategy;
`terminal` is a table in Rich.
"""
