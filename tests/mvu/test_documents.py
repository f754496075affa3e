"""Initial values and patches that people and models write by hand, sound or broken (spec mvu-vars §8)."""

from contextlib import suppress

import pytest

from lorewright.errors import FormatError
from lorewright.mvu.documents import LONGEST, read_document
from tests.effort import cpu_below

SOUND = [
    ('{"a": 1, "b": [true, null]}', {"a": 1, "b": [True, None]}),
    ("{a: 1, /* note */ 'b': [.5, 0x10,],} // end", {"a": 1, "b": [0.5, 16]}),
    ("  [1, 2]", [1, 2]),
    ("a: 1\nb:\n  - x\n  - {c: 2}\n", {"a": 1, "b": ["x", {"c": 2}]}),
    ("on: yes\nday: 2024-01-01\nnone: ~\nhex: 0x1F\n", {"on": "yes", "day": "2024-01-01", "none": None, "hex": 31}),
    ("base: &b {x: 1}\nmore:\n  <<: *b\n  y: 2\n", {"base": {"x": 1}, "more": {"x": 1, "y": 2}}),
    ("生命: 100\n背包: {绳子: 1}\n", {"生命": 100, "背包": {"绳子": 1}}),
    ("a: 1\na: 2\n", {"a": 2}),
    ("a: 1\n---\nb: 2\n", {"a": 1}),
    ("", None),
]
MENDED = [
    ('{"a": 1, "b": [1, 2', {"a": 1, "b": [1, 2]}),
    ('{"a": "x" "b": 2}', {"a": "x", "b": 2}),
    ("a: [1, 2", {"a": [1, 2]}),
    ("a: {b: [1", {"a": {"b": [1]}}),
    ("a: {b:", {"a": {"b": None}}),
    ("a: [1, 2\nb: 3", {"a": [1, 2], "b": 3}),
    ('a: "x\nb: 2', {"a": "x b: 2"}),
    ("a:\n\tb: 1", {"a": None, "b": 1}),
    ("a:\n  b: 1\n c: 2", {"a": {"b": 1}, "c": 2}),
    ("a: 1\n b: 2", {"a": 1, "b": 2}),
    ("a: b: c", {"a": {"b": "c"}}),
    ("a: - b", {"a": ["b"]}),
    ("a: @x\nb: `y`", {"a": "@x", "b": "`y`"}),
    ("a: 'it's'", {"a": "it's"}),
    ('a: "x" and y', {"a": '"x" and y'}),
    ('a: "\\q"', {"a": "\\q"}),
    ("These are the values\na: 1", {"These are the values": None, "a": 1}),
    ("a: 1\nthe end", {"a": 1, "the end": None}),
    ("a: 1\nb: {__proto__: {c: 1}, d: 2}", {"a": 1, "b": {"d": 2}}),
]
BROKEN = ["a: *x", "a: 1\n- b", "- a\nb: 1", "x" * (LONGEST + 1), "a: " + "[" * 2000, '{"a":' * 2000]


@pytest.mark.parametrize(("text", "value"), SOUND)
def test_sound_texts_are_read_as_they_are(text, value):
    assert read_document(text) == (value, "")


@pytest.mark.parametrize(("text", "value"), MENDED)
def test_a_slip_is_mended_and_said(text, value):
    found = read_document(text)

    assert found.value == value
    assert found.mended


@pytest.mark.parametrize("text", BROKEN, ids=lambda text: text[:10])
def test_what_nobody_understands_is_refused_in_a_sentence(text):
    with pytest.raises(FormatError) as caught:
        read_document(text)

    assert caught.value.message.endswith(".")


BOMB = "a: &a [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{name}: &{name} [{','.join([f'*{before}'] * 10)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


def test_aliases_do_not_explode():
    with pytest.raises(FormatError, match="anchors"):
        read_document(BOMB)


@pytest.mark.parametrize(
    "text",
    [
        "a: @" + " " * 30_000 + "x",
        "\n".join("a: [1" for _ in range(5_000)),
        "a:\n" + "\n".join(" " * (n % 7 + 1) + f"k{n}: 1" for n in range(2_500)),
        "[" + "'" * 200_000,
        "{" * 100_000,
        '{"a": "' + "\\" * 200_000,
        "a: '" * 8_000,
    ],
    ids=lambda text: text[:8],
)
def test_mending_ends(text):
    with cpu_below(20.0), suppress(FormatError):
        read_document(text)
