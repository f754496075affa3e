"""What the commands end with when they are not simply done (0)."""

from typing import Final

__all__ = ["BAD_INPUT", "FINDINGS"]

FINDINGS: Final = 1
"""There is something to see: a finding, a difference."""
BAD_INPUT: Final = 2
"""Something that was given cannot be used."""
