"""Where the protocols differ in what a log means (PROTOCOL.md, Versions).

A log is folded by the protocol that its table's record names, for ever; a table that is played at speaks the newest
one only. `Fold` chooses its `Statutes` once, with entry 0, and everything else asks ``fold.statutes``. No other place
compares protocol numbers.

How to add a difference:

1. Give `Statutes` a field that is named after the rule, with a comment that says what it decides, and give it a value
   for each protocol in `STATUTES`. Ask it in the one place that applies the rule. Where more than a condition differs,
   let the field be the class (or function) of a part: the old part stays as it is in a module of its own, the new one
   stands beside it behind the same door.
2. A body whose fields change, or that is new, gets a kind number of its own in `records`. Its class joins ``kinds`` of
   the protocols that have it and leaves those that haven't: a record of any other kind is none.
3. Say it in PROTOCOL.md: the chapter it belongs to describes the newest protocol alone, the chapter Versions has a
   line for what an older one did.
4. tests/frozen holds logs of each protocol. They must be judged as on the day they were played.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from goat_engine.match import void_cost
from goat_engine.rules import VOID_PENALTY
from goat_net.log.absence import AbsenceFold
from goat_net.log.absence_1 import FirstAbsence
from goat_net.log.absence_table import AbsencePart, Cast
from goat_net.log.records import BODIES, Back, CloseVote, EndPause, OldVote, Unheard, Vote
from goat_net.wire.messages import PROTOCOL


@dataclass(frozen=True, slots=True)
class Statutes:
    """The rules of one protocol, as far as protocols differ. See the module."""

    protocol: int
    kinds: frozenset[type[Any]]  # bodies that a record can have
    end_before_shuffle: bool  # `End` 1 only before the first `Shuffle` of a deal; else always
    carries_whole: bool  # a score is carried on from the end of a log alone; else from any entry
    answered_for: bool  # every bot has an operator who sits at the table as a person, or is the table; nobody else has
    whole_keys: bool  # keys are of the curve's prime order; else they are only not of small order
    seen_grows: bool  # a record may not say that less was seen than any before it; else than the one before it
    fresh: int  # values in the table's record, one of each seat's client, that the log's id hashes too
    absence: Callable[[Cast], AbsencePart]  # who leaves, stalls, pauses and votes (R24)
    counts_unopened: bool  # whether a deal counts that the team which is behind in it does not open (R24)
    penalty: Callable[[bool], int]  # defeat points for a cheat or an absence; whether the deal counts double (R23)


_ALL: Final = frozenset(struct.cls for _, struct in BODIES)
_FIRST: Final = frozenset({OldVote, Back})
_SECOND: Final = frozenset({Vote, Unheard, CloseVote, EndPause})

STATUTES: Final[Mapping[int, Statutes]] = {
    1: Statutes(
        protocol=1,
        kinds=_ALL - _SECOND,
        end_before_shuffle=False,
        carries_whole=False,
        answered_for=False,
        whole_keys=False,
        seen_grows=False,
        fresh=0,
        absence=FirstAbsence,
        counts_unopened=False,
        penalty=lambda doubled: VOID_PENALTY,
    ),
    2: Statutes(
        protocol=2,
        kinds=_ALL - _FIRST,
        end_before_shuffle=True,
        carries_whole=True,
        answered_for=True,
        whole_keys=True,
        seen_grows=True,
        fresh=4,
        absence=AbsenceFold,
        counts_unopened=True,
        penalty=void_cost,
    ),
}
"""The protocols whose logs are read, by number."""

NEWEST: Final = STATUTES[PROTOCOL]
