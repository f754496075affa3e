"""Kills a program that writes a ledger, at random moments, and looks whether anything it acknowledged is lost.

`python -m tests.ledger.kill [COUNT] [SEED]` prints what it found; `python -m tests.ledger.kill write FILE SEED` is the
program that is killed.
"""

import random
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import NamedTuple

from lorewright import NATIVE, ActiveBook
from lorewright.core.model import Book
from lorewright.ledger.erase import erase, find_reply
from lorewright.ledger.ledger import open_ledger
from lorewright.ledger.verify import verify
from tests.ledger.world import BOOK, open_chat, turns

ROOT = Path(__file__).resolve().parents[2]
KILLS_A_FILE = 20
LONGEST_SECONDS = 0.25


class Survival(NamedTuple):
    """kills: how often the writer was killed; acknowledged: events that it said were written; unsaid: events that were
    written when it died before it could say so."""

    kills: int
    acknowledged: int
    unsaid: int


def write(path, seed):
    """Write turns, replies, edited books and erasures; after each say the number and hash of the last event."""
    rng = random.Random(seed)
    session = open_chat(path)
    ledger = session.ledger

    def acknowledge():
        number, head = ledger.store.head("main")
        print(number, head.hex(), flush=True)

    for conversation in count():
        for turn in turns(12, words=(f"ferry {seed} {conversation}", "tower", "queen")):
            number = session.weave(turn).number
            acknowledge()
            ledger.reply(number, f"Reply {seed} {number} " * rng.randint(1, 40), prompt_tokens=number)
            acknowledge()
            if rng.random() < 0.2:
                entries = tuple(replace(e, content=f"{e.content} {rng.random()}") for e in BOOK.entries)
                session.use([ActiveBook(Book("isles", entries))], NATIVE)
            if rng.random() < 0.1:
                erase(ledger, find_reply(ledger, number))
                acknowledge()


def kill_one(path, rng):
    """Start a writer, kill it, and give what it had acknowledged, as numbers and hashes."""
    command = [sys.executable, "-m", "tests.ledger.kill", "write", str(path), str(rng.randrange(10**6))]
    writer = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert writer.stdout
    assert writer.stderr
    lines = []
    begun = threading.Event()

    def listen(output):
        for line in output:
            lines.append(line)
            begun.set()
        begun.set()

    listener = threading.Thread(target=listen, args=(writer.stdout,))
    listener.start()
    if rng.random() < 0.1:
        time.sleep(rng.uniform(0.05, 0.6))  # while it starts, or makes the file
    else:
        begun.wait(60)
        time.sleep(rng.uniform(0, LONGEST_SECONDS))
    writer.kill()
    listener.join()
    error = writer.stderr.read()
    writer.wait()
    writer.stdout.close()
    writer.stderr.close()
    assert not error, error
    return [tuple(line.split()) for line in lines if line.endswith("\n")]


def survive(kills, seed, tell=lambda _: None):
    """Kill so often; after each kill everything acknowledged is there, and the file verifies.

    Raises:
        AssertionError: something is lost or damaged.
    """
    rng = random.Random(seed)
    acknowledged = unsaid = done = 0
    while done < kills:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "killed.ledger"
            known = 0
            for _ in range(min(KILLS_A_FILE, kills - done)):
                said = kill_one(path, rng)
                done += 1
                if not path.exists():
                    continue
                with open_ledger(path) as ledger:
                    problems = verify(ledger.store).problems
                    assert not problems, problems
                    hashes = {row.number: row.hash.hex() for row in ledger.store.events("main")}
                for number, head in said:
                    assert hashes.get(int(number)) == head, f"event {number} is lost"
                last = max(hashes, default=0)
                acknowledged += len(said)
                unsaid += last - (int(said[-1][0]) if said else known) > 0
                known = last
                tell(f"kill {done}: {len(said)} acknowledged, {last} events in the file, all verified")
    return Survival(done, acknowledged, unsaid)


def main(arguments):
    if arguments[:1] == ["write"]:
        write(arguments[1], int(arguments[2]))
        return
    kills = int(arguments[0]) if arguments else 200
    seed = int(arguments[1]) if len(arguments) > 1 else random.randrange(10**6)
    found = survive(kills, seed, print)
    print(
        f"{found.kills} kills, seed {seed}: {found.acknowledged} acknowledged writes, none lost; every file verified; "
        f"{found.unsaid} times a write was complete before it could be acknowledged"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
