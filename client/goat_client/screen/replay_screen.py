"""The full-screen replay."""

from goat_client.machine.settings import Settings
from goat_client.saved.replay import ReplayModel
from goat_client.views import replay
from goat_client.views.canvas import Canvas


class ReplayScreen:
    """A replay as a `goat_client.screen.terminal.Screen`."""

    def __init__(self, model: ReplayModel) -> None:
        self.model = model

    @property
    def settings(self) -> Settings:
        """As they are now."""
        return self.model.settings

    @property
    def finished(self) -> bool:
        """Whether the person has seen enough."""
        return self.model.finished

    @property
    def title(self) -> str:
        """The file's name."""
        return f"Goat replay – {self.model.match.name}"

    def draw(self, width: int, height: int, now: float) -> Canvas:
        """See `goat_client.views.replay`."""
        return replay.draw(self.model, width, height, now)

    def drawn(self, now: float) -> None:
        """Nothing waits for it."""

    def take_bell(self) -> bool:
        """A replay is quiet."""
        return False

    def tick(self, now: float) -> float | None:
        """Nothing goes by itself."""
        return None

    def alarm(self) -> None:
        """A mark in the title line."""
        self.model.inner.log_alarm = True

    def click(self, command: str, now: float) -> None:
        """As the key would."""
        steps = {"up": "back", "down": "forth"}  # the wheel
        self.model.command(command if self.model.inner.page else steps.get(command, command))

    def paste(self, text: str, now: float) -> None:
        """Nothing is pasted here."""

    def key(self, name: str, now: float) -> None:
        """See `goat_client.game.keys.REPLAY`."""
        self.model.key(name)
