"""goat_net.discovery.instances: service instances in, tables out."""

import random

from goat_net.discovery.advert import TableAdvert
from goat_net.discovery.instances import INSTANCES_MAX, Change, FoundTable, Instances, Lost
from goat_net.wire.address import Address

HERE, THERE = Address("10.0.0.1", 4000), Address("10.0.0.2", 4000)


def table(number: int, *addresses: Address, seen: float = 0.0, name: str = "Table") -> FoundTable:
    return FoundTable(TableAdvert(1, "1", f"{number:032x}", name), addresses, seen)


def id_of(number: int) -> str:
    return f"{number:032x}"


class Told(list[Change]):
    """The changes that were told, and the instances that tell them."""

    def __init__(self) -> None:
        super().__init__()
        self.instances = Instances(self.append)

    def hear(self, name: str, found: FoundTable) -> None:
        self.instances.heard(name)
        self.instances.take(name, found)


def test_two_instances_of_one_id_are_one_table_with_all_addresses() -> None:
    told = Told()
    told.hear("a", table(1, HERE, seen=1))
    told.hear("b", table(1, THERE, seen=2, name="Later"))
    assert told == [table(1, HERE, seen=1), table(1, HERE, THERE, seen=2, name="Later")]
    told.instances.gone("b")
    told.instances.gone("a")
    assert told[2:] == [table(1, HERE, seen=1), Lost(id_of(1))]
    assert told.instances.tables == {}


def test_nothing_is_told_twice() -> None:
    told = Told()
    for seen in range(5):
        told.hear("a", table(1, HERE, seen=seen))
    assert len(told) == 1
    assert told.instances.tables[id_of(1)].last_seen == 4


def test_an_instance_may_become_another_table() -> None:
    told = Told()
    told.hear("a", table(1, HERE))
    told.hear("a", table(2, THERE))
    assert told == [table(1, HERE), Lost(id_of(1)), table(2, THERE)]


def test_unknown_names_are_no_matter() -> None:
    told = Told()
    told.instances.gone("never heard")
    told.instances.resolved("never heard")
    told.instances.take("never heard", table(1, HERE))
    told.instances.heard("nothing known")
    told.instances.gone("nothing known")
    assert told == []


def test_what_is_not_heard_again_on_the_new_network_is_lost() -> None:
    told = Told()
    told.hear("stays", table(1, HERE, seen=1))
    told.hear("goes", table(2, THERE, seen=1))
    told.instances.heard("asked").resolving = True
    told.instances.left_network()
    told.hear("stays", table(1, HERE, seen=9))
    told.instances.drop_stale(5)
    assert told[2:] == [Lost(id_of(2))]
    assert "asked" not in told.instances


def test_a_flood_pushes_out_the_oldest_without_a_word_that_it_left(seed: int) -> None:
    chance = random.Random(seed)
    told = Told()
    told.hear("honest", table(1, HERE))
    for number in range(2, 2000):
        told.instances.heard(f"flood {number}")
        if chance.random() < 0.5:
            told.instances.take(f"flood {number}", table(number, THERE))
        assert len(told.instances) <= INSTANCES_MAX
        assert len(told.instances.tables) <= INSTANCES_MAX
    assert Lost(id_of(1)) not in told
    # Those that told us nothing go first.
    told = Told()
    told.hear("honest", table(1, HERE))
    for number in range(1000):
        told.instances.heard(f"empty {number}")
    assert id_of(1) in told.instances.tables
