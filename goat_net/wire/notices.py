"""What one end tells a person at the other: a code and values, never a sentence (PROTOCOL.md, Notices).

Who reads it makes the sentence in their own language (`goat_net.wire.sentences`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Annotated, Final

from goat_net.wire.codec import Int, Many, Text
from goat_net.wire.text import TALK_CHARS, clean

TEXTS_MOST: Final = 2  # a name and another; room for what a later saying needs is a later protocol's affair
NUMBERS_MOST: Final = 2
NUMBER_MOST: Final = 0xFFFFFFFF


class Saying(IntEnum):
    """What a notice says: a closed list. A number that is not in it comes from a later program; then the reason says
    all, and in `Told` that there is something to say."""

    NOTHING = 0  # the reason says all

    # Either end
    UNREADABLE = 1
    NOT_NOW = 2
    VERSIONS = 3  # both stand in Refused
    SLOW = 4
    NOT_READING = 5
    STALLED = 6
    FLOOD = 7
    KEY = 8
    SIGNATURE = 9
    OPERATOR = 10
    OPERATOR_SIGNATURE = 11

    # A joiner about a table
    TABLE_KEY = 12
    OTHER_TABLE = 13
    TABLE_SIGNATURE = 14
    CODE_NOT_ASKED = 15
    NO_CODE = 16
    CODE_NOT_KNOWN = 17
    STATUS_SIGNATURE = 18
    HOST_AT_FAULT = 19

    # A table about a joiner
    CODE_NOT_HERE = 20
    CODE_ASKED = 21
    CODE_WRONG = 22
    CODES_WRONG = 23
    NOT_WATCHED = 24
    WATCHERS_FULL = 25
    NAME_OF_TABLE = 26
    NAME_MIXED = 27
    NAME_TAKEN = 28
    NAME_ALIKE = 29
    SEATS_TAKEN = 30
    GUESTS_FULL = 31
    CALLERS_FULL = 32
    DOOR_FULL = 33
    NO_ROOM = 34
    CROWDED_OUT = 35

    # A table about a guest
    ELSEWHERE = 40
    BOT_ALONE = 41
    BOT_CHANGED = 42
    TAKEN_OFF = 43
    TAKEN_OFF_SAYING = 44
    MAKES_ROOM = 45
    PLAYER_BACK = 46
    SEAT_TAKEN_OVER = 47
    AWAY_TOO_LONG = 48
    SEAT_SWAPPED = 49
    TALKS_TOO_MUCH = 50
    REACH_SIGNATURE = 51
    NOT_FOR_HOST = 52
    RECORD_UNREADABLE = 53
    RECORD_UNKNOWN = 54
    RECORD_SIGNATURE = 55
    RECORDS_REFUSED = 56
    NO_ENTRY = 57
    NO_PAST_ENTRY = 58

    # A table about itself
    CAUGHT_TWICE = 59
    HOST_LEFT = 60
    DISK_BROKEN = 61
    CANNOT_BEGIN = 62
    NOT_WRITTEN = 63
    BOT_AFTER_PLAYER = 64
    WATCH_ONLY = 65
    SCORE_KEEPS_SEATS = 66
    NO_SWAP = 67
    HOST_CLOSED = 68
    HANDED_OVER = 69

    # A direct line
    SEATS_ONLY = 70
    LINES_ENOUGH = 71
    NOT_FOR_LINE = 72


VALUES: Final[Mapping[Saying, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    Saying.STALLED: ((), ("seconds",)),
    Saying.CODES_WRONG: ((), ("seconds",)),
    Saying.NAME_OF_TABLE: (("name",), ()),
    Saying.NAME_MIXED: (("name",), ()),
    Saying.NAME_TAKEN: (("name", "other"), ()),
    Saying.NAME_ALIKE: (("name", "other"), ()),
    Saying.TAKEN_OFF_SAYING: (("words",), ()),
    Saying.NO_SWAP: (("name",), ()),
}
"""Names of a saying's texts and of its numbers, in order; what is not here has none."""


@dataclass(frozen=True, slots=True)
class Notice:
    """A saying with its values, as many as `VALUES` has for it. What does not fit is read as a saying that is not
    known."""

    saying: Annotated[int, Int(0, 0xFFFF)] = 0
    texts: Annotated[tuple[str, ...], Many(Text(TALK_CHARS), 0, TEXTS_MOST)] = ()
    numbers: Annotated[tuple[int, ...], Many(Int(0, NUMBER_MOST), 0, NUMBERS_MOST)] = ()

    @property
    def values(self) -> dict[str, str | int]:
        """The values by name. Raises ValueError when they don't fit the saying, or it is not known."""
        texts, numbers = VALUES.get(Saying(self.saying), ((), ()))
        if (len(texts), len(numbers)) != (len(self.texts), len(self.numbers)):
            raise ValueError("these are not the values of this saying")
        return dict(zip((*texts, *numbers), (*self.texts, *self.numbers), strict=True))


def notice(saying: Saying, *values: str | int) -> Notice:
    """A notice with its values, in the order of `VALUES`; a text is made so that it may pass."""
    texts = tuple(clean(value, TALK_CHARS) or "?" for value in values if isinstance(value, str))
    return Notice(int(saying), texts, tuple(value for value in values if isinstance(value, int)))


NOTHING: Final = Notice()
