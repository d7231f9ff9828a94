"""One deal of four seats as an AEC environment of PettingZoo.

Agents are ``seat_0`` to ``seat_3``; 0 and 2 play against 1 and 3. An observation is a dictionary: ``observation``, a
row of numbers from 0 to 1 (`goat_rl.observation.PARTS`), and ``action_mask``, 1 for each action that is legal now. It
is made from what the seat sees at a table, so what is hidden from the seat is absent. An agent gets its reward when
the deal is over: the defeat points (R20) of the other team less those of its own, and 0 for eggs (R21).

A molodka is claimed in one's turn or when one is asked; a claim out of turn (R15) is not offered, as AEC asks one
agent at a time.
"""

from random import Random
from typing import Any, ClassVar, Final

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from gymnasium.utils import seeding
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from goat_engine.bots.rehearsal import Rehearsal
from goat_engine.cards import DECK_SIZE
from goat_engine.match import score
from goat_engine.rules import HAND_SIZE, SEATS, team_of
from goat_engine.state import Phase
from goat_rl.observation import ACTIONS, SIZE, legal, observe

ILLEGAL_REWARD: Final = -6.0
"""For an illegal move, which ends the deal: as much as a deal lost without a trick (R20)."""


def env(**options: Any) -> Any:
    """The environment as people use it: it checks its use, and an illegal move ends the deal."""
    made = raw_env(**options)
    made = wrappers.TerminateIllegalWrapper(made, illegal_reward=ILLEGAL_REWARD)
    made = wrappers.AssertOutOfBoundsWrapper(made)
    return wrappers.OrderEnforcingWrapper(made)


class raw_env(AECEnv):  # noqa: N801 - PettingZoo's name for it
    """The environment without checks. render_mode: None, or ``ansi`` for a text of what is public."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi"], "name": "goat_v0", "is_parallelizable": False}

    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__()
        self.render_mode = render_mode
        self.possible_agents = [f"seat_{seat}" for seat in SEATS]
        self.agents: list[str] = []
        row = Box(0.0, 1.0, (SIZE,), np.float32)
        mask = Box(0, 1, (ACTIONS,), np.int8)
        self._seen = {agent: Dict({"observation": row, "action_mask": mask}) for agent in self.possible_agents}
        self._done = {agent: Discrete(ACTIONS) for agent in self.possible_agents}
        self._random: Random | None = None

    def observation_space(self, agent: str) -> Any:
        """The same for every agent."""
        return self._seen[agent]

    def action_space(self, agent: str) -> Any:
        """The same for every agent."""
        return self._done[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal anew. The same seed gives the same deals one after another; without one the generator goes on."""
        if seed is not None or self._random is None:
            _, number = seeding.np_random(seed)
            self._random = Random(number)
        rng = self._random
        deck = list(range(DECK_SIZE))
        rng.shuffle(deck)
        stock = deck[len(SEATS) * HAND_SIZE :]
        dealer = rng.choice(SEATS)
        self.game = Rehearsal(deck, rng.choice(stock), dealer, (dealer + 1) % 4)  # R4, R6, R7
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self._agent()

    def observe(self, agent: str) -> dict[str, Any]:
        """What this agent sees now; its mask is empty while another is to move."""
        view = self.game.view(self.possible_agents.index(agent))
        mask = np.zeros(ACTIONS, np.int8)
        if view.owes:
            mask[list(legal(view))] = 1
        return {"observation": np.asarray(observe(view), np.float32), "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Do what the selected agent has chosen. Raises ValueError when that is not legal."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        seat = self.possible_agents.index(agent)
        offered = legal(self.game.view(seat))
        if action is None or int(action) not in offered:
            raise ValueError(f"{agent} may not do {action} now: see its action_mask")
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self.game.act(seat, offered[int(action)])
        if self.game.whole.phase is Phase.OVER:
            defeat = score(self.game.whole).defeat
            for place, other in enumerate(self.possible_agents):
                mine = team_of(place)
                self.rewards[other] = float(defeat[1 - mine] - defeat[mine])
            self.terminations = dict.fromkeys(self.agents, True)
        else:
            self.agent_selection = self._agent()
        self._accumulate_rewards()

    def _agent(self) -> str:
        turn = self.game.whole.turn
        assert turn is not None
        return self.possible_agents[turn]

    def render(self) -> str | None:
        """What is public, as one line."""
        if self.render_mode is None:
            return None
        deal = self.game.whole
        tricks = f"tricks {deal.taken(0)}:{deal.taken(1)}"
        return f"{self.agent_selection} to {deal.phase.value}; {tricks}, {deal.stock} in stock"

    def close(self) -> None:
        """Nothing is held open."""
