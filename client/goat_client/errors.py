"""The one error that ends a command with a sentence instead of a traceback. Every room of the client may raise it."""


class CommandError(Exception):
    """A command cannot be carried out. The text is one sentence for the person; ``code`` is the exit code."""

    def __init__(self, text: str, code: int = 2) -> None:
        super().__init__(text)
        self.code = code
