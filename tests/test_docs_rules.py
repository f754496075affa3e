"""The page about rules files names every field, every anchor with its number, and every field of the status."""

import re
from pathlib import Path

from lorewright.core.hosts import HOST_0_1_7
from lorewright.rules.fields import CACHE_SAFE, COMPUTED, FIELDS
from lorewright.rules.status import Status

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "docs" / "reference" / "rules-file.md").read_text("utf-8")


def test_every_field_is_explained():
    rows = set(re.findall(r"(?m)^\| `(\w+)` \|", TEXT))

    assert set(FIELDS) <= rows
    assert all(f"`{name}`" in TEXT for name in (*COMPUTED, CACHE_SAFE))


def test_every_anchor_stands_there_with_its_number():
    rows = dict(re.findall(r"(?m)^\| `([a-z-]+)` \| (-?\d+) \|", TEXT))

    assert rows == {name: str(order) for name, order in HOST_0_1_7.layers.items()}
    assert HOST_0_1_7.version in TEXT


def test_every_field_of_the_status_is_explained():
    status = Status(event="error", at="", pid=1, runtime="", rules_path="", ruleset=None, detail="x")

    assert [name for name in status.as_object() if f"`{name}`" not in TEXT] == []
