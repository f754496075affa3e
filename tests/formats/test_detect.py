"""What a file is: by its bytes, by its text, by its shape; and what is said of those that are not read."""

import json

import pytest

from lorewright.errors import FormatError
from lorewright.formats.detect import detect
from lorewright.formats.kinds import KINDS, readable
from lorewright.formats.nearest import nearest
from lorewright.formats.shapes import SHAPES
from tests.effort import cpu_below
from tests.formats.pictures import END, HEAD, PIXELS, card, encoded, picture, text

MIB = 1024 * 1024


def refusal(data: bytes) -> FormatError:
    with pytest.raises(FormatError) as caught:
        detect(data)
    assert caught.value.message.endswith(".")
    caught.value.message.encode()
    return caught.value


BINARY = {
    "zip": b"PK\x03\x04rest",
    "charx": b"PK\x03\x04......card.json......PK\x05\x06" + bytes(18),
    "charx_jpeg": b"\xff\xd8\xff\xe0....PK\x03\x04..card.json..PK\x05\x06" + bytes(18),
    "byaf": b"PK\x03\x04......manifest.json",
    "jpeg": b"\xff\xd8\xff\xe0....",
    "webp": b"RIFF\x10\0\0\0WEBPVP8 ",
    "gzip": b"\x1f\x8b\x08\0",
    "rar": b"Rar!\x1a\x07",
    "seven_zip": b"7z\xbc\xaf\x27\x1c",
    "pickle": b"\x80\x04\x95\x10\0",
    "lfs_pointer": b"version https://git-lfs.github.com/spec/v1\noid sha256:ab\n",
    "risum": b"\x6f\x00\x02\0\0\0\xe6\x11\0",
    "yaml": b"---\nname: x\n",
    "png": picture(),
}


@pytest.mark.parametrize("kind", BINARY)
def test_what_is_no_json_is_refused_by_its_name(kind):
    error = refusal(BINARY[kind])

    assert error.facts["format"] == kind


def test_yaml_needs_no_dashes_and_a_pickle_in_a_zip_is_a_pickle():
    assert refusal(b"name: Al\nspec: x\n").facts["format"] == "yaml"
    assert refusal(b"PK\x03\x04archive/data.pkl").facts["format"] == "pickle"


@pytest.mark.parametrize(
    "text",
    [
        "# Book\n\n## Entry\n- keywords: a\n",
        "# Book\n" + "words\n" * 2000 + "## Entry\n",
        "---\nname: Book\nentry_level: 3\n---\n\n### Entry\n",
        "---\nkeywords: [a, b]\n---\nText\n",
        "| title | keywords | content |\n|---|---|---|\n| a | b | c |\n",
    ],
)
def test_markdown(text):
    assert detect(text.encode()).format == "markdown_lorebook"
    assert detect(text.replace("\n", "\r\n").encode("utf-8-sig")).format == "markdown_lorebook"


@pytest.mark.parametrize("text", ["Just words.", "---\nname: x\n---\nname: y\n", "| a | b |\n|---|---|\n| c | d |\n"])
def test_what_is_no_markdown_lorebook(text):
    assert refusal(text.encode()).facts.get("format") in {None, "yaml"}


def test_a_refusal_names_what_can_be_read():
    error = refusal(b"\x1f\x8b\x08\0")

    assert "looks like a gzip archive" in error.message
    assert len(error.message) < 250, "all that is read is in `reads`, for programs"
    assert error.facts["reads"] == tuple(kind.id for kind in readable())


def test_settings_are_refused_as_not_importable():
    error = refusal(b'{"power_user": {}, "world_info_settings": {}}')

    assert "not importable" in error.message
    assert error.facts["format"] == "st_settings"


V1 = {"name": "A", "description": "d", "first_mes": "f"}
ENTRY = {"uid": 0, "key": ["a"], "content": "x"}
SHAPED = [
    ("native_json", {"lorewright": 1, "entries": []}),
    ("card_v2", card("A")),
    ("card_v3", card("A", "chara_card_v3")),
    ("card_newer", card("A", "chara_card_v9")),
    ("lorebook_v3", {"spec": "lorebook_v3", "data": {"entries": []}}),
    ("novelai_lorebook", {"lorebookVersion": 5, "entries": []}),
    ("novelai_story", {"scenarioVersion": 1}),
    ("novelai_story", {"storyContainerVersion": 1}),
    ("agnai_book", {"kind": "memory", "name": "m", "entries": [{"name": "n", "entry": "e", "keywords": ["k"]}]}),
    ("agnai_character", {"kind": "character", "name": "A", "persona": {}, "greeting": "hi"}),
    ("risu_lorebook", {"type": "risu", "ver": 1, "data": []}),
    ("risu_memory_preset", {"type": "risu", "data": {}}),
    ("risu_module", {"type": "risuModule", "module": {}}),
    ("risu_regex", {"type": "regex", "data": []}),
    ("risu_preset", {"name": "p", "promptTemplate": [], "promptSettings": {}}),
    ("st_preset_chat", {"temperature": 1, "prompts": [{"identifier": "main"}]}),
    ("st_preset_chat", {"prompts": [], "prompt_order": []}),
    ("st_preset_chat", {"temperature": 1, "main_prompt": "x"}),
    ("st_prompt_export", {"version": 1, "type": "full", "data": {"prompts": []}}),
    ("st_master_export", {"instruct": {}, "context": {}}),
    ("st_instruct", {"input_sequence": "a", "output_sequence": "b"}),
    ("st_context", {"story_string": "x"}),
    ("st_sysprompt", {"name": "n", "content": "c"}),
    ("st_regex", {"findRegex": "x", "scriptName": "n"}),
    ("st_regex", [{"findRegex": "x", "scriptName": "n"}]),
    ("st_quickreply", {"version": 2, "name": "n", "qrList": []}),
    ("st_quickreply", {"quickReplySlots": []}),
    ("chub_lorebook", {"is_creation": False, "entries": {"1": {"keys": ["a"], "content": "x"}}}),
    ("st_worldinfo", {"is_creation": False, "entries": {"1": {**ENTRY, "keys": ["a"]}}}),
    ("st_worldinfo", {"entries": {"0": ENTRY}}),
    ("st_worldinfo", {"entries": [ENTRY]}),
    ("st_worldinfo", {"entries": {}}),
    ("st_worldinfo", {"entries": []}),
    ("st_worldinfo", {"entries": {"0": {"content": "no keys at all"}}}),
    ("st_worldinfo", {"entries": {"0": None}}),
    ("st_worldinfo", {"name": "n", "description": "d", "entries": {"0": ENTRY}}),
    ("character_book", {"name": "n", "entries": [{"keys": ["a"], "content": "x"}]}),
    ("agnai_book", {"name": "n", "entries": [{"keywords": ["a"], "entry": "x"}]}),
    ("kobold_story", {"gamestarted": True}),
    ("kobold_story", {"worldinfo": [], "memory": ""}),
    ("card_pygmalion", {"char_name": "A", "char_persona": "p"}),
    ("card_ooba", {"name": "A", "context": "c", "greeting": "hi"}),
    ("card_ooba", {"bot": "A", "context": "c"}),
    ("card_v1", V1),
    ("card_v1", {"name": "A", "description": "d", "personality": "p"}),
    ("st_preset_textgen", {"temp": 1, "rep_pen": 1}),
    ("st_preset_textgen", {"temperature": 1, "top_k": 1}),
    ("aidungeon_wi", [{"keys": "a, b", "entry": "x"}]),
    ("janitor_lorebook", [{"key": ["a"], "content": "x", "keysRaw": "a"}]),
    ("entry_list", [{"key": ["a"], "content": "x"}]),
    ("entry_list", [{"keys": ["a"], "content": "x"}, {"keywords": ["b"], "content": "y"}]),
    ("bundle", [card("A"), V1]),
    ("bundle", [{"entries": {"0": ENTRY}}, {"entries": {}}]),
    ("chat_request", {"model": "m", "messages": [], "temperature": 1, "top_k": 3}),
    ("role_messages", [{"role": "user", "content": "x"}]),
    ("named_messages", [{"name": "A", "mes": "x"}]),
    ("st_chat", {"user_name": "A", "character_name": "B", "chat_metadata": {}}),
    ("st_settings", {"power_user": {}, "world_info_settings": {}}),
    ("st_personas", {"personas": {}, "persona_descriptions": {}, "default_persona": None}),
    ("native_preset", {"lorewright": 1, "kind": "preset", "prompts": []}),
    ("native_card", {"lorewright": 1, "kind": "card", "name": "A"}),
    ("native_persona", {"lorewright": 1, "kind": "persona", "text": ""}),
    ("native_json", {"lorewright": 1, "kind": "novel", "entries": []}),
]


@pytest.mark.parametrize(("kind", "value"), SHAPED)
def test_shapes(kind, value):
    data = json.dumps(value).encode()

    found = detect(data).format if KINDS[kind].reads else refusal(data).facts["format"]

    assert found == kind


def test_every_row_of_the_table_has_an_example_and_a_known_kind():
    assert {shape.kind for shape in SHAPES} == {kind for kind, _ in SHAPED}
    assert {shape.row for shape in SHAPES} >= set(range(1, 27))
    assert {shape.kind for shape in SHAPES} <= set(KINDS)


WEIRD: list[object] = [
    None,
    True,
    5,
    1.5,
    "text",
    [],
    {},
    [1, 2],
    [[]],
    {"spec": None},
    {"spec": ["chara_card_v2"]},
    {"entries": 5},
]
WEIRD += [{"entries": [1]}, {"type": "risu", "data": 1}, {"prompts": [1]}, {"prompts": {}}, {"kind": []}, [None], [{}]]
WEIRD += [{"version": 1, "type": [], "data": 3}, {"messages": {}}, {"lorebookVersion": True}]


@pytest.mark.parametrize("value", WEIRD, ids=str)
def test_no_value_breaks_the_table(value):
    error = refusal(json.dumps(value).encode())

    assert "format" not in error.facts


def test_an_unknown_shape_lists_its_names_and_the_nearest_formats():
    error = refusal(b'{"entrys": {"0": {}}, "scan_dept": 4, "token_budget": 10}')

    assert error.facts["keys"] == ("entrys", "scan_dept", "token_budget")
    assert isinstance(error.facts["nearest"], tuple)
    assert error.facts["nearest"][0] == "chub_lorebook"
    assert len(error.facts["nearest"]) == 3
    assert "`entrys`, `scan_dept`, `token_budget`" in error.message


def test_nearest_prefers_the_exact_names():
    assert nearest(("findRegex", "trimStrings", "placement"))[0] == "st_regex"
    assert nearest(("story_string", "chat_start"))[0] == "st_context"
    assert len(nearest(())) == 3


def test_names_that_cannot_be_printed_do_not_break_the_message():
    assert "\\ud800" in refusal(b'{"\\ud800": 1, "' + b"x" * 9999 + b'": 2}').message


@pytest.mark.parametrize(
    "header",
    ['{"note": "' + "x" * 2 * MIB + '"}', '{"number": ' + "9" * 5000 + "}", '{"deep": ' + "[" * 80 + "]" * 80 + "}"],
    ids=["long", "digits", "deep"],
)
def test_lines_are_a_chat_whatever_the_first_one_holds(header):
    found = detect(f'{header}\n{{"name": "Max", "mes": "Hello."}}\n'.encode())

    assert found.format == "st_chat"


def test_lines_over_a_limit_are_refused_by_it():
    values = ",".join(["[]"] * 2_000_001)

    error = refusal(f'{{"values": [{values}]}}\n{{"mes": "Hello."}}\n'.encode())

    assert error.facts["limit"] == 2_000_000


def test_json_in_json_is_unwrapped_once():
    inner = json.dumps({"entries": {}})

    found = detect(json.dumps(inner).encode())

    assert found.format == "st_worldinfo"
    assert [report.code for report in found.notes.reports()] == ["json_unwrapped"]
    refusal(json.dumps(json.dumps(inner)).encode())


def test_a_picture_with_something_else_in_it():
    assert detect(picture(text("chara", encoded(card("A"))))).format == "card_v2_png"
    assert detect(picture(text("chara", encoded(V1)))).format == "card_v1_png"
    assert refusal(picture(text("chara", encoded({"entries": {}})))).facts["format"] == "st_worldinfo"
    assert refusal(picture(text("chara", encoded({"findRegex": "", "scriptName": ""})))).facts["format"] == "st_regex"
    assert refusal(picture(text("naidata", b"e30K!"))).facts["format"] == "novelai_lorebook_png"


HOSTILE = {
    "empty": b"",
    "white space": b" \n\t ",
    "zeros": bytes(1000),
    "one brace": b"{",
    "one bracket": b"[",
    "open text": b'{"a": "',
    "a bomb of lists": b"[" * 100_000,
    "a bomb of objects": b'{"a":' * 100_000,
    "a closed bomb": b"[" * 100_000 + b"]" * 100_000,
    "65 levels": b"[" * 65 + b"]" * 65,
    "NaN": b'{"entries": {"0": {"order": NaN}}}',
    "Infinity": b'{"entries": {"0": {"order": -Infinity}}}',
    "a comment without an end": b'{"entries": {} /* x }',
    "two commas": b'{"entries": {},,}',
    "two values": b'{"entries": {}} {"entries": {}}',
    "half a BOM": b"\xef\xbb{}",
    "UTF-16 cut in half": b"\xff\xfe" + '{"entries": {}}'.encode("utf-16-le")[:-1],
    "no encoding": b'{"a": "\xff\xff\x81\x8d"}',
    "raw newline in a text": b'{"a": "x\ny"}',
    "only a signature": HEAD[:8],
    "signature and half a chunk": HEAD[:20],
    "a huge chunk": HEAD + b"\xff\xff\xff\xfftEXt",
    "many chunks": HEAD + (PIXELS * 5000) + END,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_bytes_are_refused_with_a_sentence(name):
    refusal(HOSTILE[name])


def test_64_levels_are_read():
    assert detect(b'{"entries": {}, "x": ' + b"[" * 63 + b"]" * 63 + b"}").format == "st_worldinfo"


def test_over_the_size_limit():
    error = refusal(bytes(64 * MIB + 1))

    assert (error.facts["limit"], error.facts["value"]) == (64 * MIB, 64 * MIB + 1)
    assert "64 MiB" in error.message


JUNK = {
    "letters": b"a" * 50 * MIB,
    "zeros": b"\x01" * 50 * MIB,
    "brackets": b"[" * 50 * MIB,
    "fewer brackets": b"[" * 30 * MIB,
    "empty lists": b"[" + b"[]," * (10 * MIB),
    "a long text": b'"' + b"x" * 50 * MIB,
    "high bytes": b'{"' + b"\xe9\xff" * 25 * MIB,
    "spaces": b" " * 50 * MIB,
    "pictures": HEAD + b"\0" * 50 * MIB,
}


@pytest.mark.parametrize("name", JUNK)
def test_junk_is_refused_quickly(name):
    with cpu_below(3):
        refusal(JUNK[name])


def test_big_values_are_refused_by_their_number():
    error = refusal(b'{"entries": {}, "x": [' + b"1," * 2_100_000 + b"1]}")

    assert error.facts["limit"] == 2_000_000


@pytest.mark.parametrize("value", ["[]", "{}", "[1, 2]", '"x"'])
def test_json_without_names_is_like_nothing(value):
    with pytest.raises(FormatError, match="without a name by which its format could be known") as caught:
        detect(value.encode())

    assert caught.value.facts["nearest"] == ()


def test_where_a_json_text_is_wrong_is_said_once():
    with pytest.raises(FormatError, match="Unterminated string starting at line 1, column 2"):
        detect(b'{"entries')
