"""The language that this person has set."""

from goat_client.commands.sitting import settings_path
from goat_client.machine.settings import SettingsError, load


def setting() -> str:
    """The setting; what is wrong with its file is said by whoever needs the rest of it."""
    try:
        return load(settings_path())[0].lang
    except SettingsError:
        return ""
