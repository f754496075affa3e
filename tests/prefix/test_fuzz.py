"""The long run does what it says: everything happens in it, and a fault is told with few steps."""

import pytest

from lorewright.testing.client import Step
from tests.prefix import fuzz
from tests.prefix.world import World


def test_three_thousand_random_steps_hold_and_everything_happens_in_them():
    fuzz.main(3000, seed=1)


def test_a_run_in_which_little_happens_says_so():
    with pytest.raises(SystemExit, match=r"never happened: .*moved: rewrite"):
        fuzz.main(20)


def test_a_session_that_fails_is_told_with_the_steps_it_takes(monkeypatch, capsys):
    class Fragile(World):
        """Breaks at the second thing that is said after the client changed its system text."""

        def step(self, step):
            super().step(step)
            assert not (self.client.system == "x" and self.counts["client: say"] > 1)

    monkeypatch.setattr(fuzz, "World", Fragile)
    planned = [Step("say", str(n)) for n in range(5)]
    planned[2:2] = [Step("regenerate"), Step("set_system", "x"), Step("regenerate")]

    with pytest.raises(AssertionError):
        fuzz.run(planned)

    told = capsys.readouterr().out
    assert told.count("'say'") == 2
    assert told.count("Step(") == 3
