"""Case runners: the right answers as data, and what runs them against this engine."""

from lorewright.conformance.outcome import Outcome
from lorewright.conformance.runner import main, run_paths

__all__ = ["Outcome", "main", "run_paths"]
