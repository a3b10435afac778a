"""Tables for people: what a person may see, the hands they play, and the history of these hands.

`person_view` describes what a person sees of a table; `table` derives it from the full state of a hand. `service` keeps all
tables in a database; `history` reads finished hands: results, coach, statistics, exports. `opponents` lists and loads the
opponents, with the cards of `agent_cards`; `explorer` shows an agent's strategy; `terminal` is a table on a console.
"""
