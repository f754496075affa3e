"""Replies of Chat Completions: what is said in them, as a whole or chunk by chunk."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from lorewright.providers.translation.saying import (
    Begun,
    CallBegun,
    CallPiece,
    Ended,
    Failed,
    Saying,
    Stop,
    Stopped,
    TextPiece,
    ThoughtPiece,
    Used,
)
from lorewright.providers.translation.table import Reading, read_table
from lorewright.providers.usage import UsageReader

__all__ = ["CHAT_REPLY", "ChatReply"]

CHAT_REPLY: Final = read_table(
    "Chat Completions",
    "Messages or Responses",
    """
    id  mapped  id, with the target's prefix
    choices  mapped  the first one
    choices.finish_reason  mapped  stop_reason; status and incomplete_details
    choices.finish_reason=stop  mapped  end_turn; completed
    choices.finish_reason=length  mapped  max_tokens; incomplete: max_output_tokens
    choices.finish_reason=tool_calls  mapped  tool_use; completed
    choices.finish_reason=content_filter  mapped  refusal; incomplete: content_filter
    choices.finish_reason=function_call  mapped  tool_use; completed
    choices.index  mapped  nothing: there is one reply
    choices.logprobs  dropped  probabilities are not told
    choices.message|delta  mapped  content; output
    choices.message[assistant]  mapped  content; output
    choices.delta.role  mapped  nothing: it is the assistant
    choices.delta.role=developer|system|user|assistant|tool  mapped  nothing: it is the assistant
    choices.message[assistant].content  mapped  a text block; output_text
    choices.message[assistant].refusal  mapped  a text block; output_text
    choices.message[assistant].reasoning_content  mapped  a thinking block; a reasoning item (a field of some servers)
    choices.message[assistant].reasoning  mapped  a thinking block; a reasoning item (a field of some servers)
    choices.message[assistant].annotations  dropped unless []  citations of OpenAI's search
    choices.message[assistant].audio  dropped  there is no audio
    choices.message[assistant].function_call  dropped  a call without an id
    choices.message[assistant].tool_calls  mapped  tool_use blocks; function_call items
    choices.message[assistant].tool_calls[function]  mapped  a tool_use block; a function_call item
    choices.message[assistant].tool_calls[function].id  mapped  id; call_id
    choices.message[assistant].tool_calls[function].index  mapped  which call a piece belongs to
    choices.message[assistant].tool_calls[function].function  mapped  name and input; name and arguments
    choices.message[assistant].tool_calls[function].function.arguments  mapped  input; arguments
    choices.message[assistant].tool_calls[function].function.name  mapped  name
    choices.message[assistant].tool_calls[custom]  dropped  input that is no JSON
    choices.delta.content  mapped  text_delta; output_text.delta
    choices.delta.refusal  mapped  text_delta; output_text.delta
    choices.delta.reasoning_content  mapped  thinking_delta; reasoning_text.delta (a field of some servers)
    choices.delta.reasoning  mapped  thinking_delta; reasoning_text.delta (a field of some servers)
    choices.delta.audio  dropped  there is no audio
    choices.delta.function_call  dropped  a call without an id
    choices.delta.tool_calls  mapped  tool_use blocks; function_call items
    choices.delta.tool_calls[function]  mapped  a tool_use block; a function_call item
    choices.delta.tool_calls[function].index  mapped  which call a piece belongs to
    choices.delta.tool_calls[function].id  mapped  id; call_id
    choices.delta.tool_calls[function].function  mapped  name and input; name and arguments
    choices.delta.tool_calls[function].function.arguments  mapped  input_json_delta; function_call_arguments.delta
    choices.delta.tool_calls[function].function.name  mapped  name
    created  mapped  nothing; created_at
    model  mapped  model
    object  mapped  nothing: what it is, is known
    metadata  dropped  the client's own notes
    moderation  dropped  verdicts of OpenAI's moderation
    obfuscation  dropped  padding of events
    service_tier  dropped  tiers are the provider's own
    system_fingerprint  dropped  the provider's own
    timings  mapped  usage, where there is no other (a field of llama.cpp)
    usage  mapped  usage
    usage.completion_tokens  mapped  output_tokens
    usage.prompt_tokens  mapped  input_tokens
    usage.total_tokens  mapped  nothing; total_tokens
    usage.completion_tokens_details  dropped  kinds of output tokens
    usage.prompt_tokens_details  mapped  tokens of the cache
    usage.prompt_tokens_details.cached_tokens  mapped  cache_read_input_tokens; cached_tokens
    usage.prompt_tokens_details.cache_write_tokens  mapped  cache_creation_input_tokens; cache_write_tokens
    usage.prompt_tokens_details.audio_tokens|image_tokens|text_tokens  dropped  kinds of input tokens
    usage.prompt_cache_hit_tokens|prompt_cache_miss_tokens  mapped  tokens of the cache (fields of DeepSeek)
    error  mapped  an error in the middle of a stream (a field of some servers)
    """,
)

_STOPS: Final[Mapping[str, Stop]] = {
    "stop": "end",
    "length": "length",
    "tool_calls": "tools",
    "function_call": "tools",
    "content_filter": "refusal",
}


class ChatReply:
    """Reads one reply: a whole body, or a stream's chunks as they come. What is dropped is in `reading`."""

    def __init__(self) -> None:
        self.reading = Reading(CHAT_REPLY, is_lenient=True)
        self._usage = UsageReader("chat")
        self._is_begun = False
        self._calls: list[int] = []
        """The indices of the calls that have begun, in order."""

    def whole(self, body: Mapping[str, Any]) -> Iterator[Saying]:
        """What a body says."""
        yield from self.chunk(body)
        yield from self.end()

    def chunk(self, data: Mapping[str, Any]) -> Iterator[Saying]:
        """What a chunk says. A whole body is read like one, with `message` in place of `delta`."""
        given = self.reading.fields(data)
        if "error" in given:
            error = given["error"]
            yield Failed(str(error.get("message", error)) if isinstance(error, dict) else str(error))
            return
        if not self._is_begun:
            self._is_begun = True
            yield Begun(str(given.get("id", "")), str(given.get("model", "")))
        for choice in given.get("choices", []):
            yield from self._choice(choice)
        self._usage.see(data)
        self.reading.fields(
            self.reading.fields(given.get("usage", {}), "usage").get("prompt_tokens_details", {}),
            "usage.prompt_tokens_details",
        )

    def end(self) -> Iterator[Saying]:
        """What is known when nothing more comes."""
        if self._usage.usage is not None:
            yield Used(self._usage.usage)
        yield Ended()

    def _choice(self, choice: Mapping[str, Any]) -> Iterator[Saying]:
        if choice.get("index", 0) != 0:
            self.reading.drop("choices")
            return
        fields = self.reading.fields(choice, "choices")
        if "message" in fields:
            yield from self._said(fields["message"], "choices.message[assistant]")
        elif "delta" in fields:
            yield from self._said(fields["delta"], "choices.delta")
        if "finish_reason" in fields:
            word = self.reading.word("choices.finish_reason", fields["finish_reason"])
            yield Stopped(_STOPS.get(word or "", "end"))

    def _said(self, raw: Mapping[str, Any], path: str) -> Iterator[Saying]:
        fields = self.reading.fields(raw, path)
        thought = fields.get("reasoning_content") or fields.get("reasoning")
        if isinstance(thought, str) and thought:
            yield ThoughtPiece(thought)
        for name in ("content", "refusal"):
            if isinstance(fields.get(name), str) and fields[name]:
                yield TextPiece(fields[name])
            elif fields.get(name):
                self.reading.drop(f"{path}.{name}")
        for place, call in enumerate(fields.get("tool_calls", [])):
            inner = self.reading.kind(f"{path}.tool_calls", call, "function")
            if inner is not None:
                yield from self._call(self.reading.fields(call, inner), inner, place)

    def _call(self, call: Mapping[str, Any], path: str, place: int) -> Iterator[Saying]:
        index = call.get("index", place)
        asked = self.reading.fields(call.get("function", {}), f"{path}.function")
        if index not in self._calls:
            self._calls.append(index)
            yield CallBegun(str(call.get("id", f"call_{index}")), str(asked.get("name", "")))
        elif self._calls[-1] != index:
            yield Failed(
                "The upstream went back to a tool call that it had left; its arguments cannot be told in order."
            )
            return
        if asked.get("arguments"):
            yield CallPiece(str(asked["arguments"]))
