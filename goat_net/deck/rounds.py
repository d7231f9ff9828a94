"""The rounds in which the deck goes from seat to seat: shuffle, cut, lock; opening a slot; the checks at once.

Source: PROTOCOL.md, "The deck"; R5, R6, R13. Pure functions: no I/O, no clock, no randomness of their own. An element
is the 32-byte x-coordinate of a P-256 point, a deck is 36 of them, element i is slot i. Turns go from the dealer's
left: dealer + 1, + 2, + 3, dealer. Faults of a peer's data are DeckFault, mistakes of a caller ValueError.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from goat_net.deck.curve import (
    ELEMENT_BYTES,
    ORDER,
    DeckFault,
    DeckReason,
    Multipliers,
    inverse,
    lift_each,
    multiply,
    multiply_each,
)
from goat_net.deck.seeds import CARDS, HANDS, SEATS, STOCK, SeatSecrets, card_of

Deck = tuple[bytes, ...]
"""36 elements (a deck) or 20 (a stock)."""

INDICATOR_PLACE: Final = 35  # the element of the shuffled deck that is copied: a card of the stock (R6)


def turn_order(dealer: int) -> tuple[int, int, int, int]:
    """The seats in the order of every round of the deck: from the dealer's left, the dealer last."""
    return ((dealer + 1) % SEATS, (dealer + 2) % SEATS, (dealer + 3) % SEATS, dealer)


def _need(elements: Sequence[bytes], count: int) -> None:
    if len(elements) != count:
        raise DeckFault(DeckReason.LENGTH)


def shuffle(secrets: SeatSecrets, deck: Sequence[bytes], *, secret: bool = True) -> Deck:
    """The deck after this seat's shuffle: element t is e times element pi(t) of `deck` (36). DeckFault.

    Here and below ``secret`` is false in the audit, when everybody has the seed.
    """
    _need(deck, CARDS)
    return multiply_each(secrets.e, (deck[source] for source in secrets.pi), secret=secret)


def before_cut(deck: Sequence[bytes]) -> tuple[bytes, Deck]:
    """(indicator copy, stock of 20) that the first cut starts from, out of the deck after the last shuffle."""
    _need(deck, CARDS)
    return deck[INDICATOR_PLACE], tuple(deck[HANDS:])


def cut(
    secrets: SeatSecrets, indicator: bytes, stock: Sequence[bytes], *, secret: bool = True
) -> tuple[bytes, Deck]:
    """(indicator copy, stock of 20) after this seat's cut. DeckFault.

    The indicator changes this seat's e for its q; element t of the stock is f times element rho(t). So the card of the
    copy can be shown and nobody knows where in the stock it lies (R6).
    """
    _need(stock, STOCK)
    shown = multiply(secrets.q * inverse(secrets.e), indicator, secret=secret)
    return shown, multiply_each(secrets.f, (stock[source] for source in secrets.rho), secret=secret)


def before_lock(deck: Sequence[bytes], stock: Sequence[bytes]) -> Deck:
    """The deck that the first lock starts from: hands of the deck after the last shuffle, stock of the last cut."""
    _need(deck, CARDS)
    _need(stock, STOCK)
    return (*deck[:HANDS], *stock)


def lock(secrets: SeatSecrets, deck: Sequence[bytes], *, secret: bool = True) -> Deck:
    """The deck after this seat's lock: e off elements 0-15, e f off 16-35, and k[slot] on each. DeckFault."""
    return lock_with(lockers(secrets, secret=secret), deck)


def lockers(secrets: SeatSecrets, *, secret: bool = True) -> Multipliers:
    """What `lock` multiplies each of the 36 elements by, prepared: it takes a third of the lock's time and no deck."""
    off_hand = inverse(secrets.e)
    off_stock = inverse(secrets.e * secrets.f)
    scalars = (k * (off_hand if slot < HANDS else off_stock) for slot, k in enumerate(secrets.k))
    return Multipliers(scalars, secret=secret)


def lock_with(prepared: Multipliers, deck: Sequence[bytes]) -> Deck:
    """`lock` with `lockers` of this seat. DeckFault."""
    _need(deck, CARDS)
    return prepared(deck)


def open_element(element: bytes, keys: Sequence[int]) -> bytes:
    """The element without these locks: the keys are multiplied first, so that it takes one exponentiation.

    With all four keys of a slot, or all four q of the indicator, the result is a card point (`card_of`).
    DeckFault if `element` is none; ValueError if a key is a multiple of n (`parse_key` lets none through).
    """
    product = 1
    for key in keys:
        product = product * key % ORDER
    return multiply(inverse(product), element)


def _check(sent: Sequence[bytes], count: int, before: set[bytes], tag: bytes) -> None:
    """The tests of one message, the cheap ones first; each test over all elements before the next test."""
    _need(sent, count)
    for index, x in enumerate(sent):
        if len(x) != ELEMENT_BYTES:
            raise DeckFault(DeckReason.LENGTH, index)
    seen: set[bytes] = set()
    for index, x in enumerate(sent):
        if x in seen:
            raise DeckFault(DeckReason.REPEATED, index)
        seen.add(x)
    for index, x in enumerate(sent):
        if card_of(tag, x) is not None:
            raise DeckFault(DeckReason.CARD_POINT, index)
    for index, x in enumerate(sent):
        if x in before:
            raise DeckFault(DeckReason.UNCHANGED, index)
    lift_each(sent)


def check_shuffle(new: Sequence[bytes], before: Sequence[bytes], tag: bytes) -> None:
    """What every client tests at once when a shuffle arrives; DeckFault names what no honest shuffle is."""
    _check(new, CARDS, set(before), tag)


def check_lock(new: Sequence[bytes], before: Sequence[bytes], tag: bytes) -> None:
    """What every client tests at once when a lock arrives; DeckFault names what no honest lock is."""
    _check(new, CARDS, set(before), tag)


def check_cut(
    indicator: bytes,
    stock: Sequence[bytes],
    before_indicator: bytes,
    before_stock: Sequence[bytes],
    decks_before: Iterable[bytes],
    tag: bytes,
) -> None:
    """What every client tests at once when a cut arrives; DeckFault names what no honest cut is.

    `decks_before` are all elements that this deal has seen in the shuffles and earlier cuts. None of the 21 elements
    may be among them or before. The indicator counts as element 0 of the message, the stock as 1 to 20.
    """
    _check((indicator, *stock), STOCK + 1, {before_indicator, *before_stock, *decks_before}, tag)
