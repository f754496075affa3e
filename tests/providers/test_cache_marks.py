"""Marks of prompt caches: at the frozen boundaries, at most four, none beside the client's."""

import copy
import itertools
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.core.woven import Piece, WovenMessage
from lorewright.providers import anthropic_messages, openai_chat
from lorewright.providers.cache_marks import Boundary, frozen_boundaries, has_marks, mark, with_cache_key
from lorewright.providers.dialect import Dialect
from tests.providers.conversations import ENDS, STEPS, SYSTEMS, messages_of
from tests.providers.validator import count_marks, problems_of_messages

EPHEMERAL = {"cache_control": {"type": "ephemeral"}}
LONG = 2000


def always_long(text):
    return LONG if text else 0


def text(said, **more):
    return {"type": "text", "text": said, **more}


def frozen(body, passing=""):
    """The request woven as frozen placement does it: something lasting before each user message, and what is only of
    this turn behind the newest."""
    request = anthropic_messages.decode(body)
    users = [at for at, message in enumerate(request.messages) if message.role == "user"]
    woven = []
    for at, message in enumerate(request.messages):
        pieces = [Piece("client", "", message.text)]
        if at in users:
            pieces.insert(0, Piece("record", "e", f"lore {at}\n\n"))
        if at == users[-1] and passing:
            pieces.append(Piece("volatile", "e", f"\n\n{passing}"))
        woven.append(WovenMessage(at, message.role, "", tuple(pieces)))
    return anthropic_messages.encode(request, woven, Dialect()), woven


def test_marks_stand_at_the_frozen_boundaries():
    body = {
        "model": "claude-sonnet-5",
        "system": "Be.",
        "messages": [
            {"role": "user", "content": "a"},
            {"role": "assistant", "content": "b"},
            {"role": "user", "content": "c"},
        ],
    }
    sent, woven = frozen(body, "now")

    assert frozen_boundaries(sent, woven) == (Boundary(None), Boundary(0, 0), Boundary(2, 0))
    assert mark(sent, frozen_boundaries(sent, woven), always_long) == {
        "model": "claude-sonnet-5",
        "system": [text("Be.", **EPHEMERAL)],
        "messages": [
            {"role": "user", "content": [text("lore 1\n\na", **EPHEMERAL)]},
            {"role": "assistant", "content": "b"},
            {"role": "user", "content": [text("lore 3\n\nc", **EPHEMERAL), text("\n\nnow")]},
        ],
    }


def test_the_first_and_the_last_three_are_marked():
    users = [{"role": "user", "content": f"{n}"} for n in range(5)]
    body = {"model": "claude-sonnet-5", "tools": [{"name": "f"}], "messages": users}
    marked = mark(body, frozen_boundaries(body, []), always_long)

    assert marked["tools"] == [{"name": "f", **EPHEMERAL}]
    assert [count_marks(message) for message in marked["messages"]] == [0, 0, 1, 1, 1]


MINIMUM = {
    "claude-opus-4-6": [0, 0, 0, 1],
    "claude-haiku-4-5-20251001": [0, 0, 0, 1],
    "claude-3-5-haiku-latest": [0, 1, 1, 1],
    "claude-sonnet-5": [1, 1, 1, 1],
    "another": [1, 1, 1, 1],
}


@pytest.mark.parametrize(("model", "expected"), MINIMUM.items(), ids=MINIMUM.keys())
def test_prompts_below_the_minimum_get_none(model, expected):
    """The messages end at 1,024, 2,048, 3,072 and 4,096 tokens."""
    body = {"model": model, "messages": [{"role": "user", "content": f"{n}"} for n in range(4)]}
    marked = mark(body, frozen_boundaries(body, []), lambda said: 1024 if said else 0)

    assert [count_marks(message) for message in marked["messages"]] == expected


CLIENT_MARKS = {
    "the whole request": {"cache_control": {"type": "ephemeral"}},
    "a tool": {"tools": [{"name": "f", **EPHEMERAL}]},
    "system": {"system": [text("Be.", **EPHEMERAL)]},
    "a block": {"messages": [{"role": "user", "content": [text("a", **EPHEMERAL), text("b")]}]},
    "a result's block": {
        "messages": [{"role": "user", "content": [{"type": "tool_result", "content": [text("a", **EPHEMERAL)]}]}]
    },
}


@pytest.mark.parametrize("own", CLIENT_MARKS.values(), ids=CLIENT_MARKS.keys())
def test_the_clients_marks_are_left_alone(own):
    body = {"model": "m", "system": "Be.", "messages": [{"role": "user", "content": "a"}], **own}

    assert has_marks(body)
    assert mark(body, frozen_boundaries(body, []), always_long) is body


def test_a_mark_in_the_arguments_of_a_tool_is_none():
    call = {"type": "tool_use", "id": "1", "name": "f", "input": {"cache_control": 1, "content": [EPHEMERAL]}}

    assert not has_marks({"messages": [{"role": "assistant", "content": [call]}]})


def test_thoughts_bear_no_mark():
    blocks: list[Any] = [text("a"), {"type": "thinking", "thinking": "hm"}, text(" ")]
    body = {"model": "m", "messages": [{"role": "assistant", "content": blocks}]}

    marked = mark(body, [Boundary(0, 2)], always_long)

    assert marked["messages"][0]["content"] == [text("a", **EPHEMERAL), *blocks[1:]]


@given(STEPS, ENDS, SYSTEMS, st.sampled_from(["", "now"]), st.integers(0, 3000))
def test_marked_requests_stay_valid(steps, end, system, passing, size):
    sent, woven = frozen(messages_of(steps, end, system), passing)
    before = copy.deepcopy(sent)
    boundaries = frozen_boundaries(sent, woven)

    marked = dict(mark(sent, boundaries, lambda said: size if said else 0))

    assert sent == before
    assert list(problems_of_messages(marked)) == []
    assert without_marks(marked) == without_marks(dict(sent))
    if size > 1024:
        assert count_marks(marked) == min(len(boundaries), 4) >= 1


def without_marks(body):
    """A body without marks, a text and its one block alike."""
    if isinstance(body, list):
        items = [without_marks(item) for item in body]
        is_text = len(items) == 1 and isinstance(items[0], dict) and set(items[0]) == {"type", "text"}
        return items[0]["text"] if is_text else items
    return {k: without_marks(v) for k, v in body.items() if k != "cache_control"} if isinstance(body, dict) else body


@given(STEPS, SYSTEMS)
def test_the_next_request_reads_what_this_one_wrote(steps, system):
    """Up to its last mark, a request is the beginning of the next one, block by block."""
    conversations = [messages_of(steps[: n + 1], "user", system) for n in range(len(steps))]
    requests = []
    for body in conversations:
        sent, woven = frozen(body, "now")
        requests.append(flat(mark(sent, frozen_boundaries(sent, woven), always_long)))

    for before, after in itertools.pairwise(requests):
        last = max(at for at, (_, is_marked) in enumerate(before) if is_marked)
        assert [block for block, _ in after[: last + 1]] == [block for block, _ in before[: last + 1]]


def flat(body):
    """The blocks of a prompt in order, each with whether it has a mark."""
    found = []
    for role, content in [("system", body.get("system")), *((m["role"], m["content"]) for m in body["messages"])]:
        for block in content if isinstance(content, list) else [] if content is None else [text(content)]:
            plain = {name: value for name, value in block.items() if name != "cache_control"}
            found.append((json.dumps([role, plain]), "cache_control" in block))
    return found


def test_nothing_of_this_turn_stands_before_the_clients_last_mark():
    marked = text("c", **EPHEMERAL)
    body = {
        "messages": [
            {"role": "user", "content": "a"},
            {"role": "assistant", "content": "b"},
            {"role": "user", "content": [marked]},
        ]
    }
    request = anthropic_messages.decode(body)
    woven = [
        WovenMessage(0, "user", "", (Piece("client", "", "a"), Piece("volatile", "e", "\n\nnow"))),
        WovenMessage(1, "assistant", "", (Piece("client", "", "b"),)),
        WovenMessage(2, "user", "", (Piece("client", "", "c"),)),
    ]

    sent = anthropic_messages.encode(request, woven, Dialect(system_in_middle=False))

    assert sent["messages"] == [*body["messages"][:2], {"role": "user", "content": [marked, text("\n\nnow")]}]


def test_what_stands_behind_a_text_is_behind_the_mark_too():
    image = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}, **EPHEMERAL}
    body = {"messages": [{"role": "user", "content": [text("a"), image]}]}
    pieces = (Piece("client", "", "a"), Piece("volatile", "e", "now"))

    sent = openai_chat.encode(openai_chat.decode(body), [WovenMessage(0, "user", "", pieces)], Dialect())

    assert sent["messages"][0]["content"] == [text("a"), image, text("now")]


def test_the_key_of_a_cache():
    body = {"model": "m"}
    key = with_cache_key(body, "max", "0123abc")["prompt_cache_key"]

    assert key.startswith("lw-")
    assert "0123abc" not in key
    assert len(key) <= 64
    assert with_cache_key(body, "max", "0123abc")["prompt_cache_key"] == key
    assert with_cache_key(body, "max", "0123abd")["prompt_cache_key"] != key
    assert with_cache_key(body, "eve", "0123abc")["prompt_cache_key"] != key
    assert with_cache_key(body, "max0", "123abc")["prompt_cache_key"] != key
    assert with_cache_key({"prompt_cache_key": "mine"}, "max", "0123abc") == {"prompt_cache_key": "mine"}
    assert with_cache_key(body, "max", "") is body
