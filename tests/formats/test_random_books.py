"""Random books of other programs: written back as they were, the same in our own format, found again in every other."""

import json
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.core.model import Entry
from lorewright.errors import FormatError
from lorewright.formats.fields import is_exact
from lorewright.formats.inspect import inspect_file
from lorewright.formats.read import read_book
from lorewright.formats.write import WRITERS, convert

TEXTS = st.text(max_size=4) | st.sampled_from(
    ["", "a, b", "/x,y/i", "true", "4", "\ud800", "a\0b", "no", "12:30", "@@depth 3\nx", "- keys: x", "## h", "a\r\nb"]
)
SCALARS = st.none() | st.booleans() | st.integers(-3, 9) | st.sampled_from([10**30, -0.0, 1.0, 1e-7, 0.1]) | TEXTS
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXTS, inner, max_size=2), max_leaves=4
)


def entries(needed: str, others: str):
    """Lists of entries, which have the needed fields and some of the others, and of things that are none."""
    entry = st.fixed_dictionaries(
        dict.fromkeys(needed.split(), TEXTS | st.lists(TEXTS, max_size=3) | VALUES),
        optional=dict.fromkeys(others.split(), VALUES),
    )
    return st.lists(entry | SCALARS, max_size=3)


CARD = entries("keys content", "id comment enabled insertion_order position constant secondary_keys extensions")
BOOKS = {
    "st_worldinfo": entries(
        "key disable", "uid content comment order position depth role group triggers extensions"
    ).map(lambda found: {"entries": {str(n): entry for n, entry in enumerate(found)}}),
    "character_book": CARD.map(lambda found: {"entries": found, "name": "b"}),
    "lorebook_v3": CARD.map(lambda found: {"spec": "lorebook_v3", "data": {"entries": found}}),
    "novelai_lorebook": entries("text keys", "displayName id enabled forceActivation category contextConfig").map(
        lambda found: {"lorebookVersion": 5, "entries": found}
    ),
    "agnai_book": entries("keywords entry", "name priority weight enabled position").map(
        lambda found: {"kind": "memory", "entries": found}
    ),
    "risu_lorebook": entries("key content", "secondkey comment insertorder alwaysActive mode folder id useRegex").map(
        lambda found: {"type": "risu", "ver": 1, "data": found}
    ),
    "kobold_story": entries("key content", "keysecondary keyanti comment constant wigroup widisabled").map(
        lambda found: {"gamestarted": True, "worldinfo": found}
    ),
}
MODEL = [field.name for field in fields(Entry) if field.name not in {"extra", "layout"}]


@pytest.mark.parametrize("kind", BOOKS)
@given(data=st.data())
def test_a_random_book_is_kept(kind, data):
    value = data.draw(BOOKS[kind])
    file = json.dumps(value).encode()
    try:
        found = inspect_file(file)
    except FormatError:
        return  # so little is in it that it is like no format
    book = read_book(file).value

    assert found.ledger.found == found.ledger.imported + found.ledger.merged + found.ledger.skipped
    if found.format == kind:
        assert is_exact(json.loads(convert(book, kind).data), json.loads(file))
    for own in ("native_yaml", "native_json"):
        again = read_book(convert(book, own).data).value
        for before, after in zip(book.entries, again.entries, strict=True):
            for name in MODEL:
                left, right = getattr(before, name), getattr(after, name)
                assert type(left) is type(right), (own, name)
                assert left == right, (own, name)
    if book.entries:
        for other in WRITERS.keys() - {"bundle", "agent_rules", "markdown_lorebook"}:
            assert len(read_book(convert(book, other).data).value.entries) == len(book.entries), other
