"""The rules as the in-game page tells them, by sections; rule numbers are those of RULES.md."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from goat_client.game.model import Model
from goat_client.game.prompts import Prompts
from goat_engine.state import Phase
from goat_net.seat.tableview import Stage, TableView
from goat_net.table_options import HOUSE_RULES, Value, clock_text
from goat_net.wire.messages import House


@dataclass(frozen=True, slots=True)
class Section:
    """``key`` is what `section_for` names it by."""

    key: str
    title: str
    rules: tuple[str, ...]


SECTIONS: Final = (
    Section("goal", "What it is about", (
        "Four players, partners sit opposite. Each deal is played for 120 points in cards; the team with less gets "
        "defeat points, and the first team with {target} of them is the goat.",
    )),
    Section("cards", "Cards (R1-R3)", (
        "36 cards. Low to high: 6 7 8 9 J Q K 10 A – the ten stands above the king.",
        "Points: ace 11, ten 10, king 4, queen 3, jack 2, the rest nothing. 30 in a suit, 120 in all.",
        "A card beats a lower one of its own suit; a trump beats every card that is no trump. Nothing else beats.",
    )),
    Section("deal", "Deal (R4-R7)", (
        "Four cards each, 20 are the stock. A random card of the stock is shown: its suit is trump. It stays in the "
        "stock, at a place nobody knows.",
        "The deal passes clockwise. The left of the first dealer leads first; later the taker of the last trick does.",
    )),
    Section("lead", "Leading (R8)", (
        "Lead 1 to 4 cards of one suit, any ranks, face up.",
    )),
    Section("answer", "Answering (R9-R11)", (
        "Answer with exactly as many cards. You are never bound: beat, or discard, as you like.",
        "Beat ({beat}): face up; every card must beat one card of the top set – the last beat, or else the lead.",
        "Discard ({discard}): face down. Nobody sees these cards before the deal is counted, not even the taker. Good "
        "cards feed a partner who is winning.",
    )),
    Section("take", "Taking and drawing (R12-R14)", (
        "Whoever beat last takes the trick, or the leader if nobody beat.",
        "All draw back to four, one card at a time from the taker on. The taker leads. When hands and stock are "
        "empty, all cards are opened and counted.",
    )),
    Section("molodka", "Molodka (R15-R18)", (
        "Four cards of one suit in hand may be led out of turn ({molodka}): from the draw until your own play in this "
        "trick.",
        "The cards on the table go back to their owners, discards unseen. The molodka is the lead; all answer four "
        "cards each.",
        "Seats that are closer to the one entitled to lead are asked first: each may take the lead over with a "
        "molodka of its own ({molodka}) or let it stand ({stand}). A farther seat can't take over.",
        "The entitled leader's own four cards of a suit are a molodka that nobody can claim over.",
        "A molodka is a right, not a duty; one of trumps is no better. Three cards of a suit are never one.",
    )),
    Section("score", "Counting (R19-R22)", (
        "61 points win a deal. The losers get 2 defeat points with 31 to 59, 4 with 30 or less, 6 without a trick.",
        "60 : 60 is eggs: nobody gets anything. But whoever loses a match with eggs in it is the goat with eggs.",
        "{target} defeat points make the goat.",
    )),
    Section("fair", "Fairness (R23-R25)", (
        "All four shuffle and lock the deck together; the host knows no card that you do not. After each deal every "
        "player's program checks all of it. A proven cheat costs 6 and the deal is dealt again.",
        "Who owes a play for {grace} seconds is away. The others wait on, or go on without a score.",
    )),
)  # fmt: skip
"""The whole page."""


def section_for(model: Model) -> str:
    """The key of the section that is about what is on the table now."""
    v, deal = model.view, model.deal
    if model.report_due or v.stage is Stage.OVER:
        return "score"
    if deal is None:
        return "goal"
    if deal.phase in (Phase.ASK, Phase.SHOW) or deal.molodka or model.may_claim:
        return "molodka"
    if model.held is not None:
        return "take"
    return "answer" if deal.plays else "lead"


def lines_of(section: Section, view: TableView, prompts: Prompts) -> Iterator[str]:
    """The rules of a section with this table's numbers, and what is done as this mode names it."""
    for rule in section.rules:
        yield rule.format(
            target=view.rules.target, grace=view.grace, beat=prompts.beat, discard=prompts.discard,
            molodka=prompts.molodka, stand=prompts.stand,
        )  # fmt: skip


def agreed(house: House | None) -> tuple[str, ...]:
    """What is told of the house rules before one sits down: what is not as usual (V9, V10). Hints are told apart."""
    if house is None:
        return ()
    values: dict[str, Value] = {
        "target": house.target, "eggs_double": house.eggs_double, "grace": house.grace,
        "clock": clock_text(house.clock_base, house.clock_more),
    }  # fmt: skip
    odd = [
        f"{rule.label}: {rule.shown(values[rule.key])}"
        for rule in HOUSE_RULES
        if rule.key in values and values[rule.key] != rule.default
    ]
    return (
        f"House rules: {'; '.join(odd)}." if odd else "The usual house rules.",
        *(() if house.watch else ("Nobody may watch.",)),
        *(("The deals come from a seed that somebody knows: this match is not fair.",) if house.seeded else ()),
    )


def house(view: TableView, prompts: Prompts) -> tuple[str, ...]:
    """The house choices this table agreed on, in words."""
    rules, (base, more) = view.rules, view.turn_clock
    eggs = "counts double" if rules.eggs_double else "counts as any other"
    clock = f"A turn has {base} s, and everybody {more} s of reserve a deal. When both are used up, your program plays."
    return (
        f"A team with {rules.target} defeat points is the goat.",
        f"The deal after eggs {eggs}.",
        f"An asked seat's answer to a molodka leaves after {rules.yield_time / 1000:g} s: its pace tells nothing.",
        clock if base else "There is no turn clock.",
        f"Who owes a play for {view.grace} s is away: the others decide.",
        prompts.hint_rule if view.hints else "There are no hints while a deal is on.",
    )
