"""`python -m tests.prefix.fuzz STEPS [SEED]`: a person who chats and changes books at random, and the oracle."""

import random
import sys

from lorewright import NATIVE
from lorewright.testing.client import ACTIONS, Step
from tests.prefix.world import WORDS, Change, World

CHANGES = (
    *("edit_entry", "switch_entry", "remove_entry", "add_entry", "make_constant"),
    *("form", "on_edit", "placement", "standing_budget", "gate"),
)
WEIGHTS = {"say": 12, "regenerate": 3, "edit": 2, "delete": 2, "save_branch": 2, "load_branch": 3}


def steps(rng, length):
    for _ in range(length):
        if rng.random() < 0.15:
            yield Change(rng.choice(CHANGES), rng.randrange(64))
            continue
        action = rng.choices(ACTIONS, [WEIGHTS.get(action, 1) for action in ACTIONS])[0]
        text = " ".join(rng.choices((*WORDS, "and", "so"), k=rng.randrange(1, 4)))
        yield Step(action, text, rng.randrange(64))


def main(wanted, seed=0):
    done = sessions = 0
    while done < wanted:
        rng = random.Random(f"{seed}:{sessions}")
        planned = list(steps(rng, min(60, wanted - done)))
        world = World(NATIVE)
        try:
            world.run(planned)
        except Exception:
            print(f"seed {seed}, session {sessions}, step {world.steps}: {planned[: world.steps]}")
            raise
        done += world.steps
        sessions += 1
        if sessions % 200 == 0:
            print(f"{done} steps in {sessions} sessions", flush=True)
    print(f"{done} steps in {sessions} sessions, every pair of requests kept its bytes or names why not")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
