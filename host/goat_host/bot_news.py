"""What ``goat bot`` tells the person who started it: where the bot sits, and what becomes of it. Pure."""

from collections.abc import Iterator

from goat_net.seat.tableview import Stage, TableView


def news(old: TableView, view: TableView, name: str, level: str) -> Iterator[str]:
    """Sentences about what has changed for this bot between two views of its table."""
    table = view.table_name or "the table"
    who = f"{name} ({level})"
    if view.stage is Stage.CLOSED:
        return  # whoever runs the bot says why
    if not view.link and old.link:
        yield f"The line to {table} is broken. {who} tries to come back."
    elif view.link and not old.link:
        yield f"The line to {table} is there again."
    if view.me is not None and view.me != old.me:
        yield f"{who} sits on seat {view.me + 1} at {table}. Ctrl-C takes it away."
    elif old.me is not None and view.me is None:
        yield f"{who} has lost its seat at {table}."
    elif _full(view) and not _full(old):
        yield f"{who} has no seat at {table}: it waits for a free one."
    if view.stage is Stage.STARTING and old.stage is not Stage.STARTING:
        yield f"A match begins at {table}."
    for report in view.reports[len(old.reports) :]:
        if view.match is None:
            yield f"Deal {report.number} is over."
        else:
            first, second = view.match.defeat
            yield f"Deal {report.number} is over. Defeat points: seats 1 and 3 {first}, seats 2 and 4 {second}."
    if view.stage is Stage.OVER and old.stage is not Stage.OVER:
        yield "The match is over."


def _full(view: TableView) -> bool:
    """Whether others have all seats."""
    return view.stage is not Stage.JOINING and view.me is None and all(s.taken for s in view.seats)
