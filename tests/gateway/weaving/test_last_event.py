"""A client that goes once it has the last event of a stream, as the SDKs do, has all of the reply."""

import json

import pytest

from lorewright.ledger.events import ReplyReceived
from lorewright.testing.fake_upstream import Plan
from tests.gateway.weaving.conftest import user
from tests.gateway.weaving.test_faults import recorded, running

SAID = b'data: {"id":"c1","choices":[{"index":0,"delta":{"content":"A gale."}}]}\n\n'
ASKED = {"stream": True, "max_tokens": 9}
ENDS = {
    "chat": ("/v1/chat/completions", "aria", "messages", SAID, b"data: [DONE]\n\n"),
    "responses": (
        "/v1/responses",
        "aria",
        "input",
        b'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","delta":"A gale."}\n\n',
        b'event: response.completed\ndata: {"type":"response.completed","response":{"id":"r1"}}\n\n',
    ),
    "messages": (
        "/v1/messages",
        "aria",
        "messages",
        b'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"A gale."}}\n\n',
        b'event: message_stop\ndata: {"type":"message_stop"}\n\n',
    ),
}


@pytest.mark.parametrize("has_last", [True, False])
@pytest.mark.parametrize("api", ENDS)
def test_a_client_that_goes_behind_the_last_event_has_the_whole_reply(api, has_last, world, fake, tmp_path):
    address, model, field, *pieces = ENDS[api]
    pieces = pieces if has_last else pieces[:1]
    fake.plan(Plan(pieces=tuple(pieces), content_type="text/event-stream", fault="hang", after_pieces=len(pieces)))
    body = json.dumps(ASKED | {"model": model, field: [user("What of the bell?")]})
    with running(world, tmp_path) as gateway:
        connection = gateway.connect()
        connection.request("POST", address, body, {"authorization": "Bearer t-max"})
        reply = connection.getresponse()
        assert reply.read(sum(map(len, pieces))) == b"".join(pieces)
        reply.close()
        connection.close()
        assert fake.wait_until_gone(1.0)

    with recorded(tmp_path) as ledger:
        (found,) = ledger.of_kind(ReplyReceived)
        assert (found.ending, found.status) == ("complete" if has_last else "client_gone", 200)
        assert ledger.texts.get(found.text) == "A gale."
