"""The kill matrix: real processes over TCP on loopback, one of them killed at a chosen message of a deal.

``python -m tests.processes.matrix [--points N] [--roles ...] [--seed S] [--only ROLE/KIND/N]``

A table's process, its bots' process, two seats in processes of their own and a watcher play seeded deals. At each
kind of message of join, deal, trick, claim, open and verdict one of the five roles (the host, the seat that has the
turn, another seat, the watcher, the bots' process) gets SIGKILL and is started again with the same key and folder.
Then the match has to go on: same seat, same hand, same score, four equal verdicts, nobody blamed or charged, all
logs equal byte for byte, no process left behind. A table of role and point says how it ended and after how many
seconds the log went on; any wrong outcome makes the exit code 1.
"""
