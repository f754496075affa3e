"""Whatever breaks in weaving, the request goes out as it came; whatever breaks upstream, the ledger says so."""

import http.client
import json
import sqlite3
import threading
from contextlib import contextmanager
from dataclasses import replace

import pytest

from lorewright.core.weave import weave
from lorewright.gateway.configuration import Limits
from lorewright.gateway.weaving.desk import Desk
from lorewright.gateway.weaving.ledger_weaver import LedgerWeaver
from lorewright.gateway.weaving.streams import stream_of
from lorewright.gateway.weaving.wire import WIRES
from lorewright.ledger.events import PlacementMoved, ReplyReceived
from lorewright.ledger.ledger import Ledger, open_ledger
from lorewright.ledger.verify import verify
from lorewright.testing.fake_upstream import Plan
from tests.effort import answered_within
from tests.gateway.running import RunningGateway
from tests.gateway.weaving.conftest import BOOK, assistant, chat, user

DEADLINE_SECONDS = 1.0
GENEROUS_SECONDS = 3.0
"""Instead of the 100 ms of a machine that does nothing else."""
OFF = {"x-lorewright-mode": "off"}
DRY = {"x-lorewright-dry-run": "1"}
ASKED = b'{"model":"aria",  "messages":[{"role":"user","content":"What of the bell?"}], "odd": 1.0e1}'


@contextmanager
def running(world, tmp_path, seconds=30.0):
    limits = Limits(weave_seconds=seconds, idle_seconds=2.0, connect_seconds=1.0)
    with RunningGateway(replace(world, limits=limits), LedgerWeaver(tmp_path / "gateway.ledger")) as gateway:
        yield gateway


@contextmanager
def recorded(tmp_path):
    """What the ledger has of the owner's turns; only when the gateway has ended."""
    with open_ledger(tmp_path / "gateway.ledger", stream_of("max", "aria"), create=False) as ledger:
        yield ledger


def ask(gateway, body=ASKED, headers=None):
    return gateway.post("/v1/chat/completions", body, {"authorization": "Bearer t-max", **(headers or {})})


# -- faults of the weaver ----------------------------------------------------------------------------------------------


class Fault:
    """Something that fails once it is switched on; a hang ends when the test does."""

    def __init__(self, kind):
        self.kind = kind
        self.is_on = True
        self.over = threading.Event()

    def around(self, function):
        def failing(*words, **more):
            if not self.is_on:
                return function(*words, **more)
            if self.kind == "hang":
                self.over.wait(60)
                return function(*words, **more)
            raise self.kind

        return failing


STAGES = ("decode", "load", "assemble", "encode", "record")
FAULTS = (RuntimeError, MemoryError, RecursionError, SystemExit, "hang")


def break_stage(stage, fault, monkeypatch):
    wire = WIRES["chat"]
    if stage in {"decode", "encode"}:
        broken = wire._replace(**{stage: fault.around(getattr(wire, stage))})
        monkeypatch.setattr("lorewright.gateway.weaving.ledger_weaver.WIRES", {**WIRES, "chat": broken})
    elif stage == "load":
        monkeypatch.setattr(Desk, "load", fault.around(Desk.load))
    elif stage == "assemble":
        monkeypatch.setattr("lorewright.ledger.session.weave", fault.around(weave))
    else:
        monkeypatch.setattr(Ledger, "record", fault.around(Ledger.record))


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("kind", FAULTS, ids=str)
def test_a_fault_of_a_stage_sends_the_request_as_it_came(stage, kind, world, fake, tmp_path, monkeypatch):
    fault = Fault(kind)
    seconds = DEADLINE_SECONDS if kind == "hang" else 30.0
    with running(world, tmp_path) as gateway:
        ask(gateway, headers=OFF)
        ask(gateway, headers=DRY)  # so that the deadline is spent where it should be
        gateway.service.configuration = replace(world, limits=Limits(weave_seconds=seconds))
        break_stage(stage, fault, monkeypatch)
        with answered_within(seconds + GENEROUS_SECONDS):
            answer = ask(gateway)
        fault.over.set()
        fault.is_on = False
        gateway.service.configuration = replace(world, limits=Limits(weave_seconds=30))
        woven = ask(gateway)

    plain, unwoven, later = fake.received
    assert unwoven.body == plain.body == ASKED.replace(b'"aria"', b'"m"')
    assert (answer.status, answer.headers["x-lorewright-error"]) == (200, stage)
    assert "x-lorewright-turn" not in answer.headers
    assert b"rings by itself" in later.body
    assert woven.headers["x-lorewright-turn"].startswith("1-"), "what was not sent was no turn"
    with recorded(tmp_path) as ledger:
        assert [turn.turn for turn in ledger.turns()] == [1]
        assert verify(ledger.store).problems == ()


def test_a_turn_that_was_recorded_too_late_is_no_turn(world, fake, tmp_path, monkeypatch):
    """The deadline ends between the last look at it and the answer."""
    over = threading.Event()
    usual = LedgerWeaver.weave

    def slow(self, request, stage):
        found = usual(self, request, stage)
        over.wait(60)
        return found

    with running(world, tmp_path, 30) as gateway:
        ask(gateway)
    monkeypatch.setattr(LedgerWeaver, "weave", slow)
    with running(world, tmp_path, 1.0) as gateway:
        answer = ask(gateway, ASKED.replace(b"What", b"So what"))
        over.set()
        # The next request of the same thread of events is answered behind the end of the late one.
        while gateway.service.loom._lost:
            ask(gateway, headers=OFF)

    assert answer.headers["x-lorewright-error"] == "record"
    with recorded(tmp_path) as ledger:
        assert [turn for _, turn in ledger.failures()] == [2]
        assert ledger.count_turns() == 2


def test_turns_that_hang_do_not_hold_up_another_owner(world, fake, tmp_path, monkeypatch):
    fault = Fault("hang")
    with running(world, tmp_path, DEADLINE_SECONDS) as gateway:
        break_stage("assemble", fault, monkeypatch)
        assert ask(gateway).headers["x-lorewright-error"] == "assemble"
        fault.is_on = False
        waiting = ask(gateway)
        gateway.service.configuration = replace(world, limits=Limits(weave_seconds=30))
        other = chat(gateway, user("What of the bell?"), token="t-eve")
        fault.over.set()

    assert waiting.headers["x-lorewright-error"] == "load"
    assert other.headers["x-lorewright-turn"].startswith("1-")


# -- faults of the database --------------------------------------------------------------------------------------------


def fill_up(gateway):
    """As on a disk without room."""
    (desk,) = gateway.service.loom._weaver._desks.values()
    with desk.lock:
        pages = desk.ledger.store._db.execute("PRAGMA page_count").fetchone()[0]
        desk.ledger.store._db.execute(f"PRAGMA max_page_count = {pages}")


def test_a_full_database(world, fake, tmp_path):
    long = {
        "role": "user",
        "content": "The bell! " + "".join(chr(0x4E00 + number * 7 % 20_000) for number in range(9999)),
    }
    body = json.dumps({"model": "aria", "messages": [long]}).encode()
    with running(world, tmp_path) as gateway:
        assert "x-lorewright-turn" in ask(gateway).headers
        fill_up(gateway)
        ask(gateway, body, OFF)
        full = ask(gateway, body)
        again = ask(gateway, body)

    assert full.headers["x-lorewright-error"] == again.headers["x-lorewright-error"] == "record"
    _, plain, *others = [request.body for request in fake.received]
    assert others == [plain, plain]
    with recorded(tmp_path) as ledger:
        assert ledger.count_turns() == 1


def test_a_locked_database(world, fake, tmp_path):
    seconds = 2.0
    with running(world, tmp_path, seconds) as gateway:
        assert "x-lorewright-turn" in ask(gateway).headers
        holder = sqlite3.connect(tmp_path / "gateway.ledger", isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")
        with answered_within(seconds + GENEROUS_SECONDS):
            locked = ask(gateway, ASKED.replace(b"What", b"So what"))
        holder.execute("ROLLBACK")
        holder.close()

    # The reply before may be waiting for the file, too; then the turn waits for the desk.
    assert locked.headers["x-lorewright-error"] in {"load", "record"}
    assert fake.received[1].body == ASKED.replace(b"What", b"So what").replace(b'"aria"', b'"m"')
    with recorded(tmp_path) as ledger:
        assert ledger.count_turns() == 1, "nothing is recorded once nobody waits any more"


def other_program(path):
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE recipe (name TEXT)")
    database.close()


BAD_FILES = {
    "garbage": lambda path: path.write_bytes(b"no database at all, " * 1000),
    "of another program": other_program,
    "a folder": lambda path: path.mkdir(),
}


@pytest.mark.parametrize("make", BAD_FILES.values(), ids=BAD_FILES)
def test_a_file_that_is_no_ledger(make, world, fake, tmp_path):
    make(tmp_path / "gateway.ledger")
    with running(world, tmp_path) as gateway:
        answers = [ask(gateway), ask(gateway)]

    assert [answer.headers["x-lorewright-error"] for answer in answers] == ["load"] * 2
    assert [request.body for request in fake.received] == [ASKED.replace(b'"aria"', b'"m"')] * 2


def test_a_ledger_that_was_damaged_while_nobody_looked(world, fake, tmp_path):
    path = tmp_path / "gateway.ledger"
    with running(world, tmp_path) as gateway:
        ask(gateway)
    data = path.read_bytes()
    path.write_bytes(data[:4096] + b"\xa5" * (len(data) - 4096))
    with running(world, tmp_path) as gateway:
        answer = ask(gateway)

    assert answer.headers["x-lorewright-error"] in STAGES
    assert fake.received[1].body == ASKED.replace(b'"aria"', b'"m"')


# -- gates -------------------------------------------------------------------------------------------------------------

SECRET = "The mayor rings it."
GATED = f"""{BOOK}  - uid: 3
    title: The secret
    keys: [bell]
    content: {SECRET}
"""


def edit(book, text):
    """Write a book as an editor does: another file takes its place."""
    new = book.with_suffix(".new")
    new.write_text(text, "utf-8")
    new.replace(book)


@pytest.mark.parametrize(
    "gate", ["[]", "7", "{flag: told}", "{known_by: []}", "{reveal: {book: 4}}", "{nobody_knows: this}"]
)
def test_a_gate_that_is_closed_or_odd_withholds_its_lore_alone(gate, world, fake, tmp_path):
    edit(tmp_path / "saltwick.yaml", f"{GATED}    gate: {gate}\n")
    with running(world, tmp_path) as gateway:
        answer = chat(gateway, user("What of the bell?"))

    assert "x-lorewright-turn" in answer.headers
    assert SECRET.encode() not in fake.received[0].body
    assert b"rings by itself" in fake.received[0].body


def test_a_gate_that_closes_takes_out_what_stood(world, fake, tmp_path):
    edit(tmp_path / "saltwick.yaml", GATED)
    turns = [user("What of the bell?"), assistant("It rings."), user("Why?")]
    with running(world, tmp_path) as gateway:
        chat(gateway, turns[0])
        edit(tmp_path / "saltwick.yaml", f"{GATED}    gate: {{flag: told}}\n")
        chat(gateway, *turns)

    first, second = (request.body for request in fake.received)
    assert SECRET.encode() in first
    assert SECRET.encode() not in second
    assert b"rings by itself" in second
    with recorded(tmp_path) as ledger:
        moves = list(ledger.of_kind(PlacementMoved))
    assert [(move.cause, move.entry) for move in moves] == [("gate_closed", "saltwick.3")]


# -- faults upstream ---------------------------------------------------------------------------------------------------

PIECES = tuple(
    b'data: {"id":"c1","choices":[{"index":0,"delta":{"content":"%b"}}]}\n\n' % word for word in (b"A ", b"gale", b".")
)
STREAM = json.dumps({"model": "aria", "stream": True, "messages": [user("What of the bell?")]}).encode()


def replies(tmp_path):
    with recorded(tmp_path) as ledger:
        texts = ledger.texts
        return [
            (reply.ending, reply.status, None if reply.text is None else texts.get(reply.text))
            for reply in ledger.of_kind(ReplyReceived)
        ]


@pytest.mark.parametrize("fault", ["reset", "cut"])
@pytest.mark.parametrize("after", range(len(PIECES) + 1))
def test_a_stream_that_breaks_off_is_recorded_as_far_as_it_came(fault, after, world, fake, tmp_path):
    fake.plan(
        Plan(pieces=PIECES, content_type="text/event-stream", fault=fault, after_pieces=after, between_seconds=0.02)
    )
    with running(world, tmp_path) as gateway:
        answer = ask(gateway, STREAM)

    came = b"".join(PIECES[:after])
    ((ending, status, text),) = replies(tmp_path)
    if answer.status == 200:
        assert answer.body.startswith(came)
        assert answer.body != came, "the client is told"
        assert (ending, status, text) == ("interrupted", 200, "".join(("A ", "gale", ".")[:after]))
    else:
        assert (after, answer.status, ending) == (0, 502, "failed")


def test_a_limit_of_the_upstream_is_told_and_is_no_turn(world, fake, tmp_path):
    fake.plan(Plan(status=429, headers=(("retry-after", "7"),)))
    with running(world, tmp_path) as gateway:
        limited = ask(gateway)
        ask(gateway)

    assert (limited.status, limited.headers["retry-after"]) == (429, "7")
    assert len(fake.received) == 2, "the gateway tries nothing again by itself"
    assert fake.received[0].body == fake.received[1].body
    assert [(ending, status) for ending, status, _ in replies(tmp_path)] == [("failed", 429), ("complete", 200)]


@pytest.mark.parametrize("fault", ["reset", "cut", "garbage", "hang"])
def test_an_upstream_that_gives_no_reply(fault, world, fake, tmp_path):
    fake.plan(Plan(fault=fault, before_head=True))
    with running(world, tmp_path) as gateway:
        failed = ask(gateway)
        ask(gateway)

    assert failed.status == (504 if fault == "hang" else 502)
    assert fake.received[0].body == fake.received[1].body
    assert [(ending, status) for ending, status, _ in replies(tmp_path)] == [("failed", 0), ("complete", 200)]


def test_garbage_in_a_stream_goes_on_to_the_client(world, fake, tmp_path):
    pieces = (b"data: {\n\n", b"\xff\x00data: ]]\n", PIECES[0], b"not: sse\n\n", b"data: [1]\n\n")
    fake.plan(Plan(pieces=pieces, content_type="text/event-stream"))
    with running(world, tmp_path) as gateway:
        answer = ask(gateway, STREAM)

    assert answer.body == b"".join(pieces)
    assert replies(tmp_path)[0][:2] == ("complete", 200)


@pytest.mark.parametrize("kind", ["text/event-stream", "application/json"])
def test_a_reply_of_100_mb_is_passed_on_and_not_kept(kind, world, fake, tmp_path):
    piece = b"data: %b\n\n" % (b"x" * 1_000_000)
    fake.plan(Plan(pieces=(piece,) * 100, content_type=kind))
    with running(world, tmp_path) as gateway:
        connection = gateway.connect()
        connection.request("POST", "/v1/chat/completions", STREAM, {"authorization": "Bearer t-max"})
        reply, size = connection.getresponse(), 0
        while part := reply.read(1 << 20):
            size += len(part)
        connection.close()

    assert size == 100 * len(piece)
    assert replies(tmp_path) == [("complete", 200, None)]
    assert (tmp_path / "gateway.ledger").stat().st_size < 1_000_000


@pytest.mark.parametrize("before_head", [True, False])
def test_a_client_that_leaves_ends_the_request_upstream(before_head, world, fake, tmp_path):
    fake.plan(Plan(pieces=PIECES[:1], fault="hang", after_pieces=1, before_head=before_head))
    with running(world, tmp_path) as gateway:
        connection = gateway.connect()
        connection.request("POST", "/v1/chat/completions", STREAM, {"authorization": "Bearer t-max"})
        if before_head:
            assert not fake.wait_until_gone(0.5)
        else:
            reply: http.client.HTTPResponse = connection.getresponse()
            assert reply.read(len(PIECES[0])) == PIECES[0]
            reply.close()
        connection.close()
        assert fake.wait_until_gone(1.0), "the upstream still works for nobody"

    assert replies(tmp_path) == [("client_gone", 0 if before_head else 200, "" if before_head else "A ")]
