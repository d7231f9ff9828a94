"""The game as a PettingZoo environment, for whoever trains players of their own. Needs the extra ``rl``.

    import goat_rl
    env = goat_rl.env()             # one deal; `goat_rl.environment` says what is seen, done and paid
    env.reset(seed=1)

Importing this package loads neither PettingZoo nor numpy; the first environment does.
"""

from typing import Any


def env(**options: Any) -> Any:
    """One deal as an AEC environment that ends it for whoever makes an illegal move.

    Raises ImportError that says what to install when the extra is not there.
    """
    try:
        from goat_rl.environment import env as make
    except ModuleNotFoundError as error:
        raise ImportError(f"goat_rl needs {error.name}: pip install 'goat-cards[rl]'") from error
    return make(**options)
