"""Usage in the shape of every provider. Expected values by hand; of the golden replies, from their own numbers."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.providers.sse import Decoder
from lorewright.providers.usage import Usage, UsageReader, hit_ratio, is_usage_chunk

GOLDEN = Path(__file__).parent / "golden" / "llamacpp"


def read(api, *seen):
    reader = UsageReader(api)
    for data in seen:
        reader.see(data)
    return reader.usage


CASES = {
    "openai": (
        "chat",
        {
            "prompt_tokens": 100,
            "completion_tokens": 7,
            "total_tokens": 107,
            "prompt_tokens_details": {"cached_tokens": 64},
        },
        Usage(100, 64, 0, 7),
    ),
    "openai with writes": (
        "chat",
        {
            "prompt_tokens": 100,
            "completion_tokens": 7,
            "prompt_tokens_details": {"cached_tokens": 64, "cache_write_tokens": 30},
        },
        Usage(100, 64, 30, 7),
    ),
    "openai without details": ("chat", {"prompt_tokens": 100, "completion_tokens": 7}, Usage(100, None, None, 7)),
    "responses": (
        "responses",
        {"input_tokens": 51, "output_tokens": 24, "total_tokens": 75, "input_tokens_details": {"cached_tokens": 22}},
        Usage(51, 22, 0, 24),
    ),
    "anthropic": (
        "messages",
        {"input_tokens": 5, "cache_read_input_tokens": 90, "cache_creation_input_tokens": 5, "output_tokens": 24},
        Usage(100, 90, 5, 24),
    ),
    "anthropic without a cache": ("messages", {"input_tokens": 5, "output_tokens": 24}, Usage(None, None, None, 24)),
    "deepseek": (
        "chat",
        {"prompt_tokens": 100, "completion_tokens": 7, "prompt_cache_hit_tokens": 64, "prompt_cache_miss_tokens": 36},
        Usage(100, 64, 0, 7),
    ),
    "vllm, not told to say": (
        "chat",
        {"prompt_tokens": 100, "completion_tokens": 7, "prompt_tokens_details": None},
        Usage(100, None, None, 7),
    ),
    "vllm": (
        "chat",
        {"prompt_tokens": 100, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 0}},
        Usage(100, 0, 0, 7),
    ),
    "nonsense": ("chat", {"prompt_tokens": -1, "completion_tokens": True, "prompt_tokens_details": "x"}, None),
    "more cached than there is": (
        "chat",
        {"prompt_tokens": 10, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 64}},
        Usage(10, None, None, 7),
    ),
    "nothing": ("chat", {}, None),
}


@pytest.mark.parametrize(("api", "usage", "expected"), CASES.values(), ids=CASES.keys())
def test_the_shape_of(api, usage, expected):
    assert read(api, {"usage": usage}) == expected


def test_timings_of_llamacpp_alone():
    assert read("chat", {"timings": {"cache_n": 92, "prompt_n": 5, "predicted_n": 12}}) == Usage(97, 92, 0, 12)


def test_a_stream_of_anthropic_says_it_in_two_parts():
    start = {
        "type": "message_start",
        "message": {"usage": {"input_tokens": 5, "cache_read_input_tokens": 92, "output_tokens": 0}},
    }
    end = {"type": "message_delta", "usage": {"output_tokens": 64, "input_tokens": None}}

    assert read("messages", start, {"type": "ping"}, end, "not an object") == Usage(97, 92, 0, 64)


# (input, read, written, output) from the bodies themselves.
GOLDEN_USAGE = {
    "01-chat-plain": ("chat", Usage(97, 0, 0, 24)),
    "02-chat-plain-usage": ("chat", Usage(97, 92, 0, 12)),
    "07-messages-plain": ("messages", Usage(97, 92, 0, 24)),
    "09-responses-plain": ("responses", Usage(51, 22, 0, 24)),
    "11-completions-plain": ("completions", Usage(6, 0, 0, 16)),
    "13-chat-stream-usage": ("chat", Usage(97, 92, 0, 12)),
    "19-messages-stream-tool": ("messages", Usage(75, 70, 0, 64)),
    "20-responses-stream": ("responses", Usage(51, 22, 0, 24)),
    "23-chat-cached-second-turn": ("chat", Usage(131, 46, 0, 8)),
    "24-messages-cached-second-turn": ("messages", Usage(109, 70, 0, 8)),
}


@pytest.mark.parametrize(("name", "api", "expected"), [(name, *value) for name, value in GOLDEN_USAGE.items()])
def test_real_replies(name, api, expected):
    raw = (GOLDEN / f"{name}.response.bin").read_bytes()
    is_stream = raw.startswith((b"data", b"event"))
    events = [event.data for event in Decoder().feed(raw) if event.data and not event.is_done]

    assert read(api, *map(json.loads, events if is_stream else [raw.decode()])) == expected


def test_the_ratio_is_weighted_by_tokens():
    replies = [Usage(1000, 900, 100, 5), Usage(100, 0, 0, 5), Usage(500, None, None, 5)]

    assert hit_ratio(replies) == pytest.approx(900 / 1100)
    assert replies[0].hit_ratio == pytest.approx(0.9)
    assert replies[1].hit_ratio == 0
    assert replies[2].hit_ratio is None
    assert hit_ratio([]) is None
    assert hit_ratio([Usage(0, 0, 0, 0)]) is None


def test_the_chunk_that_was_asked_for_is_known():
    events = Decoder().feed((GOLDEN / "13-chat-stream-usage.response.bin").read_bytes())
    chunks = [json.loads(event.data) for event in events if event.data and not event.is_done]

    assert [is_usage_chunk(chunk) for chunk in chunks] == [False] * (len(chunks) - 1) + [True]
    assert not is_usage_chunk({"choices": [{"delta": {}}], "usage": {"prompt_tokens": 1}})
    assert not is_usage_chunk({"choices": [], "usage": None})
    assert not is_usage_chunk([])


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 50) | st.text(max_size=3), lambda inner: st.lists(inner, max_size=2)
)
FIELDS = st.sampled_from(
    [
        *("prompt_tokens", "completion_tokens", "input_tokens", "output_tokens", "cache_read_input_tokens"),
        *("cache_creation_input_tokens", "prompt_cache_hit_tokens"),
    ]
)
DETAILS = st.dictionaries(st.sampled_from(["cached_tokens", "cache_write_tokens"]), JUNK)


@given(
    st.sampled_from(["chat", "responses", "messages", "completions"]),
    st.dictionaries(FIELDS | st.sampled_from(["prompt_tokens_details", "input_tokens_details"]), JUNK | DETAILS),
    JUNK | st.dictionaries(st.sampled_from(["cache_n", "prompt_n", "predicted_n"]), JUNK),
)
def test_no_reply_breaks_the_reader(api, usage, timings):
    found = read(api, {"usage": usage, "timings": timings})

    if found is not None and found.hit_ratio is not None:
        assert 0 <= found.hit_ratio <= 1
        assert found.uncached_tokens is not None
        assert found.uncached_tokens >= 0
