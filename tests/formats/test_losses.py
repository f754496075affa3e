"""The loss report is exact: it names the fields that do not come back when the file is read again, and no others."""

from dataclasses import fields, replace

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from lorewright.core.gates import Flag, Gate, KnownBy
from lorewright.core.model import ABSENT, Book, CharacterFilter, Entry, Odd
from lorewright.core.replaces import Replace
from lorewright.errors import FormatError
from lorewright.formats.read import read_book
from lorewright.formats.write import WRITERS, convert

TARGETS = [to for to in WRITERS if to != "bundle"]
BY_PLACE = {"risu_lorebook", "risu_module", "risum"}
NAMES = [one.name for one in fields(Entry) if one.name not in {"uid", "extra", "layout"}]

DEFAULTS = {
    "keys": (), "secondary": (), "content": "", "title": "", "enabled": True, "constant": False, "logic": 0,
    "order": 100, "position": 0, "depth": 4, "role": 0, "outlet": "", "probability": 100, "use_probability": True,
    "exclude_recursion": False, "prevent_recursion": False, "delay_until_recursion": 0, "group": "",
    "group_override": False, "group_weight": 100, "sticky": 0, "cooldown": 0, "delay": 0, "ignore_budget": False,
    "triggers": (), **{name: False for name in NAMES if name.startswith("match_")},
}  # fmt: skip
"""What a missing field means, from the table in spec formats §1; 0 of the timers behaves as none."""


def is_default(name, value):
    if value is ABSENT or value is None:
        return True
    meant = DEFAULTS.get(name, ABSENT)
    level = name == "delay_until_recursion" and value is False
    return level or (type(value) is type(meant) and value == meant)


def comes_back(name, before, after):
    old, new = getattr(before, name), getattr(after, name)
    if old is ABSENT or old is None or (type(old) is type(new) and old == new):
        return True
    if name == "selective" and not before.secondary and not isinstance(old, Odd):
        return True
    return is_default(name, old) and is_default(name, new)


TEXTS = st.sampled_from(
    [
        "",
        "x",
        "a b",
        "a, b",
        "1",
        " x ",
        "/a,b/i",
        "/ab/",
        "a/b",
        "a & b",
        '"q"',
        "@@depth 3\nx",
        "@@probability 50\nx",
        "a\n\n## b\n- order: 1",
    ]
)
KEYS = st.lists(TEXTS, max_size=3).map(tuple)
NUMBERS = st.sampled_from([0, 1, 3, 100, 400, -2, 0.5])
_TEXT_FIELDS = (
    "content", "title", "outlet", "group", "authority", "source", "subject", "scene", "folder", "channel", "seed_salt",
)  # fmt: skip
OWN_VALUES = {
    "keys": KEYS, "secondary": KEYS, "triggers": st.sampled_from([(), ("swipe",)]),
    "logic": st.integers(0, 3), "position": st.integers(0, 7), "role": st.integers(0, 2),
    "filter": st.sampled_from([CharacterFilter(("A",)), CharacterFilter((), ("t",), True)]),
    "restricted_to": KEYS, "layer": st.sampled_from(["tail", 700]), "cache_unsafe": st.booleans(),
    "gate": st.sampled_from([Gate((Flag("f"),), '{"flag": "f"}'), Gate((KnownBy(("A",)),), '{"known_by": ["A"]}')]),
    "replaces": st.sampled_from([(Replace("a", "b"),), (Replace("x", "", "user", "i"),)]),
    **dict.fromkeys(_TEXT_FIELDS, TEXTS),
    **dict.fromkeys(("order", "depth", "probability", "scan_depth", "group_weight", "sticky", "cooldown", "delay",
                     "delay_until_recursion", "weight", "level"), NUMBERS),
}  # fmt: skip
EXTRAS = st.sampled_from(
    [{}, {}, {"vectorized": False, "displayIndex": 4}, {"tags": [1]}, {"keywords": ["z"]}, {"extensions": {"a": 1}},
     {"category": "c"}, {"mode": "normal"}, {"useRegex": True}, {"name": "n"}]
)  # fmt: skip


def value_of(name):
    own = OWN_VALUES.get(name, st.booleans())
    odd = Odd(5) if name in {*_TEXT_FIELDS, "gate"} else Odd([]) if name == "layer" else Odd("x")
    return st.one_of(own, own, own, st.sampled_from([ABSENT, None, odd]))


ENTRIES = st.builds(
    lambda values, extra: Entry(uid=0, extra=extra, **values),
    st.fixed_dictionaries({}, optional={name: value_of(name) for name in NAMES}),
    EXTRAS,
)
USUAL = Entry(uid=0, keys=("k",), title="T", content="c")
"""Stands first, so that the format of a list of entries can be told."""
BOOKS = st.builds(
    lambda entries, extra: Book(
        "b", tuple(replace(one, uid=uid) for uid, one in enumerate([USUAL, *entries], 3)), extra
    ),
    st.lists(ENTRIES, min_size=1, max_size=4).flatmap(
        lambda made: st.lists(st.sampled_from(made), max_size=3).map(lambda more: made + more)
    ),
    st.sampled_from([{}, {"name": "b", "scan_depth": 3}, {"description": "d", "token_budget": None}, {"mine": [1]}]),
)


def reread(data, to, tmp_path_factory):
    if to != "agent_rules":
        return read_book(data)
    path = tmp_path_factory.mktemp("rules") / "AGENTS.md"
    path.write_bytes(data)
    return read_book(path)


@pytest.mark.parametrize("to", [to for to in TARGETS if not WRITERS[to].keeps_all])
def test_what_is_said_to_be_lost_is_lost_and_nothing_else(to, tmp_path_factory):
    @settings(suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
    @given(BOOKS)
    def check(book):
        made = convert(book, to)
        try:
            read = reread(made.data, to, tmp_path_factory)
        except FormatError:
            assume(False)
        assume(read.format == to)
        after = read.value
        by_id = {str(entry.uid): entry for entry in after.entries}
        lost = set()
        for place, entry in enumerate(book.entries):
            if to == "agent_rules":
                other = replace(after.entries[0], title=entry.title, content=entry.content)
            else:
                other = after.entries[place] if to in BY_PLACE else by_id[str(entry.uid)]
            lost |= {name for name in NAMES if not comes_back(name, entry, other)}
            for name, value in entry.extra.items():
                kept = other.extra.get(name, ABSENT)
                if isinstance(value, dict) and isinstance(kept, dict):
                    lost |= {f"{name}.{inner}" for inner in value if kept.get(inner, ABSENT) != value[inner]}
                elif kept != value:
                    lost.add(name)
        lost |= {name for name, value in book.extra.items() if after.extra.get(name, ABSENT) != value}

        assert {loss.field for loss in made.losses} == lost
        assert {loss.code for loss in made.losses} <= {"loss_on_export", "gate_lost"}
        assert len({(loss.field, "of the book" in loss.message) for loss in made.losses}) == len(made.losses)

    check()


@pytest.mark.parametrize("to", [to for to in TARGETS if WRITERS[to].keeps_all])
@given(book=BOOKS)
def test_where_everything_is_kept_everything_comes_back(to, book):
    made = convert(book, to)
    again = read_book(convert(read_book(made.data, "b").value, "native_yaml").data).value

    assert made.losses == ()
    assert [replace(entry, layout=()) for entry in again.entries] == list(book.entries)


def test_one_entry_is_named_and_more_are_counted():
    book = Book("b", tuple(Entry(uid=uid, keys=(f"k{uid}",), content="x", depth=uid % 2 or 4) for uid in range(9)))
    one = Book("b", book.entries[:2])

    (counted,) = convert(book, "novelai_lorebook").losses
    (named,) = convert(one, "novelai_lorebook").losses

    assert (counted.field, counted.entry) == ("depth", "")
    assert counted.message == "`depth` of 4 entries has no place in this format and is left out."
    assert (named.field, named.entry) == ("depth", "1")
