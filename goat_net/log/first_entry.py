"""The first entry of a log: what all agree on by signing after it, and whether it is good (PROTOCOL.md, Heads and
entries). From it, and from the nonces that follow, come the ids of log and match and the first dealer.
"""

import hashlib
from itertools import pairwise
from typing import Final

from goat_engine.rules import Seat
from goat_net.log.absence_table import OUT_AFTER
from goat_net.log.chain import Chain, ChainError, Record, entry_signed, log_id_of
from goat_net.log.records import HOST, Carried, Table
from goat_net.log.statutes import NEWEST, STATUTES, Statutes
from goat_net.wire.hello import is_operator
from goat_net.wire.identity import is_good_key, is_whole_key
from goat_net.wire.messages import NewEntry

MAX_CARRIED: Final = 9000  # deals of the matches before; the field ends at 9999
NONCE_PURPOSE: Final = b"goat match nonce v1\x00"
MATCH_PURPOSE: Final = b"goat match v1\x00"
DEALER_PURPOSE: Final = b"goat dealer v1\x00"


def nonce_commitment(log_id: bytes, seat: Seat, nonce: bytes) -> bytes:
    """Commitment to a seat's nonce of the match id."""
    return hashlib.sha256(NONCE_PURPOSE + log_id + bytes([seat]) + nonce).digest()


def match_id_of(table_record: bytes, nonces: list[bytes]) -> bytes:
    """The match id: hash of the table's record (version, rules, settings, keys) and the nonces by seat."""
    return hashlib.sha256(MATCH_PURPOSE + hashlib.sha256(table_record).digest() + b"".join(nonces)).digest()


def first_dealer(match_id: bytes) -> Seat:
    """The dealer drawn by lot (R4): nobody could know it when they committed to their nonce."""
    return hashlib.sha256(DEALER_PURPOSE + match_id).digest()[0] % 4


def begun(entry: NewEntry, record: Record, table_key: bytes | None, *, live: bool) -> tuple[Chain, Table, Statutes]:
    """The log that begins with this entry: its chain, the table's record, the rules of its protocol. ``table_key``: the
    key it must be signed with, or None to take the one it names; ``live``: whether it must be of the newest protocol.
    Raises ChainError."""
    table = record.body
    if entry.number != 0 or record.author != HOST or not isinstance(table, Table):
        raise ChainError(entry.number, "a log begins with the table's record")
    log_id = log_id_of(table.table_key, table.salt, table.fresh)
    chain = Chain(log_id)
    if (record.match_id, record.deal, record.counter, record.seen) != (log_id, 0, 0, 0):
        raise ChainError(0, "the table's record does not begin this log")
    if table_key not in (None, table.table_key):
        raise ChainError(0, "the log is of another table")
    if record.seen_head != chain.head or not record.signed_by(table.table_key):
        raise ChainError(0, "the signature of the host is not good")
    if not entry_signed(entry, table.table_key, log_id, chain.expect(entry)):
        raise ChainError(0, "the host's signature is not good")
    statutes = STATUTES.get(table.protocol)
    if statutes is None:
        known = ", ".join(map(str, STATUTES))
        raise ChainError(0, f"the log is of protocol {table.protocol}, this program reads {known}")
    if live and statutes is not NEWEST:
        raise ChainError(0, f"the log is of protocol {table.protocol}, a table plays by {NEWEST.protocol}")
    if len(table.fresh) != statutes.fresh or len(set(table.fresh)) != len(table.fresh):
        raise ChainError(0, "the fresh bytes of the seats are not good")
    if not keys_good(table, statutes):
        raise ChainError(0, "the keys of the seats are not good")
    for old in table.carried:
        _check_carried(old, table)
    chain.add(entry)
    return chain, table, statutes


def _check_carried(old: Carried, table: Table) -> None:
    """Raises ChainError for a score that no match could go on with; whether it is right its own log says."""
    if old.deals > MAX_CARRIED:
        raise ChainError(0, "the match carried on has too many deals")
    if max(old.defeat) >= table.target:
        raise ChainError(0, "the score carried on is that of a match which is over")
    keys = [one.key for one in old.caught]
    out = {one.key for one in old.caught if one.deals >= OUT_AFTER}
    in_order = all(one < other for one, other in pairwise(keys))
    if not in_order or not out.isdisjoint(seat.key for seat in table.seats):
        raise ChainError(0, "a seat is held by who was caught twice in this match, or that list is not in order")


def keys_good(table: Table, statutes: Statutes = NEWEST) -> bool:
    """Whether the seats' keys are four different good ones and every bot's operator has signed for it. Since protocol 2
    every bot has one: the table itself, or a person with a seat; and nobody else has an operator."""
    is_good = is_whole_key if statutes.whole_keys else is_good_key
    keys = [s.key for s in table.seats]
    if len(set(keys)) != len(keys) or not all(map(is_good, (*keys, table.table_key))):
        return False
    people = {s.key for s in table.seats if not s.bot}
    for seat in table.seats:
        if seat.operator and not is_operator(seat.operator, seat.operator_signature, seat.key, table.table_key):
            return False
        if statutes.answered_for and seat.bot and seat.operator not in {*people, table.table_key}:
            return False
        if statutes.answered_for and not seat.bot and (seat.operator or seat.operator_signature):
            return False
    return True
