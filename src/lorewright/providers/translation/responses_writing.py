"""What a model says as a reply of OpenAI Responses, as a whole or event by event."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from lorewright.providers.sse import encode_event
from lorewright.providers.translation.saying import (
    Begun,
    Block,
    Call,
    CallBegun,
    CallPiece,
    Ended,
    Failed,
    Reply,
    Saying,
    Stop,
    Stopped,
    TextPiece,
    ThoughtPiece,
    Used,
)
from lorewright.providers.translation.table import read_table
from lorewright.providers.usage import Usage

__all__ = ["RESPONSES_EVENTS", "ResponsesWriting", "responses_body"]

RESPONSES_EVENTS: Final = read_table(
    "a reply",
    "Responses",
    """
    event[response.created|response.in_progress]  mapped  from the beginning of the reply
    event[response.output_item.added|response.output_item.done]  mapped  from each text, thought and call
    event[response.content_part.added|response.content_part.done]  mapped  from each text
    event[response.output_text.delta|response.output_text.done]  mapped  from a text
    event[response.reasoning_text.delta|response.reasoning_text.done]  mapped  from a thought
    event[response.function_call_arguments.delta|response.function_call_arguments.done]  mapped  from a call
    event[response.completed|response.incomplete]  mapped  from the end of the reply
    event[response.failed]  mapped  from an error in the middle
    event[error]  dropped  an error in the middle is response.failed
    event[response.queued]  dropped  nothing waits
    event[response.refusal.delta|response.refusal.done]  dropped  a refusal is told as text
    event[response.output_text.annotation.added]  dropped  there are no citations
    event[response.reasoning_summary_part.added|response.reasoning_summary_part.done]  dropped  thoughts come as they are
    event[response.reasoning_summary_text.delta|response.reasoning_summary_text.done]  dropped  thoughts come as they are
    event[response.audio.delta|response.audio.done|response.audio.transcript.delta|response.audio.transcript.done]  dropped  there is no audio
    event[response.code_interpreter_call_code.delta|response.code_interpreter_call_code.done]  dropped  only function tools
    event[response.code_interpreter_call.completed|response.code_interpreter_call.in_progress|response.code_interpreter_call.interpreting]  dropped  only function tools
    event[response.compaction.compacting]  dropped  nothing is compacted
    event[response.custom_tool_call_input.delta|response.custom_tool_call_input.done]  dropped  only function tools
    event[response.file_search_call.completed|response.file_search_call.in_progress|response.file_search_call.searching]  dropped  only function tools
    event[response.image_generation_call.completed|response.image_generation_call.generating|response.image_generation_call.in_progress|response.image_generation_call.partial_image]  dropped  only function tools
    event[response.mcp_call_arguments.delta|response.mcp_call_arguments.done|response.mcp_call.completed|response.mcp_call.failed|response.mcp_call.in_progress]  dropped  only function tools
    event[response.mcp_list_tools.completed|response.mcp_list_tools.failed|response.mcp_list_tools.in_progress]  dropped  only function tools
    event[response.shell_call_command.added|response.shell_call_command.delta|response.shell_call_command.done]  dropped  only function tools
    event[response.shell_call_output_content.delta|response.shell_call_output_content.done]  dropped  only function tools
    event[response.web_search_call.completed|response.web_search_call.in_progress|response.web_search_call.searching]  dropped  only function tools
    """,
)
"""Which events of Responses a translated stream has. Here `dropped` says that there never is one."""

_INCOMPLETE: Final[Mapping[Stop, str]] = {"length": "max_output_tokens", "refusal": "content_filter"}
_ECHOED: Final = (
    "instructions", "max_output_tokens", "metadata", "parallel_tool_calls", "reasoning", "temperature", "text",
    "tool_choice", "tools", "top_p", "user",
)  # fmt: skip
_DEFAULTS: Final[Mapping[str, Any]] = {
    "instructions": None,
    "metadata": {},
    "parallel_tool_calls": True,
    "temperature": None,
    "tool_choice": "auto",
    "tools": [],
    "top_p": None,
}


def responses_body(reply: Reply, created: int, request: Mapping[str, Any]) -> dict[str, Any]:
    """A whole reply. created: seconds since 1970. request: the client's, parts of which the API repeats."""
    writing = ResponsesWriting(created, request)
    writing.reply = reply
    return writing.finished()


class ResponsesWriting:
    """Writes a stream's events. Each text, thought and call is an item of its own."""

    def __init__(self, created: int, request: Mapping[str, Any]) -> None:
        self.created = created
        self.request = request
        self.reply = Reply()
        self._number = 0
        self._open: Block | None = None

    def write(self, saying: Saying) -> Iterator[bytes]:
        """The events for what is said next."""
        before = len(self.reply.blocks)
        ends_block = isinstance(saying, (Ended, Failed, Stopped))
        self.reply.add(saying)
        if self._open is not None and (ends_block or len(self.reply.blocks) > before):
            yield from self._close(self._open, before - 1)
        if len(self.reply.blocks) > before:
            yield from self._begin(self.reply.blocks[-1], before)
        match saying:
            case Begun():
                yield self._event("response.created", response=self._response("in_progress"))
                yield self._event("response.in_progress", response=self._response("in_progress"))
            case TextPiece(text):
                yield self._piece("response.output_text.delta", delta=text, content_index=0, logprobs=[])
            case ThoughtPiece(text):
                yield self._piece("response.reasoning_text.delta", delta=text, content_index=0)
            case CallPiece(text):
                yield self._piece("response.function_call_arguments.delta", delta=text)
            case Failed(message):
                error = {"code": "server_error", "message": message}
                yield self._event("response.failed", response={**self._response("failed"), "error": error})
            case Ended():
                kind = "response.incomplete" if self.reply.stop in _INCOMPLETE else "response.completed"
                yield self._event(kind, response=self.finished())
            case CallBegun() | Stopped() | Used():
                pass

    def finished(self) -> dict[str, Any]:
        """The whole response."""
        reason = _INCOMPLETE.get(self.reply.stop or "end")
        response = self._response("incomplete" if reason else "completed")
        usage = {"usage": _usage(self.reply.usage)} if self.reply.usage is not None else {}
        return {**response, "incomplete_details": {"reason": reason} if reason else None, **usage}

    def _response(self, status: str) -> dict[str, Any]:
        echoed = {name: self.request[name] for name in _ECHOED if self.request.get(name) is not None}
        items = [self._item(block, place) for place, block in enumerate(self.reply.blocks)]
        return {
            "id": _prefixed(self.reply.id),
            "object": "response",
            "created_at": self.created,
            "status": status,
            "error": None,
            "incomplete_details": None,
            "model": self.reply.model,
            "output": items,
            **_DEFAULTS,
            **echoed,
        }

    def _begin(self, block: Block, place: int) -> Iterator[bytes]:
        self._open = block
        empty = Call(block.id, block.name) if isinstance(block, Call) else type(block)(block.kind, "")
        item = {**self._item(empty, place), "status": "in_progress"}
        item.update(arguments="") if isinstance(block, Call) else item.update(content=[])
        yield self._event("response.output_item.added", output_index=place, item=item)
        if not isinstance(block, Call) and block.kind == "text":
            yield self._piece("response.content_part.added", content_index=0, part=_text_part(""))

    def _close(self, block: Block, place: int) -> Iterator[bytes]:
        if isinstance(block, Call):
            yield self._piece("response.function_call_arguments.done", place, arguments=block.arguments or "{}")
        elif block.kind == "thought":
            yield self._piece("response.reasoning_text.done", place, text=block.text, content_index=0)
        else:
            yield self._piece("response.output_text.done", place, text=block.text, content_index=0, logprobs=[])
            yield self._piece("response.content_part.done", place, content_index=0, part=_text_part(block.text))
        yield self._event("response.output_item.done", output_index=place, item=self._item(block, place))
        self._open = None

    def _piece(self, kind: str, place: int | None = None, **fields: object) -> bytes:
        """An event of the last item, or of the one at a place."""
        at = len(self.reply.blocks) - 1 if place is None else place
        return self._event(kind, item_id=self._item_id(self.reply.blocks[at], at), output_index=at, **fields)

    def _event(self, kind: str, **fields: object) -> bytes:
        self._number += 1
        return encode_event({"type": kind, "sequence_number": self._number - 1, **fields}, kind)

    def _item_id(self, block: Block, place: int) -> str:
        kind = "fc" if isinstance(block, Call) else "rs" if block.kind == "thought" else "msg"
        return f"{kind}_{_prefixed(self.reply.id).removeprefix('resp_')}_{place}"

    def _item(self, block: Block, place: int) -> dict[str, Any]:
        head = {"id": self._item_id(block, place)}
        if isinstance(block, Call):
            asked = {"call_id": block.id, "name": block.name, "arguments": block.arguments or "{}"}
            return {"type": "function_call", **head, **asked, "status": "completed"}
        if block.kind == "thought":
            said = [{"type": "reasoning_text", "text": block.text}]
            return {"type": "reasoning", **head, "summary": [], "content": said, "status": "completed"}
        return {
            "type": "message",
            **head,
            "role": "assistant",
            "content": [_text_part(block.text)],
            "status": "completed",
        }


def _text_part(text: str) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def _prefixed(identifier: str) -> str:
    return identifier if identifier.startswith("resp_") else f"resp_{identifier}"


def _usage(usage: Usage) -> dict[str, Any]:
    """The API has a number in each place: what is unknown is 0 there."""
    given, output = usage.input_tokens or 0, usage.output_tokens or 0
    cache = {"cached_tokens": usage.read_tokens or 0, "cache_write_tokens": usage.written_tokens or 0}
    return {
        "input_tokens": given,
        "input_tokens_details": cache,
        "output_tokens": output,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": given + output,
    }
