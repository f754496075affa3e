"""The outermost members of a body are found as a JSON parser finds them, and nothing else is touched."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.errors import FormatError
from lorewright.gateway.body import replace_members, scan_members

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.text(max_size=8), VALUES, max_size=6)
LAYOUTS = st.sampled_from([{"separators": (",", ":")}, {"indent": 2}, {"separators": (" ,\r\n", "\t: ")}])


@given(value=OBJECTS, layout=LAYOUTS, ascii_only=st.booleans(), before=st.sampled_from(["", " \n\t"]))
def test_members_are_those_of_a_parser(value, layout, ascii_only, before):
    body = (before + json.dumps(value, ensure_ascii=ascii_only, **layout) + before).encode("utf-8", "surrogatepass")

    found = {member.name: member.value(body) for member in scan_members(body)}

    assert found == value
    assert list(found) == list(value)


@given(value=OBJECTS, layout=LAYOUTS, fresh=st.text())
def test_replacing_changes_one_value_and_no_other_byte(value, layout, fresh):
    value = {**value, "model": "old", "z": 1}
    body = json.dumps(value, **layout).encode()

    changed = replace_members(body, scan_members(body), {"model": fresh})

    assert json.loads(changed) == {**value, "model": fresh}
    [member] = [member for member in scan_members(body) if member.name == "model"]
    assert changed.startswith(body[: member.start])
    assert changed.endswith(body[member.end :])


@pytest.mark.parametrize(
    ("body", "changed"),
    [
        (b"{}", b'{"model":"x"}'),
        (b" { } ", b' {"model":"x" } '),
        (b'{"a":1}', b'{"model":"x","a":1}'),
        (b'{"model":1, "a":{"model":2}, "model" : [3] }', b'{"model":"x", "a":{"model":2}, "model" : "x" }'),
        (rb'{"mod\u0065l":"a"}', rb'{"mod\u0065l":"x"}'),
    ],
)
def test_replaced(body, changed):
    assert replace_members(body, scan_members(body), {"model": "x"}) == changed


@pytest.mark.parametrize(
    "body",
    [
        *(
            b"",
            b" ",
            b"[]",
            b'"a"',
            b"null",
            b"{",
            b'{"a"',
            b'{"a":',
            b'{"a":1',
            b'{"a":}',
            b'{"a":1,}',
            b'{"a":1}}',
            b"{,}",
        ),
        *(b'{"a":1} {}', b'{"a" 1}', b"{a:1}", b'{"a":"x}', b'{"a":"x\\"}', b'{"a":[1}', b'{"a":]}', b'{"a":{"b":1}'),
        *('{"a":1}'.encode("utf-16"), b"\xef\xbb\xbf{}", b'{"\xff":1}', b'{"a":1,,"b":2}', b'{"a\nb":1}'),
        b"{" + b",".join(b'"%d":1' % number for number in range(1001)) + b"}",
    ],
)
def test_what_is_no_object_is_refused(body):
    with pytest.raises(FormatError):
        scan_members(body)


@given(st.binary(max_size=60) | st.text('{}[]",:\\ a1', max_size=40).map(str.encode))
def test_any_bytes_are_members_or_a_refusal(body):
    try:
        members = scan_members(body)
    except FormatError:
        return
    ends = [0]
    for member in members:
        assert ends[-1] < member.start < member.end <= len(body)
        ends.append(member.end)


@given(st.text('{}[]",:\\ a1', max_size=30).map(str.encode))
def test_what_a_parser_takes_for_an_object_is_one(body):
    try:
        value = json.loads(body)
    except ValueError:
        value = None
    if isinstance(value, dict):
        assert {member.name: member.value(body) for member in scan_members(body)} == value
