"""Standard input by lines. One reader serves a whole run: two would each get some of the lines."""

import asyncio
import threading
from collections.abc import AsyncIterator
from typing import IO


async def stdin_lines(stream: IO[str]) -> AsyncIterator[str]:
    """Lines of a stream that can only be read by waiting: a thread reads, the loop goes on. The thread is a daemon:
    nothing but the end of the stream or of the program can end a read."""
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[str | None] = asyncio.Queue()

    def read() -> None:
        try:
            for line in stream:
                loop.call_soon_threadsafe(queue.put_nowait, line.rstrip("\r\n"))
            loop.call_soon_threadsafe(queue.put_nowait, None)
        except (RuntimeError, ValueError):  # the loop or the stream was closed meanwhile: nobody reads any more
            return

    threading.Thread(target=read, name="stdin", daemon=True).start()
    while (line := await queue.get()) is not None:
        yield line
