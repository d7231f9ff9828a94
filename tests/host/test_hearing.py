"""A table that listens after a resume, alone: no log and no seats around it (PROTOCOL.md, The table)."""

from goat_host.hearing import HEAR_WITHIN, HELD_EACH, Hearing


def listening(now: float = 100.0) -> Hearing:
    hearing = Hearing()
    hearing.listen()
    assert hearing.start(now)
    return hearing


def test_a_new_table_does_not_listen() -> None:
    hearing = Hearing()
    assert not hearing.on
    assert not hearing.start(0.0)
    assert hearing.deadline is None
    assert hearing.heard() is None


def test_the_time_runs_from_the_first_look_on() -> None:
    hearing = Hearing()
    hearing.listen()
    assert hearing.on
    assert hearing.deadline is None
    assert not hearing.is_late(1e9)
    assert hearing.start(100.0)
    assert not hearing.start(110.0)
    assert hearing.deadline == 100 + HEAR_WITHIN
    assert not hearing.is_late(100 + HEAR_WITHIN - 1)
    assert hearing.is_late(100 + HEAR_WITHIN)


def test_it_is_over_with_the_last_of_four_and_is_said_once() -> None:
    hearing = listening()
    assert hearing.heard([0]) is None
    assert hearing.heard([0, 1, 2]) is None
    assert hearing.on
    assert hearing.heard([3]) == {}
    assert not hearing.on
    assert hearing.deadline is None
    assert hearing.heard([3]) is None


def test_what_came_meanwhile_is_handed_out_in_its_order_when_it_is_over() -> None:
    hearing = listening()
    hearing.hold_back(1, b"first")
    hearing.hold_back(1, b"second")
    hearing.hold_back(3, b"other")
    assert hearing.heard() == {1: [b"first", b"second"], 3: [b"other"]}
    hearing.listen()
    assert hearing.heard() == {}


def test_what_a_seat_sends_pushes_out_its_own_alone_and_a_watcher_nothing() -> None:
    """M11: records of somebody who watched pushed out those of seats."""
    hearing = listening()
    hearing.hold_back(1, b"kept")
    for n in range(100):
        hearing.hold_back(2, bytes([n]))
        hearing.hold_back(None, bytes([n]))
    assert hearing.heard() == {1: [b"kept"], 2: [bytes([n]) for n in range(100 - HELD_EACH, 100)]}


def test_a_process_that_stood_still_listens_so_much_longer() -> None:
    hearing = listening()
    hearing.slept(60.0)
    assert hearing.deadline == 160 + HEAR_WITHIN
    Hearing().slept(60.0)  # nothing runs yet
