"""Bodies that nobody should send: they are read, or refused with the field's name, and never break anything."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.core.chain import digest
from lorewright.core.woven import Piece, WovenMessage
from lorewright.errors import RequestError
from lorewright.providers import anthropic_messages, openai_chat, openai_completions, openai_responses
from lorewright.providers.body import read_body, write_body
from lorewright.providers.cache_marks import frozen_boundaries, mark
from lorewright.providers.dialect import Dialect
from lorewright.providers.identity import to_messages

APIS = {
    "chat": openai_chat,
    "messages": anthropic_messages,
    "responses": openai_responses,
    "completions": openai_completions,
}
SCALARS = st.sampled_from([None, True, False, 0, -1, 1.5, "", "a", "\ud800", "data:;base64,!", "灯", "user", "system"])
NAMES = st.sampled_from(
    [
        *(
            "role",
            "content",
            "type",
            "text",
            "name",
            "tool_calls",
            "tool_call_id",
            "function",
            "arguments",
            "id",
            "call_id",
        ),
        *("output", "source", "data", "url", "image_url", "input", "tool_use_id", "cache_control", "function_call"),
    ]
)
KINDS = st.sampled_from(
    [
        *(
            "text",
            "input_text",
            "output_text",
            "refusal",
            "image",
            "image_url",
            "input_image",
            "document",
            "file",
            "input_file",
        ),
        *(
            "tool_use",
            "tool_result",
            "thinking",
            "function_call",
            "function_call_output",
            "reasoning",
            "item_reference",
            "message",
        ),
    ]
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(NAMES, inner, max_size=4)
        | st.builds(lambda kind, rest: {**rest, "type": kind}, KINDS, st.dictionaries(NAMES, inner, max_size=3))
    ),
    max_leaves=10,
)
MESSAGES = st.lists(
    st.builds(
        lambda role, rest: {**rest, "role": role},
        st.sampled_from(["user", "assistant", "system", "developer", "tool", "function", "ghost", None]),
        st.dictionaries(NAMES, VALUES, max_size=4),
    ),
    max_size=5,
)
BODIES = st.fixed_dictionaries(
    {},
    optional={
        "messages": MESSAGES | VALUES,
        "input": MESSAGES | VALUES,
        "system": VALUES,
        "instructions": VALUES,
        "prompt": VALUES,
        "model": VALUES,
        "stream": VALUES,
        "stream_options": VALUES,
        "tools": VALUES,
        "conversation": VALUES,
        "cache_control": VALUES,
    },
)
OWN = WovenMessage(None, "system", "", (Piece("placed", "e", "OURS"),))


@pytest.mark.parametrize("name", APIS)
@given(BODIES, st.integers(0, 6), st.sampled_from([Dialect(), Dialect(False, True)]))
def test_hostile_requests_are_read_or_refused(name, body, place, dialect):
    api = APIS[name]
    try:
        request = api.decode(body)
    except RequestError as error:
        facts = error.facts
    else:
        facts = {"param": "read"}
        woven = []
        for at, message in enumerate(to_messages(request)):
            assert digest(message)
            woven.append(WovenMessage(at, message.role, "", (Piece("client", "", message.text),)))
        assert api.encode(request, woven, dialect) is request.body
        woven.insert(min(place, len(woven)), OWN)
        changed = api.encode(request, woven, dialect)
        if name != "completions" or request.messages:
            assert "OURS" in repr(changed)
        if name == "messages":
            marked = mark(changed, frozen_boundaries(changed, woven), lambda _: 5000)
            assert "OURS" in repr(marked)
        assert read_body(write_body(changed)) == json.loads(json.dumps(changed))
    assert facts["param"]
