"""`python -m tests.prefix.fuzz STEPS [SEED [SESSION]]`: a person who chats and changes books at random, and the oracle.

With SESSION only that session is run. One that fails is told again with as few steps as it takes.
"""

import random
import sys
from collections import Counter
from multiprocessing import Pool
from typing import get_args

from lorewright import NATIVE
from lorewright.core.record import Cause, WaitingReason
from lorewright.testing.client import ACTIONS, Step
from tests.prefix.entries import WORDS
from tests.prefix.world import Change, World

CHANGES = (
    *("edit_entry", "switch_entry", "remove_entry", "add_entry", "make_constant", "switch_book"),
    *("form", "on_edit", "placement", "standing_budget", "gate", "tail", "session_name", "scripts", "unsafe", "layer"),
)
OF_PRESETS = ("preset_edit", "preset_text", "context_full", "reply_type")
"""Causes that no request of this client has (`tests/prefix/test_presets.py`)."""
WEIGHTS = {"say": 12, "regenerate": 3, "edit": 2, "delete": 2, "save_branch": 2, "load_branch": 3}
CHANGE_WEIGHTS = {"edit_entry": 5, "gate": 4, "scripts": 2}
LENGTH = 60
TOLD_EVERY = 200
NEEDED = (
    *(f"client: {action}" for action in (*ACTIONS, "swipe")),
    *(f"change: {change}" for change in CHANGES),
    *(f"moved: {cause}" for cause in get_args(Cause) if cause not in OF_PRESETS),
    *(f"waits: {reason}" for reason in get_args(WaitingReason)),
    *(f"placed: {place}, {form}" for place in ("head", "front", "turn") for form in ("inside", "message")),
    *("placed: outlet, inside", "line: This replaces", "line: Where this contradicts"),
    *("moved: standing_budget, several at once", "another version of a message"),
    "a message is sent otherwise",
)
"""What must happen in a run that shows anything."""


def steps(rng, length):
    for _ in range(length):
        if rng.random() < 0.15:
            change = rng.choices(CHANGES, [CHANGE_WEIGHTS.get(change, 1) for change in CHANGES])[0]
            yield Change(change, rng.randrange(64))
            continue
        action = rng.choices(ACTIONS, [WEIGHTS.get(action, 1) for action in ACTIONS])[0]
        text = " ".join(rng.choices((*WORDS, "and", "so"), k=rng.randrange(1, 4)))
        yield Step(action, text, rng.randrange(64))


def fails(planned):
    """The steps up to the one that fails, or None."""
    world = World(NATIVE)
    try:
        world.run(planned)
    except Exception:  # noqa: BLE001 - whatever it is, it is the same fault with fewer steps
        return planned[: world.steps]
    return None


def shrink(planned):
    """Steps that still fail, none of which can be left out."""
    at = len(planned) - 1
    while at >= 0:
        fewer = fails(planned[:at] + planned[at + 1 :])
        planned, at = (fewer, min(at, len(fewer)) - 1) if fewer else (planned, at - 1)
    return planned


def run(planned):
    """Run a session; how many steps it had, and what happened in it."""
    world = World(NATIVE)
    try:
        world.run(planned)
    except Exception:
        print("It fails with these steps:", *shrink(planned[: world.steps]), sep="\n    ", flush=True)
        raise
    return world.steps, world.counts


def run_session(job):
    seed, session, length = job
    try:
        return run(list(steps(random.Random(f"{seed}:{session}"), length)))
    except Exception:
        print(f"seed {seed}, session {session}", flush=True)
        raise


def main(wanted, seed=0, only=None):
    first = only or 0
    count = 1 if only is not None else -(-wanted // LENGTH)
    lengths = [min(LENGTH, wanted - LENGTH * at) for at in range(count)]
    done = 0
    counts: Counter[str] = Counter()
    with Pool() as processes:
        jobs = [(seed, first + at, length) for at, length in enumerate(lengths)]
        for session, (ran, happened) in enumerate(processes.imap(run_session, jobs, chunksize=10), 1):
            done += ran
            counts += happened
            if session % TOLD_EVERY == 0:
                print(f"{done} steps in {session} sessions", flush=True)
    for name, count in sorted(counts.items()):
        print(f"{count:9} {name}")
    missing = [name for name in NEEDED if not counts[name]]
    print(f"{done} steps, every pair of requests kept its bytes or names why not")
    if missing and only is None:
        sys.exit(f"This shows little, since it never happened: {'; '.join(missing)}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
