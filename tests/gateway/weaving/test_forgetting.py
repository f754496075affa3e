"""`forget` and `gc` beside a running gateway: the texts are gone from its files, and it goes on."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lorewright.ledger.ledger import open_ledger
from lorewright.ledger.verify import verify
from tests.gateway.weaving.conftest import assistant, chat, user

SECRET = "Mill Lane 12"
MAX, EVE = "3:max/aria", "3:eve/aria"


@pytest.fixture
def run(world, tmp_path):
    """A command in a process of its own, over the ledger of the gateway."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LOREWRIGHT_")}

    def run(*words):
        done = subprocess.run(
            [sys.executable, "-m", "lorewright", *words],
            env=kept | {"COLUMNS": "200", "LOREWRIGHT_DATA_DIR": str(tmp_path)},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        return done.returncode, done.stdout, done.stderr

    return run


def files(world):
    """The bytes of the database and its log, as another process reads them: this one would lose its locks on them."""
    code = "import pathlib, sys; [sys.stdout.buffer.write(f.read_bytes()) for f in pathlib.Path().glob('gateway.ledger*') if f.is_file()]"
    folder = Path(world.state).parent
    return subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, check=True).stdout


def texts(world):
    with open_ledger(world.state) as ledger:
        return b"".join(ledger.store.text(row.commitment) or b"" for row in ledger.store.texts())


def talk(gateway, **more):
    """Two turns about a secret; the name of the second."""
    chat(gateway, user(f"I live in {SECRET}. What of the bell?"), **more)
    answer = chat(gateway, user(f"I live in {SECRET}. What of the bell?"), assistant("So."), user("And then?"), **more)
    return answer.headers["x-lorewright-turn"]


def wait_for_replies(gateway, turn, token="t-max"):
    for _ in range(200):
        answer = gateway.ask("GET", f"/lorewright/v1/turns/{turn}", headers={"authorization": f"Bearer {token}"})
        if json.loads(answer.body)["reply"] is not None:
            return
        time.sleep(0.05)
    raise AssertionError("the reply was not recorded")


def test_a_conversation_is_forgotten_while_the_gateway_runs(woven, world, run, fake):
    turn = talk(woven)
    wait_for_replies(woven, turn)
    assert SECRET.encode() in files(world) + texts(world)

    code, out, err = run("forget", turn, "--json")

    done = json.loads(out)
    assert (code, err, done["forgotten"], done["turns"], done["clean"]) == (0, "", True, {MAX: [1, 2]}, True)
    assert SECRET.encode() not in files(world) + texts(world)
    following = chat(woven, user(f"I live in {SECRET}. What of the bell?"), assistant("So."), user("And then?"))
    assert following.status == 200
    assert following.headers["x-lorewright-turn"].startswith("3-")
    assert SECRET.encode() in texts(world)  # said anew
    code, out, _ = run("ledger", "verify", str(world.state), "--json")
    verified = json.loads(out)
    assert (code, verified["problems"]) == (0, [])
    assert [(one["stream"], one["rule"], one["turns"]) for one in verified["removed"]] == [(MAX, "forget", [1, 2])]
    removed = run("ledger", "verify", str(world.state))[1]
    assert "by forget in 3:max/aria" in removed
    answer = woven.ask("GET", f"/lorewright/v1/turns/{turn}", headers={"authorization": "Bearer t-max"})
    receipt = json.loads(answer.body)
    assert (answer.status, receipt["replayed"], receipt["request"]["sha256"]) == (200, "erased", None)


def test_conversations_are_listed_and_found_by_their_names(woven, world, run):
    last = talk(woven)
    body = {"model": "aria", "messages": [user("Hello")]}
    headers = {"authorization": "Bearer t-eve", "x-lorewright-conversation": "my talk"}
    named = woven.post("/v1/chat/completions", json.dumps(body).encode(), headers).headers["x-lorewright-turn"]

    listed = json.loads(run("forget", "--json")[1])

    assert {(one["stream"], one["name"], tuple(one["turns"]), one["last"]) for one in listed} == {
        (MAX, None, (1, 2), last),
        (EVE, "my talk", (1,), named),
    }
    assert "my talk" in run("forget")[1]
    code, out, _ = run("forget", "my talk", "--dry-run")
    assert (code, out.startswith("This would forget by forget: 1 turn,")) == (0, True)
    assert json.loads(run("forget", "my talk", "--json")[1])["turns"] == {EVE: [1]}
    assert json.loads(run("forget", "2", "--stream", MAX, "--json")[1])["turns"] == {MAX: [1, 2]}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("forget", "nobody"), "There is no conversation `nobody`"),
        (("forget", "1"), "There is no conversation `1`"),
        (("forget", "1-" + "0" * 32), "There is no conversation"),
        (("forget", "1", "--stream", "x"), "has no stream `x`; it has: `3:max/aria`"),
        (("forget", "1", "--ledger", "none.ledger"), "there is no such ledger"),
        (("ledger", "erase", "gateway.ledger", "--entry", "a.1"), "has no stream `main`"),
        (("ledger", "list", "gateway.ledger"), "has no stream `main`; it has: `3:max/aria`. Choose with --stream."),
        (("ledger", "facts", "gateway.ledger", "--stream", "x"), "has no stream `x`; it has: `3:max/aria`"),
        (("gc",), "Give a rule"),
        (("gc", "--keep-turns", "0"), "greater than or equal to 1"),
    ],
)
def test_what_is_not_there_is_refused(words, said, woven, run):
    talk(woven)

    code, out, err = run(*words)

    assert (code, out) == (2, "")
    assert said in err


def test_rules_take_what_they_say(woven, world, run):
    turn = talk(woven)
    wait_for_replies(woven, turn)

    assert run("gc", "--older-than", "1", "--keep-turns", "5")[1].count("0 turns") == 2
    done = json.loads(run("gc", "--keep-turns", "1", "--interrupted", "--json")[1])
    assert [(one["rule"], one["turns"]) for one in done] == [
        ("gc --interrupted", {}),
        ("gc --keep-turns 1", {MAX: [1]}),
    ]
    following = chat(
        woven,
        user(f"I live in {SECRET}. What of the bell?"),
        assistant("So."),
        user("And then?"),
        assistant("No."),
        user("Oh"),
    )
    assert following.status == 200
    assert json.loads(run("gc", "--older-than", "0", "--json")[1])[0]["turns"] == {MAX: [2, 3]}
    assert SECRET.encode() not in files(world) + texts(world)
    with open_ledger(world.state) as ledger:
        assert verify(ledger.store).problems == ()


def test_a_stored_response_does_not_bring_back_what_was_forgotten(woven, world, run, fake):
    """The upstream has the history still; ours is gone, also what the gateway kept beside its file."""

    def respond(said, **more):
        body = json.dumps({"model": "aria", "input": said, **more}).encode()
        return woven.post("/v1/responses", body, {"authorization": "Bearer t-max"})

    first = respond(f"I live in {SECRET}.")
    response = json.loads(first.body)["id"]
    wait_for_replies(woven, first.headers["x-lorewright-turn"])
    second = respond("What of the bell?", previous_response_id=response)
    assert second.headers["x-lorewright-history"] == "stored"
    wait_for_replies(woven, second.headers["x-lorewright-turn"])
    run("forget", first.headers["x-lorewright-turn"])
    assert SECRET.encode() not in files(world) + texts(world)

    third = respond("And then?", previous_response_id=json.loads(second.body)["id"])

    assert (third.status, third.headers["x-lorewright-history"]) == (200, "unknown-response")
    assert SECRET.encode() not in files(world) + texts(world)
