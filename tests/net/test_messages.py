"""The closed lists of the messages, and that nothing on the wire is larger than a frame."""

from goat_net.wire import messages
from goat_net.wire.codec import MAX_MESSAGE
from goat_net.wire.messages import MESSAGES

# PROTOCOL.md names each number; another program reads them there.
KINDS = {
    1: "Probe", 2: "Status", 3: "Hello", 4: "Welcome", 5: "Prove", 6: "Joined", 7: "Refused", 8: "Ping", 9: "Bye",
    10: "Submit", 11: "NewEntry", 12: "Read", 13: "Lobby", 14: "Sit", 15: "Ready", 16: "Start", 17: "SetBot",
    18: "Kick", 19: "Say", 20: "Said", 21: "Pause",
}  # fmt: skip
REASONS = {
    1: "WRONG_VERSION", 2: "BAD_SIGNATURE", 3: "BAD_KEY", 4: "WRONG_CODE", 5: "TABLE_FULL", 6: "NAME_TAKEN",
    7: "NO_WATCHERS", 8: "TOO_MANY", 9: "TOO_SLOW", 10: "MALFORMED", 11: "KICKED", 12: "HOST_LEFT", 13: "LEFT",
    14: "ELSEWHERE", 15: "FLOOD",
}  # fmt: skip


def test_kinds_keep_their_numbers() -> None:
    found = {number: struct.cls.__name__ for number, struct in MESSAGES}
    assert {number: found.get(number) for number in KINDS} == KINDS


def test_reasons_keep_their_numbers() -> None:
    assert {number: getattr(messages, name) for number, name in REASONS.items()} == {n: n for n in REASONS}


def test_the_first_messages_keep_the_places_of_the_version() -> None:
    by_name = {struct.cls.__name__: [name for name, _ in struct.specs] for _, struct in MESSAGES}
    for name in ("Status", "Hello", "Welcome"):
        assert by_name[name][:2] == ["protocol", "program"]
    assert by_name["Refused"] == ["reason", "notice", "protocol", "program"]


def test_messages_are_values() -> None:
    for _, struct in MESSAGES:
        assert struct.cls.__dataclass_params__.frozen
        assert "__slots__" in vars(struct.cls)
    assert MAX_MESSAGE == 16_384
