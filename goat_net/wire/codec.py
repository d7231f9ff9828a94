"""Canonical msgpack arrays and the bounds of every field (PROTOCOL.md, Messages).

A message is an array ``[kind, field, ...]``. Its class is a frozen dataclass whose fields carry their bounds as
``Annotated[type, Spec]``. One encoding per message: what does not re-encode to the same bytes is refused.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import Any, Final, TypeVar, get_args, get_type_hints

import msgpack

from goat_net.wire.text import clean, clean_name, is_clean, is_name

MAX_ARRAY: Final = 64  # the longest list is 36 slots; nested array headers would cost memory otherwise
MAX_DEPTH: Final = 8  # messages nest three deep
MAX_MESSAGE: Final = 16_384  # the largest message, a lock, is under 3 kB

T = TypeVar("T")


class WireError(Exception):
    """What came from the peer is not a message of the protocol. The text says why."""


class EncodeError(Exception):
    """Our own value is out of its bounds: a mistake in this program, never the peer's."""


class Spec:
    """Bounds of one field: ``check`` takes a decoded value and gives it typed, or raises WireError."""

    def check(self, value: object) -> object:
        """The typed value."""
        raise NotImplementedError

    def dump(self, value: Any) -> object:
        """The value as msgpack takes it."""
        return value


@dataclass(frozen=True)
class Int(Spec):
    """An integer in ``low..high``, both included."""

    low: int
    high: int

    def check(self, value: object) -> object:
        """The integer."""
        if type(value) is not int or not self.low <= value <= self.high:
            raise WireError(f"an integer {self.low}..{self.high} was expected")
        return value


@dataclass(frozen=True)
class Flag(Spec):
    """True or false."""

    def check(self, value: object) -> object:
        """The truth value."""
        if type(value) is not bool:
            raise WireError("true or false was expected")
        return value


@dataclass(frozen=True)
class Bytes(Spec):
    """Bytes of a length in ``low..high``; exactly ``low`` when ``high`` is not given."""

    low: int
    high: int = -1

    def check(self, value: object) -> object:
        """The bytes."""
        if type(value) is not bytes or not self.low <= len(value) <= max(self.low, self.high):
            raise WireError(f"{self.low}..{max(self.low, self.high)} bytes were expected")
        return value


@dataclass(frozen=True)
class Text(Spec):
    """Clean text of at most ``limit`` characters (see `goat_net.wire.text`); may be empty if ``blank``."""

    limit: int
    blank: bool = False

    def check(self, value: object) -> object:
        """The text."""
        if type(value) is not str or not (is_clean(value, self.limit) or (self.blank and not value)):
            raise WireError(f"clean text of up to {self.limit} characters was expected")
        return value


@dataclass(frozen=True)
class Name(Spec):
    """A name of 1..16 cells (see `goat_net.wire.text`); may be empty if ``blank``."""

    blank: bool = False

    def check(self, value: object) -> object:
        """The name."""
        if type(value) is not str or not (is_name(value) or (self.blank and not value)):
            raise WireError("a name of up to 16 cells was expected")
        return value


@dataclass(frozen=True)
class SignedText(Spec):
    """Text that somebody has signed: any of at most ``limit`` characters, cleaned when it is read, ``name``: as a name.
    An unclean one makes no signature bad, so it is no reason to blame anybody. May be empty if ``blank``."""

    limit: int
    blank: bool = False
    name: bool = False

    def check(self, value: object) -> object:
        """The text, cleaned; a question mark where nothing is left of it."""
        if type(value) is not str or len(value) > self.limit or not (value or self.blank):
            raise WireError(f"text of up to {self.limit} characters was expected")
        if not value:
            return value
        return clean_name(value, "?") if self.name else clean(value, self.limit) or "?"


@dataclass(frozen=True)
class Many(Spec):
    """A list of ``low..high`` items of one spec; a tuple in Python."""

    item: Spec
    low: int
    high: int

    def check(self, value: object) -> object:
        """The items as a tuple."""
        if type(value) is not list or not self.low <= len(value) <= self.high:
            raise WireError(f"a list of {self.low}..{self.high} was expected")
        return tuple(self.item.check(v) for v in value)

    def dump(self, value: Any) -> object:
        """The items as a list."""
        return [self.item.dump(v) for v in value]


class Struct(Spec):
    """A dataclass with Annotated fields, as an array of its fields."""

    def __init__(self, cls: type[Any]) -> None:
        self.cls = cls
        hints = get_type_hints(cls, include_extras=True)
        self.specs: tuple[tuple[str, Spec], ...] = tuple(
            (f.name, next(a for a in get_args(hints[f.name]) if isinstance(a, Spec))) for f in fields(cls)
        )

    def check(self, value: object) -> object:
        """The dataclass instance."""
        if type(value) is not list or len(value) != len(self.specs):
            raise WireError(f"{self.cls.__name__} has {len(self.specs)} fields")
        return self.cls(*(spec.check(v) for (_, spec), v in zip(self.specs, value, strict=True)))

    def dump(self, value: Any) -> object:
        """The fields as a list."""
        return [spec.dump(getattr(value, name)) for name, spec in self.specs]


class Registry:
    """Kinds of messages by number. ``what`` names the family in error texts."""

    def __init__(self, what: str) -> None:
        self.what = what
        self._by_kind: dict[int, Struct] = {}
        self._by_class: dict[type[Any], tuple[int, Struct]] = {}

    def kind(self, number: int) -> Callable[[type[T]], type[T]]:
        """Class decorator: this dataclass is the message of that kind."""

        def add(cls: type[T]) -> type[T]:
            struct = Struct(cls)
            assert number not in self._by_kind
            self._by_kind[number] = struct
            self._by_class[cls] = (number, struct)
            return cls

        return add

    def __iter__(self) -> Iterator[tuple[int, Struct]]:
        return iter(sorted(self._by_kind.items()))

    def number(self, cls: type[Any]) -> int:
        """The kind of a class."""
        return self._by_class[cls][0]

    def to_array(self, message: Any) -> list[object]:
        """``[kind, field, ...]``. Raises EncodeError when a value is out of its bounds."""
        number, struct = self._by_class[type(message)]
        out = struct.dump(message)
        assert isinstance(out, list)
        try:
            struct.check(out)
        except WireError as error:
            raise EncodeError(f"{type(message).__name__}: {error}") from error
        return [number, *out]

    def from_array(self, value: object) -> Any:
        """The message of an array, or WireError."""
        if type(value) is not list or not value or type(value[0]) is not int:
            raise WireError(f"a {self.what} begins with its kind")
        struct = self._by_kind.get(value[0])
        if struct is None:
            raise WireError(f"unknown kind of {self.what}: {value[0]}")
        return struct.check(value[1:])

    def encode(self, message: Any) -> bytes:
        """The bytes of a message."""
        return pack(self.to_array(message))

    def decode(self, data: bytes) -> Any:
        """The message of some bytes, or WireError."""
        return self.from_array(unpack(data))


def pack(value: object) -> bytes:
    """The one encoding of a value made of lists, ints, bools, strings and bytes."""
    data = msgpack.packb(value, use_bin_type=True)
    assert isinstance(data, bytes)
    return data


def unpack(data: bytes) -> object:
    """The value of some bytes, or WireError: malformed, too long, too deep, another type, another encoding."""
    if len(data) > MAX_MESSAGE:
        raise WireError("the message is too long")
    try:
        value = msgpack.unpackb(
            data, raw=False, strict_map_key=True, max_array_len=MAX_ARRAY, max_map_len=0, max_ext_len=0
        )
    except (ValueError, msgpack.exceptions.UnpackException, RecursionError, TypeError, OverflowError) as error:
        raise WireError("the message is malformed") from error
    _plain(value, MAX_DEPTH)
    if pack(value) != data:
        raise WireError("the message is not in its one encoding")
    return value


def _plain(value: object, depth: int) -> None:
    if type(value) is list:
        if depth == 0:
            raise WireError("the message is nested too deep")
        for item in value:
            _plain(item, depth - 1)
    elif type(value) not in (int, bool, str, bytes):
        raise WireError("a message holds arrays, integers, truth values, text and bytes only")
