"""A killed writer loses nothing that it acknowledged. `make kills` does this 200 times."""

import random

from tests.ledger.kill import survive


def test_a_killed_writer_loses_nothing():
    seed = random.randrange(10**6)
    print(f"seed {seed}")

    found = survive(4, seed)

    assert found.kills == 4
