"""The sentence of a notice, made where it is read: the one place where codes from the wire become words.

No program sends these words; a table and its guests each read their own language.
"""

from typing import assert_never

from goat_net.language import _
from goat_net.wire import messages
from goat_net.wire.notices import Notice, Saying


def sentence(reason: int, told: Notice) -> str:
    """Why a connection ends. A saying that this program does not know, or whose values do not fit, is told by its
    reason; every number gives a sentence."""
    try:
        saying, values = Saying(told.saying), told.values
    except ValueError:
        return by_reason(reason)
    return by_reason(reason) if saying is Saying.NOTHING else meaning(saying).format(**values)


def word_of_table(told: Notice) -> str:
    """What the table says to a guest who stays."""
    try:
        return meaning(Saying(told.saying)).format(**told.values)
    except ValueError:
        return meaning(Saying.NOTHING)


def by_reason(reason: int) -> str:
    """The sentence of a reason alone; one that this program does not know has one too."""
    match reason:
        case messages.WRONG_VERSION:
            return meaning(Saying.VERSIONS)
        case messages.BAD_SIGNATURE:
            return _("a signature does not fit")
        case messages.BAD_KEY:
            return meaning(Saying.KEY)
        case messages.WRONG_CODE:
            return meaning(Saying.CODE_WRONG)
        case messages.TABLE_FULL:
            return meaning(Saying.SEATS_TAKEN)
        case messages.NAME_TAKEN:
            return _("somebody at the table has nearly the same name: come under another")
        case messages.NO_WATCHERS:
            return meaning(Saying.NOT_WATCHED)
        case messages.TOO_MANY:
            return meaning(Saying.NO_ROOM)
        case messages.TOO_SLOW:
            return meaning(Saying.SLOW)
        case messages.MALFORMED:
            return meaning(Saying.UNREADABLE)
        case messages.KICKED:
            return meaning(Saying.TAKEN_OFF)
        case messages.HOST_LEFT:
            return meaning(Saying.HOST_LEFT)
        case messages.LEFT:
            return _("the other side has left")
        case messages.ELSEWHERE:
            return meaning(Saying.ELSEWHERE)
        case messages.FLOOD:
            return meaning(Saying.FLOOD)
        case _unknown:
            return _("the other side has ended the connection, for a reason that this version does not know")


def meaning(saying: Saying) -> str:  # as long as the closed list: one case for each
    """The sentence with its ``{values}`` open."""
    match saying:
        case Saying.NOTHING:
            return _("The table says something that this version of goat does not know.")
        case Saying.UNREADABLE:
            return _("the other side could not read what was sent")
        case Saying.NOT_NOW:
            return _("a message came when it must not")
        case Saying.VERSIONS:
            return _("the table and this program speak different versions: one of them must update goat")
        case Saying.SLOW:
            return _("the other side took too long")
        case Saying.NOT_READING:
            return _("the other side does not read")
        case Saying.STALLED:
            return _("nothing could be sent for {seconds} s")
        case Saying.FLOOD:
            return _("too many messages at once")
        case Saying.KEY:
            return _("this key cannot be used: it is no good Ed25519 key")
        case Saying.SIGNATURE:
            return _("the signature does not fit this line: somebody may sit between")
        case Saying.OPERATOR:
            return _("only a bot has an operator, who has signed for it")
        case Saying.OPERATOR_SIGNATURE:
            return _("the operator's signature does not fit this bot and table")
        case Saying.TABLE_KEY:
            return _("the table's key cannot be used: it is no good Ed25519 key")
        case Saying.OTHER_TABLE:
            return _("another table answers here than the one you chose")
        case Saying.TABLE_SIGNATURE:
            return _("the table's signature does not fit this line: somebody may sit between")
        case Saying.CODE_NOT_ASKED:
            return _("this table has no code: leave yours out if it is the right table all the same")
        case Saying.NO_CODE:
            return _("that is no code: a code has letters or digits")
        case Saying.CODE_NOT_KNOWN:
            return _("this table does not know its own code: it is not the one you meant")
        case Saying.STATUS_SIGNATURE:
            return _("the status is not signed by the table's key")
        case Saying.HOST_AT_FAULT:
            return _("what the table has sent is against the protocol: its guest has gone")
        case Saying.CODE_NOT_HERE:
            return _("this table has no code")
        case Saying.CODE_ASKED:
            return _("the table asks for a code: its host knows the four words")
        case Saying.CODE_WRONG:
            return _("the code is not the table's: ask the host for its four words")
        case Saying.CODES_WRONG:
            return _("too many wrong codes: try again in {seconds} s")
        case Saying.NOT_WATCHED:
            return _("this table is not to be watched")
        case Saying.WATCHERS_FULL:
            return _("too many are watching already")
        case Saying.NAME_OF_TABLE:
            return _("{name} could be taken for the table itself: come under another name")
        case Saying.NAME_MIXED:
            return _("{name} mixes letters of several alphabets: come under another name")
        case Saying.NAME_TAKEN:
            return _("somebody at the table is called {name} already; come as {other}")
        case Saying.NAME_ALIKE:
            return _("somebody at the table is called nearly {name} already; come as {other}")
        case Saying.SEATS_TAKEN:
            return _("all four seats are taken")
        case Saying.GUESTS_FULL:
            return _("too many are at the table already")
        case Saying.CALLERS_FULL:
            return _("too many are connected already")
        case Saying.DOOR_FULL:
            return _("too many are at the door")
        case Saying.NO_ROOM:
            return _("the table has no room for another connection")
        case Saying.CROWDED_OUT:
            return _("somebody from elsewhere has your place: too many came from where you are")
        case Saying.ELSEWHERE:
            return _("you have come back on another connection")
        case Saying.BOT_ALONE:
            return _("the player who runs this bot has left the table")
        case Saying.BOT_CHANGED:
            return _("the host has changed this seat")
        case Saying.TAKEN_OFF:
            return _("the host has taken you off the table")
        case Saying.TAKEN_OFF_SAYING:
            return _("the host has taken you off the table: {words}")
        case Saying.MAKES_ROOM:
            return _("somebody has come to play")
        case Saying.PLAYER_BACK:
            return _("its player is back")
        case Saying.SEAT_TAKEN_OVER:
            return _("somebody else takes this seat")
        case Saying.AWAY_TOO_LONG:
            return _("you were away too long; sit down again when you are back")
        case Saying.SEAT_SWAPPED:
            return _("its seat was swapped")
        case Saying.TALKS_TOO_MUCH:
            return _("too much talk at once")
        case Saying.REACH_SIGNATURE:
            return _("these addresses are not signed by you")
        case Saying.NOT_FOR_HOST:
            return _("this message is not for the host")
        case Saying.RECORD_UNREADABLE:
            return _("this record cannot be read")
        case Saying.RECORD_UNKNOWN:
            return _("this table's protocol has no such record")
        case Saying.RECORD_SIGNATURE:
            return _("this record is not signed by whom it names")
        case Saying.RECORDS_REFUSED:
            return _("too many records that could not stand")
        case Saying.NO_ENTRY:
            return _("this is no entry of this table")
        case Saying.NO_PAST_ENTRY:
            return _("this is no entry of the match before")
        case Saying.HOST_LEFT:
            return _("the host has left")
        case Saying.HOST_CLOSED:
            return _(
                "the host has closed the table; the match is saved, and goat host --resume goes on with its score"
            )
        case Saying.DISK_BROKEN:
            return _("the host's disk is full or broken")
        case Saying.CANNOT_BEGIN:
            return _("The match cannot begin. Try it with others at the seats, or open the table anew.")
        case Saying.NOT_WRITTEN:
            return _("The table's log cannot be written; the match goes on without, but the table cannot be resumed")
        case Saying.BOT_AFTER_PLAYER:
            return _("A bot sits down beside the player who runs it: that player takes a seat first.")
        case Saying.WATCH_ONLY:
            return _("The host has taken you off the table: you can watch this match, not play in it.")
        case Saying.CAUGHT_TWICE:
            return _("You were caught cheating in two deals of this match: you can watch it, not play in it (R23).")
        case Saying.SCORE_KEEPS_SEATS:
            return _("The score that goes on here belongs to these seats: they can't be swapped.")
        case Saying.NO_SWAP:
            return _("{name} does not swap seats.")
        case Saying.HANDED_OVER:
            return _("the match goes on at another player's table")
        case Saying.SEATS_ONLY:
            return _("only the seats of this match are answered here")
        case Saying.LINES_ENOUGH:
            return _("there are enough lines already")
        case Saying.NOT_FOR_LINE:
            return _("this is not for a direct line")
    assert_never(saying)
