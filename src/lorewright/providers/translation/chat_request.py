"""Requests of Chat Completions as requests of Anthropic Messages."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from lorewright.providers.dialect import Dialect
from lorewright.providers.translation.table import Reading, Translated, read_table

__all__ = ["CHAT_TO_MESSAGES", "chat_to_messages"]

DEFAULT_MAX_TOKENS: Final = 4096
"""Messages must say how long a reply may be; Chat need not."""

_NO_PARAMETERS: Final[Mapping[str, Any]] = {"type": "object", "properties": {}}
_IMAGE_TYPES: Final = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})

CHAT_TO_MESSAGES: Final = read_table(
    "Chat Completions",
    "Messages",
    """
    messages  mapped  messages and system
    messages[developer|system]  mapped  system at the front; in the middle a user's text, or a system message where the upstream takes one
    messages[developer|system].content  mapped  system
    messages[developer|system].content[text]  mapped  a text block
    messages[developer|system].content[text].text  mapped  text
    messages[developer|system].content[text].cache_control  mapped  cache_control (a field of some servers)
    messages[developer|system].content[text].prompt_cache_breakpoint  dropped  a mark of OpenAI's cache
    messages[developer|system].name  dropped  messages have no names
    messages[user]  mapped  a user message
    messages[user].content  mapped  content
    messages[user].content[text]  mapped  a text block
    messages[user].content[text].text  mapped  text
    messages[user].content[image_url]  mapped  an image block
    messages[user].content[image_url].image_url  mapped  source
    messages[user].content[image_url].image_url.url  mapped  source.data, or source.url
    messages[user].content[image_url].image_url.detail  dropped unless "auto"  the size of an image is not chosen
    messages[user].content[input_audio]  refused  there is no audio
    messages[user].content[file]  mapped  a document block
    messages[user].content[file].file  mapped  source
    messages[user].content[file].file.file_data  mapped  source.data
    messages[user].content[file].file.file_id  refused  the file is kept by another provider
    messages[user].content[file].file.filename  mapped  title
    messages[user].content[text|image_url|file].cache_control  mapped  cache_control (a field of some servers)
    messages[user].content[text|image_url|file].prompt_cache_breakpoint  dropped  a mark of OpenAI's cache
    messages[user].name  dropped  messages have no names
    messages[assistant]  mapped  an assistant message
    messages[assistant].audio  refused  there is no audio
    messages[assistant].content  mapped  content
    messages[assistant].content[text]  mapped  a text block
    messages[assistant].content[text].text  mapped  text
    messages[assistant].content[text].cache_control  mapped  cache_control (a field of some servers)
    messages[assistant].content[text].prompt_cache_breakpoint  dropped  a mark of OpenAI's cache
    messages[assistant].content[refusal]  mapped  a text block
    messages[assistant].content[refusal].refusal  mapped  text
    messages[assistant].function_call  refused  calls without an id; use tool_calls
    messages[assistant].name  dropped  messages have no names
    messages[assistant].refusal  mapped  a text block
    messages[assistant].reasoning_content  dropped  a thought needs the signature of the model that thought it
    messages[assistant].tool_calls  mapped  tool_use blocks
    messages[assistant].tool_calls[function]  mapped  a tool_use block
    messages[assistant].tool_calls[function].id  mapped  id
    messages[assistant].tool_calls[function].function  mapped  name and input
    messages[assistant].tool_calls[function].function.arguments  mapped  input
    messages[assistant].tool_calls[function].function.name  mapped  name
    messages[assistant].tool_calls[custom]  refused  input that is no JSON
    messages[tool]  mapped  a tool_result block of a user message
    messages[tool].content  mapped  content
    messages[tool].content[text]  mapped  a text block
    messages[tool].content[text].text  mapped  text
    messages[tool].content[text].cache_control  mapped  cache_control (a field of some servers)
    messages[tool].content[text].prompt_cache_breakpoint  dropped  a mark of OpenAI's cache
    messages[tool].tool_call_id  mapped  tool_use_id
    messages[function]  refused  results without an id; use tool messages
    model  mapped  model
    audio  refused  there is no audio
    frequency_penalty  dropped unless 0  there is none
    function_call  refused  use tool_choice
    functions  refused  use tools
    logit_bias  dropped unless {}  there is none
    logprobs  refused unless false  there are none
    max_completion_tokens  mapped  max_tokens
    max_tokens  mapped  max_tokens; 4,096 if neither is there
    metadata  dropped  the client's own notes
    modalities  refused unless ["text"]  replies are text
    moderation  refused  nobody would moderate
    n  refused unless 1  a request has one reply
    parallel_tool_calls  mapped  tool_choice.disable_parallel_tool_use
    prediction  dropped  a reply is not predicted
    presence_penalty  dropped unless 0  there is none
    prompt_cache_key  dropped  the cache has no keys
    prompt_cache_options  dropped  the cache of OpenAI
    prompt_cache_retention  dropped  the cache of OpenAI
    reasoning_effort  mapped  output_config.effort; thinking for none
    reasoning_effort=none  mapped  thinking: disabled
    reasoning_effort=minimal  mapped  low
    reasoning_effort=low|medium|high|xhigh|max  mapped  the same word
    response_format  mapped  output_config.format
    response_format[text]  mapped  nothing: replies are text
    response_format[json_schema]  mapped  json_schema
    response_format[json_schema].json_schema  mapped  schema
    response_format[json_schema].json_schema.name  dropped  a format has no name
    response_format[json_schema].json_schema.description  dropped  a format has no description
    response_format[json_schema].json_schema.schema  mapped  schema
    response_format[json_schema].json_schema.strict  dropped unless true  a schema is always kept to
    response_format[json_object]  refused  JSON without a schema; use json_schema
    safety_identifier  dropped  whose user it is stays between client and OpenAI
    seed  dropped  there is none
    service_tier  dropped unless "auto"  tiers are the provider's own
    stop  mapped  stop_sequences
    store  dropped unless false  nothing is stored
    stream  mapped  stream
    stream_options  mapped  how the reply is told
    stream_options.include_obfuscation  dropped unless false  events are not padded
    stream_options.include_usage  mapped  a last chunk with the usage
    temperature  mapped  temperature, at most 1; dropped where the upstream takes none
    tool_choice  mapped  tool_choice
    tool_choice=none|auto  mapped  the same word
    tool_choice=required  mapped  any
    tool_choice[allowed_tools]  refused  tools are not chosen from a list
    tool_choice[function]  mapped  tool
    tool_choice[function].function  mapped  name
    tool_choice[function].function.name  mapped  name
    tool_choice[custom]  refused  input that is no JSON
    tools  mapped  tools
    tools[function]  mapped  a tool
    tools[function].function  mapped  a tool
    tools[function].function.name  mapped  name
    tools[function].function.description  mapped  description
    tools[function].function.parameters  mapped  input_schema
    tools[function].function.strict  mapped  strict
    tools[custom]  refused  input that is no JSON
    top_logprobs  refused unless 0  there are none
    top_p  mapped  top_p; dropped where the upstream takes none
    user  mapped  metadata.user_id
    verbosity  dropped unless "medium"  there is none
    web_search_options  refused  the search is OpenAI's
    """,
)


def chat_to_messages(body: Mapping[str, Any], dialect: Dialect) -> Translated:
    """A request for Anthropic's API. Neighbours of one role become one message, so that results stand together.

    Raises:
        RequestError: something is refused, or is not of the type that Chat has it in.
    """
    request = _Request(dialect)
    with request.reading.guarded():
        return request.translate(body)


class _Request:
    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.reading = Reading(CHAT_TO_MESSAGES)

    def translate(self, body: Mapping[str, Any]) -> Translated:
        given = self.reading.fields(body)
        made: dict[str, Any] = {"model": given.get("model", "")}
        limit = given.get("max_completion_tokens", given.get("max_tokens", DEFAULT_MAX_TOKENS))
        made["max_tokens"] = limit
        made |= self._messages(given.get("messages", []))
        made |= dict(self._sampling(given))
        made |= self._tools(given)
        made |= self._output(given)
        if isinstance(given.get("user"), str):
            made["metadata"] = {"user_id": given["user"]}
        stops = given.get("stop", [])
        if wanted := [stop for stop in ([stops] if isinstance(stops, str) else stops) if stop.strip()]:
            made["stop_sequences"] = wanted
        if isinstance(given.get("stream_options"), dict):
            self.reading.fields(given["stream_options"], "stream_options")
        if "stream" in given:
            made["stream"] = given["stream"]
        return Translated(made, self.reading.dropped)

    def _messages(self, messages: list[Any]) -> dict[str, Any]:
        system: list[dict[str, Any]] = []
        made: list[dict[str, Any]] = []
        for raw in messages:
            path = self.reading.kind("messages", raw)
            if path is None:
                continue
            fields = self.reading.fields(raw, path)
            blocks = list(self._blocks(raw["role"], fields, path))
            if raw["role"] in ("system", "developer"):
                if not made:
                    system += blocks
                    continue
                role = "system" if self.dialect.system_in_middle else "user"
            else:
                role = "assistant" if raw["role"] == "assistant" else "user"
            if made and made[-1]["role"] == role:
                made[-1]["content"] += blocks
            elif blocks:
                made.append({"role": role, "content": blocks})
        for message in made:
            message["content"] = _results_first(message["content"])
        if made and made[-1]["role"] == "assistant":
            _strip_end(made[-1]["content"])
        return {"messages": [_plain(message) for message in made], **({"system": _as_text(system)} if system else {})}

    def _blocks(self, role: str, fields: Mapping[str, Any], path: str) -> Iterator[dict[str, Any]]:
        content = fields.get("content")
        said = list(self._parts(content, f"{path}.content"))
        if role == "tool":
            yield {"type": "tool_result", "tool_use_id": fields.get("tool_call_id", ""), "content": _as_text(said)}
            return
        yield from said
        if isinstance(fields.get("refusal"), str) and fields["refusal"]:
            yield {"type": "text", "text": fields["refusal"]}
        for call in fields.get("tool_calls", []):
            yield from self._call(call, f"{path}.tool_calls")

    def _parts(self, content: Any, path: str) -> Iterator[dict[str, Any]]:
        if isinstance(content, str):
            yield from [{"type": "text", "text": content}] if content.strip() else []
            return
        for part in content or []:
            inner = self.reading.kind(path, part)
            if inner is None:
                continue
            fields = self.reading.fields(part, inner)
            mark = {"cache_control": fields["cache_control"]} if "cache_control" in fields else {}
            if "image_url" in fields:
                yield {"type": "image", "source": self._image(fields["image_url"], f"{inner}.image_url"), **mark}
            elif "file" in fields:
                yield {**self._document(fields["file"], f"{inner}.file"), **mark}
            elif (text := fields.get("text", fields.get("refusal", ""))).strip():
                yield {"type": "text", "text": text, **mark}

    def _image(self, image: Any, path: str) -> dict[str, Any]:
        fields = {"url": image} if isinstance(image, str) else self.reading.fields(image, path)
        url = str(fields.get("url", ""))
        if not url.startswith("data:"):
            return {"type": "url", "url": url}
        media_type, data = _data_url(url)
        if media_type not in _IMAGE_TYPES:
            raise self.reading.refuse(f"{path}.url", f"{media_type or 'this'} is no image that it takes")
        return {"type": "base64", "media_type": media_type, "data": data}

    def _document(self, file: Mapping[str, Any], path: str) -> dict[str, Any]:
        fields = self.reading.fields(file, path)
        media_type, data = _data_url(str(fields.get("file_data", "")))
        if media_type != "application/pdf":
            raise self.reading.refuse(f"{path}.file_data", "a document is a PDF, as a data: address")
        title = {"title": fields["filename"]} if "filename" in fields else {}
        return {"type": "document", "source": {"type": "base64", "media_type": media_type, "data": data}, **title}

    def _call(self, call: Mapping[str, Any], path: str) -> Iterator[dict[str, Any]]:
        inner = self.reading.kind(path, call, "function")
        if inner is None:
            return
        fields = self.reading.fields(call, inner)
        asked = self.reading.fields(fields.get("function", {}), f"{inner}.function")
        try:
            arguments = json.loads(asked.get("arguments") or "{}")
        except (ValueError, RecursionError):
            arguments = None
        if not isinstance(arguments, dict):
            raise self.reading.refuse(f"{inner}.function.arguments", "arguments are a JSON object")
        yield {"type": "tool_use", "id": fields.get("id", ""), "name": asked.get("name", ""), "input": arguments}

    def _sampling(self, given: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        for name in ("temperature", "top_p"):
            value = given.get(name)
            if value is None:
                continue
            if not self.dialect.sampling:
                self.reading.drop(name)
            elif name == "temperature" and value > 1:
                self.reading.drop(name)
                yield name, 1
            else:
                yield name, value

    def _tools(self, given: Mapping[str, Any]) -> dict[str, Any]:
        tools: list[dict[str, Any]] = []
        for tool in given.get("tools", []):
            path = self.reading.kind("tools", tool)
            if path is None:
                continue
            asked = self.reading.fields(self.reading.fields(tool, path).get("function", {}), f"{path}.function")
            named: dict[str, Any] = {name: asked[name] for name in ("name", "description", "strict") if name in asked}
            tools.append({**named, "input_schema": asked.get("parameters", _NO_PARAMETERS)})
        if not tools:
            return {}
        choice = self._choice(given.get("tool_choice", "auto"))
        if given.get("parallel_tool_calls") is False and choice["type"] != "none":
            choice["disable_parallel_tool_use"] = True
        return {"tools": tools, **({"tool_choice": choice} if choice != {"type": "auto"} else {})}

    def _choice(self, choice: Any) -> dict[str, Any]:
        if isinstance(choice, str):
            word = self.reading.word("tool_choice", choice)
            return {"type": "any" if word == "required" else word}
        path = self.reading.kind("tool_choice", choice)
        asked = self.reading.fields(self.reading.fields(choice, path or "").get("function", {}), f"{path}.function")
        return {"type": "tool", "name": asked.get("name", "")}

    def _output(self, given: Mapping[str, Any]) -> dict[str, Any]:
        output: dict[str, Any] = {}
        made: dict[str, Any] = {}
        if "reasoning_effort" in given:
            effort = self.reading.word("reasoning_effort", given["reasoning_effort"])
            if effort == "none":
                made["thinking"] = {"type": "disabled"}
            else:
                output["effort"] = "low" if effort == "minimal" else effort
        wanted = given.get("response_format")
        if wanted is not None and (path := self.reading.kind("response_format", wanted)) is not None:
            schema = self.reading.fields(wanted, path).get("json_schema")
            if schema is not None:
                inside = self.reading.fields(schema, f"{path}.json_schema")
                output["format"] = {"type": "json_schema", "schema": inside.get("schema", {})}
        return {**made, **({"output_config": output} if output else {})}


def _data_url(url: str) -> tuple[str, str]:
    """The media type and the base64 of a `data:` address; two empty texts for anything else."""
    head, _, data = url.partition(",")
    if not head.startswith("data:") or not head.endswith(";base64"):
        return "", ""
    return head.removeprefix("data:").partition(";")[0], data


def _results_first(blocks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Results stand at the front of the message behind their calls."""
    return sorted(blocks, key=lambda block: block["type"] != "tool_result")


def _strip_end(blocks: list[dict[str, Any]]) -> None:
    """Take the white space from the end of a prefill, which may have none."""
    if blocks and blocks[-1]["type"] == "text":
        blocks[-1] = {**blocks[-1], "text": blocks[-1]["text"].rstrip()}


def _as_text(blocks: list[dict[str, Any]]) -> Any:
    """One text without a mark as a text, else the blocks."""
    if not blocks:
        return ""
    return blocks[0]["text"] if len(blocks) == 1 and set(blocks[0]) == {"type", "text"} else blocks


def _plain(message: Mapping[str, Any]) -> dict[str, Any]:
    return {**message, "content": _as_text(message["content"])}
