"""Requests of Anthropic Messages as requests of Chat Completions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from lorewright.providers.body import canonical
from lorewright.providers.dialect import Dialect
from lorewright.providers.translation.table import Reading, Translated, read_table

__all__ = ["MESSAGES_TO_CHAT", "messages_to_chat"]

MESSAGES_TO_CHAT: Final = read_table(
    "Messages",
    "Chat Completions",
    """
    max_tokens  mapped  max_tokens, or max_completion_tokens where the upstream wants that
    messages  mapped  messages
    messages[user]  mapped  a user message; tool messages for its results
    messages[assistant]  mapped  an assistant message
    messages[system]  mapped  a system message
    messages[user|assistant|system].content  mapped  content
    messages[user|assistant|system].content[text]  mapped  a text part
    messages[user|assistant|system].content[text].text  mapped  text
    messages[user|assistant|system].content[text].cache_control  dropped  a mark of Anthropic's cache
    messages[user|assistant|system].content[text].citations  dropped  texts have no citations
    messages[user].content[image]  mapped  an image_url part
    messages[user].content[image].source  mapped  image_url
    messages[user].content[image].source[base64|url]  mapped  image_url.url
    messages[user].content[image].source[base64].data  mapped  image_url.url, as a data: address
    messages[user].content[image].source[base64].media_type  mapped  image_url.url
    messages[user].content[image].source[base64].media_type=image/jpeg|image/png|image/gif|image/webp  mapped  the same word
    messages[user].content[image].source[url].url  mapped  image_url.url
    messages[user].content[image].source[file]  refused  the file is kept by another provider
    messages[user].content[image].cache_control  dropped  a mark of Anthropic's cache
    messages[user].content[image].transformations  dropped  images are not transformed
    messages[user].content[document]  mapped  a file part, or a text part
    messages[user].content[document].source  mapped  file
    messages[user].content[document].source[base64]  mapped  file.file_data, as a data: address
    messages[user].content[document].source[base64].data  mapped  file.file_data
    messages[user].content[document].source[base64].media_type  mapped  file.file_data
    messages[user].content[document].source[text]  mapped  a text part
    messages[user].content[document].source[text].data  mapped  text
    messages[user].content[document].source[text].media_type  mapped  nothing: it is text
    messages[user].content[document].source[content]  refused  a document of blocks
    messages[user].content[document].source[url]  refused  documents have no address
    messages[user].content[document].source[file]  refused  the file is kept by another provider
    messages[user].content[document].cache_control  dropped  a mark of Anthropic's cache
    messages[user].content[document].citations  dropped  replies have no citations
    messages[user].content[document].context  dropped  a file has no context
    messages[user].content[document].title  mapped  file.filename
    messages[user].content[search_result]  refused  there are no search results
    messages[user].content[thinking|redacted_thinking|tool_use]  refused  only the model says that
    messages[user].content[tool_result]  mapped  a tool message
    messages[user].content[tool_result].tool_use_id  mapped  tool_call_id
    messages[user].content[tool_result].cache_control  dropped  a mark of Anthropic's cache
    messages[user].content[tool_result].content  mapped  content
    messages[user].content[tool_result].content[text]  mapped  content
    messages[user].content[tool_result].content[text].text  mapped  content
    messages[user].content[tool_result].content[text].cache_control  dropped  a mark of Anthropic's cache
    messages[user].content[tool_result].content[text].citations  dropped  texts have no citations
    messages[user].content[tool_result].content[image|document|search_result|tool_reference|browser_state]  refused  results are text
    messages[user].content[tool_result].is_error  dropped unless false  the text of the result says so
    messages[user].content[tool_result].toolset_name  dropped  tools have no sets
    messages[user].content[server_tool_use|web_search_tool_result|web_fetch_tool_result|code_execution_tool_result|bash_code_execution_tool_result|text_editor_code_execution_tool_result|tool_search_tool_result|container_upload]  refused  a tool that Anthropic runs
    messages[assistant].content[image|document|search_result|tool_result]  refused  the model says no such thing
    messages[assistant].content[thinking|redacted_thinking]  dropped  thoughts are not sent back
    messages[assistant].content[tool_use]  mapped  tool_calls
    messages[assistant].content[tool_use].id  mapped  id
    messages[assistant].content[tool_use].input  mapped  function.arguments
    messages[assistant].content[tool_use].name  mapped  function.name
    messages[assistant].content[tool_use].cache_control  dropped  a mark of Anthropic's cache
    messages[assistant].content[tool_use].caller  dropped  who called is not said
    messages[assistant].content[tool_use].toolset_name  dropped  tools have no sets
    messages[assistant].content[server_tool_use|web_search_tool_result|web_fetch_tool_result|code_execution_tool_result|bash_code_execution_tool_result|text_editor_code_execution_tool_result|tool_search_tool_result|container_upload]  refused  a tool that Anthropic runs
    model  mapped  model
    cache_control  dropped  a mark of Anthropic's cache
    container  refused  there are no containers
    diagnostics  dropped  diagnostics of Anthropic's cache
    inference_geo  refused  the place where it runs cannot be chosen
    metadata  mapped  user
    metadata.user_id  mapped  user
    output_config  mapped  reasoning_effort and response_format
    output_config.effort  mapped  reasoning_effort
    output_config.effort=low|medium|high|xhigh|max  mapped  the same word
    output_config.format  mapped  response_format
    output_config.format[json_schema]  mapped  json_schema
    output_config.format[json_schema].schema  mapped  json_schema.schema
    service_tier  dropped unless "auto"  tiers are the provider's own
    speed  dropped unless "standard"  there is none
    stop_sequences  mapped  stop
    stream  mapped  stream, with the usage at its end
    system  mapped  a system message at the front
    system[text]  mapped  content
    system[text].text  mapped  content
    system[text].cache_control  dropped  a mark of Anthropic's cache
    system[text].citations  dropped  texts have no citations
    temperature  mapped  temperature; dropped where the upstream takes none
    thinking  dropped  how much the model thinks is the upstream's own; use output_config.effort
    tool_choice  mapped  tool_choice
    tool_choice[auto|none]  mapped  the same word
    tool_choice[any]  mapped  required
    tool_choice[tool]  mapped  function
    tool_choice[tool].name  mapped  function.name
    tool_choice[auto|any|tool].disable_parallel_tool_use  mapped  parallel_tool_calls
    tools  mapped  tools
    tools[custom]  mapped  function
    tools[custom].input_schema  mapped  function.parameters
    tools[custom].input_schema[object]  mapped  function.parameters, as it is
    tools[custom].input_schema[object].properties|required  mapped  function.parameters, as it is
    tools[custom].name  mapped  function.name
    tools[custom].allowed_callers  dropped  who may call is not said
    tools[custom].cache_control  dropped  a mark of Anthropic's cache
    tools[custom].defer_loading  dropped unless false  tools are always loaded
    tools[custom].description  mapped  function.description
    tools[custom].eager_input_streaming  dropped  arguments always come as they are made
    tools[custom].input_examples  dropped  a tool has no examples
    tools[custom].strict  mapped  function.strict
    tools[bash_20250124|memory_20250818|text_editor_20250124|text_editor_20250429|text_editor_20250728]  refused  the model must know the tool; describe it as one of your own
    tools[browser_toolset_20260801|computer_toolset_20260801]  refused  the model must know the tools
    tools[code_execution_20250522|code_execution_20250825|code_execution_20260120|code_execution_20260521]  refused  a tool that Anthropic runs
    tools[web_search_20250305|web_search_20260209|web_search_20260318]  refused  a tool that Anthropic runs
    tools[web_fetch_20250910|web_fetch_20260209|web_fetch_20260309|web_fetch_20260318]  refused  a tool that Anthropic runs
    tools[tool_search_tool_bm25_20251119|tool_search_tool_bm25|tool_search_tool_regex_20251119|tool_search_tool_regex]  refused  a tool that Anthropic runs
    top_k  dropped  there is none
    top_p  mapped  top_p; dropped where the upstream takes none
    user_profile_id  dropped  a name of Anthropic's
    workspace_id  dropped  a name of Anthropic's
    """,
)


def messages_to_chat(body: Mapping[str, Any], dialect: Dialect) -> Translated:
    """A request for an API like OpenAI's. A stream is asked for its usage, which Messages always tells.

    Raises:
        RequestError: something is refused, or is not of the type that Messages has it in.
    """
    request = _Request(dialect)
    with request.reading.guarded():
        return request.translate(body)


class _Request:
    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.reading = Reading(MESSAGES_TO_CHAT)

    def translate(self, body: Mapping[str, Any]) -> Translated:
        given = self.reading.fields(body)
        made: dict[str, Any] = {"model": given.get("model", ""), "messages": []}
        if "system" in given:
            text = "\n\n".join(self._texts(given["system"], "system"))
            made["messages"] += [{"role": "system", "content": text}] if text else []
        for raw in given.get("messages", []):
            made["messages"] += self._message(raw)
        if "max_tokens" in given:
            made[self.dialect.max_tokens] = given["max_tokens"]
        for name in ("temperature", "top_p"):
            if name in given and self.dialect.sampling:
                made[name] = given[name]
            elif name in given:
                self.reading.drop(name)
        if given.get("stop_sequences"):
            made["stop"] = given["stop_sequences"]
        made |= self._tools(given)
        made |= self._output(given.get("output_config", {}))
        if "user_id" in (named := self.reading.fields(given.get("metadata", {}), "metadata")):
            made["user"] = named["user_id"]
        if "stream" in given:
            made["stream"] = given["stream"]
        if given.get("stream") is True:
            made["stream_options"] = {"include_usage": True}
        return Translated(made, self.reading.dropped)

    def _message(self, raw: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        path = self.reading.kind("messages", raw)
        content = self.reading.fields(raw, path or "").get("content")
        if isinstance(content, str):
            yield {"role": raw["role"], "content": content}
            return
        parts: list[dict[str, Any]] = []
        calls: list[dict[str, Any]] = []
        for block in content or []:
            inner = self.reading.kind(f"{path}.content", block)
            if inner is None:
                continue
            fields = self.reading.fields(block, inner)
            if "tool_use_id" in fields:
                text = "\n\n".join(self._texts(fields.get("content", ""), f"{inner}.content"))
                yield {"role": "tool", "tool_call_id": fields["tool_use_id"], "content": text}
            elif "input" in fields:
                asked = {"name": fields.get("name", ""), "arguments": canonical(fields["input"])}
                calls.append({"id": fields.get("id", ""), "type": "function", "function": asked})
            elif "source" in fields:
                parts.append(self._media(block["type"], fields, inner))
            else:
                parts.append({"type": "text", "text": fields.get("text", "")})
        if parts or calls:
            said = _as_text(parts) if parts else None
            yield {"role": raw["role"], "content": said, **({"tool_calls": calls} if calls else {})}

    def _texts(self, content: Any, path: str) -> Iterator[str]:
        if isinstance(content, str):
            yield content
            return
        for block in content:
            inner = self.reading.kind(path, block)
            if inner is not None:
                yield self.reading.fields(block, inner).get("text", "")

    def _media(self, kind: str, fields: Mapping[str, Any], path: str) -> dict[str, Any]:
        inner = self.reading.kind(f"{path}.source", fields["source"])
        source = self.reading.fields(fields["source"], inner or "")
        if fields["source"]["type"] == "text":
            return {"type": "text", "text": source.get("data", "")}
        if kind == "image" and "media_type" in source:
            self.reading.word(f"{inner}.media_type", source["media_type"])
        url = source["url"] if "url" in source else f"data:{source['media_type']};base64,{source['data']}"
        if kind == "image":
            return {"type": "image_url", "image_url": {"url": url}}
        return {"type": "file", "file": {"filename": fields.get("title", "document.pdf"), "file_data": url}}

    def _tools(self, given: Mapping[str, Any]) -> dict[str, Any]:
        tools: list[dict[str, Any]] = []
        for tool in given.get("tools", []):
            path = self.reading.kind("tools", tool, "custom")
            asked = self.reading.fields(tool, path or "")
            named: dict[str, Any] = {name: asked[name] for name in ("name", "description", "strict") if name in asked}
            tools.append({"type": "function", "function": {**named, "parameters": asked.get("input_schema", {})}})
        made: dict[str, Any] = {"tools": tools} if tools else {}
        choice = given.get("tool_choice")
        if choice is not None and tools:
            path = self.reading.kind("tool_choice", choice)
            fields = self.reading.fields(choice, path or "")
            kind = choice["type"]
            named_tool = {"type": "function", "function": {"name": fields.get("name", "")}}
            made["tool_choice"] = named_tool if kind == "tool" else "required" if kind == "any" else kind
            if fields.get("disable_parallel_tool_use") is True:
                made["parallel_tool_calls"] = False
        return made

    def _output(self, config: Mapping[str, Any]) -> dict[str, Any]:
        fields = self.reading.fields(config, "output_config")
        made: dict[str, Any] = {}
        if "effort" in fields:
            made["reasoning_effort"] = self.reading.word("output_config.effort", fields["effort"])
        if "format" in fields:
            path = self.reading.kind("output_config.format", fields["format"])
            schema = self.reading.fields(fields["format"], path or "").get("schema", {})
            wanted = {"name": "reply", "schema": schema, "strict": True}
            made["response_format"] = {"type": "json_schema", "json_schema": wanted}
        return made


def _as_text(parts: list[dict[str, Any]]) -> Any:
    """One text as a text, else the parts."""
    return parts[0]["text"] if len(parts) == 1 and parts[0]["type"] == "text" else parts
