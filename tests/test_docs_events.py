"""Every kind of event, and every field of it, stands on the page of events, and none that does not exist."""

import dataclasses
import re
from pathlib import Path
from typing import get_args

import pytest

from lorewright.core.record import Cause
from lorewright.ledger.events import EVENTS

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference" / "events.md"
FOLDER = Path(__file__).resolve().parent.parent / "src" / "lorewright" / "ledger" / "events"
TEXT = PAGE.read_text("utf-8")


def section(name):
    found = re.search(rf"(?ms)^### {name}\n(.*?)(?=^##|\Z)", TEXT)
    assert found, f"docs/reference/events.md has no section `{name}`"
    return found[1]


@pytest.mark.parametrize("kind", EVENTS, ids=lambda kind: kind.__name__)
def test_every_event_is_explained(kind):
    fields = {field.name for field in dataclasses.fields(kind)}

    assert set(re.findall(r"^\| `(\w+)` \|", section(kind.__name__), re.MULTILINE)) == fields


def test_no_event_is_invented():
    kinds = TEXT.partition("## Kinds")[2].partition("## An export")[0]

    assert set(re.findall(r"^### (\w+)", kinds, re.MULTILINE)) == {kind.__name__ for kind in EVENTS}


def test_every_event_has_a_file_of_its_own():
    files = {path.stem for path in FOLDER.glob("*.py")} - {"__init__"}

    assert files == {re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower() for kind in EVENTS}


def test_every_cause_is_named():
    text = section("PlacementMoved")

    assert [cause for cause in get_args(Cause) if f"`{cause}`" not in text] == []
