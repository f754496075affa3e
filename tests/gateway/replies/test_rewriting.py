"""Streams and bodies of every API with their texts rewritten. Texts and events are read here by readers of the tests' own."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.gateway.replies.passage import Account, Rules, Scripted
from lorewright.gateway.replies.rewriting import RewrittenBody, RewrittenStream, rewriting_of

HIDES = Rules(hides=True)
APIS = ["chat", "completions", "messages", "responses"]
BLOCK = "<UpdateVariable>_.set('gold', 1, 2);</UpdateVariable>"
SAID = ["It ri", "ngs. <Upda", "teVariable>_.set('gold',", " 1, 2);</UpdateVariable>", " Then <", "silence>"]
SHOWN = "It rings.  Then <silence>"


def event(data, name=""):
    return (f"event: {name}\n" if name else "").encode() + b"data: " + json.dumps(data).encode() + b"\n\n"


def chat_chunk(text=None, index=0, finish=None, **more):
    delta = {} if text is None else {"content": text}
    return event({"id": "c", "choices": [{"index": index, "delta": delta, "finish_reason": finish, **more}]})


def stream(api, texts):
    """A stream that says these texts, one event each, in an API's words."""
    if api == "chat":
        pieces = [chat_chunk(text) for text in texts]
        return b"".join([chat_chunk(""), *pieces, chat_chunk(finish="stop"), b"data: [DONE]\n\n"])
    if api == "completions":
        pieces = [event({"choices": [{"index": 0, "text": text, "finish_reason": None}]}) for text in texts]
        last = event({"choices": [{"index": 0, "text": "", "finish_reason": "stop"}]})
        return b"".join([*pieces, last, b"data: [DONE]\n\n"])
    if api == "messages":
        pieces = [{"type": "text_delta", "text": text} for text in texts]
        said: list[dict[str, Any]] = [
            {"type": "message_start", "message": {"id": "m", "content": []}},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            *({"type": "content_block_delta", "index": 0, "delta": piece} for piece in pieces),
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 9}},
            {"type": "message_stop"},
        ]
        return b"".join(event(one, one["type"]) for one in said)
    where: dict[str, Any] = {"item_id": "i", "output_index": 0, "content_index": 0}
    part: dict[str, Any] = {"type": "output_text", "text": "".join(texts), "annotations": []}
    item: dict[str, Any] = {"type": "message", "id": "i", "role": "assistant", "content": [part]}
    events: list[dict[str, Any]] = [{"type": "response.created", "response": {"id": "r", "output": []}}]
    events += [{"type": "response.output_text.delta", **where, "delta": text, "logprobs": []} for text in texts]
    events += [
        {"type": "response.output_text.done", **where, "text": "".join(texts), "logprobs": []},
        {"type": "response.content_part.done", **where, "part": part},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {"id": "r", "output": [item]}},
    ]
    return b"".join(event({**one, "sequence_number": at}, one["type"]) for at, one in enumerate(events))


def events_of(raw):
    for block in raw.decode().split("\n\n"):
        lines = [line[6:] for line in block.split("\n") if line.startswith("data: ")]
        if lines and lines[0] != "[DONE]":
            yield json.loads(lines[0])


def text_of(api, raw, index=0):
    """What a client puts together."""
    found = []
    for data in events_of(raw):
        if api in ("chat", "completions"):
            mine = [choice for choice in data.get("choices", []) if choice["index"] == index]
            found += [
                choice["text"] if api == "completions" else choice["delta"].get("content") or "" for choice in mine
            ]
        elif data["type"] == "content_block_delta" and data["index"] == index:
            found.append(data["delta"].get("text", ""))
        elif data["type"] == "response.output_text.delta" and data.get("content_index", 0) == index:
            found.append(data["delta"])
    return "".join(found)


def whole_texts(raw):
    """The texts that a stream of Responses says once more."""
    for data in events_of(raw):
        match data["type"]:
            case "response.output_text.done":
                yield data["text"]
            case "response.content_part.done":
                yield data["part"]["text"]
            case "response.output_item.done":
                yield data["item"]["content"][0]["text"]
            case "response.completed":
                yield data["response"]["output"][0]["content"][0]["text"]


def rewrite(api, raw, rules=HIDES, account=None, size=None):
    stream = RewrittenStream(api, rules, account if account is not None else Account(), None)
    size = size or len(raw) or 1
    return b"".join([stream.feed(raw[at : at + size]) for at in range(0, len(raw), size)]) + stream.close()


def upper(text):
    """A script of the tests."""
    return Scripted(text.upper(), ("upper",)) if text != text.upper() else Scripted(text)


UPPER = Rules(hides=False, show=upper)


@pytest.mark.parametrize("api", APIS)
def test_a_block_is_hidden_in_a_stream_of_every_api(api):
    account = Account()
    raw = rewrite(api, stream(api, SAID), account=account)
    assert text_of(api, raw) == SHOWN
    assert b"gold" not in raw
    assert [tuple(one) for one in account.changed] == [("".join(SAID), SHOWN)]
    assert list(account.by) == ["hide_updates"]
    assert (account.said, account.shown) == (len("".join(SAID)), len(SHOWN))
    if api == "responses":
        assert list(whole_texts(raw)) == [SHOWN] * 4


@pytest.mark.parametrize("rules", [HIDES, UPPER, Rules(hides=True, show=upper)], ids=["hides", "scripts", "both"])
@pytest.mark.parametrize("api", APIS)
def test_a_stream_where_nothing_is_changed_has_its_own_words(api, rules):
    said = ["A BELL, ", "AND <B>", "NOTHING ELSE"]
    raw = stream(api, said)
    account = Account()
    got = rewrite(api, raw, rules, account)
    assert text_of(api, got) == "".join(said)
    assert account.changed == []
    assert not account.by
    if rules == HIDES:
        assert text_of(api, rewrite(api, stream(api, ["a", "b"]))) == "ab"
        assert rewrite(api, stream(api, ["a", "b"])) == stream(api, ["a", "b"])


@pytest.mark.parametrize("api", APIS)
def test_scripts_get_a_text_as_a_whole(api):
    raw = rewrite(api, stream(api, ["It ", "ri", "ngs."]), UPPER)
    assert text_of(api, raw) == "IT RINGS."
    if api == "responses":
        assert list(whole_texts(raw)) == ["IT RINGS."] * 4


@pytest.mark.parametrize("api", APIS)
@given(data=st.data())
def test_the_text_does_not_depend_on_events_and_cuts(api, data):
    said = f"a{BLOCK}b<c {BLOCK}<!--lorewright-fact\nfact: x\n-->d<"
    cuts = sorted(data.draw(st.sets(st.integers(1, len(said) - 1), max_size=8)))
    texts = [said[start:end] for start, end in zip([0, *cuts], [*cuts, len(said)], strict=True)]
    size = data.draw(st.integers(1, 400))
    raw = rewrite(api, stream(api, texts), size=size)
    assert text_of(api, raw) == "ab<c d<"


@pytest.mark.parametrize("rules", [HIDES, UPPER], ids=["hides", "scripts"])
def test_each_choice_is_rewritten_by_itself(rules):
    raw = b"".join(
        [
            chat_chunk("one <upd", 0),
            chat_chunk("two <upd", 1),
            chat_chunk("ate>x</update>", 1),
            chat_chunk("ated>", 0),
            chat_chunk(finish="stop", index=1),
            chat_chunk(finish="stop", index=0),
            b"data: [DONE]\n\n",
        ]
    )
    shown = {0: "one <updated>", 1: "two " if rules == HIDES else "two <update>x</update>"}
    got = rewrite("chat", raw, rules)
    for index, text in shown.items():
        assert text_of("chat", got, index) == (text if rules == HIDES else text.upper())
    finishes = [data["choices"][0]["index"] for data in events_of(got) if data["choices"][0]["finish_reason"]]
    assert finishes == [1, 0]


def test_all_else_of_a_stream_keeps_its_bytes_and_its_order():
    call = [{"index": 0, "function": {"name": "look", "arguments": "{}"}}]
    others = [
        b": a comment\n\n",
        event(
            {"choices": [{"index": 0, "delta": {"reasoning_content": "<update>hm</update>"}, "finish_reason": None}]}
        ),
        event({"choices": [{"index": 0, "delta": {"tool_calls": call}, "finish_reason": None}]}),
        chat_chunk(finish="tool_calls"),
        event({"choices": [], "usage": {"total_tokens": 3}}),
        b"data: not JSON\n\n",
        b"data: [DONE]\n\n",
    ]
    got = rewrite(
        "chat", b"".join([others[0], chat_chunk("Look. <update>"), *others[1:3], chat_chunk("x</update>"), *others[3:]])
    )
    places = [got.index(raw) for raw in others]
    assert places == sorted(places)
    assert text_of("chat", got.replace(b"data: not JSON\n\n", b"")) == "Look. "


def test_comments_come_at_once_while_a_text_is_held_back():
    stream = RewrittenStream("chat", UPPER, Account(), None)
    assert stream.feed(chat_chunk("It ri")) == b""
    assert stream.feed(b": keep-alive\n\n") == b": keep-alive\n\n"
    assert text_of("chat", stream.feed(chat_chunk(finish="stop"))) == "IT RI"


@pytest.mark.parametrize("rules", [HIDES, UPPER], ids=["hides", "scripts"])
@pytest.mark.parametrize("api", APIS)
def test_what_was_held_back_comes_when_a_stream_breaks_off(api, rules):
    raw = stream(api, ["The bell <update> rings"])
    stop = raw.index(b"\n\n", raw.index(b"rings")) + 2
    rewriting = RewrittenStream(api, rules, Account(), None)
    shown = rewriting.feed(raw[:stop]) + rewriting.cut()
    assert text_of(api, shown) == ("The bell <update> rings" if rules == HIDES else "THE BELL <UPDATE> RINGS")
    assert shown.endswith(b"\n\n")


def test_a_stream_that_ends_early_gives_what_was_held_back():
    assert text_of("chat", rewrite("chat", chat_chunk("The bell <upd"))) == "The bell <upd"


def test_probabilities_of_other_words_are_left_out_and_reported():
    probabilities = {"content": [{"token": "a", "logprob": -1.0}]}
    account = Account()
    raw = chat_chunk("a<update>", logprobs=probabilities) + chat_chunk("b</update>c", logprobs=probabilities)
    got = rewrite("chat", raw + chat_chunk("d", logprobs=probabilities), account=account)
    assert [data["choices"][0]["logprobs"] for data in events_of(got)] == [None, None, probabilities]
    assert any("logprobs" in sentence for sentence in account.failed)


def body(api, text):
    part = {"type": "output_text", "text": text, "annotations": []}
    return {
        "chat": {"choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}]},
        "completions": {"choices": [{"index": 0, "text": text, "finish_reason": "stop"}]},
        "messages": {"content": [{"type": "thinking", "thinking": BLOCK}, {"type": "text", "text": text}]},
        "responses": {"output": [{"type": "reasoning"}, {"type": "message", "content": [part]}]},
    }[api]


@pytest.mark.parametrize("api", APIS)
def test_a_reply_in_one_piece(api):
    account = Account()
    rewriting = RewrittenBody(api, HIDES, account, None)
    raw = json.dumps(body(api, "".join(SAID))).encode()
    assert rewriting.feed(raw[:20]) + rewriting.feed(raw[20:]) == b""
    assert json.loads(rewriting.close()) == body(api, SHOWN)
    assert [one.shown for one in account.changed] == [SHOWN]


@pytest.mark.parametrize(
    "raw", [b'{ "choices": [ {"message": {"content": "It rings."}} ] }', b"no JSON", b"", b"[1]", b"null"]
)
def test_a_reply_in_one_piece_where_nothing_is_changed_keeps_its_bytes(raw):
    rewriting = RewrittenBody("chat", HIDES, Account(), None)
    assert rewriting.feed(raw) + rewriting.close() == raw


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["choices", "delta", "message", "content", "text", "type", "index", "output", "item", "part"]
            )
            | st.sampled_from(
                ["response", "output_index", "content_index", "logprobs", "finish_reason", "usage", "error"]
            ),
            inner | st.sampled_from(["text", "text_delta", "content_block_delta", "message", "output_text"]),
            max_size=4,
        )
    ),
    max_leaves=12,
)


@pytest.mark.parametrize("api", APIS)
@given(items=st.lists(JUNK, max_size=4))
def test_nothing_that_an_upstream_says_is_a_fault(api, items):
    raw = b"".join(map(event, items))
    assert isinstance(rewrite(api, raw, UPPER), bytes)
    whole = RewrittenBody(api, UPPER, Account(), None)
    whole.feed(json.dumps(items[0] if items else None).encode())
    assert isinstance(whole.close(), bytes)


def test_where_no_script_can_run_a_reply_passes_as_it_is_and_the_account_says_so():
    account = Account()
    rules = Rules(hides=False, problem="No regex script runs.")
    assert rewriting_of("chat", rules, account, 200, [(b"content-type", b"application/json")], None) is None
    assert list(account.failed) == ["No regex script runs."]


def test_errors_and_compressed_replies_pass_as_they_are():
    account = Account()
    events = [(b"content-type", b"text/event-stream")]
    assert rewriting_of("chat", HIDES, account, 429, events, None) is None
    assert not account.failed
    packed = [*events, (b"content-encoding", b"gzip")]
    assert rewriting_of("chat", HIDES, account, 200, packed, None) is None
    assert any("compressed" in sentence for sentence in account.failed)
    found = rewriting_of(
        "chat", Rules(hides=True, show=upper), account, 200, [*events, (b"content-length", b"9")], None
    )
    assert found is not None
    assert found.head(200, [*events, (b"content-length", b"9")]) == (
        200,
        [*events, (b"x-lorewright-rewritten", b"updates, scripts")],
    )
