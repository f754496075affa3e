"""Markdown lorebooks: the grammar, its names in two languages, the other dialects, and the way back."""

from dataclasses import replace

import pytest

from lorewright.core.gates import Flag, Gate, KnownBy, Reveal
from lorewright.core.model import ABSENT, Entry, Folder, Odd
from lorewright.core.replaces import Replace
from lorewright.errors import FormatError
from lorewright.formats.markdown.fields import EXTRA_FIELDS, FIELDS, KNOWN, fold_name
from lorewright.formats.markdown.frame import FRAME
from lorewright.formats.markdown.structured import GATE, LAYER, REPLACES
from lorewright.formats.markdown.values import FLAG, LEVEL, LIST, NUMBER, OPPOSITE, TEXT, split_list
from lorewright.formats.markdown.writer import write_markdown
from tests.formats.markdown_books import codes, entries, only, own, read, replace_entry, same

# --- names


SAMPLES = {FLAG: ("yes", True), OPPOSITE: ("yes", False), NUMBER: ("7", 7), LEVEL: ("2", 2), TEXT: ("word", "word")}
SAMPLES |= {LIST: ("a, b", ("a", "b")), LAYER: ("7", 7), GATE: ("{flag: met}", Gate((Flag("met"),)))}
SAMPLES |= {REPLACES: ("[{find: a}]", (Replace("a"),))}
CHOSEN = {"logic": ("not_all", 1), "position": ("at_depth", 4), "role": ("user", 1)}

# Spec formats §5: each of these names must be known, and changed in case, space, `_` and `-`.
OF_THE_GRAMMAR = """
关键词 关键字 触发词 主关键词 keywords keyword keys key triggers 副关键词 次要关键词 secondary secondary_keys keysecondary 逻辑 logic
顺序 排序 order insertion_order 权重 weight 优先级 priority 启用 开启 enabled 禁用 停用 disabled 常驻 恒定 constant always 位置 position
深度 depth 角色身份 身份 role 概率 probability 分组 组 group 扫描深度 scan_depth 粘滞 持续 sticky 冷却 cooldown 延迟 delay
区分大小写 case_sensitive 全词匹配 whole_words 正则 regex 不递归 排除递归 exclude_recursion 阻止递归 prevent_recursion
递归延迟 delay_until_recursion 权威 authority 来源 source 层级 level 限定 限定角色 restricted_to characters 场景 scene 标签 tags
编号 id uid 备注 comment note
""".split()


def test_every_name_of_the_grammar_is_known():
    assert [name for name in OF_THE_GRAMMAR if fold_name(name) not in KNOWN] == []


@pytest.mark.parametrize(
    ("name", "column"), [(name, column) for column in FIELDS for name in (*column.english, *column.chinese)]
)
def test_every_name_changes_the_entry(name, column):
    text, wanted = CHOSEN.get(column.field) or SAMPLES[column.kind]
    bare = only("## x\ntext")

    for spelled in (name, name.upper(), name.replace("_", " "), name.replace("_", "-")):
        for colon in (":", "：", " :"):
            entry = only(f"## x\n- {spelled}{colon} {text}\ntext")

            found = entry.uid if column.field == "id" else (own(entry) if column.own else None)
            if column.field == "id":
                assert found == wanted
            elif column.own:
                assert own(entry) == {column.field: wanted}
            else:
                assert replace(entry, **{column.field: getattr(bare, column.field)}) == bare
                assert getattr(entry, column.field) == wanted
            assert entry.content == "text"


def test_every_field_of_the_model_has_a_name():
    written = {column.field for column in FIELDS if not column.own} | {"title", "content", "uid", "extra", "layout"}

    assert set(Entry.__dataclass_fields__) - written == {"filter"}


# --- values


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *((word, True) for word in "true Yes ON 1 是 开 启用 真 １ ＹＥＳ `yes`".split()),
        *((word, False) for word in "false no OFF 0 否 关 禁用 假 停用 ０".split()),
        ("maybe", ABSENT),
        ("", ABSENT),
    ],
)
def test_switches(text, value):
    assert only(f"## x\n- enabled: {text}").enabled is value
    assert only(f"## x\n- 禁用：{text}").enabled is (value if value is ABSENT else not value)


@pytest.mark.parametrize(
    ("text", "value"), [("7", 7), ("-3", -3), ("０７", 7), ("1.50", 1.5), ("50%", 50), ("1e3", 1000.0), ("`4`", 4)]
)
def test_numbers(text, value):
    assert only(f"## x\n- order: {text}").order == value


@pytest.mark.parametrize("text", ["many", "1,5", "inf", "nan", "9" * 301, "0x1", "1_000"])
def test_what_is_no_number_is_kept_with_a_report(text):
    entry = only(f"## x\n- weight: {text}")

    assert own(entry) == {EXTRA_FIELDS: {"weight": text}}
    assert "bad_value" in codes(f"## x\n- weight: {text}")


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("a, b，c、d|e", "a b c d e".split()),
        ("a,,b,", ["a", "b"]),
        ('"a, b", c', ["a, b", "c"]),
        ('"say \\"hi\\"", x', ['say "hi"', "x"]),
        ('"a\\d", x', ["a\\d", "x"]),
        ("/a,b|c/i, d", ["/a,b|c/i", "d"]),
        (r"/a\/,b/, c", [r"/a\/,b/", "c"]),
        ("/[/,]/u、x", ["/[/,]/u", "x"]),
        ("/open, b", ["/open", "b"]),
        ("and/or, b", ["and/or", "b"]),
        (r"a\, b, c", ["a, b", "c"]),
        ("`a`, `b, c`", ["a", "b", "c"]),
        ("`/a,b/`", ["/a,b/"]),
        ('"a" b, c', ['"a" b', "c"]),
        ("a\nb", ["a", "b"]),
        ("", []),
        ('""', [""]),
    ],
)
def test_lists(text, items):
    assert list(split_list(text)) == items


def test_lists_over_several_lines_and_fields_that_stand_twice():
    entry = only("## x\n- keys:\n  - a\n  * b, c\n- 关键词: d\n- weight: 1\n- 权重: 2\nt")

    assert entry.keys == ("a", "b", "c", "d")
    assert entry.weight == 2
    assert codes("## x\n- keys: a\n- weight: 1\n- 权重: 2\nt") == ["field_conflict"]


def test_named_numbers():
    entry = only("## x\n- 位置: 角色后\n- 逻辑: 非任一\n- role: assistant")
    assert (entry.position, entry.logic, entry.role) == (1, 2, 2)
    assert only("## x\n- position: before char\n- depth: 4").position == 0
    assert only("## x\n- position: 9").position is ABSENT


def test_authority():
    assert only("## x\n- 权威: 本局事实").authority == "本局事实"
    assert only("## x\n- authority: Canon").authority == "Canon"
    assert only("## x\n- authority: my own tier").authority == "my own tier"


FLAG_GATE = Gate((Flag("met"),))


@pytest.mark.parametrize(
    ("text", "gate"),
    [
        ('{"flag": "met"}', FLAG_GATE),
        ("{flag: met}", FLAG_GATE),
        ("flag: met", FLAG_GATE),
        ("`{flag: met}`", FLAG_GATE),
        ("[{flag: met}, {known_by: [Maren]}]", Gate((Flag("met"), KnownBy(("Maren",))))),
        ("{reveal: {book: 西游记, chapter: 3, after: true}}", Gate((Reveal("西游记", 3, after=True),))),
        ("null", None),
    ],
)
def test_a_gate(text, gate):
    for name in ("gate", "Gate", "门", "门禁"):
        assert only(f"## x\n- {name}: {text}\ntext").gate == gate


@pytest.mark.parametrize("text", ["later", "{flag: 1}", "{reveal: {book: x}}", "{flag: a", "", "[]"])
def test_what_is_no_gate_stays_closed(text):
    assert isinstance(only(f"## x\n- keys: a\n- gate: {text}\ntext").gate, Odd)
    assert codes(f"## x\n- keys: a\n- gate: {text}\ntext") == ["bad_value"]


def test_marks_of_the_book_in_the_front_matter():
    text = "---\nauthority: 正典\n来源: system\ngate: {flag: met}\nfolders: [{name: a, gate: {flag: b}}]\n---\n## x\n- keys: k\nt"
    book = read(text).value

    assert (book.authority, book.source, book.gate) == ("正典", "system", FLAG_GATE)
    assert book.folders == (Folder("a", Gate((Flag("b"),))),)
    assert write_markdown(book) == text
    again = read(write_markdown(replace(book, source="user_custom"))).value
    assert (again.authority, again.source, again.gate) == ("正典", "user_custom", FLAG_GATE)
    assert again.folders == book.folders
    assert isinstance(read("---\ngate: [later]\n---\n## x\n- keys: k\nt").value.gate, Odd)


def test_only_a_weight_leaves_the_order_alone():
    assert only("## x\n- weight: 70").order is ABSENT


# --- the field block


def test_a_blank_line_ends_the_block_for_unknown_names_only():
    entry = only("## x\n\n- keys: a\n\n- order: 5\n\n- mood: grim\n- keys: b")

    assert (entry.keys, entry.order) == (("a",), 5)
    assert entry.content == "- mood: grim\n- keys: b"


def test_unknown_fields_are_kept_and_are_no_text():
    entry = only("## x\n- mood: grim\n- keys: a\n- mood: dark\nText")

    assert own(entry) == {EXTRA_FIELDS: {"mood": "grim\ndark"}}
    assert (entry.keys, entry.content) == (("a",), "Text")


def test_what_looks_like_a_field_in_the_text_is_text():
    text = "## x\n- keys: a\nText\n- 关键词: b"

    assert only(text).keys == ("a",)
    assert only(text).content == "Text\n- 关键词: b"
    (report,) = read(text).reports
    assert (report.code, report.entry) == ("field_after_body", "0")


@pytest.mark.parametrize(
    "line",
    ["- https://example.org", "- no field", "- `a`: b", "- a name of more than 24 letters: b", "-keys: a", "- : a"],
)
def test_lines_that_are_no_fields(line):
    entry = only(f"## x\n{line}\nmore")

    assert (entry.keys, entry.extra, entry.content) == (ABSENT, {}, f"{line}\nmore")


def test_bold_labels():
    entry = only("## x\n**Keywords:** a, b\n- **Order**: 5\n* **启用**：否\n**Mood:** grim\nText")

    assert (entry.keys, entry.order, entry.enabled) == (("a", "b"), 5, False)
    assert entry.content == "**Mood:** grim\nText"


# --- headings, fences, the head of the file


def test_number_of_entries_is_number_of_headings():
    text = "# Book\n\nAbout.\n\n## a\n## b\n### deeper\n```\n## code\n```\n\\## text\nSet\n---\n##\n##no"
    book = read(text).value

    assert [entry.title for entry in book.entries] == ["a", "b", ""]
    assert book.entries[1].content == "### deeper\n```\n## code\n```\n## text\nSet\n---"
    assert (book.name, book.extra["description"]) == ("Book", "About.")
    assert read(text).found == read(text).kept == 3


def test_a_fence_that_never_ends_hides_no_entry():
    text = "## a\n```\ncode\n## b\n~~~~\nx\n~~~\n"

    assert [entry.title for entry in entries(text)] == ["a", "b"]
    assert codes(text).count("fence_not_closed") == 3


def test_a_higher_heading_ends_an_entry_and_is_kept():
    text = "## a\none\n# Part two\nwords\n## b\ntwo\n"
    book = read(text).value

    assert [entry.content for entry in book.entries] == ["one", "two"]
    assert "text_outside_entries" in codes(text)
    edited = replace_entry(book, 1, content="three")
    assert write_markdown(edited) == "## a\none\n# Part two\nwords\n\n## b\n\nthree\n"


def test_ids():
    text = "## a {#gate}\n## b\n- id: 7\n## c\n- 编号: gate\n## d {#7}\n## e"

    assert [entry.uid for entry in entries(text)] == ["gate", 7, "gate#2", "7#2", 4]
    assert entries(text)[0].title == "a"
    assert codes(text).count("uid_duplicate") == 2


def test_front_matter():
    text = (
        "---\nname: 'The Book'\nscan_depth: 4  # deep\ntoken budget: many\nrecursive_scanning: 是\n"
        "entry_level: 3\nauthors:\n  - Ann\n  - Bo\n---\n## Part\n### a\nx\n"
    )
    book = read(text).value

    assert [entry.title for entry in book.entries] == ["a"]
    assert book.name == "The Book"
    settings = {name: value for name, value in book.extra.items() if name != FRAME}
    assert settings == {
        "scan_depth": 4,
        "token budget": "many",
        "recursive_scanning": True,
        "authors": ("Ann", "Bo"),
        "description": "## Part",
    }
    assert {"bad_value", "unknown_field"} <= set(codes(text))


def test_crlf():
    text = "# B\r\n\r\n## a\r\n- keys: x, y\r\n\r\none\r\ntwo\r\n"
    book = read(text).value

    assert book.entries[0].keys == ("x", "y")
    assert book.entries[0].content == "one\ntwo"
    assert write_markdown(book) == text
    assert (
        write_markdown(replace_entry(book, 0, content="1\n2"))
        == "# B\r\n\r\n## a\r\n- keywords: x, y\r\n\r\n1\r\n2\r\n"
    )


def test_a_note_with_its_fields_in_the_front_matter():
    text = "---\ntags: [a, b]\nkeywords:\n  - gate\n  - wall\nmood: grim\n---\n# The Gate\n\nText.\n\n## Part\n"
    book = read(text, name="gate").value
    (entry,) = book.entries

    assert (book.name, entry.title, entry.keys) == ("gate", "The Gate", ("gate", "wall"))
    assert own(entry) == {"tags": ("a", "b"), EXTRA_FIELDS: {"mood": "grim"}}
    assert entry.content == "Text.\n\n## Part"
    assert write_markdown(book) == text
    assert same(read(write_markdown(replace_entry(book, 0, order=4))).value, replace_entry(book, 0, order=4))


def test_a_table():
    text = (
        "# B\nAbout.\n\n| title | keywords | content | weight | mood |\n|---|:--|---|---|---|\n"
        "| Gate | a, b | One<br>two \\| three | 7 | grim |\n| Wall | | | | |\n"
    )
    book = read(text).value

    assert [(entry.title, entry.keys, entry.content) for entry in book.entries] == [
        ("Gate", ("a", "b"), "One\ntwo | three"),
        ("Wall", ABSENT, ""),
    ]
    assert book.entries[0].weight == 7
    assert own(book.entries[0]) == {EXTRA_FIELDS: {"mood": "grim"}}
    assert write_markdown(book) == text
    edited = replace_entry(book, 1, content="x")
    assert same(read(write_markdown(edited)).value, edited)


def test_reports_of_the_seed():
    text = "## a\nno keys\n## b\n- keys: x\n## c\n- constant: yes\n- enabled: no\nx"

    assert [(report.code, report.entry) for report in read(text).reports] == [
        ("entry_never_activates", "0"),
        ("entry_empty_content", "1"),
    ]
    assert [entry.enabled for entry in entries(text)] == [ABSENT, ABSENT, False]


def test_a_text_that_is_too_long_is_refused():
    with pytest.raises(FormatError, match="Split it"):
        read("x" * (4 * 1024 * 1024 + 1))
    with pytest.raises(FormatError):
        read(None)
