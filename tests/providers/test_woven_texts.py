"""Where our texts stand in a request, case by case. Expected values by hand."""

import pytest

from lorewright.core.woven import Piece, WovenMessage
from lorewright.providers import anthropic_messages, openai_chat, openai_completions, openai_responses
from tests.providers.woven import FREE, NO_MIDDLE, STRICT, untouched


def test_texts_stand_inside_a_text():
    body = {"messages": [{"role": "user", "content": "Hi", "x": 1}]}
    pieces = (
        Piece("record", "e", "Lore."),
        Piece("record", "e", "\n\n"),
        Piece("client", "", "Hi"),
        Piece("volatile", "e", "\n\nNow."),
    )

    sent = openai_chat.encode(openai_chat.decode(body), [WovenMessage(0, "user", "", pieces)], FREE)

    assert sent == {"messages": [{"role": "user", "content": "Lore.\n\nHi\n\nNow.", "x": 1}]}


def test_texts_stand_beside_parts():
    image = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
    said = {"type": "text", "text": "Hi", "cache_control": {"type": "ephemeral"}}
    body = {"messages": [{"role": "user", "content": [image, said, image]}]}
    pieces = (Piece("record", "e", "Lore.\n\n"), Piece("client", "", "Hi"), Piece("volatile", "e", "\n\nNow."))

    sent = openai_chat.encode(openai_chat.decode(body), [WovenMessage(0, "user", "", pieces)], FREE)

    before, after = ({"type": "text", "text": text} for text in ("Lore.\n\n", "\n\nNow."))
    assert sent["messages"][0]["content"] == [image, before, said, after, image]


def test_a_changed_text_takes_the_place_of_all_texts():
    image = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
    mark = {"cache_control": {"type": "ephemeral"}}
    parts = [{"type": "text", "text": "a"}, image, {"type": "text", "text": "b", **mark}]
    body = {"messages": [{"role": "user", "content": parts}]}

    sent = openai_chat.encode(
        openai_chat.decode(body), [WovenMessage(0, "user", "", (Piece("rewritten", "e", "A\nB"),))], FREE
    )

    assert sent["messages"][0]["content"] == [{"type": "text", "text": "A\nB", **mark}, image]


EMPTIED = {
    "a picture stays": ([{"type": "text", "text": "a"}, {"type": "image"}], "", [{"type": "image"}]),
    "ours stays": ([{"type": "text", "text": "a"}], "Lore.\n\n", [{"type": "text", "text": "Lore.\n\n"}]),
    "nothing stays": ([{"type": "text", "text": "a"}], "", [{"type": "text", "text": ""}]),
    "a text from nothing": ([{"type": "image"}], None, [{"type": "text", "text": "new"}, {"type": "image"}]),
}


@pytest.mark.parametrize(("content", "before", "expected"), EMPTIED.values(), ids=EMPTIED.keys())
def test_a_text_that_was_emptied_goes_where_something_is_left(content, before, expected):
    request = openai_chat.decode({"messages": [{"role": "user", "content": content}]})
    pieces = [Piece("record", "e", before)] if before else []
    pieces += [Piece("rewritten", "e", "new" if before is None else "")]

    sent = openai_chat.encode(request, [WovenMessage(0, "user", "", tuple(pieces))], FREE)

    assert sent["messages"][0]["content"] == expected


def test_an_outlet_in_the_middle_of_a_text():
    body = {
        "model": "m",
        "max_tokens": 1,
        "system": "a {{outlet::x}} b",
        "messages": [{"role": "user", "content": "Hi"}],
    }
    request = anthropic_messages.decode(body)
    pieces = (Piece("client", "", "a "), Piece("front", "e", "LORE"), Piece("client", "", " b"))

    sent = anthropic_messages.encode(request, [WovenMessage(0, "system", "", pieces), *untouched(request)[1:]], FREE)

    assert sent == {**body, "system": "a LORE b"}


SYSTEM_TEXTS = {
    "messages without system": (
        anthropic_messages,
        {"messages": [{"role": "user", "content": "Hi"}]},
        "system",
        "Lore.",
    ),
    "messages with a text": (
        anthropic_messages,
        {"system": "Be.", "messages": [{"role": "user", "content": "Hi"}]},
        "system",
        "Lore.\n\nBe.",
    ),
    "messages with blocks": (
        anthropic_messages,
        {"system": [{"type": "text", "text": "Be."}], "messages": [{"role": "user", "content": "Hi"}]},
        "system",
        [{"type": "text", "text": "Lore.\n\n"}, {"type": "text", "text": "Be."}],
    ),
    "responses without instructions": (openai_responses, {"input": "Hi"}, "instructions", "Lore."),
    "responses with them": (openai_responses, {"instructions": "Be.", "input": "Hi"}, "instructions", "Lore.\n\nBe."),
    "outputs alone": (
        openai_responses,
        {"previous_response_id": "r", "input": [{"type": "function_call_output", "call_id": "c", "output": "x"}]},
        "instructions",
        "Lore.",
    ),
}


@pytest.mark.parametrize(("api", "body", "field", "expected"), SYSTEM_TEXTS.values(), ids=SYSTEM_TEXTS.keys())
def test_system_text_at_the_front(api, body, field, expected):
    request = api.decode(body)
    woven = [WovenMessage(None, "system", "", (Piece("front", "e", "Lore."),)), *untouched(request)]

    assert api.encode(request, woven, FREE) == {**body, field: expected}


def test_system_text_in_the_middle():
    body = {
        "messages": [
            {"role": "user", "content": "a"},
            {"role": "assistant", "content": "b"},
            {"role": "user", "content": "c"},
        ]
    }
    request = openai_chat.decode(body)
    woven = untouched(request)
    woven.insert(2, WovenMessage(None, "system", "", (Piece("record", "e", "Lore."),)))
    a, b, c = body["messages"]
    ours = {"content": "Lore."}

    assert openai_chat.encode(request, woven, FREE)["messages"] == [a, b, {"role": "system", **ours}, c]
    assert openai_chat.encode(request, woven, NO_MIDDLE)["messages"] == [a, b, {"role": "user", **ours}, c]
    assert openai_chat.encode(request, woven, STRICT)["messages"] == [a, b, {"role": "user", "content": "Lore.\n\nc"}]


def test_the_word_developer_is_kept():
    body = {"messages": [{"role": "developer", "content": "a"}, {"role": "user", "content": "b"}]}
    request = openai_chat.decode(body)
    woven = [*untouched(request), WovenMessage(None, "system", "", (Piece("placed", "e", "Lore."),))]

    assert openai_chat.encode(request, woven, FREE)["messages"][2] == {"role": "developer", "content": "Lore."}


def test_results_are_not_parted_from_calls():
    calls = [{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]
    body = {
        "messages": [
            {"role": "user", "content": "a"},
            {"role": "assistant", "tool_calls": calls},
            {"role": "tool", "tool_call_id": "1", "content": "x"},
        ]
    }
    request = openai_chat.decode(body)
    ours = WovenMessage(None, "system", "", (Piece("placed", "e", "Lore."),))
    woven = untouched(request)

    sent = openai_chat.encode(request, [*woven[:2], ours, *woven[2:]], FREE)

    assert [message["role"] for message in sent["messages"]] == ["user", "system", "assistant", "tool"]


def test_a_message_that_was_not_woven_is_left_out():
    body = {"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]}
    request = openai_chat.decode(body)

    assert openai_chat.encode(request, untouched(request)[:1], FREE) == {"messages": body["messages"][:1]}


@pytest.mark.parametrize("places", [[2], [-1], [1, 0], [0, 0]])
def test_places_that_are_not_there_are_refused(places):
    request = openai_chat.decode({"messages": [{"role": "user", "content": "a"}, {"role": "user", "content": "b"}]})
    woven = [WovenMessage(at, "user", "", (Piece("client", "", "a"),)) for at in places]

    with pytest.raises(ValueError, match="was woven"):
        openai_chat.encode(request, woven, FREE)


def test_a_prompt_has_our_texts_before_it():
    request = openai_completions.decode({"prompt": "Once"})
    woven = [
        WovenMessage(None, "system", "", (Piece("front", "e", "A."),)),
        WovenMessage(
            0,
            "user",
            "",
            (Piece("record", "e", "B.\n\n"), Piece("client", "", "Once"), Piece("volatile", "e", "\n\nC.")),
        ),
    ]

    assert openai_completions.encode(request, woven, FREE) == {"prompt": "A.\n\nB.\n\nC.\n\nOnce"}
    tokens = openai_completions.decode({"prompt": [1]})
    assert openai_completions.encode(tokens, woven[:1], FREE) is tokens.body
