"""The editor of the rules file: what it is shown, what it may write, and who it may be."""

import json
from dataclasses import replace

import pytest

from lorewright.gateway.configuration import Configuration, Secret, Token
from tests.gateway.running import RunningGateway

RULES = {
    "defaults": {"cacheSafe": True},
    "entries": [
        {"id": "always", "content": "The isles are cold.", "mode": "constant", "own": {"kept": [1, "ü"]}},
        {"id": "gale", "content": "Gales come at night.", "mode": "selective", "keys": ["gale"], "channel": "system"},
    ],
}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "lorebook-prompt.json").write_text(json.dumps(RULES, indent=2), "utf-8")
    return tmp_path


def running(folder, **more):
    return RunningGateway(Configuration(rules=str(folder / "lorebook-prompt.json"), **more))


@pytest.fixture
def desk(folder):
    with running(folder) as gateway:
        yield gateway


def state_of(answer):
    assert answer.status == 200, answer.body
    return json.loads(answer.body)


def status_of(folder):
    return json.loads((folder / "lorebook-prompt.status.json").read_bytes())


def file_of(folder):
    return json.loads((folder / "lorebook-prompt.json").read_bytes())


def test_the_state_shows_the_file_and_apart_from_it_what_is_computed(desk, folder):
    state = state_of(desk.ask("GET", "/lorebook-prompt/state"))

    assert state["rules"] == RULES
    assert state["error"] is None
    assert state["path"] == str(folder / "lorebook-prompt.json")
    assert [(one["id"], one["effectiveChannel"], one["routedForCache"]) for one in state["computed"]] == [
        ("always", "system", False),
        ("gale", "message", True),
    ]
    assert status_of(folder)["settingsApi"] is True
    assert status_of(folder)["event"] == "loaded"


def test_what_is_saved_is_written_as_given_and_in_force(desk, folder):
    changed = json.loads(json.dumps(RULES))
    changed["entries"][1]["channel"] = "message"
    changed["note"] = "mine"
    shown = json.loads(json.dumps(changed))
    shown["entries"][1]["effectiveChannel"] = "message"

    state = state_of(desk.post("/lorebook-prompt/save", json.dumps(shown).encode()))

    assert state["rules"] == changed == file_of(folder)
    assert not state["computed"][1]["routedForCache"]
    assert status_of(folder)["event"] == "saved"


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'{"entries": 3}', b"\xff\xfe", b'{"a":' + b"[" * 100_000])
def test_what_is_no_rules_file_is_not_written(body, desk, folder):
    answer = desk.post("/lorebook-prompt/save", body)

    assert (answer.status, answer.headers["x-lorewright-refused"]) == (400, "rules_invalid")
    assert file_of(folder) == RULES
    assert state_of(desk.ask("GET", "/lorebook-prompt/state"))["rules"] == RULES


def test_odd_text_is_shown_and_saved(desk):
    body = b'{"entries":[{"id":"a","content":"\\ud800 \\u0000"}]}'

    state = state_of(desk.post("/lorebook-prompt/save", body))

    assert state["rules"]["entries"][0]["content"] == "\ud800 \x00"


def test_a_file_that_somebody_else_changed_is_read_again(desk, folder):
    (folder / "lorebook-prompt.json").write_text('{"entries": []}', "utf-8")
    assert state_of(desk.post("/lorebook-prompt/reload", b""))["computed"] == []

    (folder / "lorebook-prompt.json").write_text("{", "utf-8")
    state = state_of(desk.post("/lorebook-prompt/reload", b""))
    assert state["rules"] == {"entries": []}
    assert state["error"]


def test_a_stopped_server_says_so(folder):
    with running(folder):
        pass

    assert status_of(folder)["event"] == "unloaded"


def test_an_older_name_is_taken_over_once(folder):
    (folder / "lorebook-prompt.json").rename(folder / "rules.json")
    with running(folder) as gateway:
        assert state_of(gateway.ask("GET", "/lorebook-prompt/state"))["rules"] == RULES
        assert status_of(folder)["migratedFrom"] == str(folder / "rules.json")
    assert not (folder / "rules.json").exists()


def test_a_file_that_is_not_there_yet(tmp_path):
    with running(tmp_path) as gateway:
        state = state_of(gateway.ask("GET", "/lorebook-prompt/state"))
        assert (state["rules"], state["computed"]) == (None, [])
        assert state["error"]
        assert state_of(gateway.post("/lorebook-prompt/save", json.dumps(RULES).encode()))["rules"] == RULES
    assert file_of(tmp_path) == RULES


@pytest.mark.parametrize("name", ["X-Forwarded-For", "Forwarded", "X-Real-IP"])
@pytest.mark.parametrize(("method", "path"), [("GET", "state"), ("POST", "save"), ("POST", "reload")])
def test_nobody_asks_through_a_proxy(method, path, name, desk, folder):
    answer = desk.ask(
        method, f"/lorebook-prompt/{path}", b'{"entries":[]}' if method == "POST" else b"", {name: "127.0.0.1"}
    )

    assert (answer.status, answer.headers["x-lorewright-refused"]) == (403, "peer_refused")
    assert file_of(folder) == RULES


@pytest.mark.parametrize(
    ("peer", "is_let_in"),
    [("127.0.0.1", True), ("::1", True), ("192.168.0.7", False), ("10.0.0.1", False), (None, False)],
)
def test_only_this_computer_asks_whatever_its_token(peer, is_let_in, folder):
    from starlette.requests import Request

    from lorewright.gateway.refusal import Refusal
    from lorewright.gateway.rules_desk import _check_caller
    from lorewright.gateway.safety import Caller

    client = (peer, 1) if peer else None
    request = Request(
        {"type": "http", "headers": [], "client": client, "state": {"caller": Caller("a", is_admin=True)}}
    )
    if is_let_in:
        _check_caller(request)
    else:
        with pytest.raises(Refusal, match="this computer only"):
            _check_caller(request)


def test_where_there_are_tokens_an_admin_is_needed(folder):
    tokens = (Token(owner="max", secret=Secret("t")), Token(owner="ada", secret=Secret("a"), is_admin=True))
    with running(folder, tokens=tokens) as gateway:
        path = "/lorebook-prompt/state"
        assert gateway.ask("GET", path).status == 401
        assert gateway.ask("GET", path, headers={"x-api-key": "t"}).headers["x-lorewright-refused"] == "admin_needed"
        assert gateway.ask("GET", path, headers={"x-api-key": "a"}).status == 200


def test_without_a_rules_file_there_are_no_such_addresses(gateway):
    assert gateway.ask("GET", "/lorebook-prompt/state").status == 404


@pytest.mark.parametrize("key", ["rules", "state"])
def test_a_new_file_is_taken_at_the_next_start(key, tmp_path):
    from tests.gateway.test_watch import Watched

    watched = Watched(tmp_path, "")
    watched.write(f'{key} = "other.file"')

    assert watched.service.configuration == replace(Configuration(), file=str(watched.file))
    assert watched.problems == [key]
