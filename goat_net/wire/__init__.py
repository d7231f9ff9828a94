"""Bytes, and who is at the other end (PROTOCOL.md, "Words and bytes", "The connection", "All messages").

From the inside out: `codec` and `framing` turn messages into bytes and back, `messages` lists them, `hello` proves who
speaks, `link` is the machine of one connection, `peer` gives it the two ends' parts, `stream` and `tls` carry it over
asyncio. `door` takes callers in, `fairness` says how many of whom, and `wall` keeps what goes wrong to one of them.
`identity`, `address`, `text` and `words` are what people and machines are called by.
"""
