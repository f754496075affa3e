"""Requests of OpenAI Responses as requests of Chat Completions: text, images and function tools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from lorewright.providers.dialect import Dialect
from lorewright.providers.translation.table import Reading, Translated, read_table

__all__ = ["RESPONSES_TO_CHAT", "responses_to_chat"]

RESPONSES_TO_CHAT: Final = read_table(
    "Responses",
    "Chat Completions",
    """
    access_programs  refused  programs of OpenAI's
    background  refused unless false  replies are not made in the background
    background_options  refused  replies are not made in the background
    context_management  refused  nobody would manage the context
    conversation  refused  no conversation is stored; send all of it
    image  dropped  images are taken as they are
    include  dropped unless []  there is nothing more to include
    input  mapped  messages
    input[message]  mapped  a message
    input[message].id  dropped  messages have no ids
    input[message].content  mapped  content
    input[message].content[input_text]  mapped  a text part
    input[message].content[input_text].text  mapped  text
    input[message].content[input_text|input_image].prompt_cache_breakpoint  dropped  a mark of OpenAI's cache
    input[message].content[input_image]  mapped  an image_url part
    input[message].content[input_image].detail  mapped  image_url.detail
    input[message].content[input_image].detail=low|high|auto|original  mapped  the same word
    input[message].content[input_image].file_id  refused  the file is kept by another provider
    input[message].content[input_image].image_url  mapped  image_url.url
    input[message].content[input_file]  refused  only text and images
    input[message].content[input_audio]  refused  only text and images
    input[message].content[output_text]  mapped  a text part
    input[message].content[output_text].annotations  dropped unless []  texts have no citations
    input[message].content[output_text].text  mapped  text
    input[message].content[output_text].logprobs  dropped unless []  what was said has none
    input[message].content[refusal]  mapped  a text part
    input[message].content[refusal].refusal  mapped  text
    input[message].role  mapped  role
    input[message].role=user|assistant|system|developer  mapped  the same word
    input[message].status  dropped unless "completed"  messages have no status
    input[message].phase  dropped  messages have no phase
    input[function_call]  mapped  tool_calls of an assistant message
    input[function_call].async  dropped unless false  calls are waited for
    input[function_call].arguments  mapped  function.arguments
    input[function_call].call_id  mapped  id
    input[function_call].name  mapped  function.name
    input[function_call].id  dropped  messages have no ids
    input[function_call].caller  dropped  who called is not said
    input[function_call].namespace  refused  tools have no namespaces
    input[function_call].status  dropped unless "completed"  calls have no status
    input[function_call_output]  mapped  a tool message
    input[function_call_output].output  mapped  content
    input[function_call_output].output[input_text]  mapped  content
    input[function_call_output].output[input_text].text  mapped  content
    input[function_call_output].output[input_text].prompt_cache_breakpoint  dropped  a mark of OpenAI's cache
    input[function_call_output].output[input_image|input_file]  refused  results are text
    input[function_call_output].id  dropped  messages have no ids
    input[function_call_output].call_id  mapped  tool_call_id
    input[function_call_output].caller  dropped  who called is not said
    input[function_call_output].name  dropped  the call has the name
    input[function_call_output].namespace  refused  tools have no namespaces
    input[function_call_output].status  dropped unless "completed"  results have no status
    input[reasoning]  dropped  thoughts are not sent back
    input[file_search_call|computer_call|computer_call_output|web_search_call|tool_search_call|tool_search_output]  refused  a tool that OpenAI runs
    input[image_generation_call|code_interpreter_call|local_shell_call|local_shell_call_output|shell_call|shell_call_output]  refused  only function tools
    input[apply_patch_call|apply_patch_call_output|custom_tool_call|custom_tool_call_output|program|program_output]  refused  only function tools
    input[mcp_list_tools|mcp_approval_request|mcp_approval_response|mcp_call|additional_tools]  refused  only function tools
    input[compaction|compaction_trigger|configuration_update]  refused  the server would have to do it
    input[item_reference]  refused  no items are stored; send the item
    instructions  mapped  a system message at the front
    max_output_tokens  mapped  max_tokens, or max_completion_tokens where the upstream wants that
    max_tool_calls  dropped  the client runs the tools
    metadata  dropped  the client's own notes
    model  mapped  model
    moderation  refused  nobody would moderate
    parallel_tool_calls  mapped  parallel_tool_calls
    previous_response_id  refused  no responses are stored; send the whole conversation
    prompt  refused  no prompts are stored
    prompt_cache_key  dropped  the upstream's cache is its own
    prompt_cache_options  dropped  the cache of OpenAI
    prompt_cache_retention  dropped  the cache of OpenAI
    reasoning  mapped  reasoning_effort
    reasoning.context  dropped  thoughts are not sent back
    reasoning.effort  mapped  reasoning_effort
    reasoning.effort=none|minimal|low|medium|high|xhigh|max  mapped  the same word
    reasoning.generate_summary  dropped  thoughts come as they are
    reasoning.mode  dropped  how the model thinks is the upstream's own
    reasoning.summary  dropped  thoughts come as they are
    safety_identifier  dropped  whose user it is stays between client and OpenAI
    service_tier  dropped unless "auto"  tiers are the provider's own
    store  dropped unless false  nothing is stored
    stream  mapped  stream, with the usage at its end
    stream_options  dropped  events are not padded
    temperature  mapped  temperature; dropped where the upstream takes none
    text  mapped  response_format and verbosity
    text.format  mapped  response_format
    text.format[text]  mapped  nothing: replies are text
    text.format[json_schema]  mapped  json_schema
    text.format[json_schema].name  mapped  json_schema.name
    text.format[json_schema].schema  mapped  json_schema.schema
    text.format[json_schema].description  mapped  json_schema.description
    text.format[json_schema].strict  mapped  json_schema.strict
    text.format[json_object]  mapped  json_object
    text.verbosity  dropped unless "medium"  only models of OpenAI know it
    tool_choice  mapped  tool_choice
    tool_choice=none|auto|required  mapped  the same word
    tool_choice[allowed_tools]  refused  tools are not chosen from a list
    tool_choice[file_search|web_search_preview|web_search_preview_2025_03_11|computer|computer_use_preview|computer_use]  refused  a tool that OpenAI runs
    tool_choice[image_generation|code_interpreter|mcp|custom|programmatic_tool_calling|apply_patch|shell]  refused  only function tools
    tool_choice[function]  mapped  function
    tool_choice[function].name  mapped  function.name
    tools  mapped  tools
    tools[function]  mapped  function
    tools[function].async  dropped unless false  calls are waited for
    tools[function].name  mapped  function.name
    tools[function].parameters  mapped  function.parameters
    tools[function].strict  mapped  function.strict
    tools[function].allowed_callers  dropped  who may call is not said
    tools[function].defer_loading  dropped unless false  tools are always loaded
    tools[function].description  mapped  function.description
    tools[function].output_schema  dropped  results have no schema
    tools[file_search|computer|computer_use_preview|web_search|web_search_2025_08_26|web_search_preview|web_search_preview_2025_03_11]  refused  a tool that OpenAI runs
    tools[mcp|code_interpreter|programmatic_tool_calling|image_generation|local_shell|shell|custom|namespace|tool_search|apply_patch]  refused  only function tools
    top_logprobs  refused unless 0  they are told in another way
    top_p  mapped  top_p; dropped where the upstream takes none
    truncation  dropped unless "disabled"  nothing is cut
    user  mapped  user
    """,
)


def responses_to_chat(body: Mapping[str, Any], dialect: Dialect) -> Translated:
    """A request for an API like OpenAI's older one. A stream is asked for its usage, which Responses always tells.

    Raises:
        RequestError: something is refused, or is not of the type that Responses has it in.
    """
    request = _Request(dialect)
    with request.reading.guarded():
        return request.translate(body)


class _Request:
    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.reading = Reading(RESPONSES_TO_CHAT)

    def translate(self, body: Mapping[str, Any]) -> Translated:
        given = self.reading.fields(body)
        made: dict[str, Any] = {"model": given.get("model", ""), "messages": self._messages(given)}
        if "max_output_tokens" in given:
            made[self.dialect.max_tokens] = given["max_output_tokens"]
        for name in ("temperature", "top_p"):
            if name in given and self.dialect.sampling:
                made[name] = given[name]
            elif name in given:
                self.reading.drop(name)
        made |= self._tools(given)
        made |= self._output(given)
        made |= {name: given[name] for name in ("user", "stream") if name in given}
        if given.get("stream") is True:
            made["stream_options"] = {"include_usage": True}
        return Translated(made, self.reading.dropped)

    def _messages(self, given: Mapping[str, Any]) -> list[dict[str, Any]]:
        made: list[dict[str, Any]] = []
        if "instructions" in given:
            made.append({"role": "system", "content": given["instructions"]})
        items = given.get("input", [])
        for item in [{"role": "user", "content": items}] if isinstance(items, str) else items:
            path = self.reading.kind("input", {"type": item.get("type", "message")})
            if path is None:
                continue
            fields = self.reading.fields(item, path)
            if "arguments" in fields:
                _add_call(made, fields)
            elif "output" in fields:
                text = "\n\n".join(self._texts(fields["output"], f"{path}.output"))
                made.append({"role": "tool", "tool_call_id": fields.get("call_id", ""), "content": text})
            else:
                role = self.reading.word(f"{path}.role", fields.get("role"))
                made.append({"role": role, "content": self._content(fields.get("content", ""), f"{path}.content")})
        return made

    def _content(self, content: Any, path: str) -> Any:
        if isinstance(content, str):
            return content
        parts: list[dict[str, Any]] = []
        for part in content:
            inner = self.reading.kind(path, part)
            if inner is None:
                continue
            fields = self.reading.fields(part, inner)
            if "image_url" in fields:
                detail = {}
                if "detail" in fields:
                    detail = {"detail": self.reading.word(f"{inner}.detail", fields["detail"])}
                parts.append({"type": "image_url", "image_url": {"url": fields["image_url"], **detail}})
            else:
                parts.append({"type": "text", "text": fields.get("text", fields.get("refusal", ""))})
        return parts[0]["text"] if len(parts) == 1 and parts[0]["type"] == "text" else parts

    def _texts(self, output: Any, path: str) -> Iterator[str]:
        if isinstance(output, str):
            yield output
            return
        for part in output:
            inner = self.reading.kind(path, part)
            if inner is not None:
                yield self.reading.fields(part, inner).get("text", "")

    def _tools(self, given: Mapping[str, Any]) -> dict[str, Any]:
        tools = []
        for tool in given.get("tools", []):
            path = self.reading.kind("tools", tool)
            asked = self.reading.fields(tool, path or "")
            tools.append({"type": "function", "function": asked})
        if not tools:
            return {}
        made: dict[str, Any] = {"tools": tools}
        choice = given.get("tool_choice")
        if isinstance(choice, str):
            made["tool_choice"] = self.reading.word("tool_choice", choice)
        elif choice is not None:
            path = self.reading.kind("tool_choice", choice)
            made["tool_choice"] = {"type": "function", "function": self.reading.fields(choice, path or "")}
        if "parallel_tool_calls" in given:
            made["parallel_tool_calls"] = given["parallel_tool_calls"]
        return made

    def _output(self, given: Mapping[str, Any]) -> dict[str, Any]:
        made: dict[str, Any] = {}
        reasoning = self.reading.fields(given.get("reasoning", {}), "reasoning")
        if "effort" in reasoning:
            made["reasoning_effort"] = self.reading.word("reasoning.effort", reasoning["effort"])
        wanted = self.reading.fields(given.get("text", {}), "text").get("format")
        if wanted is not None:
            path = self.reading.kind("text.format", wanted)
            fields = self.reading.fields(wanted, path or "")
            if wanted["type"] == "json_schema":
                made["response_format"] = {"type": "json_schema", "json_schema": fields}
            elif wanted["type"] == "json_object":
                made["response_format"] = {"type": "json_object"}
        return made


def _add_call(made: list[dict[str, Any]], fields: Mapping[str, Any]) -> None:
    """A call as one of the assistant's last message: calls that were made at once stand in one."""
    asked = {"name": fields.get("name", ""), "arguments": fields["arguments"]}
    call = {"id": fields.get("call_id", ""), "type": "function", "function": asked}
    if made and made[-1]["role"] == "assistant":
        made[-1].setdefault("tool_calls", []).append(call)
    else:
        made.append({"role": "assistant", "content": None, "tool_calls": [call]})
