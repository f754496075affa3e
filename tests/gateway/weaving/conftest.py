"""A gateway that weaves the lore of Saltwick, before a fake upstream."""

import json
from dataclasses import replace

import pytest

from lorewright.gateway.configuration import BookFile, Configuration, Route, Secret, Token
from lorewright.gateway.weaving.ledger_weaver import LedgerWeaver
from tests.gateway.running import RunningGateway

BOOK = """\
lorewright: 1
name: saltwick
entries:
  - uid: 1
    title: The town
    constant: true
    content: Saltwick is a harbour town.
  - uid: 2
    title: The bell
    keys: [bell]
    content: The bell of Saltwick rings by itself.
"""


@pytest.fixture
def world(tmp_path, upstream):
    """Two routes with the same book, one for each of two APIs' upstreams."""
    book = tmp_path / "saltwick.yaml"
    book.write_text(BOOK, "utf-8")
    anthropic = replace(
        upstream, name="claude", kind="anthropic", dialect=replace(upstream.dialect, system_in_middle=False)
    )
    route = Route(name="aria", upstream="local", model="m", books=(BookFile(str(book)),))
    return Configuration(
        upstreams={"local": upstream, "claude": anthropic},
        routes={"aria": route, "claude": replace(route, name="claude", upstream="claude")},
        tokens=(Token(owner="max", secret=Secret("t-max")), Token(owner="eve", secret=Secret("t-eve"))),
        state=str(tmp_path / "gateway.ledger"),
    )


@pytest.fixture
def woven(world, tmp_path):
    weaver = LedgerWeaver(tmp_path / "gateway.ledger")
    with RunningGateway(world, weaver) as running:
        yield running


def user(text):
    return {"role": "user", "content": text}


def assistant(text):
    return {"role": "assistant", "content": text}


def chat(gateway, *messages, token="t-max", model="aria", **more):
    body = json.dumps({"model": model, "messages": list(messages), **more}).encode()
    return gateway.post("/v1/chat/completions", body, {"authorization": f"Bearer {token}"})
