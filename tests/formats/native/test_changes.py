"""Changes beside a preset, a card or a persona."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.core.layout.preset import OrderEntry, Prompt
from lorewright.core.layout.scene import Persona
from lorewright.core.overlays import lay_over
from lorewright.errors import FormatError
from lorewright.formats.overlaid import overlaid
from lorewright.formats.read import read_card, read_persona, read_preset


def preset(*prompts, on=(), **settings):
    order = [{"identifier": name, "enabled": True} for name in on]
    value = {
        "prompts": [{"identifier": name, "content": text, "role": "system"} for name, text in prompts],
        "prompt_order": [{"character_id": 100001, "order": order}],
        **settings,
    }
    return json.dumps(value).encode()


CHANGES = b"""\
lorewright: 1
kind: preset
prompts:
  - {id: main, content: Mine.}
  - {id: draft, remove: true}
  - {id: style, role: system, content: Be brief.}
orders:
  - prompts: [main, style, {id: lore, enabled: false}]
wording: {send_if_empty: Go on.}
squash: true
"""


def test_a_change_is_laid_over_a_preset_and_over_its_next_version():
    first = preset(
        ("main", "Theirs."), ("draft", "x"), ("lore", "y"), on=("main", "lore"), squash_system_messages=False
    )
    second = preset(
        ("new", "n"), ("main", "Theirs, better."), ("lore", "y2"), on=("new", "main", "lore"), names_behavior=2
    )

    one, two = (read_preset(overlaid(base, [CHANGES])) for base in (first, second))

    assert one.value.prompts == (
        Prompt(id="main", content="Mine.", role="system"),
        Prompt(id="style", content="Be brief.", role="system"),
        Prompt(id="lore", content="y", role="system"),
    )
    assert one.value.orders[0].entries == (OrderEntry("main"), OrderEntry("style"), OrderEntry("lore", enabled=False))
    assert (one.value.wording.send_if_empty, one.value.squash, one.value.names) == ("Go on.", True, "default")
    assert [(prompt.id, prompt.content) for prompt in two.value.prompts] == [
        ("new", "n"),
        ("main", "Mine."),
        ("style", "Be brief."),
        ("lore", "y2"),
    ]
    assert [(entry.id, entry.enabled) for entry in two.value.orders[0].entries] == [
        ("new", True),
        ("main", True),
        ("style", True),
        ("lore", False),
    ]
    assert (two.value.squash, two.value.names) == (True, "content")
    assert ("overlay_without_entry", "draft") not in {(report.code, report.entry) for report in one.reports}
    assert ("overlay_without_entry", "draft") in {(report.code, report.entry) for report in two.reports}


def test_a_card_with_changed_texts_and_entries():
    book = {"entries": [{"id": 1, "keys": ["a"], "content": "A", "enabled": True, "insertion_order": 3}]}
    card = {
        "spec": "chara_card_v2",
        "spec_version": "2.0",
        "data": {"name": "Ana", "first_mes": "Hi", "character_book": book},
    }
    changes = b"""\
lorewright: 1
kind: card
greeting: Hello.
book:
  entries:
    - {uid: 1, content: Changed.}
    - {uid: mine, keys: [b], content: B, gate: {flag: open}}
"""
    read = read_card(overlaid(json.dumps(card).encode(), [changes])).value

    assert read.data["data"]["first_mes"] == "Hello."
    assert read.book is not None
    first = read.book.entries[0]
    assert (first.uid, first.keys, first.content, first.order) == (1, ("a",), "Changed.", 3)
    assert read.book.entries[1].uid == "mine"
    assert read.book.entries[1].gate is not None


def test_a_persona_and_several_changes_one_after_the_other():
    base = b"lorewright: 1\nkind: persona\nname: Max\ntext: Tall.\ndepth: 3\n"
    one = b"lorewright: 1\nkind: persona\ntext: Small.\nposition: in_chat\n"
    two = b"lorewright: 1\nkind: persona\nname: Somebody\nposition: none\n"
    read = read_persona(overlaid(base, [one, two])).value

    assert (read.name, read.persona) == ("Max", Persona(text="Small.", position="none", depth=3))


def test_changes_of_another_kind_are_refused():
    base = b"lorewright: 1\nkind: persona\nname: Max\n"
    with pytest.raises(FormatError, match=r"Changes to a persona stand in a file with .* `kind: persona`"):
        overlaid(base, [CHANGES])
    with pytest.raises(FormatError, match="no preset, card or persona"):
        overlaid(b'{"entries": {}}', [CHANGES])


NAMES = st.sampled_from("abcde")


@given(st.lists(NAMES, unique=True), st.lists(st.tuples(NAMES, st.booleans())), st.booleans())
def test_what_nobody_changed_stays_in_its_order(items, changes, in_line):
    last = dict(changes)
    made, missing = lay_over(
        items,
        [(name, name.upper() if keep else None) for name, keep in changes],
        str,
        lambda _, new: new,
        in_line=in_line,
    )

    assert [item for item in made if item.islower()] == [item for item in items if item not in last]
    assert sorted(item for item in made if item.isupper()) == sorted(
        name.upper() for name, keep in last.items() if keep
    )
    assert {item.lower(): place for place, item in enumerate(item for item in made if item.lower() in items)} == {
        item: place for place, item in enumerate(item for item in items if last.get(item, True))
    }
    assert set(missing) == {name for name, keep in last.items() if not keep and name not in items}
