"""Each switch of the behaviour that plays, shown both ways (ADR 0028)."""

from dataclasses import fields, replace

import pytest

from lorewright.mvu.behaviour import CAREFUL, RECORDED, Behaviour
from lorewright.mvu.chat import Line, Player, check_initial
from lorewright.mvu.initial import InitialBook
from lorewright.mvu.permissive import update_permissively
from lorewright.mvu.record import Record
from lorewright.mvu.schema import generate, strip
from lorewright.mvu.update import update

AUTHORED = {
    "$meta": {"extensible": True, "required": ["hp"]},
    "hp": 100,
    "day": "03-15",
    "when": 1,
    "bag": {"$meta": {"extensible": True}, "rope": 1},
    "list": ["a", "$__META_EXTENSIBLE__$"],
}
BEFORE = Record(strip(AUTHORED), generate(AUTHORED))

CASES = [
    ("keeps_numbers", "_.set('hp', 'full');", {"hp": None}, {}),
    ("keeps_numbers", "_.set('hp', NaN);", {"hp": None}, {}),
    ("keeps_numbers", "_.add('hp', 1/0);", {"hp": None}, {}),
    ("keeps_dates", "_.set('day', 2024-01-01);", {"day": 2022}, {"day": "2024-01-01"}),
    ("keeps_dates", "_.set('day', e);", {"day": 2.71828182846}, {"day": "e"}),
    (
        "skips_patches",
        """<JSONPatch>[{"op":"replace","path":"/day","value":"_.set('hp', 1);"}]</JSONPatch>""",
        {"day": "_.set('hp', 1);", "hp": 1},
        {"day": "_.set('hp', 1);"},
    ),
    ("needs_names", '<JSONPatch>[{"op":"add","path":"","value":1}]</JSONPatch>', {"undefined": 1}, {}),
    ("closed_blocks", "<UpdateVariable>_.set('hp', 1);", {"hp": 1}, {}),
    ("decodes", "_.set(&quot;day&quot;, &quot;x, y&quot;);", {}, {"day": "x, y"}),
    (
        "moves",
        '<JSONPatch>[{"op":"move","from":"/bag/rope","path":"/bag/cord"}]</JSONPatch>',
        {},
        {"bag": {"cord": 1}},
    ),
    (
        "strips",
        "_.set('list', ['b', '$__META_EXTENSIBLE__$']);",
        {"list": ["b", "$__META_EXTENSIBLE__$"]},
        {"list": ["b"]},
    ),
]


@pytest.mark.parametrize(("switch", "text", "recorded", "careful"), CASES, ids=lambda value: str(value)[:30])
def test_a_switch_does_what_it_says(switch, text, recorded, careful):
    on = replace(RECORDED, **{switch: True})
    off = replace(CAREFUL, **{switch: False})

    assert update(BEFORE, text, RECORDED).record.tree == {**BEFORE.tree, **recorded}
    assert update(BEFORE, text, on).record.tree == {**BEFORE.tree, **careful}
    assert update(BEFORE, text, CAREFUL).record.tree == {**BEFORE.tree, **careful}
    assert update(BEFORE, text, off).record.tree == {**BEFORE.tree, **recorded}


def initial(content, behaviour, greeting="Hi."):
    book = InitialBook("b", "primary", (("[initvar]", content),))
    (line,) = check_initial((Line("Aria", (greeting,)),), (book,), Player(behaviour=behaviour)).lines
    return line.stored


def test_fences_may_end_their_lines_with_cr_lf():
    fence = "```yaml\r\na: 1\r\n```"

    assert initial(fence, replace(RECORDED, reads_crlf=True))["stat_data"] == {"a": 1}
    assert initial(fence, RECORDED) is None


def test_marks_in_a_greeting_take_effect_at_once():
    greeting = "<initvar>\nbag: {$meta: {extensible: true}, rope: 1}\n</initvar>"
    careful, recorded = (initial("hp: 1", one, greeting) for one in (replace(RECORDED, strips=True), RECORDED))

    assert careful["stat_data"] == {"bag": {"rope": 1}}
    assert careful["schema"]["properties"]["bag"]["extensible"] is True
    assert recorded["stat_data"] == {"bag": {"$meta": {"extensible": True}, "rope": 1}}
    assert "bag" not in recorded["schema"]["properties"]


def test_every_switch_is_shown():
    shown = {switch for switch, *_ in CASES} | {"reads_crlf"}

    assert shown == {field.name for field in fields(Behaviour)}


def test_a_name_that_is_no_place_of_a_list_is_refused():
    careful = update(BEFORE, "_.insert('list', 'k', 1);")

    assert [refusal.category for refusal in careful.refused] == ["element_not_found"]
    assert update(BEFORE, "_.insert('list', 'k', 1);", RECORDED).refused == ()


@pytest.mark.parametrize("behaviour", [RECORDED, CAREFUL])
@pytest.mark.parametrize("text", ["_.insert('', '$internal', {a: 1});", "_.insert('', {$internal: 1});"])
def test_the_programs_own_name_does_not_stay(text, behaviour):
    open_root = Record({"hp": 1}, generate({"$meta": {"extensible": True}, "hp": 1}))

    after = update(open_root, text, behaviour)

    assert (after.record.tree, after.modified) == ({"hp": 1}, False)


def test_cards_with_their_own_checks_keep_none_of_the_programs_names_either():
    after = update_permissively(Record({"hp": 1}), "_.insert('', '$internal', {a: 1});_.set('$internal', 2);")

    assert (after.record.tree, after.modified) == ({"hp": 1}, False)


@pytest.mark.parametrize("text", ["_.set('hp', 1e999);", "_.add('hp', 1e308);", "_.add('hp', 'x');"])
def test_cards_with_their_own_checks_lose_no_number(text):
    after = update_permissively(Record({"hp": 1e308}), text)

    assert after.record.tree == {"hp": 1e308}
    assert [refusal.category for refusal in after.refused] == ["value_not_number"]
    assert update_permissively(Record({"hp": 1e308}), text, RECORDED).record.tree == {"hp": None}


PATCH = '[{"op":"replace","path":"/hp","value":1}'


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        (f"<JSONPatch>{PATCH}", ["block_not_closed"]),
        (f"<JSONPatch>{PATCH}]</json_patch>", ["block_not_closed"]),
        (f"<UpdateVariable><JSONPatch>{PATCH}", ["block_not_closed"]),
        (f"<JSONPatch>{PATCH}]</JSONPatch>", []),
        ("I shall write a <JSONPatch> now.", []),
    ],
)
def test_a_patch_that_is_cut_off_is_told_of(text, refused):
    assert [refusal.category for refusal in update(BEFORE, text).refused] == refused
    assert update(BEFORE, text, RECORDED).refused == ()


MOVES = [
    ("/bag/rope", "/list/-", {"bag": {}, "list": ["a", 1]}, ""),
    ("/list/0", "/list/0", {"list": ["a"]}, ""),
    ("/bag/rope", "/nowhere/x", {}, "target_not_collection"),
    ("/bag/none", "/bag/x", {}, "path_missing"),
    ("/hp", "/bag/hp", {}, "schema_required"),
    ("/bag/rope", "/bag/__proto__", {}, "unsafe_path"),
    ("/bag/rope", "", {}, "no_target"),
    ("/bag/rope", "/bag/it's", {"bag": {"it's": 1}}, ""),
]


@pytest.mark.parametrize(("source", "target", "changed", "category"), MOVES, ids=lambda value: str(value)[:20])
def test_a_move_is_done_whole_or_not_at_all(source, target, changed, category):
    text = f'<JSONPatch>[{{"op":"move","from":"{source}","path":"{target}"}}]</JSONPatch>'
    after = update(BEFORE, text)

    assert after.record.tree == {**BEFORE.tree, **changed}
    assert [refusal.category for refusal in after.refused] == ([category] if category else [])
