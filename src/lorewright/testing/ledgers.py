"""What a ledger must hold to: every turn of it comes out as it was recorded."""

from __future__ import annotations

from lorewright.core.protocols import Tools
from lorewright.ledger.ledger import Ledger
from lorewright.ledger.replay import replay
from lorewright.ledger.verify import verify

__all__ = ["assert_replays"]


def assert_replays(ledger: Ledger, tools: Tools | None = None) -> int:
    """Check the file and assemble every turn again; gives the number of turns that came out the same.

    A turn whose texts were erased is passed over. `tools` in place of the recorded counter and matcher.

    Raises:
        AssertionError: something was changed, or a turn came out differently; the message names turn and entry.
    """
    problems = verify(ledger.store).problems
    assert not problems, "\n".join(problem.message for problem in problems)
    found = replay(ledger, tools)
    wrong = [f"turn {turn.turn}: {turn.message}" for turn in found if turn.outcome == "different"]
    assert not wrong, "\n".join(wrong)
    return sum(turn.outcome == "same" for turn in found)
