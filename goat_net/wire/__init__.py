"""Bytes, and who is at the other end (PROTOCOL.md, "Words and bytes", "The connection", "All messages").

From the inside out: `codec` and `framing` turn messages into bytes and back, `messages` lists them, `hello` proves who
speaks, `link` is the machine of one connection, `peer` gives it the two ends' parts, `stream` and `tls` carry it over
asyncio. `identity`, `address`, `text` and `words` are what people and machines are called by.
"""
