"""What a weaver keeps beside its ledger is limited: however many chats come, and however long they are, memory stays
flat once it is full."""

import gc
import json
import sys

import pytest

from lorewright.gateway.safety import Caller
from lorewright.gateway.weaver import Stage, ToWeave
from lorewright.gateway.weaving.ledger_weaver import LedgerWeaver
from tests.gateway.weaving.conftest import assistant, user

MOST_BYTES = 30_000_000
MAY_GROW_BYTES = 3_000_000
"""From the thirtieth chat to the sixtieth: 300 bytes a message, less than anything that is kept of one."""
LONG = 300
"""Messages of a chat; each chat is asked to go on once."""


@pytest.fixture
def weaver(tmp_path):
    weaver = LedgerWeaver(tmp_path / "ledger")
    yield weaver
    weaver.close()


def say(weaver, world, messages):
    """One turn, and its reply."""
    route = world.routes["aria"]
    body = json.dumps({"model": "x", "messages": messages}).encode()
    request = ToWeave(
        endpoint="chat", body=body, route=route, upstream=world.upstreams["local"], caller=Caller(owner="max")
    )
    listener = weaver.weave(request, Stage()).listener
    listener.start(200, [(b"content-type", b"application/json")])
    listener.hear(b'{"choices": [{"message": {"role": "assistant", "content": "Yes."}}]}')
    listener.end("complete")


def chat(number, length):
    speakers = (user, assistant)
    return [speakers[place % 2](f"In chat {number} this is message {place}.") for place in range(length - 1)]


def kept_bytes(weaver):
    """What hangs on the weaver, shared code and classes left out."""
    gc.collect()
    found, seen, left = 0, set(), [weaver]
    while left:
        one = left.pop()
        if id(one) in seen or isinstance(one, type) or type(one).__name__ in ("module", "function"):
            continue
        seen.add(id(one))
        found += sys.getsizeof(one)
        left += gc.get_referents(one)
    return found


def test_many_long_chats_do_not_make_it_grow(weaver, world):
    sizes = {}
    for number in range(60):
        say(weaver, world, chat(number, LONG))
        if number in (29, 59):
            sizes[number] = kept_bytes(weaver)

    assert sizes[29] <= MOST_BYTES
    assert sizes[59] - sizes[29] <= MAY_GROW_BYTES
