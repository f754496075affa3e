"""Streams of a real server, rewritten."""

import pytest

from lorewright.gateway.replies.passage import Account
from lorewright.gateway.replies.rewriting import RewrittenBody
from tests.gateway.replies.test_rewriting import HIDES, UPPER, events_of, rewrite, text_of
from tests.gateway.test_golden import NAMES, read

API_OF = {
    "/v1/chat/completions": "chat",
    "/v1/completions": "completions",
    "/v1/responses": "responses",
    "/v1/messages": "messages",
}
REPLIES = [(name, API_OF[path]) for name in NAMES for path, _, meta, _ in [read(name)] if path in API_OF]
STREAMS = [
    (name, api) for name, api in REPLIES if read(name)[2]["headers"]["content-type"].startswith("text/event-stream")
]


@pytest.mark.parametrize(("name", "api"), [one for one in REPLIES if one not in STREAMS])
def test_a_reply_without_blocks_keeps_its_bytes(name, api):
    reply = read(name)[3]
    rewriting = RewrittenBody(api, HIDES, Account(), None)
    assert rewriting.feed(reply) + rewriting.close() == reply


@pytest.mark.parametrize(("name", "api"), STREAMS)
def test_a_stream_without_blocks_keeps_its_text_and_its_bytes_before_a_bracket(name, api):
    """These models say `<|im_end|>`: the bracket at the end of an event comes with the next one."""
    reply = read(name)[3]
    account = Account()
    got = rewrite(api, reply, account=account)
    assert [text_of(api, got, index) for index in range(3)] == [text_of(api, reply, index) for index in range(3)]
    same = reply[: reply.find(b"<")] if b"<" in reply else reply
    assert got.startswith(same[: same.rfind(b"\n\n") + 2])
    assert account.changed == []


@pytest.mark.parametrize(("name", "api"), STREAMS)
def test_a_script_gets_the_whole_text_and_all_events_without_text_stay(name, api):
    reply = read(name)[3]
    got = rewrite(api, reply, UPPER, size=7)
    for index in range(3):
        assert text_of(api, got, index) == text_of(api, reply, index).upper()
    kinds = [kinds_of(raw) for raw in (reply, got)]
    assert kinds[0] == kinds[1]


def kinds_of(raw):
    """The events that hold no piece of a text, or the end of an answer, in their order."""
    found = []
    for data in events_of(raw):
        choices = data.get("choices", [])
        pieces = [one.get("text") or one.get("delta", {}).get("content") for one in choices]
        delta = data.get("delta")
        pieces.append(delta.get("text") if isinstance(delta, dict) else delta)
        if not any(pieces) or any(one.get("finish_reason") for one in choices):
            found.append(data.get("type") or [(one["index"], one.get("finish_reason")) for one in choices])
    return found
