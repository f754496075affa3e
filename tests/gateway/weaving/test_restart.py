"""A server that is killed in mid-stream: what it acknowledged is there, and the cut replies are closed at the restart."""

import http.client
import json
import os
import re
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest

from lorewright.gateway.weaving.ledger_weaver import LedgerWeaver
from lorewright.gateway.weaving.streams import stream_of
from lorewright.ledger.cut_replies import close_cut_replies
from lorewright.ledger.events import ReplyReceived, RequestSent
from lorewright.ledger.ledger import open_ledger
from lorewright.ledger.replay import replay
from lorewright.ledger.verify import verify
from lorewright.testing.fake_upstream import Plan
from tests.gateway.running import RunningGateway
from tests.gateway.weaving.conftest import BOOK, chat, user
from tests.ledger.world import chat as recorded_chat
from tests.ledger.world import turns as world_turns

PIECE = b'data: {"id":"c","choices":[{"index":0,"delta":{"content":"It"}}]}\n\n'
ROUTES = ("aria", "bell")


@pytest.fixture
def folder(tmp_path, fake):
    (tmp_path / "saltwick.yaml").write_text(BOOK, "utf-8")
    routes = "".join(f'[routes.{name}]\nupstream = "local"\nbooks = ["saltwick.yaml"]\n' for name in ROUTES)
    text = f'state = "gateway.ledger"\n[upstreams.local]\nbase_url = "{fake.base_url}"\n{routes}'
    (tmp_path / "lorewright.toml").write_text(text, "utf-8")
    return tmp_path


@contextmanager
def serving(folder):
    """`lorewright serve`; its process and its address. It is killed at the end."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LOREWRIGHT_")}
    server = subprocess.Popen(
        [sys.executable, "-m", "lorewright", "serve", "--port", "0"],
        env=kept | {"LOREWRIGHT_DATA_DIR": str(folder / "data"), "COLUMNS": "200"},
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert server.stdout is not None
        found = re.search(rb"http://127\.0\.0\.1:\d+", server.stdout.readline())
        assert found is not None
        yield server, found[0].decode()
    finally:
        server.kill()
        server.wait()
        if server.stdout is not None:
            server.stdout.close()


def begin(address, route):
    """A streamed chat up to its first piece: connection and reply, both open, and the turn that was acknowledged."""
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=60)
    body = json.dumps({"model": route, "stream": True, "messages": [user("What of the bell?")]})
    connection.request("POST", "/v1/chat/completions", body, {"content-type": "application/json"})
    reply = connection.getresponse()
    assert reply.read(len(PIECE)) == PIECE
    return (connection, reply), reply.headers["x-lorewright-turn"]


def turns(path, route):
    """Turns and endings of a route's stream."""
    with open_ledger(path, stream_of("local", route)) as ledger:
        found = [ledger.turn(number)[0].hash.hex() for number in range(1, ledger.count_turns() + 1)]
        return found, [(reply.turn, reply.ending) for reply in ledger.of_kind(ReplyReceived)]


def wait_for(condition):
    for _ in range(400):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("it did not happen")


@pytest.mark.skipif(os.name != "posix", reason="kills as POSIX does")
def test_a_killed_server_lost_nothing_that_it_had_acknowledged(folder, fake, monkeypatch):
    path = folder / "gateway.ledger"
    upstream_saw = []

    class Received(list[Any]):
        def append(self, request):
            """Look what another process finds in the ledger when a request is upstream."""
            upstream_saw.append(sum(len(turns(path, route)[0]) for route in ROUTES))
            super().append(request)

    monkeypatch.setattr(fake, "received", Received())
    fake.usually(Plan(pieces=(PIECE, PIECE), content_type="text/event-stream", fault="hang", after_pieces=1))
    with serving(folder) as (_, address):
        begun = [begin(address, route) for route in ROUTES]
        assert upstream_saw == [1, 2]
    for (is_open, turn), route in zip(begun, ROUTES, strict=True):
        for one in is_open:
            one.close()
        [recorded], replies = turns(path, route)
        assert recorded.startswith(turn.partition("-")[2])
        assert replies == []

    with serving(folder) as (_, _):
        for route in ROUTES:
            wait_for(lambda route=route: turns(path, route)[1] == [(1, "interrupted")])
    with open_ledger(path, stream_of("local", "aria")) as ledger:
        assert verify(ledger.store).problems == ()
        assert [one.outcome for one in replay(ledger)] == ["same"]
        assert [sent.turn for sent in ledger.of_kind(RequestSent)] == [1]


def test_only_turns_of_processes_that_are_no_more_are_closed(tmp_path):
    path = tmp_path / "a.ledger"
    session = recorded_chat(path, 2)  # both answered
    put = session.ledger.texts.put

    def sent_by(process):
        kept = {"api": "chat", "model": "m", "upstream": "u", "size": 0, "process": process}
        return lambda _: lambda number: RequestSent(turn=number, sha256=put(""), **kept)

    third, fourth, fifth, sixth = world_turns(6, start=2)
    session.weave(third, sent_by("dead"))
    session.weave(fourth, sent_by("alive"))
    session.weave(fifth, sent_by(""))  # by a version that had no names
    session.weave(sixth)  # by no gateway: somebody may still say what came of it

    assert close_cut_replies(path, "alive".__eq__) == 2
    assert close_cut_replies(path, "alive".__eq__) == 0
    endings = [(reply.turn, reply.ending) for reply in session.ledger.of_kind(ReplyReceived)]
    assert endings == [(1, ""), (2, ""), (3, "interrupted"), (5, "interrupted")]
    session.ledger.close()


@pytest.mark.skipif(os.name != "posix", reason="kills as POSIX does")
def test_a_second_server_leaves_running_turns_of_the_first_alone(folder, fake):
    """And closes those of a third one that was killed. The first may still say how its own ended."""
    path = folder / "gateway.ledger"
    hanging = Plan(pieces=(PIECE, PIECE), content_type="text/event-stream", fault="hang", after_pieces=1)
    with serving(folder) as (_, first):
        fake.plan(hanging)
        (connection, reply), _ = begin(first, "aria")
        with serving(folder) as (_, killed):
            fake.plan(hanging)
            is_open, _ = begin(killed, "bell")
        for one in is_open:
            one.close()
        with serving(folder):
            wait_for(lambda: turns(path, "bell")[1] == [(1, "interrupted")])
            assert turns(path, "aria")[1] == []
            reply.close()
            connection.close()
            wait_for(lambda: turns(path, "aria")[1] == [(1, "client_gone")])


def test_a_ledger_that_cannot_be_read_does_not_stop_the_start(tmp_path):
    path = tmp_path / "a.ledger"
    path.write_bytes(b"no database at all" * 100)

    LedgerWeaver(path).close()

    assert close_cut_replies(tmp_path / "none.ledger", "".__eq__) == 0


def test_without_a_lock_beside_the_ledger_turns_are_woven_all_the_same(world, tmp_path, fake):
    (tmp_path / "gateway.ledger-processes").write_bytes(b"a file")
    with RunningGateway(world, LedgerWeaver(tmp_path / "gateway.ledger")) as running:
        assert chat(running, user("What of the bell?")).headers["x-lorewright-history"] == "new"
