"""What a session may still need is loaded while it runs: a program that is upgraded or taken away meanwhile plays on.

Screens and commands are imported when they are called for, so that a command starts at once. A session that lasts an
evening must not find them gone at a key press; so the rest comes in behind the first screen, a module at a time.
"""

import asyncio
import logging
from importlib import import_module
from typing import Final

from goat_client.machine.terminal_mode import Mode

log = logging.getLogger(__name__)

PAUSE: Final = 0.05  # s between two modules: keys come first

# In this order: what a key at a table asks for, what a broken line needs, what the lobby offers afterwards.
AT_A_TABLE: Final = (
    "goat_engine.bots", "goat_engine.bots.review", "goat_client.game.review", "goat_client.game.narration",
)  # fmt: skip
FOR_A_LINE: Final = (
    "platformdirs", "ifaddr", "zeroconf", "zeroconf.asyncio", "goat_net.discovery.looking", "goat_net.wire.tls",
    "cryptography.x509", "cryptography.x509.oid", "cryptography.hazmat.primitives.serialization",
    "cryptography.hazmat.primitives.asymmetric.ec", "goat_net.seat.session", "goat_net.seat.staying",
)  # fmt: skip
AFTERWARDS: Final = (
    "goat_client.commands.play", "goat_client.commands.host", "goat_client.commands.resume",
    "goat_client.commands.learn", "goat_client.commands.practice", "goat_client.commands.replay",
    "goat_client.commands.lobby", "goat_client.saved.matchfile", "goat_client.saved.replay", "goat_net.log.proof",
)  # fmt: skip
FULL: Final = (
    "goat_client.screen.app", "goat_client.screen.terminal", "goat_client.screen.lobby_screen",
    "goat_client.screen.replay_screen",
)  # fmt: skip
LINES: Final = (
    "goat_client.lines.stdin", "goat_client.lines.plain", "goat_client.lines.plain_lobby",
    "goat_client.lines.plain_replay",
)  # fmt: skip


def modules(mode: Mode) -> tuple[str, ...]:
    """What a session of this mode may ask for."""
    return (*AT_A_TABLE, *FOR_A_LINE, *(FULL if mode is Mode.FULL else LINES), *AFTERWARDS)


def load_weights() -> None:
    """Have the bots' knowledge in memory: it is a file of its own, read by the first hint."""
    from goat_engine.bots.net import shipped

    shipped()


async def load_rest(mode: Mode) -> None:
    """Load all of it, a module at a time, until cancelled. What can't be loaded is missed when it is asked for."""
    for name in modules(mode):
        await asyncio.sleep(PAUSE)
        try:
            import_module(name)
        except ImportError as error:
            log.warning("%s cannot be loaded: %s", name, error)
    await asyncio.sleep(PAUSE)
    try:
        load_weights()
    except (ImportError, OSError) as error:
        log.warning("the bots' knowledge cannot be loaded: %s", error)
