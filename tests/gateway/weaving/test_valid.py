"""Random conversations with tools, pictures and begun replies, over HTTP: what is sent is what the real APIs take, and what
one owner says is nothing to another."""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lorewright.core.policy import Placement
from lorewright.gateway.configuration import BookFile, Configuration, Route, Upstream
from lorewright.gateway.endpoints import ENDPOINTS, Kind
from lorewright.gateway.safety import Caller
from lorewright.gateway.weaver import Stage, ToWeave
from lorewright.gateway.weaving.ledger_weaver import LedgerWeaver
from lorewright.providers.dialect import Dialect
from lorewright.testing.fake_upstream import FakeUpstream
from tests.gateway.running import RunningGateway
from tests.providers.conversations import ENDS, STEPS, SYSTEMS, chat_of, messages_of, responses_of
from tests.providers.validator import (
    problems_of_chat,
    problems_of_gemma,
    problems_of_messages,
    problems_of_mistral,
    problems_of_responses,
)

PLACEMENTS = get_args(Placement)
KEYS = ("hello", "灯塔", "salt", "wolf", "go on", "high")
POSITIONS = (0, 1, 2, 4, 4, 6)
ROLES = (0, 0, 0, 1, 2, 0)
"""System, user, assistant: of texts at a depth."""


def book(form):
    """Lore in every position; some of it is only of its turn."""
    entries = [{"uid": 0, "constant": True, "content": "A harbour."}]
    entries += [
        {"uid": uid, "keys": [key], "content": f"Lore {uid}.", "position": at, "role": role, "depth": uid % 4}
        for uid, (key, at, role) in enumerate(zip(KEYS, POSITIONS, ROLES, strict=True), 1)
    ]
    entries += [{"uid": 9, "constant": True, "content": "{{random::calm::rough}} sea", "position": 4, "depth": 0}]
    return {"lorewright": 1, "name": f"saltwick {form}", "entries": entries}


DIALECTS = {
    "free": Dialect(),
    "strict": Dialect(system_in_middle=False, roles_must_alternate=True),
    "claude": Dialect(system_in_middle=False),
}
APIS = {
    "chat": ("/v1/chat/completions", chat_of),
    "messages": ("/v1/messages", messages_of),
    "responses": ("/v1/responses", responses_of),
}


def problems(path, body):
    """What a server would refuse, by its API and, for a model of the strict upstream, by its chat template."""
    if path == "/v1/messages":
        return list(problems_of_messages(body))
    if path == "/v1/responses":
        return list(problems_of_responses(body))
    found = list(problems_of_chat(body))
    if body["model"] == "strict":
        found += problems_of_mistral(body)
        if not any(message.get("tool_calls") for message in body["messages"]):
            found += problems_of_gemma(body)
    return found


@pytest.fixture(scope="module")
def world() -> Iterator[tuple[RunningGateway, FakeUpstream]]:
    """A route for each dialect, placement and form; the route's name is its model's name behind the first word."""
    with tempfile.TemporaryDirectory() as folder, FakeUpstream() as fake:
        upstreams, routes = {}, {}
        for name, dialect in DIALECTS.items():
            kind: Kind = "anthropic" if name == "claude" else "openai"
            upstreams[name] = Upstream(
                name=name, base_url=fake.base_url, kind=kind, apis=frozenset(ENDPOINTS), dialect=dialect
            )
            for placement in PLACEMENTS:
                for form in ("inside", "message"):
                    file, settings_file = Path(folder, f"{form}.json"), Path(folder, f"{form}.settings.json")
                    file.write_text(json.dumps(book(form)), "utf-8")
                    settings_file.write_text(json.dumps({"form": form}), "utf-8")
                    route = Route(
                        name=f"{name}-{placement}-{form}",
                        upstream=name,
                        model=name,
                        books=(BookFile(str(file)),),
                        settings=str(settings_file),
                        placement=placement,
                    )
                    routes[route.name] = route
        fake.check = lambda request: "; ".join(problems(request.path, request.json)) or None
        world = Configuration(upstreams=upstreams, routes=routes)
        with RunningGateway(world, LedgerWeaver(Path(folder, "ledger"))) as gateway:
            yield gateway, fake


@pytest.mark.parametrize("api", APIS)
@settings(max_examples=40, deadline=None)
@given(
    steps=STEPS,
    end=ENDS,
    system=SYSTEMS,
    dialect=st.sampled_from(sorted(DIALECTS)),
    placement=st.sampled_from(PLACEMENTS),
    form=st.sampled_from(["inside", "message"]),
)
def test_what_is_sent_is_valid(world, api, steps, end, system, dialect, placement, form):
    """Turn by turn, as the conversation grows, and at its end."""
    gateway, fake = world
    path, make = APIS[api]
    dialect = "claude" if api == "messages" else "free" if dialect == "claude" else dialect
    bodies = [make(steps[: count + 1], "user", system) for count in range(len(steps))]
    for body in [*bodies, make(steps, end, system)]:
        assert problems(path, body) == [], "the conversation itself"
        fake.received.clear()
        reply = gateway.post(path, json.dumps({**body, "model": f"{dialect}-{placement}-{form}"}).encode())

        assert reply.status == 200, reply.body.decode()
        assert "x-lorewright-error" not in reply.headers
        assert "A harbour." in fake.received[-1].body.decode()


@settings(max_examples=30, deadline=None)
@given(
    steps=STEPS,
    system=SYSTEMS,
    placement=st.sampled_from(PLACEMENTS),
    form=st.sampled_from(["inside", "message"]),
)
def test_what_goes_on_from_a_stored_response_is_valid(world, steps, system, placement, form):
    """Each request holds what the client says next: its message, or the results of the calls that were made."""
    gateway, fake = world
    previous: dict[str, str] = {}
    for items in said_by_the_client(steps):
        body = {"model": f"free-{placement}-{form}", "input": items, **previous}
        if system:
            body["instructions"] = "Be short."
        fake.received.clear()
        reply = gateway.post("/v1/responses", json.dumps(body).encode())

        assert reply.status == 200, reply.body.decode()
        assert reply.headers["x-lorewright-history"] == "stored" or not previous
        sent = fake.received[-1].json
        assert "A harbour." in sent["instructions"]
        assert "A harbour." not in json.dumps(sent["input"])
        assert ("Be short." in sent["instructions"]) is bool(system)
        previous = {"previous_response_id": json.loads(reply.body)["id"]}


def said_by_the_client(steps):
    """The items of one request after the other."""
    for step in steps:
        items = responses_of([step], "user", "")["input"]
        yield items
        for count in step.rounds:
            yield [{"type": "function_call_output", "call_id": f"c{n}", "output": "high"} for n in range(count)]


# -- owners ------------------------------------------------------------------------------------------------------------


def woven_bodies(folder, conversations):
    """What becomes of the requests of these owners, in this order; by owner."""
    file = Path(folder, "book.json")
    file.write_text(json.dumps(book("inside")), "utf-8")
    upstream = Upstream(name="up", base_url="http://127.0.0.1:9/v1")
    route = Route(name="aria", upstream="up", books=(BookFile(str(file)),))
    weaver = LedgerWeaver(Path(folder, "ledger"))
    found: dict[str, list[bytes]] = {}
    try:
        for owner, body in conversations:
            request = ToWeave(
                endpoint="chat",
                body=json.dumps(body).encode(),
                route=route,
                upstream=upstream,
                caller=Caller(owner=owner),
            )
            found.setdefault(owner, []).append(weaver.weave(request, Stage()).body)
    finally:
        weaver.close()
    return found


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["max", "eve", "e/ve", "m"]), STEPS, ENDS), min_size=2, max_size=6))
def test_what_others_say_changes_no_byte(conversations):
    """Each owner's requests are woven as if nobody else were there, though all say much the same."""
    asked = [(owner, chat_of(steps, end, "")) for owner, steps, end in conversations]
    with tempfile.TemporaryDirectory() as folder:
        together = woven_bodies(folder, asked)
    for owner, bodies in together.items():
        with tempfile.TemporaryDirectory() as folder:
            assert woven_bodies(folder, [one for one in asked if one[0] == owner]) == {owner: bodies}
