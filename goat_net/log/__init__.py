"""What was said at a table, and what follows from it (PROTOCOL.md, "The log", "Saved matches and proofs").

`records` are what a seat or the host can say, `chain` is their order, `fold` the state that follows from them, `deal`
and `settle` one deal of it. `faults` lists what can be wrong, `refusals` and `proof` what a client can show of a host.
Nothing here is secret and nothing waits: the same bytes give the same state on every machine and in a file.
"""
