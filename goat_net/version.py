"""The program's version, as it is said at the door and in ``goat --version``."""

from functools import cache

FALLBACK = "0.1.0"


@cache
def program_version() -> str:
    """The version of the installed package."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("goat-cards")
    except PackageNotFoundError:
        return FALLBACK
