"""Bytes that no library of clients or servers would write."""

import json
import socket
import threading
from urllib.parse import urlsplit

import pytest

from lorewright.gateway.configuration import Configuration, Route, Upstream

CHAT = b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n"
BODY = b'{"model":"aria","messages":[]}'


def talk(gateway, *pieces: bytes) -> bytes:
    """What comes back on one connection until it is closed."""
    place = urlsplit(gateway.url)
    with socket.create_connection((place.hostname, place.port), timeout=10) as connection:
        try:
            for piece in pieces:
                connection.sendall(piece)
        except ConnectionError:
            pass
        found = b""
        try:
            while piece := connection.recv(65_536):
                found += piece
        except ConnectionError:
            pass
        return found


def request(*lines: bytes, body: bytes = BODY) -> bytes:
    head = [*lines, b"connection: close", b"content-length: %d" % len(body)]
    return CHAT + b"".join(line + b"\r\n" for line in head) + b"\r\n" + body


@pytest.mark.parametrize("wish", [b"h2c", b"websocket", b"TLS/1.0"])
def test_who_wishes_for_another_protocol_is_answered_in_this_one(wish, gateway, fake):
    """As clients of Java and `curl --http2` do with each request."""
    lines = b"connection: Upgrade, HTTP2-Settings\r\nupgrade: %b\r\nhttp2-settings: AAMAAABk" % wish
    whole = CHAT + lines + b"\r\ncontent-length: %d\r\n\r\n" % len(BODY) + BODY

    found = talk(gateway, whole[:-7], whole[-7:] + request())

    assert found.count(b"HTTP/1.1 200 OK") == 2
    assert [json.loads(one.body)["model"] for one in fake.received] == ["m", "m"]


@pytest.mark.parametrize(
    "begun",
    [
        pytest.param(b"", id="headers"),
        pytest.param(b"transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n", id="trailers"),
    ],
)
@pytest.mark.parametrize(
    "line", [pytest.param(b"x-a: b\r\n" * 2000, id="many"), pytest.param(b"x" * 16_000, id="long")]
)
def test_a_head_without_end_is_cut(begun, line, gateway, fake):
    found = talk(gateway, CHAT + begun, *[line] * 100)

    assert b" 200 " not in found
    assert gateway.post("/v1/chat/completions", BODY).status == 200
    assert len(fake.received) == 1


def test_a_head_within_the_limit_comes_in(gateway):
    assert talk(gateway, request(b"x-a: " + b"a" * 60_000)).startswith(b"HTTP/1.1 200 OK")


def test_nobody_is_connected_through(gateway, fake):
    assert talk(gateway, b"CONNECT model.example:443 HTTP/1.1\r\nHost: localhost\r\n\r\n").startswith(b"HTTP/1.1 400 ")
    assert fake.received == []


def test_values_of_headers_go_upstream_as_they_are(gateway, fake):
    talk(gateway, request("openai-project: Hafen-Übersicht 港".encode()))

    # The fake reads bytes as Latin-1.
    assert dict(fake.received[0].headers)["openai-project"].encode("latin-1") == "Hafen-Übersicht 港".encode()


def answer_of(gateway, reply: bytes, scheme: str = "http"):
    """What a client gets where the upstream answers whatever it gets with these bytes."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer():
            connection, _ = server.accept()
            with connection:
                connection.recv(65_536)
                connection.sendall(reply)

        thread = threading.Thread(target=answer)
        thread.start()
        odd = Upstream(name="odd", base_url=f"{scheme}://127.0.0.1:{server.getsockname()[1]}/v1")
        gateway.service.configuration = Configuration(
            upstreams={"odd": odd}, routes={"aria": Route(name="aria", upstream="odd", model="m")}
        )
        answered = gateway.post("/v1/chat/completions", BODY)
        thread.join()
    assert answered.status == 502
    return answered.headers["x-lorewright-refused"], json.loads(answered.body)["error"]["message"]


@pytest.mark.parametrize("status", ["600 Odd", "999 Odd", "099 Odd", "101 Switching Protocols", "304 Not Modified"])
def test_a_status_that_ends_no_request_is_a_fault_of_the_upstream(status, gateway):
    head = f"HTTP/1.1 {status}\r\nupgrade: x\r\nconnection: close\r\ncontent-length: 2\r\n\r\n"

    code, message = answer_of(gateway, head.encode())

    assert code == "upstream_broke"
    assert f"`odd` answers with {int(status[:3])}" in message


def test_an_upstream_without_a_secure_connection_is_told_as_that(gateway):
    code, message = answer_of(gateway, b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n", "https")

    assert code == "upstream_unreachable"
    assert "certificate" in message
