"""Finding tables on a network (PROTOCOL.md, "Discovery").

`advert` is what a table says about itself, `mdns` announces it and listens, `candidates` decides which tables are
really there, `watch` asks each of them over TCP. What is found is a hint until the table has proven its key.
"""
