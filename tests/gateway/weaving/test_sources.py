"""Files of a route that change while the server runs."""

import json
from dataclasses import replace

import pytest

from lorewright.cli.trusting import trust_book
from lorewright.gateway.configuration import Limits
from lorewright.gateway.weaving.ledger_weaver import LedgerWeaver
from tests.gateway.running import RunningGateway
from tests.gateway.weaving.conftest import BOOK, chat, user
from tests.gateway.weaving.test_faults import edit

CODE = f"""{BOOK}  - uid: 3
    title: The tide
    constant: true
    content: "<% for (var i = 0, n = 0; i < 6; i++) n += i %>The tide stands at <%= n %>."
"""
TIDE = "The tide stands at 15."
HANG = CODE.replace("<% for (var i = 0, n = 0; i < 6; i++) n += i %>", "<% for (;;) {} %>")


def status(gateway):
    found = gateway.ask("GET", "/lorewright/v1/status", headers={"authorization": "Bearer t-max"})
    return json.loads(found.body)["routes"]["aria"]


def test_an_edit_is_in_the_next_request(woven, fake, tmp_path):
    chat(woven, user("Where are we?"))
    edit(tmp_path / "saltwick.yaml", BOOK.replace("harbour", "fishing"))
    chat(woven, user("Where are we now?"))

    first, second = (request.body for request in fake.received)
    assert b"a harbour town" in first
    assert b"a fishing town" in second


def test_a_broken_edit_keeps_the_last_good_state_and_the_status_says_so(woven, fake, tmp_path):
    book = tmp_path / "saltwick.yaml"
    chat(woven, user("Where are we?"))
    assert status(woven)["problem"] is None
    edit(book, "lorewright: 1\nentries: [[[")
    broken = chat(woven, user("Where are we now?"))
    problem = status(woven)["problem"]
    book.unlink()
    gone = chat(woven, user("And where now?"))
    edit(book, BOOK.replace("harbour", "fishing"))
    chat(woven, user("Where at last?"))

    assert "x-lorewright-turn" in broken.headers
    assert "x-lorewright-turn" in gone.headers
    assert "saltwick.yaml" in problem
    bodies = [request.body for request in fake.received]
    assert [b"a harbour town" in body for body in bodies] == [True, True, True, False]
    assert b"a fishing town" in bodies[3]
    assert status(woven)["problem"] is None


def test_a_book_that_never_could_be_read_is_a_problem_of_its_route(woven, fake, tmp_path):
    edit(tmp_path / "saltwick.yaml", "lorewright: 1\nentries: [[[")
    answer = chat(woven, user("Where are we?"))

    assert answer.headers["x-lorewright-error"] == "load"
    assert "saltwick.yaml" in status(woven)["problem"]


@pytest.fixture
def coded(world, tmp_path, monkeypatch):
    """A gateway over a book with code, which nobody trusts yet."""
    monkeypatch.setenv("LOREWRIGHT_DATA_DIR", str(tmp_path / "data"))
    edit(tmp_path / "saltwick.yaml", CODE)
    limits = Limits(weave_seconds=30)
    with RunningGateway(replace(world, limits=limits), LedgerWeaver(tmp_path / "gateway.ledger")) as running:
        yield running


def test_code_runs_once_its_book_is_trusted_and_until_it_changes(coded, fake, tmp_path):
    book = tmp_path / "saltwick.yaml"
    chat(coded, user("How is the tide?"))
    trust_book(str(book))
    chat(coded, user("How is the tide now?"))
    edit(book, CODE.replace("< 6", "< 7"))
    chat(coded, user("And now?"))

    bodies = [request.body.decode() for request in fake.received]
    assert [TIDE in body for body in bodies] == [False, True, False]
    assert all(
        "harbour town" in body and "<%" not in body and "stands at" not in body.replace(TIDE, "") for body in bodies
    )


def test_code_that_hangs_is_refused_within_the_deadline_and_the_rest_is_woven(coded, fake, tmp_path):
    book = tmp_path / "saltwick.yaml"
    edit(book, HANG)
    trust_book(str(book))
    coded.service.configuration = replace(coded.service.configuration, limits=Limits(weave_seconds=6))
    answer = chat(coded, user("What of the bell?"))

    assert "x-lorewright-turn" in answer.headers
    body = fake.received[0].body
    assert b"harbour town" in body
    assert b"rings by itself" in body
    assert b"stands at" not in body
