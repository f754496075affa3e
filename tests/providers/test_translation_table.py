"""Every field, content part, event and stop reason of the SDKs' types has a verdict in each direction."""

from typing import Any

import pytest
from anthropic.types import Message, RawMessageStreamEvent, message_create_params
from openai.types.chat import ChatCompletion, ChatCompletionChunk, completion_create_params
from openai.types.responses import ResponseStreamEvent, response_create_params

from lorewright.errors import RequestError
from lorewright.providers.translation import chat_reply, messages_reply
from lorewright.providers.translation.chat_reply import CHAT_REPLY
from lorewright.providers.translation.chat_request import CHAT_TO_MESSAGES
from lorewright.providers.translation.messages_reply import MESSAGES_EVENTS, MESSAGES_REPLY
from lorewright.providers.translation.messages_request import MESSAGES_TO_CHAT
from lorewright.providers.translation.responses_request import RESPONSES_TO_CHAT
from lorewright.providers.translation.responses_writing import RESPONSES_EVENTS
from lorewright.providers.translation.table import Reading, Row, read_table
from tests.providers.sdk_types import classes_in, kinds_of, walk

TABLES = {
    "chat request": CHAT_TO_MESSAGES,
    "messages request": MESSAGES_TO_CHAT,
    "responses request": RESPONSES_TO_CHAT,
    "chat reply": CHAT_REPLY,
    "messages reply": MESSAGES_REPLY,
    "messages events": MESSAGES_EVENTS,
    "responses events": RESPONSES_EVENTS,
}
ROOTS: dict[str, list[tuple[Any, str]]] = {
    "chat request": [(completion_create_params.CompletionCreateParamsStreaming, "")],
    "messages request": [(message_create_params.MessageCreateParamsStreaming, "")],
    "responses request": [(response_create_params.ResponseCreateParamsStreaming, "")],
    "chat reply": [(ChatCompletion, ""), (ChatCompletionChunk, "")],
    "messages reply": [(Message, "")],
    "messages events": [
        (event, f"event[{kind}].") for event in classes_in(RawMessageStreamEvent) for kind in kinds_of(event)
    ],
}
AS_A_WHOLE = "event[message_start].message"
"""Read by the table of whole replies."""


def paths_of(name):
    rows = TABLES[name].rows

    def goes_on(path):
        return path in rows and rows[path].verdict == "mapped" and path != AS_A_WHOLE

    return list(dict.fromkeys(path for root, prefix in ROOTS[name] for path in walk(root, prefix, goes_on)))


@pytest.mark.parametrize("name", ROOTS)
def test_every_field_has_a_verdict(name):
    assert [path for path in paths_of(name) if path not in TABLES[name].rows] == []


@pytest.mark.parametrize(
    ("table", "events"), [(MESSAGES_EVENTS, RawMessageStreamEvent), (RESPONSES_EVENTS, ResponseStreamEvent)]
)
def test_every_event_has_a_verdict(table, events):
    kinds = [f"event[{kind}]" for event in classes_in(events) for kind in kinds_of(event)]

    assert len(kinds) >= 6
    assert [kind for kind in kinds if kind not in table.rows] == []


# Words of the SDK that stand in no type of these roots: what servers add, what was taken out of the SDK and is still
# sent, and what the event stream itself has.
BESIDE_THE_SDK: dict[str, set[str]] = {
    "chat request": {"messages[assistant].reasoning_content"},
    "messages request": {"temperature", "top_p", "top_k"},
    "responses request": {"input[message].content[input_audio]"},
    "chat reply": {
        "choices.message[assistant].reasoning_content",
        "choices.message[assistant].reasoning",
        "choices.message[assistant].tool_calls[function].index",
        "choices.delta.reasoning_content",
        "choices.delta.reasoning",
        "timings",
        "usage.prompt_cache_hit_tokens",
        "usage.prompt_cache_miss_tokens",
        "error",
    },
    "messages reply": set(),
    "messages events": {"event[ping]", "event[error]", "event[error].error"},
}


@pytest.mark.parametrize("name", ROOTS)
def test_no_verdict_is_about_nothing(name):
    known = set(paths_of(name))
    events = {
        path for path in TABLES[name].rows if path.startswith("event[") and path.endswith("]") and "." not in path
    }
    rest = set(TABLES[name].rows) - known - events - BESIDE_THE_SDK[name]

    assert {path for path in rest if not path.endswith(".cache_control")} == set()


@pytest.mark.parametrize("name", TABLES)
def test_a_row_says_where_to_or_why(name):
    assert [path for path, row in TABLES[name].rows.items() if not row.note] == []


@pytest.mark.parametrize("table", [CHAT_REPLY, MESSAGES_REPLY, MESSAGES_EVENTS, RESPONSES_EVENTS])
def test_nothing_is_refused_in_a_reply(table):
    assert [path for path, row in table.rows.items() if row.verdict == "refused"] == []


def test_every_reason_to_stop_is_translated():
    """The tables say which reasons are mapped, the code what to."""
    chat = {path.partition("=")[2] for path in CHAT_REPLY.rows if path.startswith("choices.finish_reason=")}
    messages = {path.partition("=")[2] for path in MESSAGES_REPLY.rows if path.startswith("stop_reason=")}

    assert chat == set(chat_reply._STOPS)
    assert messages == set(messages_reply._STOPS)


def test_the_sdks_are_walked():
    """Numbers of paths, so that a walk that finds nothing cannot pass."""
    assert {name: len(paths_of(name)) > 20 for name in ROOTS} == dict.fromkeys(ROOTS, True)


# --- the form of a table


def test_a_table():
    table = read_table(
        "A",
        "B",
        """
        a  mapped  to b
        a[x|y].z=1|2  dropped unless "q"  why
        c  refused  because
        """,
    )

    assert list(table.rows) == ["a", "a[x].z=1", "a[x].z=2", "a[y].z=1", "a[y].z=2", "c"]
    assert table.rows["a[x].z=1"] == Row("dropped", "why", '"q"')


@pytest.mark.parametrize(
    ("text", "message"), [("a  lost", "No line of a table: `a  lost`"), ("a  mapped\na  dropped", "Two verdicts: `a`")]
)
def test_tables_that_are_none(text, message):
    with pytest.raises(ValueError, match=message):
        read_table("A", "B", text)


def test_a_reading():
    reading = Reading(read_table("A", "B", "a  mapped  b\nd  dropped unless [1]  no\nr  refused unless 1  not there"))

    assert reading.fields({"a": 1, "d": [1], "r": 1, "type": "x", "n": None}) == {"a": 1}
    assert not list(reading.dropped)
    assert reading.fields({"d": [2], "made_up": 1}) == {}
    assert list(reading.dropped) == ["d", "made_up"]
    with pytest.raises(RequestError, match=r"`r` cannot be translated from A to B: not there\. Leave it out"):
        reading.fields({"r": 2})


def test_long_names_are_cut():
    reading = Reading(read_table("A", "B", "a  mapped  b"))
    reading.fields({"x" * 1_000_000: 1})

    assert [len(path) for path in reading.dropped] == [201]
    with pytest.raises(RequestError) as caught:
        reading.kind("a", {"type": "y" * 1_000_000})
    assert len(str(caught.value)) < 500


def test_paths_of_tables_are_shorter():
    assert max(len(path) for table in TABLES.values() for path in table.rows) < 200
