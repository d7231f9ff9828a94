"""Playing at a table (PROTOCOL.md, "The player", "The second path", "Those who leave").

`player` decides what a seat owes and keeps its secrets, `chair` speaks for it on a connection. A chair has `direct` for
what is said past the host, with `dials`, and `carried` for a score that goes on. `store` keeps the log and the secrets
on disk before anything is sent. `session`, `staying` and `direct_lines` carry all that over a network. `tableview` is
what a screen or a bot is given, and `present` makes it.
"""
