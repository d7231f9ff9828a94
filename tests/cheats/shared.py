"""The same arithmetic once for everybody in a world.

Five peers in one process compute the same pure functions of the same bytes. Here each is computed once; who judges
what, and from what, stays as it is. Without this a deal costs twice the time.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache, wraps
from typing import Any
from unittest.mock import patch

from goat_host import table

from goat_net.deck import deck_audit
from goat_net.deck.curve import DeckFault
from goat_net.log import chain as log
from goat_net.log import deal, fold, settle
from goat_net.log import refusals as witness
from goat_net.seat import player
from goat_net.wire import hello
from goat_net.wire.codec import WireError
from tests.net import auditor

KEPT = 512  # results of each function: more than a deal has, and small


def _frozen(value: Any) -> Any:
    return tuple(_frozen(v) for v in value) if isinstance(value, list | tuple) else value


def once(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, remembered; faults of the peer are remembered too."""

    @lru_cache(maxsize=KEPT)
    def remembered(args: tuple[Any, ...], named: tuple[Any, ...]) -> tuple[Any, DeckFault | WireError | None]:
        try:
            return function(*args, **dict(named)), None
        except (DeckFault, WireError) as fault:
            return None, fault

    @wraps(function)
    def call(*args: Any, **named: Any) -> Any:
        value, fault = remembered(tuple(_frozen(a) for a in args), tuple(sorted(named.items())))
        if isinstance(fault, DeckFault):
            raise DeckFault(fault.reason, fault.index)
        if fault is not None:
            raise WireError(str(fault))
        return value

    return call


NAMES: tuple[tuple[tuple[Any, ...], str], ...] = (
    ((log, hello), "verify"),
    ((log, fold, player, table, witness), "parse_record"),
    ((deal,), "open_element"),
    ((deal,), "check_shuffle"),
    ((deal,), "check_cut"),
    ((deal,), "check_lock"),
    ((player, deck_audit), "derive"),
    ((player, deck_audit), "shuffle"),
    ((player, deck_audit), "cut"),
    ((deck_audit,), "lock"),
    ((settle,), "audit_deck"),
    ((player, settle), "discard_commitment"),
    ((player, settle), "discard_nonce"),
    ((deal, deck_audit, player), "key_hash"),
)

SECOND = ("times", "point", "is_signature")
"""Of the second auditor, which shares nothing with the first: what it computes again when it reads a log again."""


@contextmanager
def shared() -> Iterator[None]:
    """Within it the arithmetic is shared."""
    patches = []
    for modules, name in NAMES:
        function = once(getattr(modules[0], name))
        patches += [patch.object(module, name, function) for module in modules]
    for name in SECOND:
        patches.append(patch.object(auditor, name, lru_cache(maxsize=8 * KEPT)(getattr(auditor, name))))
    for one in patches:
        one.start()
    try:
        yield
    finally:
        for one in patches:
            one.stop()
