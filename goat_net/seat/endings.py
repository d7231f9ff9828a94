"""What ends a seat's play at a table: the host is at fault, or the seat's own secret is gone."""


class LostSecretError(Exception):
    """This match's log is here but its secret is gone: its seat cannot be played on from this folder."""


class HostFault(Exception):  # noqa: N818 - what the other side did, not an error of ours
    """The host did what no host may do: nothing more is done at this table. The text is for the person. ``proof``: a
    file that shows it to anybody (PROTOCOL.md, Proofs), or empty; ``number``: the entry it is about."""

    def __init__(self, text: str, proof: bytes = b"", number: int = 0) -> None:
        super().__init__(text)
        self.proof, self.number = proof, number
