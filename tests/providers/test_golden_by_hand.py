"""Streams of other providers, written by hand: decoded alike at every split, their usage read, translated."""

from pathlib import Path

import pytest

from lorewright.providers.sse import Decoder
from lorewright.providers.usage import Usage, UsageReader
from tests.providers.said import SAID, checked, events_of, translated

FOLDER = Path(__file__).parent / "golden" / "by-hand"
STREAMS = sorted(FOLDER.glob("*.sse"))


def decode(pieces):
    decoder = Decoder()
    return [*(event for piece in pieces for event in decoder.feed(piece)), *decoder.close()]


@pytest.mark.parametrize("path", STREAMS, ids=lambda path: path.stem)
def test_every_split_gives_the_same_events(path):
    stream = path.read_bytes()
    whole = decode([stream])

    assert b"".join(event.raw for event in whole) == stream
    for at in range(len(stream) + 1):
        assert decode([stream[:at], stream[at:]]) == whole
    assert decode(stream[at : at + 1] for at in range(len(stream))) == whole


USAGE = {
    "openai-chat-tool": ("chat", Usage(2006, 1920, 0, 300)),
    "openai-responses-reasoning": ("responses", Usage(1100, 1024, 0, 70)),
    "anthropic-thinking-tool": ("messages", Usage(4812, 4500, 300, 89)),
    "deepseek-reasoner": ("chat", Usage(500, 448, 0, 20)),
    "vllm-crlf": ("chat", Usage(33, None, None, 1)),
}


def test_all_streams_have_an_answer():
    assert {path.stem for path in STREAMS} == set(USAGE)


@pytest.mark.parametrize(("name", "api", "expected"), [(name, *answer) for name, answer in USAGE.items()])
def test_their_usage(name, api, expected):
    reader = UsageReader(api)
    for event in events_of((FOLDER / f"{name}.sse").read_bytes()):
        reader.see(event)

    assert reader.usage == expected


CALLS = [["call_1", "tide", '{"harbour":"Brest"}'], ["call_2", "fog", "{}"]]
# (text, thought, calls, why it stopped) by client.
TRANSLATED = {
    ("openai-chat-tool", "chat", "messages"): ("Let me look.", "", CALLS, "tool_use"),
    ("openai-chat-tool", "chat", "responses"): ("Let me look.", "", CALLS, "completed"),
    ("deepseek-reasoner", "chat", "messages"): ("有雾。", "雾？", [], "end_turn"),
    ("deepseek-reasoner", "chat", "responses"): ("有雾。", "雾？", [], "completed"),
    ("vllm-crlf", "chat", "messages"): ("Fog.", "", [], "max_tokens"),
    ("vllm-crlf", "chat", "responses"): ("Fog.", "", [], "incomplete"),
    ("anthropic-thinking-tool", "messages", "chat"): (
        "Let me look.",
        "The harbour matters.",
        [["toolu_01", "tide", '{"harbour": "Brest"}']],
        "tool_calls",
    ),
    ("anthropic-thinking-tool", "messages", "responses"): (
        "Let me look.",
        "The harbour matters.",
        [["toolu_01", "tide", '{"harbour": "Brest"}']],
        "completed",
    ),
}
DROPPED: dict[str, set[str]] = {
    "openai-chat-tool": {"service_tier", "system_fingerprint", "obfuscation", "usage.completion_tokens_details"},
    "deepseek-reasoner": {"system_fingerprint", "usage.completion_tokens_details"},
    "vllm-crlf": set(),
    "anthropic-thinking-tool": {"event[content_block_delta].delta[signature_delta]"},
}


@pytest.mark.parametrize(
    ("case", "expected"), TRANSLATED.items(), ids=lambda case: "-".join(case[:3]) if len(case) == 3 else ""
)
def test_they_are_translated(case, expected):
    name, upstream, client = case
    out, dropped = translated((FOLDER / f"{name}.sse").read_bytes(), upstream, client)
    events = checked(b"".join(event.raw for event in Decoder().feed(out) if event.data), client)

    assert SAID[client](events)[:4] == expected
    assert DROPPED[name] <= set(dropped)
