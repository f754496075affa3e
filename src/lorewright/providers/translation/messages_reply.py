"""Replies of Anthropic Messages: what is said in them, as a whole or event by event."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from lorewright.providers.body import canonical
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

__all__ = ["MESSAGES_EVENTS", "MESSAGES_REPLY", "MessagesReply"]

_STOP_REASONS: Final = """
    stop_reason  mapped  finish_reason; status and incomplete_details
    stop_reason=end_turn  mapped  stop; completed
    stop_reason=max_tokens  mapped  length; incomplete: max_output_tokens
    stop_reason=stop_sequence  mapped  stop; completed
    stop_reason=tool_use  mapped  tool_calls; completed
    stop_reason=pause_turn  mapped  length; incomplete: max_output_tokens
    stop_reason=refusal  mapped  content_filter; incomplete: content_filter
    stop_reason=model_context_window_exceeded  mapped  length; incomplete: max_output_tokens
    stop_sequence  dropped  which text it was is not told
    stop_details  dropped  why it was refused is not told
    container  dropped  a container of Anthropic's
"""
_BLOCKS: Final = """
    [text]  mapped  content; output_text
    [text].text  mapped  content; output_text
    [text].citations  dropped unless []  texts have no citations
    [thinking]  mapped  reasoning_content; a reasoning item
    [thinking].thinking  mapped  reasoning_content; reasoning_text
    [thinking].signature  dropped unless ""  a signature of Anthropic's
    [redacted_thinking]  dropped  a thought that cannot be read
    [tool_use]  mapped  tool_calls; a function_call item
    [tool_use].id  mapped  id; call_id
    [tool_use].input  mapped  function.arguments; arguments
    [tool_use].name  mapped  function.name; name
    [tool_use].caller  dropped  who called is not said
    [tool_use].toolset_name  dropped  tools have no sets
    [server_tool_use|web_search_tool_result|web_fetch_tool_result|code_execution_tool_result|bash_code_execution_tool_result|text_editor_code_execution_tool_result|tool_search_tool_result|container_upload]  dropped  a tool that Anthropic runs
"""
_USAGE: Final = """
    usage  mapped  usage
    usage.cache_creation_input_tokens  mapped  cache_write_tokens
    usage.cache_read_input_tokens  mapped  cached_tokens
    usage.input_tokens  mapped  prompt_tokens; input_tokens
    usage.output_tokens  mapped  completion_tokens; output_tokens
    usage.output_tokens_details  dropped  kinds of output tokens
    usage.server_tool_use  dropped  a tool that Anthropic runs
"""


def _below(prefix: str, lines: str) -> str:
    """Lines of a table below a path."""
    return "\n".join(f"{prefix}{line.strip()}" for line in lines.splitlines() if line.strip())


MESSAGES_REPLY: Final = read_table(
    "Messages",
    "Chat Completions or Responses",
    f"""
    id  mapped  id, with the target's prefix
    content  mapped  choices.message; output
    {_below("content", _BLOCKS)}
    diagnostics  dropped  diagnostics of Anthropic's cache
    model  mapped  model
    role  mapped  nothing: it is the assistant
    {_STOP_REASONS}
    type  mapped  nothing: what it is, is known
    {_USAGE}
    usage.cache_creation  dropped  how long it is kept is not told
    usage.inference_geo|service_tier|speed  dropped  the provider's own
    """,
)

MESSAGES_EVENTS: Final = read_table(
    "Messages",
    "Chat Completions or Responses",
    f"""
    event[message_start]  mapped  the first chunk; response.created
    event[message_start].message  mapped  as a whole reply
    event[content_block_start]  mapped  a chunk; output_item.added
    event[content_block_start].index  mapped  nothing: blocks come in order
    event[content_block_start].content_block  mapped  a chunk; output_item.added
    {_below("event[content_block_start].content_block", _BLOCKS)}
    event[content_block_delta]  mapped  a chunk; a delta
    event[content_block_delta].index  mapped  nothing: blocks come in order
    event[content_block_delta].delta  mapped  delta
    event[content_block_delta].delta[text_delta]  mapped  delta.content; output_text.delta
    event[content_block_delta].delta[text_delta].text  mapped  delta.content; output_text.delta
    event[content_block_delta].delta[input_json_delta]  mapped  delta.tool_calls; function_call_arguments.delta
    event[content_block_delta].delta[input_json_delta].partial_json  mapped  function.arguments; delta
    event[content_block_delta].delta[citations_delta]  dropped  texts have no citations
    event[content_block_delta].delta[thinking_delta]  mapped  delta.reasoning_content; reasoning_text.delta
    event[content_block_delta].delta[thinking_delta].thinking  mapped  delta.reasoning_content; delta
    event[content_block_delta].delta[signature_delta]  dropped  a signature of Anthropic's
    event[content_block_stop]  mapped  nothing; output_item.done
    event[content_block_stop].index  mapped  nothing: blocks come in order
    event[message_delta]  mapped  finish_reason; response.completed or response.incomplete
    event[message_delta].delta  mapped  why it stopped
    {_below("event[message_delta].delta.", _STOP_REASONS)}
    {_below("event[message_delta].", _USAGE)}
    event[message_stop]  mapped  the end of the stream
    event[ping]  mapped  nothing: there are no pings
    event[error]  mapped  an error event
    event[error].error  mapped  what it says
    """,
)

_STOPS: Final[Mapping[str, Stop]] = {
    "end_turn": "end",
    "max_tokens": "length",
    "stop_sequence": "stop_sequence",
    "tool_use": "tools",
    "pause_turn": "length",
    "refusal": "refusal",
    "model_context_window_exceeded": "length",
}


class MessagesReply:
    """Reads one reply: a whole body, or a stream's events as they come. What is dropped is in `reading`."""

    def __init__(self, *, is_stream: bool) -> None:
        self.reading = Reading(MESSAGES_EVENTS if is_stream else MESSAGES_REPLY, is_lenient=True)
        self._usage = UsageReader("messages")
        self._skips = False
        """Whether the block that is open is one that is dropped."""
        self._opened = ""
        """The arguments with which the open call began, as long as no piece has come."""

    def whole(self, body: Mapping[str, Any]) -> Iterator[Saying]:
        """What a body says."""
        given = self.reading.fields(body)
        yield Begun(str(given.get("id", "")), str(given.get("model", "")))
        for block in given.get("content", []):
            yield from self._block(block, "content")
            if self._opened:
                yield CallPiece(self._opened)
        yield from self._stop(given, "")
        self._usage.see(body)
        self.reading.fields(given.get("usage", {}), "usage")
        yield from self._end()

    def event(self, data: Mapping[str, Any]) -> Iterator[Saying]:
        """What an event says."""
        path = self.reading.kind("event", data)
        given = self.reading.fields(data, path) if path is not None else {}
        self._usage.see(data)
        match data.get("type"):
            case "message_start":
                message = given.get("message", {})
                yield Begun(str(message.get("id", "")), str(message.get("model", "")))
            case "content_block_start":
                yield from self._block(given.get("content_block", {}), f"{path}.content_block")
            case "content_block_delta":
                yield from self._delta(given.get("delta", {}), f"{path}.delta")
            case "content_block_stop":
                if self._opened:
                    yield CallPiece(self._opened)
                self._opened, self._skips = "", False
            case "message_delta":
                self.reading.fields(given.get("usage", {}), f"{path}.usage")
                yield from self._stop(self.reading.fields(given.get("delta", {}), f"{path}.delta"), f"{path}.delta.")
            case "message_stop":
                yield from self._end()
            case "error":
                yield Failed(str(given.get("error", {}).get("message", "The upstream reported an error.")))

    def _block(self, block: Mapping[str, Any], path: str) -> Iterator[Saying]:
        self._opened = ""
        inner = self.reading.kind(path, block)
        self._skips = inner is None
        if inner is None:
            return
        fields = self.reading.fields(block, inner)
        if fields.get("text"):
            yield TextPiece(str(fields["text"]))
        elif fields.get("thinking"):
            yield ThoughtPiece(str(fields["thinking"]))
        elif "input" in fields:
            yield CallBegun(str(fields.get("id", "")), str(fields.get("name", "")))
            # A stream begins a call with an empty input and gives it in pieces, which take its place.
            self._opened = canonical(fields["input"])

    def _delta(self, delta: Mapping[str, Any], path: str) -> Iterator[Saying]:
        inner = self.reading.kind(path, delta)
        if inner is None or self._skips:
            return
        fields = self.reading.fields(delta, inner)
        if fields.get("text"):
            yield TextPiece(str(fields["text"]))
        elif fields.get("thinking"):
            yield ThoughtPiece(str(fields["thinking"]))
        elif fields.get("partial_json"):
            self._opened = ""
            yield CallPiece(str(fields["partial_json"]))

    def _stop(self, fields: Mapping[str, Any], prefix: str) -> Iterator[Saying]:
        if "stop_reason" in fields:
            word = self.reading.word(f"{prefix}stop_reason", fields["stop_reason"])
            yield Stopped(_STOPS.get(word or "", "end"))

    def _end(self) -> Iterator[Saying]:
        if self._usage.usage is not None:
            yield Used(self._usage.usage)
        yield Ended()
