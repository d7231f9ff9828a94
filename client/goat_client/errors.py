"""The one error that ends a command with a sentence instead of a traceback. Every room of the client may raise it."""

from goat_net.exits import PersonError


class CommandError(PersonError):
    """A command cannot be carried out."""
