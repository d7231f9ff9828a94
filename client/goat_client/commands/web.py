"""``goat web``: a page for guests with nothing but a browser, served from this machine. See client/goat_web."""

import argparse
import asyncio
import ssl
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from goat_client.commands.finding import WAIT, find_one, typed_address
from goat_client.commands.interfaces import add_interface
from goat_client.commands.sitting import person
from goat_client.errors import CommandError
from goat_net.discovery.interfaces import addresses_of, advertised, local_interfaces
from goat_net.discovery.looking import looking_again
from goat_net.exits import tell
from goat_net.wire.address import Address

if TYPE_CHECKING:
    from goat_net.wire.messages import Status

NEEDS: Final = ("aiohttp", "segno")
MISSING: Final = "Pages need two more libraries: install goat-cards[web] (in a checkout: python3 dev.py web-assets)"
ASK_WITHIN: Final = 3.0  # s for the table to say how it is


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("table", nargs="?", default="", metavar="NAME or HOST:PORT", help="which table")
    add_page_arguments(parser)
    parser.add_argument("--wait", type=float, default=WAIT, metavar="S", help="seconds to look for it (%(default)s)")
    add_interface(parser, "network to serve the page on and to look on (all when left out)")


def add_page_arguments(parser: argparse.ArgumentParser) -> None:
    """How a page is served; `goat host --web` has them too."""
    parser.add_argument("--web-port", type=int, default=0, metavar="PORT", help="the page's port; free if left out")
    parser.add_argument("--tls", action="store_true", help="serve it by HTTPS, with a certificate of its own")
    parser.add_argument("--cert", default="", metavar="FILE", help="a certificate for HTTPS, with --key")
    parser.add_argument("--key", default="", metavar="FILE", help="the certificate's key")


class TableAt:
    """Where a table is: at these addresses first, and found again by its key when it is not there any more."""

    def __init__(self, addresses: Sequence[Address], fingerprint: str = "", interfaces: Sequence[str] = ()) -> None:
        self._addresses, self._fingerprint = tuple(addresses), fingerprint
        self._again = looking_again(interfaces)

    async def __call__(self) -> Sequence[Address]:
        """The likeliest addresses now."""
        if await self.status() is None and self._fingerprint:
            self._addresses = tuple(await self._again(self._fingerprint)) or self._addresses
        return self._addresses

    async def status(self) -> "Status | None":
        """The table's own word, or None when nobody answers there."""
        from goat_net.version import program_version
        from goat_net.wire.stream import ask_status

        for address in self._addresses:
            try:
                async with asyncio.timeout(ASK_WITHIN):
                    return (await ask_status(address, program_version())).status
            except OSError:
                continue
        return None


def tls_context(args: argparse.Namespace) -> tuple[ssl.SSLContext | None, str]:
    """The context for HTTPS, or None for plain HTTP; and what a guest compares. Raises CommandError."""
    if bool(args.cert) != bool(args.key):
        raise CommandError("--cert and --key go together")
    if args.cert:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        try:
            context.load_cert_chain(Path(args.cert), Path(args.key))
        except (OSError, ssl.SSLError) as error:
            raise CommandError(f"The certificate {args.cert} cannot be used ({error})") from error
        return context, ""
    if not args.tls:
        return None, ""
    from goat_net.wire.tls import server_context

    own = server_context()
    fingerprint = own.certificate_hash.hex(":", 2).upper()
    return own, f"The browser warns once: nobody vouches for this certificate. Compare its SHA-256: {fingerprint}"


@asynccontextmanager
async def page(
    args: argparse.Namespace, table: TableAt, by: str, hosts: Sequence[str]
) -> AsyncIterator[tuple[str, str]]:
    """A page for this table while the block runs: its address, and a word about its certificate, or empty. ``hosts``:
    numeric addresses to serve it at. Raises CommandError."""
    if any(find_spec(name) is None for name in NEEDS):
        raise CommandError(MISSING)
    from goat_web.assets import NoAssetsError, load
    from goat_web.gateway import Gateway, host_names

    if not 0 <= args.web_port <= 65535:
        raise CommandError("A port is a number from 1 to 65535; leave --web-port out to get a free one")
    context, word = tls_context(args)
    try:
        gateway = Gateway(load(), table, table.status, by, host_names(), context)
        port = await gateway.start(hosts, args.web_port)
    except NoAssetsError as error:
        raise CommandError(str(error)) from error
    except OSError as error:
        raise CommandError(f"The page cannot be served at {', '.join(hosts)} ({error.strerror or error})") from error
    try:
        yield f"{'http' if context is None else 'https'}://{Address(hosts[0], port)}/", word
    finally:
        await gateway.stop()


def own_hosts(interfaces: Sequence[str]) -> list[str]:
    """Numeric IPv4 addresses of this machine that guests can open: those named, or those of its networks."""
    if interfaces:
        return [address for address in addresses_of(interfaces, local_interfaces()) if ":" not in address]
    near = [a for a in advertised([i for i in local_interfaces() if not i.loopback]) if ":" not in a]
    return near[:3] or ["127.0.0.1"]


def invite(url: str, word: str) -> list[str]:
    """What is shown to whoever serves a page: the code for cameras, the address, what to compare."""
    from goat_web.invitation import code_lines

    lines = code_lines(url) if sys.stdout.isatty() and (sys.stdout.encoding or "").lower().startswith("utf") else []
    return [*lines, f"Guests open {url} with a browser.", *([word] if word else [])]


async def _serve(args: argparse.Namespace, by: str, table: TableAt) -> None:
    async with page(args, table, by, own_hosts(args.interface)) as (url, word):
        for line in invite(url, word):
            print(line, flush=True)  # noqa: T201 - data of the command
        tell("The page is there until you press Ctrl-C; seats outlive it.")
        await asyncio.Event().wait()


def run(args: argparse.Namespace) -> int:
    """Find the table and serve a page for it until interrupted."""
    address = typed_address(args.table) if args.table else None
    if address is not None:
        table = TableAt((address,))
    else:
        row = asyncio.run(find_one(args.table, args.wait, args.interface))
        if not row.compatible or row.address is None:
            raise CommandError(f"{row.advert.name} speaks another protocol, {row.advert.protocol}", 1)
        table = TableAt(row.addresses, row.id, args.interface)
    with person(args, screen=False) as who:
        asyncio.run(_serve(args, who.name, table))
    return 0
