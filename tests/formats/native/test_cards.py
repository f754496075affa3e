"""Cards as files of ours: whatever is in their JSON comes back, and both are the same card."""

import json

from hypothesis import given
from hypothesis import strategies as st

from lorewright.formats.fields import is_exact
from lorewright.formats.native.cards import card_value
from lorewright.formats.native.documents import document_text
from lorewright.formats.native.write import as_native
from lorewright.formats.read import read_card
from lorewright.formats.stash import take_stash

SCALARS = (
    st.none() | st.booleans() | st.integers(-2, 200) | st.sampled_from([0.5, 1.0, "before_char", "a", "", "\ud800"])
)
ODD = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
TEXTS = st.text(max_size=4)
WORDS = st.lists(TEXTS, max_size=2)
EXTENSIONS = st.dictionaries(
    st.sampled_from(["position", "depth", "role", "sticky", "probability", "case_sensitive", "theirs", "lorewright"]),
    ODD,
    max_size=4,
)
ENTRIES = st.fixed_dictionaries(
    {"keys": WORDS, "content": TEXTS},
    optional={
        "id": st.integers(0, 5) | TEXTS,
        "name": TEXTS,
        "comment": TEXTS,
        "enabled": st.booleans() | ODD,
        "constant": st.booleans() | ODD,
        "selective": st.booleans(),
        "secondary_keys": WORDS | ODD,
        "insertion_order": st.integers(0, 9) | ODD,
        "position": st.sampled_from(["before_char", "after_char", 4]),
        "case_sensitive": st.booleans() | st.none(),
        "extensions": EXTENSIONS | ODD,
        "priority": ODD,
        "use_regex": st.booleans(),
    },
)
BOOKS = st.fixed_dictionaries(
    {
        "entries": st.lists(ENTRIES, max_size=3)
        | st.lists(ENTRIES | ODD, max_size=3)
        | st.dictionaries(TEXTS, ENTRIES, max_size=2)
    },
    optional={"name": TEXTS | ODD, "description": TEXTS, "scan_depth": ODD, "extensions": EXTENSIONS | ODD},
)
FIELDS = st.fixed_dictionaries(
    {"name": TEXTS, "first_mes": TEXTS},
    optional={
        "description": TEXTS | ODD,
        "alternate_greetings": WORDS | ODD,
        "mes_example": TEXTS,
        "character_version": TEXTS | ODD,
        "tags": WORDS | ODD,
        "extensions": st.fixed_dictionaries(
            {},
            optional={
                "depth_prompt": st.fixed_dictionaries(
                    {}, optional={"prompt": TEXTS, "depth": ODD, "role": TEXTS, "x": ODD}
                )
                | ODD,
                "world": TEXTS,
                "fav": ODD,
            },
        )
        | ODD,
        "character_book": BOOKS | ODD,
        "greeting": ODD,
        "extra": ODD,
    },
)
CARDS = FIELDS | st.builds(
    lambda data, around, version, mirrored: {
        "spec": f"chara_card_v{version}",
        "spec_version": f"{version}.0",
        **around,
        **({"name": data["name"], "first_mes": "old"} if mirrored else {}),
        "data": data,
    },
    FIELDS,
    st.dictionaries(st.sampled_from(["create_date", "fav", "name", "description"]), ODD, max_size=2),
    st.sampled_from([2, 3]),
    st.booleans(),
)


@given(CARDS)
def test_whatever_a_card_holds_comes_back(raw):
    data = json.dumps(raw).encode()
    card = read_card(data).value
    again = read_card(document_text(card_value(card)).encode()).value

    assert is_exact(again.data, raw)
    assert (again.name, again.character, again.tags, again.linked_book) == (
        card.name,
        card.character,
        card.tags,
        card.linked_book,
    )
    mine, theirs = (as_native(take_stash(one.book))[0] if one.book is not None else None for one in (again, card))
    assert (mine.entries if mine else ()) == (theirs.entries if theirs else ())
