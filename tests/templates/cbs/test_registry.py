"""The table has every name that RisuAI registers, as the specification counts and the recorded cases list them."""

import json
import re
from pathlib import Path

from lorewright.templates.cbs.registry import DOCUMENTED, MACROS, TABLE

CASES = Path(__file__).resolve().parents[3] / "conformance" / "risu"
FUNCTIONS = json.loads((CASES / "cbs-functions.json").read_text("utf-8"))
NAME = re.compile(r"\{\{([^{}:]+)(?=::|:|\}\})")
# Cases that show that something is no macro.
NO_MACROS = {"_", "__", "-", " ", "?", "arg", "slot", "call"}


def test_the_counts_of_the_specification():
    """Spec risu §2: 171 registrations; 212 reduced names with a function, 27 that are only explained."""
    assert len(DOCUMENTED) == 27
    assert len(TABLE) + len(DOCUMENTED) == 171
    assert len(MACROS) == sum(1 + len(macro.aliases) for macro in TABLE) == 212


def test_names_that_are_shown_or_explained_only():
    assert {name for name, macro in MACROS.items() if macro.run is None} == set(FUNCTIONS["notCovered"]["displayOnly"])
    assert set(FUNCTIONS["notCovered"]["documentationOnly"]) == DOCUMENTED


def test_every_recorded_name_is_in_the_table():
    """A case of cbs-functions begins with the name it is about; results that keep it as text say nothing."""
    recorded = {
        re.sub(r"[\s_-]", "", found[1].lower())
        for case in FUNCTIONS["cases"]
        if (found := NAME.match(case["input"]["text"])) and found[1] not in NO_MACROS
    }

    assert len(recorded) > 180
    assert recorded <= MACROS.keys()


def test_names_are_reduced():
    assert [name for name in MACROS if re.search(r"[\s_A-Z-]", name)] == []
