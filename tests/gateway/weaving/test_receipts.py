"""Receipts over HTTP: what a turn's owner is told, and that nobody else is told anything."""

import hashlib
import json
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.gateway.configuration import Secret, Token
from lorewright.gateway.weaving.streams import read_stream, stream_of
from lorewright.ledger.erase import erase, find_containing
from lorewright.ledger.ledger import open_ledger
from lorewright.testing.fake_upstream import Plan
from tests.gateway.weaving.conftest import assistant, chat, user

TURNS = "/lorewright/v1/turns"
USAGE = {"prompt_tokens": 100, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 80}}
REPLY = {
    "id": "chatcmpl-7",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "It rings."}, "finish_reason": "stop"}],
    "usage": USAGE,
}


@pytest.fixture
def world(world):
    return replace(world, tokens=(*world.tokens, Token(owner="root", secret=Secret("t-root"), is_admin=True)))


def ask(gateway, path, token="t-max"):
    answer = gateway.ask("GET", f"{TURNS}{path}", headers={"authorization": f"Bearer {token}"})
    return answer.status, json.loads(answer.body)


def turn_of(answer):
    return answer.headers["x-lorewright-turn"]


def wait_for_reply(gateway, turn, token="t-max"):
    """The receipt once the reply is written, which is done by and by."""
    for _ in range(200):
        receipt = ask(gateway, f"/{turn}", token)[1]
        if receipt["reply"] is not None:
            return receipt
        time.sleep(0.05)
    raise AssertionError("the reply was not recorded")


def talk(gateway, *, token="t-max"):
    """Two turns; their names."""
    first = chat(gateway, user("What of the bell?"), token=token)
    more = (user("What of the bell?"), assistant("It rings."), user("And then?"))
    return turn_of(first), turn_of(chat(gateway, *more, token=token))


def test_a_receipt_says_what_was_sent_and_why(woven, fake):
    fake.plan(Plan(pieces=(json.dumps(REPLY).encode(),), content_type="application/json"))
    turn = turn_of(chat(woven, user("What of the bell?")))

    receipt = wait_for_reply(woven, turn)

    assert (receipt["id"], receipt["owner"], receipt["route"], receipt["parent"]) == (turn, "max", "aria", None)
    assert receipt["request"] == {
        "api": "chat",
        "model": "m",
        "upstream": "local",
        "bytes": len(fake.received[0].body),
        "sha256": hashlib.sha256(fake.received[0].body).hexdigest(),
        "dropped": [],
        "history": "new",
    }
    assert receipt["reply"] == {
        "ending": "complete",
        "status": 200,
        "response": "chatcmpl-7",
        "prompt_tokens": 100,
        "cached_tokens": 80,
        "written_tokens": 0,
        "reply_tokens": 3,
        "hit_ratio": 0.8,
        "dropped": [],
        "rewritten": None,
    }
    assert [message["content"] for message in receipt["messages"]] == [
        message["content"] for message in fake.received[0].json["messages"]
    ]
    assert [(one["message"], one["entry"]) for one in receipt["placed"]] == [(0, "saltwick.1"), (1, "saltwick.2")]
    assert {one["entry"]: (one["in"], one["reason"]["code"]) for one in receipt["entries"]} == {
        "saltwick.1": (True, "constant"),
        "saltwick.2": (True, "key_matched"),
    }
    assert (receipt["entries_left_out"], receipt["replayed"], receipt["layout"]) == (0, "same", None)


def test_a_receipt_says_why_an_entry_is_not_there(woven):
    receipt = ask(woven, f"/{turn_of(chat(woven, user('Hello')))}")[1]

    out = [one for one in receipt["entries"] if not one["in"]]
    assert [(one["entry"], one["reason"]["code"]) for one in out] == [("saltwick.2", "no_key_matched")]


def test_a_receipt_names_what_a_translation_left_out(woven, fake):
    speaks_messages = replace(woven.service.configuration.upstreams["claude"], apis=frozenset({"messages"}))
    configuration = woven.service.configuration
    woven.service.configuration = replace(
        configuration, upstreams={**configuration.upstreams, "claude": speaks_messages}
    )
    answer = chat(woven, user("What of the bell?"), model="claude", logit_bias={"50256": -100})

    request = ask(woven, f"/{turn_of(answer)}")[1]["request"]

    assert (answer.headers["x-lorewright-dropped"], request["dropped"]) == ("logit_bias", ["logit_bias"])
    assert request["api"] == "messages"
    assert request["sha256"] == hashlib.sha256(fake.received[0].body).hexdigest()


def test_a_receipt_names_what_a_translation_left_out_of_a_stream(woven, fake):
    """The header is gone by then."""
    configuration = woven.service.configuration
    only_chat = replace(configuration.upstreams["local"], apis=frozenset({"chat"}))
    woven.service.configuration = replace(configuration, upstreams={**configuration.upstreams, "local": only_chat})
    pieces = [
        {
            "id": "c",
            "system_fingerprint": "fp",
            "choices": [{"index": 0, "delta": {"role": "assistant", "content": "It"}}],
        },
        {"id": "c", "odd": 1, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
    ]
    events = [b"data: %s\n\n" % json.dumps(piece).encode() for piece in pieces]
    fake.plan(Plan(pieces=(*events, b"data: [DONE]\n\n"), content_type="text/event-stream"))
    body = {"model": "aria", "max_tokens": 9, "stream": True, "top_k": 3, "messages": [user("What of the bell?")]}
    answer = woven.post("/v1/messages", json.dumps(body).encode(), {"x-api-key": "t-max"})
    turn = turn_of(answer)

    receipt = wait_for_reply(woven, turn)

    assert answer.headers["x-lorewright-dropped"] == "top_k"
    assert receipt["request"]["dropped"] == ["top_k"]
    assert receipt["reply"]["dropped"] == ["system_fingerprint", "odd"]


def test_a_failed_turn_says_so_and_its_retry_begins_anew(woven, fake):
    fake.plan(Plan(status=500))
    failed = turn_of(chat(woven, user("Hello")))
    assert wait_for_reply(woven, failed)["reply"]["ending"] == "failed"
    again = turn_of(chat(woven, user("Hello")))

    assert ask(woven, f"/{again}")[1]["parent"] is None
    assert ask(woven, f"/{failed}/replay")[1]["outcome"] == "same"
    assert ask(woven, f"/{again}/replay")[1]["outcome"] == "same"


def test_what_a_turn_keeps_of_the_one_before(woven, fake):
    first, second = talk(woven)

    status, found = ask(woven, f"/{second}/diff")

    kept = found["difference"]
    assert (status, found["before"], found["erased"]) == (200, first, False)
    assert (kept["first_difference"], kept["cause"]) == (None, None)
    assert kept["kept_bytes"] == kept["total_bytes"] > 0
    assert ask(woven, f"/{first}/diff")[1] == {"id": first, "before": None, "erased": False, "difference": None}


def test_a_moved_prefix_names_its_cause(woven, world):
    _, second = talk(woven)
    book = Path(world.routes["aria"].books[0].file)
    book.write_text(book.read_text("utf-8").partition("  - uid: 2")[0], "utf-8")
    third = turn_of(
        chat(woven, user("What of the bell?"), assistant("It rings."), user("And then?"), assistant("No."), user("Oh"))
    )

    found = ask(woven, f"/{third}/diff")[1]

    assert found["before"] == second
    assert (found["difference"]["cause"], found["difference"]["entries"]) == ("entry_removed", ["saltwick.2"])
    assert found["difference"]["parting"]["message"] == 1
    assert ask(woven, f"/{third}")[1]["moves"] == [{"cause": "entry_removed", "entry": "saltwick.2"}]


def test_an_erased_text_is_said_to_be_erased(woven, world):
    first, second = talk(woven)
    with open_ledger(world.state, stream_of("max", "aria")) as ledger:
        erase(ledger, find_containing(ledger, "What of the bell"))

    receipt = ask(woven, f"/{second}")[1]
    assert (receipt["entries"], receipt["replayed"]) == (None, "erased")
    assert "(erased)" in receipt["messages"][1]["content"]
    assert ask(woven, f"/{second}/replay")[1]["outcome"] == "erased"
    assert ask(woven, f"/{second}/diff")[1] == {"id": second, "before": first, "erased": True, "difference": None}


@pytest.mark.parametrize("what", ["", "/diff", "/replay"])
def test_nobody_sees_anybody_elses_turn_but_an_admin(what, woven):
    turn, _ = talk(woven)
    number, piece = turn.split("-")
    wrong = [f"{number}-{'0' * len(piece)}", f"2-{piece}", f"0-{piece}", "1", "x" * 500, f"{turn}%20"]

    assert ask(woven, f"/{turn}{what}")[0] == 200
    assert ask(woven, f"/{turn}{what}", "t-root")[0] == 200
    foreign = ask(woven, f"/{turn}{what}", "t-eve")
    unknown = ask(woven, f"/{wrong[0]}{what}", "t-eve")
    assert foreign[0] == unknown[0] == 404
    assert json.dumps(foreign[1]).replace(turn, "T") == json.dumps(unknown[1]).replace(wrong[0], "T")
    assert {ask(woven, f"/{name}{what}")[0] for name in wrong} == {404}


def test_the_list_is_paged_over_all_routes_of_its_owner(woven):
    made = [turn_of(chat(woven, user(f"Hello {number}"), model=("aria", "claude")[number % 2])) for number in range(5)]
    chat(woven, user("I am Eve"), token="t-eve")

    pages: list[list[str]] = []
    before: str | None = ""
    while before is not None:
        page = ask(woven, f"?limit=2{before and '&before=' + before}")[1]
        pages.append([one["id"] for one in page["turns"]])
        before = page["next"]
    assert [name for page in pages for name in page] == made[::-1]
    assert [len(page) for page in pages] == [2, 2, 1]
    assert [one["id"] for one in ask(woven, "?route=claude")[1]["turns"]] == [made[3], made[1]]
    assert len(ask(woven, "", "t-root")[1]["turns"]) == 6
    assert ask(woven, "?limit=5")[1]["next"] is None


@pytest.mark.parametrize("query", ["limit=0", "limit=101", "limit=x", "limit=%D9%A1", "limit=-1", "page=2"])
def test_a_query_that_cannot_be_used_is_refused(query, woven):
    assert ask(woven, f"?{query}")[0] == 400


def test_there_is_nothing_before_the_first_turn(woven):
    assert ask(woven, "") == (200, {"turns": [], "next": None})
    assert ask(woven, "?before=1-" + "0" * 32)[0] == 404


def test_a_broken_ledger_is_named(woven, world, tmp_path):
    (tmp_path / "gateway.ledger").write_bytes(b"no database at all, but long enough for a header" * 30)

    status, error = ask(woven, "")

    assert (status, error["error"]["code"]) == (503, "ledger_failed")


def test_the_status_counts_turns_and_their_ends(woven, fake):
    fake.plan(Plan(pieces=(json.dumps(REPLY).encode(),), content_type="application/json"), Plan(status=500))
    for _ in range(2):
        wait_for_reply(woven, turn_of(chat(woven, user("Hello"))))

    answer = woven.ask("GET", "/lorewright/v1/status", headers={"authorization": "Bearer t-max"})

    counted = {"recorded": 2, "replies": {"complete": 1, "failed": 1}, "hitRatio": 0.8}
    assert json.loads(answer.body)["turns"] == counted


@given(st.text(max_size=30), st.text(max_size=30), st.text(max_size=30))
def test_owner_and_route_are_read_from_a_streams_name(owner, route, other):
    assert read_stream(stream_of(owner, route)) == (owner, route)
    if other != owner:
        assert read_stream(stream_of(other, route)) != (owner, route)


@given(st.one_of(st.text(max_size=12), st.from_regex(r"[0-9]{1,2}:[a-z/:]{0,8}", fullmatch=True)))
def test_any_other_name_of_a_stream_is_nobodys(name):
    found = read_stream(name)

    assert found is None or stream_of(*found) == name


def test_counting_tokens_is_sent_woven_and_leaves_no_turn(woven, fake):
    body = {"model": "claude", "messages": [user("What of the bell?")]}
    answer = woven.post("/v1/messages/count_tokens", json.dumps(body).encode(), {"x-api-key": "t-max"})

    assert (answer.status, answer.headers["x-lorewright-history"]) == (200, "new")
    assert answer.headers.keys().isdisjoint({"x-lorewright-turn", "x-lorewright-dry-run"})
    assert "rings by itself" in fake.received[0].body.decode()
    assert ask(woven, "")[1]["turns"] == []
