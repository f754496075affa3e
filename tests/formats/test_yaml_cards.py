"""Cards written as YAML, and the old field names of Pygmalion, Gradio and text-generation-webui."""

import builtins
import json

import pytest

from lorewright.errors import FormatError
from lorewright.formats.imported import Notes
from lorewright.formats.read import read_book, read_card
from lorewright.formats.safe_yaml import parse_yaml
from tests.effort import cpu_below

OOBA = b"""\
name: Chi
greeting: |-
  Hello
   you
context: Chi is 'no'.
example_dialogue: '{{user}}: a'
"""


BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join(['*' + chr(97 + n)] * 9)}]\n" for n in range(20)
)


def codes(imported):
    return [report.code for report in imported.reports]


def parsed(text):
    notes = Notes()
    return parse_yaml(text, notes), [report.code for report in notes.reports()]


def test_ooba_in_yaml_and_json():
    wanted = {"name": "Chi", "greeting": "Hello\n you", "context": "Chi is 'no'.", "example_dialogue": "{{user}}: a"}

    for data, kind in ((OOBA, "card_yaml"), (json.dumps(wanted).encode(), "card_ooba")):
        read = read_card(data)

        assert (read.format, read.value.name, read.reports) == (kind, "Chi", ())
        assert read.value.character.description == "Chi is 'no'."
        assert read.value.data == wanted


def test_pygmalion():
    card = {
        "char_name": "Py",
        "char_persona": "p",
        "char_greeting": "g",
        "world_scenario": "s",
        "example_dialogue": "e",
    }

    read = read_card(json.dumps(card).encode())

    assert (read.format, read.value.name) == ("card_pygmalion", "Py")
    assert (read.value.character.description, read.value.character.scenario) == ("p", "s")
    assert read.value.data == card


def test_texts_stay_texts():
    value, seen = parsed(
        "name: no\ndescription: 12:30\ntags: [1.10, yes, 0o7, 2001-01-01]\nempty:\ntilde: ~\nq: 'null'\n"
    )

    assert value == {
        "name": "no",
        "description": "12:30",
        "tags": ["1.10", "yes", "0o7", "2001-01-01"],
        "empty": None,
        "tilde": None,
        "q": "null",
    }
    assert seen == []


def test_a_v2_card_with_a_book():
    data = b"""\
---
spec: chara_card_v2
spec_version: "2.0"
data:
  name: 12
  description: true
  character_book:
    entries:
      - {id: 3, keys: [gate, 1.10], content: no, enabled: false, insertion_order: 10, constant: true, extensions: {depth: 2}}
"""
    read = read_book(data)

    entry = read.value.entries[0]
    assert (read.format, read.found) == ("card_yaml", 1)
    assert (entry.uid, entry.keys, entry.content, entry.order) == (3, ("gate", "1.10"), "no", 10)
    assert (entry.enabled, entry.constant, entry.depth) == (False, True, 2)
    assert read_card(data).value.name == "12"


def test_tags_have_no_effect():
    value, seen = parsed("a: !!python/object/apply:os.system ['echo hacked']\nb: !!int '5'\n")

    assert value == {"a": ["echo hacked"], "b": "5"}
    assert seen == ["yaml_tag_ignored"] * 2


def test_aliases_are_followed_and_merges_are_plain_names():
    value, seen = parsed("a: &x {k: v}\nb: *x\nc: {<<: *x}\n")

    assert value == {"a": {"k": "v"}, "b": {"k": "v"}, "c": {"<<": {"k": "v"}}}
    assert seen == []


def test_names_of_anchors_may_be_of_any_script():
    """YAML 1.2 §6.9.2: all but blanks and the brackets of flow style."""
    value, seen = parsed("a: &分隔 {k: no, n: 1.10}\nb: *分隔\nc: !!int &é '5'\nd: ~\ne:\n")

    assert value == {"a": {"k": "no", "n": "1.10"}, "b": {"k": "no", "n": "1.10"}, "c": "5", "d": None, "e": None}
    assert seen == ["yaml_tag_ignored"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: *分", "stands for nothing before it"),
        ("a: &分 [*分]", "stands for nothing before it"),
        ("a: &分 [x\nb: y", "This is not YAML: .* at line 2"),
        ("a: &分 " + "[" * 100, "nested more than"),
        ("a: &分 x\nb: " + "x" * 600_000, "Line 1 of this YAML has an anchor .* may have 600,000 bytes"),
        (BOMB.replace("&", "&分").replace("*", "*分"), "when its aliases are followed"),
    ],
)
def test_other_names_have_the_same_limits(text, message):
    with cpu_below(10), pytest.raises(FormatError, match=message):
        parsed(text)


def test_what_is_odd_is_reported():
    assert parsed("a: 1\na: 2\n") == ({"a": "2"}, ["duplicate_key"])
    assert parsed("a: 1\n---\nb: 2\n") == ({"a": "1"}, ["yaml_more_documents"])


@pytest.mark.parametrize(
    "text",
    [
        BOMB,
        "a: &a [*a]",
        "a: *b",
        "a: [" * 100,
        "? [a]\n: b",
        "a: b: c",
        "a: 'x",
        "\ta: b",
        "a: \x00",
        "%YAML 9.9\n---\na",
        "[" * 100_000,
        "{" * 100_000,
        "- " * 100_000,
        "? " * 100_000,
        "x: [" + "a," * 300_000 + "]",
        "a: &" + "b" * 100_000 + " *" + "c" * 1000,
        "x" * (4 * 1024 * 1024 + 1),
        "a: \ud800",
    ],
    ids=lambda text: ascii(text[:20]),
)
def test_hostile_yaml_is_refused_quickly(text):
    with cpu_below(2), pytest.raises(FormatError) as caught:
        parsed(text)

    caught.value.message.encode()


def test_the_place_of_an_error():
    with pytest.raises(FormatError) as caught:
        parsed("a: b\nc: 'x\n")

    assert caught.value.facts["line"] == 3


def test_other_yaml_is_named():
    with pytest.raises(FormatError) as caught:
        read_card(b"---\na: b\n")

    assert caught.value.facts["format"] == "yaml"


def test_without_pyyaml_its_name_is_told(monkeypatch):
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name == "yaml":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)

    with pytest.raises(FormatError, match="pip install pyyaml") as caught:
        read_card(OOBA)

    assert caught.value.facts["extra"] == "import"
