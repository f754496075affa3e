"""Upstreams that break, and clients that leave."""

import asyncio
import http.client
import json
import socket
from dataclasses import replace

import pytest

from lorewright.gateway.configuration import Limits
from lorewright.gateway.forward import Upstreams
from lorewright.gateway.refusal import Refusal
from lorewright.testing.fake_upstream import FakeUpstream, Plan
from tests.gateway.running import RunningGateway

CHAT = "/v1/chat/completions"
BODY = b'{"model":"m","stream":true}'
PIECES = (b"data: 1\n\n", b"data: 2\r\n\r\n", b"da", b"ta: 3\n", b"\n")
WHOLE_AFTER = {0, 1, 2, 5}
"""After so many pieces the stream stands between two events."""


@pytest.mark.parametrize("fault", ["reset", "cut"])
@pytest.mark.parametrize("after", range(6))
@pytest.mark.parametrize("path", [CHAT, "/v1/messages", "/v1/responses"])
def test_a_stream_that_breaks_off_ends_with_an_error_or_is_cut(fault, after, path, gateway, fake):
    fake.plan(
        Plan(pieces=PIECES, content_type="text/event-stream", fault=fault, after_pieces=after, between_seconds=0.01)
    )
    came = b"".join(PIECES[:after])
    if after not in WHOLE_AFTER:
        with pytest.raises(http.client.IncompleteRead) as caught:
            gateway.post(path, BODY)
        assert came.startswith(caught.value.partial)
        return

    answer = gateway.post(path, BODY)
    if answer.status != 200:
        assert after == 0, "the connection broke before the head was read"
        assert (answer.status, answer.headers["x-lorewright-refused"]) == (502, "upstream_broke")
        return
    body = answer.body
    assert body.startswith(came)
    event = body.removeprefix(came).decode()
    said = json.loads(event.partition("data: ")[2])
    assert event.endswith("\n\n")
    assert event.startswith("data: " if path == CHAT else "event: error\ndata: ")
    code = said.get("code") or said["error"].get("code")
    assert code == ("upstream_broke" if path != "/v1/messages" else None)
    assert said.get("type") == (None if path == CHAT else "error")


@pytest.mark.parametrize("fault", ["reset", "cut"])
def test_a_reply_that_is_no_stream_is_cut_where_the_upstream_cut_it(fault, gateway, fake):
    fake.plan(Plan(pieces=(b'{"a":', b"1}"), content_type="application/json", fault=fault, after_pieces=1))
    with pytest.raises(http.client.IncompleteRead) as caught:
        gateway.post(CHAT, b'{"model":"m"}')
    assert b'{"a":'.startswith(caught.value.partial)


BEFORE_HEAD = {
    "reset": "upstream_broke",
    "cut": "upstream_broke",
    "garbage": "upstream_broke",
    "hang": "upstream_timeout",
}


@pytest.fixture
def hasty(configuration):
    limits = Limits(connect_seconds=0.5, idle_seconds=0.3)
    with RunningGateway(replace(configuration, limits=limits)) as running:
        yield running


@pytest.mark.parametrize(("fault", "code"), BEFORE_HEAD.items())
@pytest.mark.parametrize("path", [CHAT, "/v1/messages"])
def test_an_upstream_that_does_not_answer_is_told_as_an_error(fault, code, path, hasty, fake, caplog):
    fake.plan(Plan(fault=fault, before_head=True))

    answer = hasty.post(path, BODY)

    error = json.loads(answer.body)["error"]
    assert answer.headers["x-lorewright-refused"] == code
    assert answer.status == (504 if code == "upstream_timeout" else 502)
    assert "`local`" in error["message"]
    assert error["message"] in caplog.text, "who runs the server sees it, too"
    assert len(fake.received) == 1, "nothing is sent twice"


@pytest.mark.parametrize("fault", ["reset", "cut"])
def test_what_may_be_repeated_is_not_repeated_either(fault, gateway, fake):
    """Clients of HTTP like to send it again where a connection that was used before is gone."""
    fake.plan(Plan(pieces=(b"{}",)), Plan(fault=fault, before_head=True))

    assert gateway.ask("GET", "/v1/responses/resp_1").status == 200
    answer = gateway.ask("GET", "/v1/responses/resp_1")

    assert (answer.status, answer.headers["x-lorewright-refused"]) == (502, "upstream_broke")
    assert len(fake.received) == 2


def test_what_came_before_a_fault_is_not_lost(fake, configuration):
    """Even if nobody has read it by then."""
    events = tuple(b"data: %d\n\n" % number for number in range(40))
    fake.plan(Plan(pieces=events, content_type="text/event-stream", fault="cut", after_pieces=40))

    async def run():
        upstreams, found = Upstreams(), b""
        upstream = configuration.upstreams["local"]
        reply = await upstreams.send("POST", f"{fake.base_url}/chat/completions", [], BODY, upstream, Limits())
        await asyncio.sleep(0.3)
        try:
            async for piece in reply.pieces:
                found += piece
        except Refusal as refusal:
            found += refusal.code.encode()
        await reply.close()
        await upstreams.close()
        return found

    assert asyncio.run(run()) == b"".join(events) + b"upstream_broke"


def test_garbage_in_a_stream_is_passed_on(gateway, fake):
    pieces = (b"data: {\n\n", b"\xff\x00data: ]]\n", b"not: sse\n\n")
    fake.plan(Plan(pieces=pieces, content_type="text/event-stream"))

    assert gateway.post(CHAT, BODY).body == b"".join(pieces)


def test_a_stream_that_falls_silent_ends_with_an_error(hasty, fake):
    fake.plan(Plan(pieces=PIECES, content_type="text/event-stream", fault="hang", after_pieces=2))

    body = hasty.post(CHAT, BODY).body

    assert body.startswith(b"".join(PIECES[:2]))
    assert (
        json.loads(body.removeprefix(b"".join(PIECES[:2])).removeprefix(b"data: "))["error"]["code"]
        == "upstream_timeout"
    )


def test_a_slow_start_is_waited_for(gateway, fake):
    fake.plan(Plan(pieces=(b"{}",), wait_seconds=0.5))

    assert gateway.post(CHAT, BODY).body == b"{}"


def test_an_upstream_that_is_not_there(configuration):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # nobody listens
        gone = replace(configuration.upstreams["local"], base_url=f"http://127.0.0.1:{taken.getsockname()[1]}/v1")
        with RunningGateway(replace(configuration, upstreams={"local": gone})) as running:
            answer = running.post(CHAT, BODY)

    assert (answer.status, answer.headers["x-lorewright-refused"]) == (502, "upstream_unreachable")


# --- clients that leave


@pytest.mark.parametrize("before_head", [True, False])
def test_a_client_that_leaves_ends_the_request_upstream(before_head, gateway, fake):
    fake.plan(Plan(pieces=(b"data: 1\n\n",), fault="hang", after_pieces=1, before_head=before_head))
    connection = gateway.connect()
    connection.request("POST", CHAT, BODY)
    if before_head:
        assert not fake.wait_until_gone(0.2)
        assert len(fake.received) == 1
    else:
        reply = connection.getresponse()
        assert reply.read(9) == b"data: 1\n\n"
        assert not fake.wait_until_gone(0.2)
        reply.close()
    connection.close()

    assert fake.wait_until_gone(1.0), "the upstream still works for nobody"


def test_a_client_that_leaves_in_the_middle_of_a_flood(gateway, fake):
    fake.plan(Plan(pieces=(bytes(65536),) * 2000, content_type="application/octet-stream"))
    connection = gateway.connect()
    connection.request("POST", CHAT, BODY)
    reply = connection.getresponse()
    assert len(reply.read(100)) == 100
    reply.close()
    connection.close()

    assert fake.wait_until_gone(5.0)


def test_a_client_that_never_sends_its_body_costs_nothing(gateway, fake):
    connection = gateway.connect()
    connection.putrequest("POST", CHAT)
    connection.putheader("content-length", "100")
    connection.endheaders(b'{"model"')
    connection.close()

    assert gateway.post(CHAT, b'{"model":"m"}').status == 200
    assert len(fake.received) == 1


def test_many_streams_at_once_keep_their_bytes_apart(gateway):
    from concurrent.futures import ThreadPoolExecutor

    with FakeUpstream() as fake:
        upstream = replace(gateway.service.configuration.upstreams["local"], base_url=fake.base_url)
        gateway.service.configuration = replace(gateway.service.configuration, upstreams={"local": upstream})

        def chat(number):
            text = f"Stream {number}. " * 50
            body = json.dumps({"model": "mirror", "stream": True, "messages": [{"role": "user", "content": text}]})
            return text, gateway.post(CHAT, body.encode()).body

        with ThreadPoolExecutor(16) as pool:
            for text, body in pool.map(chat, range(64)):
                events = [line.removeprefix(b"data: ") for line in body.split(b"\n\n") if b"{" in line]
                deltas = [json.loads(event)["choices"][0]["delta"].get("content", "") for event in events]
                assert "".join(deltas) == f"[user]\n{text}"
