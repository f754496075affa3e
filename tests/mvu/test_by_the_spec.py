"""Rules of the spec (mvu-vars, by section) in cases of our own: what no recorded case of this repository shows. All with
the program's behaviour."""

import pytest

from lorewright.mvu.answer import TOOL_NAME, from_structure, from_text, from_tool_call
from lorewright.mvu.arguments import read_argument, split_arguments
from lorewright.mvu.behaviour import CAREFUL, RECORDED
from lorewright.mvu.commands import find_commands
from lorewright.mvu.dates import date_after, is_date
from lorewright.mvu.initial import EMPTY_RECORD, InitialBook, load_initial, with_greeting
from lorewright.mvu.record import Record
from lorewright.mvu.refusal import Refused
from lorewright.mvu.schema import generate, strip
from lorewright.mvu.update import update
from lorewright.mvu.values import UNDEFINED


def found(text):
    return [(one.op, one.path, list(one.arguments[1:]), one.reason) for one in find_commands(text, RECORDED).commands]


FINDING = [
    ("2: names are case-sensitive", "_.Set('a', 1); _.SET('a', 1);", []),
    ("2: no white space inside", "_ .set('a', 1); _. set('a', 1); _.set ('a', 1);", []),
    ("2: not anchored on the left", "x_.set('a', 1);__.set('b', 2);", [("set", "a", ["1"], ""), ("set", "b", ["2"], "")]),
    ("2a: one backslash hides a quote", "_.set('a', 'it\\'s (');", [("set", "a", ["'it\\'s ('"], "")]),
    ("2a: two hide it as well", '_.set("a", "C:\\\\");', []),
    ("2a: go on behind the open parenthesis", "_.set(_.add('a', 1);", [("add", "a", ["1"], "")]),
    ("2b: no space before the semicolon", "_.set('a', 1) ; _.set('b', 2)；", []),
    ("2c: a reason on the next line", "_.set('a', 1);\n\n  // why  \n", [("set", "a", ["1"], "why")]),
    ("2c: a reason takes the line", "_.set('a', 1);//x _.set('b', 2);", [("set", "a", ["1"], "x _.set('b', 2);")]),
    ("2d: blank in the middle stays", "_.set('a', , 1);", [("set", "a", ["", "1"], "")]),
    ("2d: a blank last piece is dropped", "_.set('a', 1, );", [("set", "a", ["1"], "")]),
    ("2d: a full-width comma does not split", "_.set('a'， 1);", []),
    ("2e: too few", "_.set('a'); _.insert('a'); _.delete();", []),
    ("2e: add takes two", "_.add('a'); _.add('a', 1, 2);", []),
    ("2: move is not read as a function", "_.move('a', 'b');", []),
    ("5: other names", "_.assign('a', 1);_.remove('a');_.unset('b');", [
        ("insert", "a", ["1"], ""), ("delete", "a", [], ""), ("delete", "b", [], ""),
    ]),
    ("2: a comment and an analysis do not matter", "<Analysis>// _.set('a', 1);</Analysis>", [("set", "a", ["1"], "")]),
    ("3: an inner tag begins anew", '<JSONPatch><json_patch>[{"op":"remove","path":"/a"}]</json_patch>', [
        ("delete", "a", [], "json_patch"),
    ]),
    ("3: tags of two names do not meet", '<JSONPatch>[{"op":"remove","path":"/a"}]</json_patch>', []),
    ("3: a tag with attributes is none", '<JSONPatch x="1">[{"op":"remove","path":"/a"}]</JSONPatch>', []),
    ("3: no slash at first", '<jsonpatch>[{"op":"replace","path":"a/b","value":[1]}]</JSONPATCH>', [
        ("set", "a.b", ["[1]"], "json_patch"),
    ]),
    ("3: tilde stays", '<JSONPatch>[{"op":"delta","path":"/a~1b","value":-2}]</JSONPatch>', [
        ("add", "a~1b", ["-2"], "json_patch"),
    ]),
    ("3: digits are a number, else a text", '<JSONPatch>[{"op":"add","path":"/a/0","value":1},{"op":"insert","path":"/a/-","value":2}]</JSONPatch>', [
        ("insert", "a", ["0", "1"], "json_patch"), ("insert", "a", ["'-'", "2"], "json_patch"),
    ]),
    ("3: others are passed over", '<JSONPatch>[{"op":"test","path":"/a"},{"op":"Replace","path":"/a","value":1}]</JSONPatch>', []),
    ("3: one bad item drops all", '<JSONPatch>[{"op":"remove","path":"/a"},{"op":"remove"}]</JSONPatch>', []),
    ("3: move", '<JSONPatch>[{"op":"move","from":"/a","to":"/b/c"}]</JSONPatch>', [("move", "a", ["b.c"], "json_patch")]),
    ("4: by place in the text", "_.set('z', 1);<JSONPatch>[{\"op\":\"remove\",\"path\":\"/a\"}]</JSONPatch>_.set('y', 1);", [
        ("set", "z", ["1"], ""), ("delete", "a", [], "json_patch"), ("set", "y", ["1"], ""),
    ]),
    ("6: the pipe syntax is not read", "set|a=0→1|(why)", []),
]  # fmt: skip


@pytest.mark.parametrize(("text", "commands"), [row[1:] for row in FINDING], ids=[row[0] for row in FINDING])
def test_finding(text, commands):
    assert found(text) == commands


VALUES = [
    ("true", True),
    ("True", True),  # YAML
    ("undefined", UNDEFINED),
    ("'true'", "true"),
    ("[1, 'a', {b: +1,}]", [1, "a", {"b": 1}]),
    ("{剑: .5, 'x y': 0x10, // note\n}", {"剑": 0.5, "x y": 16}),
    ("[剑, 盾]", ["剑", "盾"]),
    ("[1,,2]", [1, None, 2]),
    ("`two\nlines`", "`two\nlines`"),
    ("50%", 0.5),
    ("200 + 10%", 220),
    ("-7 % 3", 2),
    ("2(3) + 4", 10),
    ("0.1 + 0.2", 0.3),
    ("round(-2.5)", -3),
    ("Math.round(-2.5)", -2),
    ("Math.trunc(-2.7)", -2),
    ("1 > 2 ? 3 : 4", 4),
    ("5!", 120),
    ("2^3^2", 512),
    ("-2^2", -4),
    ("max(1, 2, 3)", 3),
    ("2 ** 3", "2 ** 3"),
    ("7 // 2", "7 // 2"),
    ("int(5)", "int(5)"),
    ("3×4", "3×4"),
    ("hp - 5", "hp - 5"),
    ("3/5", 0.6),
    ("2024-01-01", 2022),
    ("'10+2'", "10+2"),
    ("'5'", "5"),
    ("a # b", "a"),
    ("~", None),
    ("- x", ["x"]),
    ("a: b", {"a": "b"}),
    ("'it''s'", "it's"),
    ("@x", "@x"),
    ("*a", "*a"),
    ("yes", "yes"),
    ("“quoted”", "“quoted”"),
]


@pytest.mark.parametrize(("source", "value"), VALUES)
def test_values(source, value):
    read = read_argument(source, RECORDED)

    assert (type(read), read) == (type(value), value)


@pytest.mark.parametrize(
    "source", ["alert(1)", "[alert(1)]", "{get a() { return 1 }}", "[...x]", "{[a]: 1}", "`${1 + 1}`"]
)
def test_programs_stay_texts_or_lists_of_texts(source):
    read = read_argument(source, RECORDED)

    assert not isinstance(read, (int, float))


@pytest.mark.parametrize("source", ['{"__proto__": 1}', "[{constructor: {}}]", "{a: {prototype: 1}}", "__proto__: 1"])
def test_values_that_reach_behind_objects_are_refused(source):
    with pytest.raises(Refused) as caught:
        read_argument(source, RECORDED)
    assert caught.value.category == "unsafe_path"


def test_dates_and_times_are_texts_where_we_are_careful():
    for text in ("2024-01-01", "09:15", "12:30:59", "1/2/2024", "2024.5.6", "e", "i", "pi"):
        assert read_argument(text, CAREFUL) == text


def test_arguments_are_split_outside_of_brackets_of_their_kind():
    assert split_arguments("a, [b, (c], d), 'e, f', {g: 1, h: 2},") == ["a", "[b, (c], d)", "'e, f'", "{g: 1, h: 2}"]
    assert split_arguments("'a', [b, c], {d: [e, f]}, `g, h`") == ["'a'", "[b, c]", "{d: [e, f]}", "`g, h`"]


TREE = {
    "$meta": {"extensible": False},
    "n": 10,
    "s": "text",
    "b": True,
    "none": None,
    "pair": [5, "five"],
    "pair_of_list": [["a"], "list"],
    "day": ["2024-01-01", "today"],
    "list": ["a", "b", "a", "$__META_EXTENSIBLE__$"],
    "closed": ["a", "b"],
    "bag": {"$meta": {"extensible": True, "required": ["rope"], "template": {"size": 1}}, "rope": {}, "lamp": {}},
    "items": [{"$arrayMeta": True, "$meta": {"extensible": True, "template": {"kind": "thing"}}}, {"kind": "sword"}],
    "fixed": {"a": 1, "b": {"c": 2}},
    "wild": {"$meta": {"recursiveExtensible": True}, "deep": {"deeper": {}}},
}  # fmt: skip
BEFORE = Record(strip(TREE), generate(TREE))
COMMANDS = [
    # 5 set
    ("_.set('pair', 7);", {"pair": [7, "five"]}),
    ("_.set('pair', true);", {"pair": [1, "five"]}),
    ("_.set('pair', 'seven');", {"pair": [None, "five"]}),
    ("_.set('pair', null);", {"pair": [None, "five"]}),
    ("_.set('pair_of_list', ['b']);", {"pair_of_list": ["b"]}),
    ("_.set('pair_of_list[0]', ['b']);", {"pair_of_list": [["b"], "list"]}),
    ("_.set('n', ' 80 ');", {"n": 80}),
    ("_.set('n', '');", {"n": 0}),
    ("_.set('n', '0x1f');", {"n": 31}),
    ("_.set('n', null);", {"n": None}),
    ("_.set('n', [7]);", {"n": [7]}),
    ("_.set('s', 5);", {"s": 5}),
    ("_.set('n', 1, 2, 3);", {"n": 3}),
    ("_.set('fixed.x', 1);", "path_missing"),
    ("_.set('list[2]', 'c');", {"list": ["a", "b", "c"]}),
    ("_.set('list[3]', 'c');", "path_missing"),
    ("_.set('list.length', 0);", "path_missing"),
    # 5 add
    ("_.add('n', 0.1); _.add('n', 0.2);", {"n": 10.3}),
    ("_.add('n', '5');", "delta_not_number"),
    ("_.add('b', 1);", "value_not_number_or_date"),
    ("_.add('s', 1);", "value_not_number_or_date"),
    ("_.add('pair', -2);", {"pair": [3, "five"]}),
    ("_.add('day', 86400000);", {"day": ["2024-01-02T00:00:00.000Z", "today"]}),
    ("_.add('list', 1);", "value_not_number_or_date"),
    # 5 insert
    ("_.insert('list', 'c');", {"list": ["a", "b", "a", "c"]}),
    ("_.insert('list', ['c', 'd']);", {"list": ["a", "b", "a", ["c", "d"]]}),
    ("_.insert('list', 1, 'c');", {"list": ["a", "c", "b", "a"]}),
    ("_.insert('list', -1, 'c');", {"list": ["a", "b", "c", "a"]}),
    ("_.insert('list', 1.9, 'c');", {"list": ["a", "c", "b", "a"]}),
    ("_.insert('list', 99, 'c');", {"list": ["a", "b", "a", "c"]}),
    ("_.insert('list', '-', 'c');", {"list": ["a", "b", "a", "c"]}),
    ("_.insert('closed', 'c');", "schema_not_extensible"),
    ("_.insert('fixed', 'x', 1);", "schema_not_extensible"),
    ("_.insert('fixed', 'a', 9);", {"fixed": {"a": 9, "b": {"c": 2}}}),
    ("_.insert('fixed', {a: 9});", "schema_not_extensible"),
    ("_.insert('bag', 'key', {size: 2});", {"bag": {"rope": {}, "lamp": {}, "key": {"size": 2}}}),
    ("_.insert('bag', 'key', {of: 'iron'});", {"bag": {"rope": {}, "lamp": {}, "key": {"size": 1, "of": "iron"}}}),
    ("_.insert('bag', {key: {}});", {"bag": {"rope": {}, "lamp": {}, "key": {}}}),
    ("_.insert('bag', 'key');", "merge_type_mismatch"),
    ("_.insert('bag', 'key', 1); _.set('bag.key', 2);", {"bag": {"rope": {}, "lamp": {}, "key": 2}}),
    ("_.insert('items', {of: 'iron'});", {"items": [{"kind": "sword"}, {"kind": "thing", "of": "iron"}]}),
    ("_.insert('nowhere', 'x', 1);", "target_not_collection"),
    ("_.insert('n', 1);", "target_not_collection"),
    ("_.insert('wild.deep.deeper', 'x', {y: {}}); _.insert('wild.deep.deeper.x.y', 'z', 1);",
     {"wild": {"deep": {"deeper": {"x": {"y": {"z": 1}}}}}}),
    # 5 delete
    ("_.delete('closed[0]');", {"closed": ["b"]}),
    ("_.delete('closed', 'a');", "schema_not_extensible"),
    ("_.delete('list', 'a');", {"list": ["b", "a"]}),
    ("_.delete('list', 1);", {"list": ["a", "a"]}),
    ("_.delete('list', 'z');", "element_not_found"),
    ("_.delete('bag.lamp');", {"bag": {"rope": {}}}),
    ("_.delete('bag.rope');", "schema_required"),
    ("_.delete('bag', 'rope');", "schema_required"),
    ("_.delete('bag', 1);", {"bag": {"rope": {}}}),
    ("_.delete('fixed.a');", "schema_required"),
    ("_.delete('s', 'x');", "target_not_collection"),
    ("_.delete('');", "path_missing"),
    ("_.delete('n', undefined);", "no_target"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "outcome"), COMMANDS)
def test_commands(text, outcome):
    after = update(BEFORE, text, RECORDED)

    if isinstance(outcome, str):
        assert [one.category for one in after.refused] == [outcome]
        assert (after.record.tree, after.modified) == (BEFORE.tree, False)
    else:
        assert after.refused == ()
        assert after.record.tree == {**BEFORE.tree, **outcome}


CHANGES = [
    ("_.set('pair', 7);//why", "pair", "5->7 (why)"),
    ("_.set('s', 'new');", "s", "text->new "),
    ("_.add('n', 5);", "n", "10->15 "),
    ("_.insert('list', 'c');//r", "list", "ASSIGNED \"c\" into array 'list' (r)"),
    ("_.insert('list', 1, 'c');", "list", "ASSIGNED \"c\" into 'list' at index 1 "),
    ("_.insert('list', '-', 'c');", "list", "ASSIGNED \"c\" into 'list' at index tail "),
    ("_.insert('bag', 'k', 1);", "bag", "ASSIGNED key 'k' with value 1 into object 'bag' "),
    ("_.insert('bag', {k: 1});", "bag", "MERGED object {\"k\":1} into object 'bag' "),
    ("_.delete('bag.lamp');", "bag.lamp", "REMOVED path 'bag.lamp' "),
    ("_.delete('list', 'a');", "list", "REMOVED item from 'list' "),
    ("_.delete('bag', 'lamp');", "bag", "REMOVED key 'lamp' from object 'bag' "),
    ("_.delete('bag', 1);", "bag", "REMOVED 2th entry ('lamp') from object 'bag' "),
]


@pytest.mark.parametrize(("text", "path", "change"), CHANGES)
def test_changes_as_status_bars_show_them(text, path, change):
    after = update(BEFORE, text, RECORDED)

    assert [one.text for one in after.changes] == [change]
    at = after.record.delta
    for step in path.split("."):
        at = at[step]
    assert at == change


def test_without_commands_nothing_changed_is_shown():
    after = update(Record({"a": 1}, generate({"a": 1}), display={"a": "0->1"}, delta={"a": "0->1"}), "Hm.", RECORDED)

    assert (after.record.display, after.record.delta) == ({"a": 1}, {})


def read_initial(*books):
    return load_initial(EMPTY_RECORD, books, behaviour=RECORDED)


def test_books_stand_in_order_and_the_first_one_has_a_name_for_itself():
    extra = InitialBook("extra", "additional", (("[initvar]", "a: {x: 3}\nc: 3"),))
    primary = InitialBook("primary", "primary", (("[INITVAR]", "a: {x: 2, y: 2}\nb: 2"),))
    shared = InitialBook(
        "shared", "global", (("first [initvar]", "a: {x: 1}"), ("[initvar] more", "a: {z: 1}\nl: [1, 2]"))
    )

    loaded = read_initial(extra, primary, shared)

    assert loaded.record.tree == {"a": {"x": 1, "z": 1}, "l": [1, 2], "b": 2, "c": 3}
    assert loaded.record.books == ("shared", "primary", "extra")


def test_in_a_book_later_entries_win_and_lists_are_replaced():
    book = InitialBook(
        "b", "primary", (("[initvar]", "a: {l: [1, 2, 3], o: {x: 1}}"), ("[initvar]", "a: {l: [9], o: {y: 2}}"))
    )

    assert read_initial(book).record.tree == {"a": {"l": [9], "o": {"x": 1, "y": 2}}}


def test_a_broken_entry_takes_its_book_out_and_no_other():
    broken = InitialBook("broken", "global", (("[initvar]", "a: 1"), ("[initvar]", "b: *nothing")))
    sound = InitialBook("sound", "primary", (("[initvar]", "c: 1"),))

    loaded = read_initial(broken, sound)

    assert loaded.record.tree == {"c": 1}
    assert [(one.code, one.book) for one in loaded.reports] == [("mvu_initial_unreadable", "broken")]


@pytest.mark.parametrize(
    "content",
    [
        "a: 1",
        '{"a": 1}',
        "```yaml\na: 1\n```",
        "Some words.\n<initvar>\n```json\n{a: 1}\n```\n</initvar>\nMore words.",
        "<initvar>\na: 1\n</initvar>",
    ],
)
def test_content_may_be_wrapped(content):
    assert read_initial(InitialBook("b", "primary", (("[initvar]", content),))).record.tree == {"a": 1}


def test_a_greeting_takes_the_place_of_the_primary_book():
    shared = InitialBook("shared", "global", (("[initvar]", "a: 1\nb: 1"),))
    primary = InitialBook("primary", "primary", (("[initvar]", "b: 2\nc: 2"),))
    record = read_initial(shared, primary).record

    greeted = with_greeting(record, "Hi <INITVAR>{c: 3}</initvar> and <initvar>d: 4</initvar>", (shared, primary))

    assert greeted.record.tree == {"a": 1, "b": 1, "c": 3, "d": 4}


DATES = [
    ("2024-02-28", 86_400_000, "2024-02-29T00:00:00.000Z"),
    ("2024-01-01T08:00:00Z", 1, "2024-01-01T08:00:00.001Z"),
    ("2024-01-01T08:00:00+08:00", 0, "2024-01-01T00:00:00.000Z"),
    ("2024/1/5", 0, "2024-01-05T00:00:00.000Z"),
    ("2024-01-01 08:30", -60_000, "2024-01-01T08:29:00.000Z"),
]


@pytest.mark.parametrize(("text", "milliseconds", "after"), DATES)
def test_dates(text, milliseconds, after):
    assert date_after(text, milliseconds) == after


@pytest.mark.parametrize(
    "text", ["Day 3", "HP 100", "a-1", "80", "2024", "2024-13-40", "12:30", "", "第3天", "2024-01/05"]
)
def test_what_only_looks_like_a_date_to_a_browser_is_none(text):
    assert not is_date(text)


def test_answers_in_words():
    block = "<update>_ . set ('a', 1);</update>"
    assert from_text(f"<UpdateVariable>first</UpdateVariable> then {block} end") == block
    assert from_text("<variableupdate>_.add('a', 1); and no end") == "<variableupdate>_.add('a', 1); and no end"
    assert from_text("<update>json_patch</update>") == "<update>json_patch</update>"
    assert from_text("<update>I set a to 1.</update>") is None
    assert from_text("_.set('a', 1);") is None


PATCH = '[{"op":"remove","path":"/a"}]'


@pytest.mark.parametrize(
    "content", [PATCH, f'{{"patch": {PATCH}}}', f'```json\n{{"jsonPatch": {PATCH}}}\n```', f'{{"delta": {PATCH}}}']
)
def test_answers_in_json(content):
    block = from_structure(content)

    assert found(block) == [("delete", "a", [], "json_patch")]


@pytest.mark.parametrize("content", ["5", "words", '{"patch": 5}', '{"other": []}', '{"patch": [{"op": 1}]}'])
def test_answers_in_json_without_a_patch(content):
    assert from_structure(content) is None


def test_answers_by_a_tool():
    name = f"{TOOL_NAME}abc"
    assert found(from_tool_call(name, '{"delta": "_.set(\'a\', 1);"}')) == [("set", "a", ["1"], "")]
    assert from_tool_call(name, '{"delta": "[]"}') is None  # not longer than five
    assert from_tool_call("other", '{"delta": "_.set(\'a\', 1);"}') is None
    assert from_tool_call(name, '{"analysis": "x"}') is None
