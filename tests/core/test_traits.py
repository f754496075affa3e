"""Odd values as JavaScript takes them, where no case of the corpus says it."""

import math

import pytest

from lorewright import NATIVE, SILLYTAVERN, Entry, Odd, make_tools
from lorewright.core.prepared import prepare_entry

TOOLS = make_tools()


def traits(policy, **fields):
    return prepare_entry("b", Entry(uid=0, **fields), policy, TOOLS.regexes, TOOLS.renderer).traits


@pytest.mark.parametrize(
    ("field", "value", "name", "in_sillytavern", "in_native"),
    [
        ("role", Odd("1"), "role", "1", 1),
        ("role", None, "role", 0, 0),
        ("role", 5, "role", 5, 0),
        ("logic", Odd("3"), "logic", None, "and_all"),
        ("logic", Odd(True), "logic", None, "not_all"),
        ("logic", Odd(3.0), "logic", "and_all", "and_all"),
        ("depth", Odd("4"), "depth", "4", 4),
        ("position", Odd("0"), "position", None, 0),
        ("position", Odd(True), "position", None, 1),
        ("position", Odd(4.0), "position", 4, 4),
        ("enabled", Odd("true"), "disabled", False, True),
        ("enabled", Odd(1), "disabled", True, True),
        ("probability", Odd("100"), "rolls", True, True),
        ("probability", 100.0, "rolls", False, False),
        ("group_weight", Odd("20"), "group_weight", "20", 20),
        ("sticky", 10**400, "sticky", math.inf, math.inf),
        ("sticky", -(10**400), "sticky", -math.inf, -math.inf),
        ("probability", 10**400, "chance", math.inf, math.inf),
    ],
)
def test_odd_values(field, value, name, in_sillytavern, in_native):
    fields = {"use_probability": True, field: value}

    assert (getattr(traits(SILLYTAVERN, **fields), name), getattr(traits(NATIVE, **fields), name)) == (
        in_sillytavern,
        in_native,
    )


def test_equal_settings_are_one_object_and_odd_ones_are_reported_each():
    from lorewright import ActiveBook, Book, load_lore

    entries = tuple(Entry(uid=n, keys=(str(n),), role=1) for n in range(3))
    odd = tuple(Entry(uid=n, keys=(str(n),), role=Odd("1")) for n in range(3, 6))
    lore = load_lore([ActiveBook(Book("b", entries + odd))], TOOLS)

    assert len({id(entry.traits) for entry in lore.entries[:3]}) == 1
    assert [report.entry for report in lore.reports if report.code == "odd_value"] == ["b.3", "b.4", "b.5"]
