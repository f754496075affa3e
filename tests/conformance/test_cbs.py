"""The corpus of RisuAI's template language: every case; the matcher has no part in it."""

from pathlib import Path

import pytest

from lorewright import make_tools
from lorewright.conformance import Outcome, run_paths

FILES = sorted((Path(__file__).resolve().parents[2] / "conformance" / "risu").glob("cbs-*.json"))
TOOLS = make_tools()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_case_passes(path):
    outcomes = list(run_paths([str(path)], TOOLS))

    assert len(outcomes) > 50
    for outcome in outcomes:
        assert isinstance(outcome, Outcome)
        assert [str(difference) for difference in outcome.differences] == [], outcome.case
