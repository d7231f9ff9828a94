"""Frames: the pieces that a stream of bytes is cut into (PROTOCOL.md, Frames).

A frame is a msgpack ``bin 16``: 0xC5, the length of the content in two bytes, big-endian, and the content. The header
is read here and not by msgpack, whose unpacker checks a length only when the body has come, and goes on after an error.
"""

from typing import Final

from goat_net.wire.codec import MAX_MESSAGE, WireError

BIN16: Final = 0xC5
HEADER: Final = 3
MAX_CONTENT: Final = MAX_MESSAGE


class FrameError(WireError):
    """The bytes that came are no frame. ``frames``: contents of the whole frames that came before, in order."""

    def __init__(self, text: str, frames: tuple[bytes, ...] = ()) -> None:
        super().__init__(text)
        self.frames = frames


def frame(content: bytes) -> bytes:
    """The frame of 1..16384 bytes of content. Raises ValueError on any other length: our own mistake."""
    if not 1 <= len(content) <= MAX_CONTENT:
        raise ValueError(f"a frame holds 1..{MAX_CONTENT} bytes, not {len(content)}")
    return bytes((BIN16, len(content) >> 8, len(content) & 0xFF)) + content


class FrameReader:
    """Cuts what comes in, in pieces of any size, into contents of frames. Keeps less than one frame between calls."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self._error = ""

    @property
    def waiting(self) -> int:
        """Bytes kept of a frame that is not whole yet: at most 16386."""
        return len(self._rest)

    def feed(self, data: bytes) -> list[bytes]:
        """The contents of the frames that ``data`` completes.

        Raises FrameError when a frame does not begin with 0xC5, is empty or is longer than 16384, as soon as the header
        shows it; the error carries the frames before it. From then on every call raises it, and nothing is kept.
        """
        if self._error:
            raise FrameError(self._error)
        self._rest += data
        frames: list[bytes] = []
        at = 0
        while at < len(self._rest):
            self._error = _fault(self._rest, at)
            if self._error:
                self._rest.clear()
                raise FrameError(self._error, tuple(frames))
            start = at + HEADER
            end = start + int.from_bytes(self._rest[at + 1 : start], "big")
            if len(self._rest) < start or len(self._rest) < end:
                break
            frames.append(bytes(self._rest[start:end]))
            at = end
        del self._rest[:at]
        return frames


def _fault(data: bytearray, at: int) -> str:
    """What is wrong with the header at this place, as far as it has come; empty when nothing is."""
    if data[at] != BIN16:
        return "a frame begins with C5"
    if len(data) - at >= HEADER:
        length = data[at + 1] << 8 | data[at + 2]
        if not 1 <= length <= MAX_CONTENT:
            return f"a frame holds 1..{MAX_CONTENT} bytes"
    return ""
