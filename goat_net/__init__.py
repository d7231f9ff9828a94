"""How peers agree over bytes: state machines without I/O, and thin adapters (PROTOCOL.md beside this file)."""
