"""What the real APIs and chat templates refuse, as far as it can be told from a request alone.

Written from the providers' documentation of their errors, apart from our code: it shares nothing with it. Each
function gives the problems of a body, none if it would be taken.
"""

from collections.abc import Iterator
from typing import Any

Body = dict[str, Any]


def problems_of_chat(body: Body) -> Iterator[str]:
    """OpenAI: results follow their calls at once and completely; a message says something."""
    messages = body.get("messages")
    if not messages:
        yield "no messages"
        return
    waiting: set[str] = set()
    for at, message in enumerate(messages):
        role = message.get("role")
        if role not in {"system", "developer", "user", "assistant", "tool"}:
            yield f"{at}: role {role}"
        if role == "tool":
            if message.get("tool_call_id") not in waiting:
                yield f"{at}: a result without a call directly before it"
            waiting.discard(message.get("tool_call_id"))
        elif waiting:
            yield f"{at}: calls without results before it: {sorted(waiting)}"
            waiting = set()
        calls = message.get("tool_calls") or []
        if calls:
            if role != "assistant":
                yield f"{at}: a call of {role}"
            waiting = {call["id"] for call in calls}
        if message.get("content") is None and not calls:
            yield f"{at}: says nothing"
        if isinstance(message.get("content"), list):
            yield from (f"{at}: {found}" for found in _chat_parts(message["content"], role))
    if waiting:
        yield f"calls without results at the end: {sorted(waiting)}"
    roles = {message.get("role") for message in messages}
    if {"system", "developer"} <= roles:
        yield "both system and developer"


def _chat_parts(parts: list[Any], role: str) -> Iterator[str]:
    if not parts:
        yield "no parts"
    for part in parts:
        if part["type"] == "text" and not isinstance(part.get("text"), str):
            yield "a text that is none"
        if part["type"] != "text" and role in {"system", "developer", "tool"}:
            yield f"{part['type']} in a message of {role}"


def problems_of_gemma(body: Body) -> Iterator[str]:
    """The template of Gemma 3: one system message, at the front; then user and assistant by turns, from the user on."""
    messages = body["messages"]
    chat = messages[1:] if messages and messages[0]["role"] in {"system", "developer"} else messages
    for at, message in enumerate(chat):
        expected = "user" if at % 2 == 0 else "assistant"
        if message["role"] != expected:
            yield f"{at}: {message['role']} where {expected} is due"


def problems_of_mistral(body: Body) -> Iterator[str]:
    """The template of Mistral: as Gemma's, but calls of tools and their results do not count as turns."""
    messages = body["messages"]
    chat = messages[1:] if messages and messages[0]["role"] in {"system", "developer"} else messages
    turn = 0
    for at, message in enumerate(chat):
        role = message["role"]
        if role == "tool" or (role == "assistant" and message.get("tool_calls")):
            continue
        expected = "user" if turn % 2 == 0 else "assistant"
        if role != expected:
            yield f"{at}: {role} where {expected} is due"
        turn += 1


def problems_of_messages(body: Body, *, system_in_middle: bool = False, strict: bool = True) -> Iterator[str]:
    """Anthropic: blocks that say something, results at the front of the message behind their calls, at most four cache
    marks. strict: turns must alternate, as older versions of the API and some servers want it."""
    if "system" in body:
        yield from _blocks(body["system"], "system")
    messages = body.get("messages")
    if not messages:
        yield "no messages"
        return
    waiting: set[str] = set()
    before = ""
    for at, message in enumerate(messages):
        role, content = message["role"], message["content"]
        if role not in {"user", "assistant"} and not (role == "system" and system_in_middle):
            yield f"{at}: role {role}"
        if strict and role == before:
            yield f"{at}: {role} twice in a row"
        before = role
        is_last = at == len(messages) - 1
        if not content and not (is_last and role == "assistant"):
            yield f"{at}: says nothing"
        yield from (f"{at}: {found}" for found in _blocks(content, role))
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        front = True
        results: set[str] = set()
        for block in blocks:
            if block["type"] == "tool_result":
                if not front:
                    yield f"{at}: something before a result"
                if block["tool_use_id"] not in waiting:
                    yield f"{at}: a result without a call in the message before"
                results.add(block["tool_use_id"])
            else:
                front = False
        if waiting - results:
            yield f"{at}: calls without results: {sorted(waiting - results)}"
        waiting = {block["id"] for block in blocks if block["type"] == "tool_use"}
        if waiting and role != "assistant":
            yield f"{at}: a call of {role}"
        thought = [at for at, block in enumerate(blocks) if block["type"] in {"thinking", "redacted_thinking"}]
        if thought and thought[0] != 0:
            yield f"{at}: something before the first thought"
        if (
            is_last
            and role == "assistant"
            and blocks
            and blocks[-1].get("text", "x") != blocks[-1].get("text", "x").rstrip()
        ):
            yield "a prefill that ends in white space"
    if waiting:
        yield f"calls without results at the end: {sorted(waiting)}"
    if count_marks(body) > 4:
        yield f"{count_marks(body)} cache marks"


def _blocks(content: Any, role: str) -> Iterator[str]:
    for block in content if isinstance(content, list) else ():
        if block["type"] == "text" and not block["text"].strip():
            yield "a text of nothing"
        if role in {"assistant", "system"} and block["type"] in {"image", "tool_result"}:
            yield f"{block['type']} in {role}"
        if block.get("cache_control") and block["type"] in {"thinking", "redacted_thinking"}:
            yield "a cache mark on a thought"


def count_marks(value: Any) -> int:
    """How many cache marks there are anywhere in a body."""
    if isinstance(value, dict):
        return sum(count_marks(inner) for inner in value.values()) + bool(value.get("cache_control"))
    return sum(count_marks(inner) for inner in value) if isinstance(value, list) else 0


def problems_of_responses(body: Body) -> Iterator[str]:
    """OpenAI Responses: an output follows its call, with only calls, thoughts and outputs between; a thought stands
    directly before what it led to."""
    items = body.get("input")
    if not items:
        yield "no input"
        return
    if isinstance(items, str):
        return
    waiting: set[str] = set()
    for at, item in enumerate(items):
        kind = item.get("type", "message")
        led = at > 0 and items[at - 1].get("type") == "reasoning"
        if led and not (kind == "function_call" or item.get("role") == "assistant" or kind == "reasoning"):
            yield f"{at}: a thought without what it led to"
        if kind == "function_call":
            waiting.add(item["call_id"])
        elif kind == "function_call_output":
            if item["call_id"] not in waiting and not body.get("previous_response_id"):
                yield f"{at}: an output without a call"
            waiting.discard(item["call_id"])
        elif kind == "message":
            if waiting:
                yield f"{at}: a message between a call and its output"
            if item.get("content") in (None, [], ""):
                yield f"{at}: says nothing"
            parts = item["content"] if isinstance(item["content"], list) else []
            expected = "output_text" if item["role"] == "assistant" else "input_"
            yield from (
                f"{at}: {part['type']} of {item['role']}" for part in parts if not part["type"].startswith(expected)
            )
    if items[-1].get("type") == "reasoning":
        yield "a thought at the end"
    if waiting:
        yield f"calls without outputs at the end: {sorted(waiting)}"
