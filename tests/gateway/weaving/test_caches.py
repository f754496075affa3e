"""What is read from a provider's prompt cache in the session of 100 turns, over HTTP; numbers by the providers' rules."""

import json
from dataclasses import dataclass, replace
from functools import cache

import pytest

from benchmarks.session import make_session_tools, read, requests
from lorewright.gateway.configuration import BookFile, Configuration, Route, Upstream
from lorewright.gateway.endpoints import ENDPOINTS
from lorewright.gateway.weaving.ledger_weaver import LedgerWeaver
from lorewright.providers.dialect import Dialect
from lorewright.testing.fake_upstream import FakeUpstream
from lorewright.testing.prompt_caches import AnthropicCache, LlamaCache, OpenAICache, PromptCache
from tests.gateway.running import RunningGateway
from tests.providers.validator import count_marks

LEAST = 0.9
CARD_TEXTS = 28
"""So many texts of the book are some 1,200 tokens."""


@dataclass(frozen=True)
class Provider:
    """cache: of a new server. strict: its chat template wants turns that alternate, as that of Gemma does."""

    cache: type
    kind: str = "openai"
    strict: bool = False


PROVIDERS = {
    "anthropic": Provider(AnthropicCache, "anthropic"),
    "openai": Provider(OpenAICache),
    "llamacpp": Provider(LlamaCache, strict=True),
}


@cache
def bodies(has_card):
    """The messages of every request, and the book at that time. has_card: the system prompt is as long as it is with a
    character's description, instead of one sentence."""
    book, found = read()["book"], []
    texts = [entry["content"] for entry in book["entries"].values()]
    description = " ".join(texts[:CARD_TEXTS]) if has_card else ""
    [change] = [step for step in read()["steps"] if "change_entry" in step]
    for request in requests(make_session_tools()):
        if "change_entry" in request.done:
            key = next(key for key, entry in book["entries"].items() if entry["uid"] == change["change_entry"])
            book = {"entries": {**book["entries"], key: {**book["entries"][key], "content": change["content"]}}}
        messages = [{"role": message.role, "content": message.text} for message in request.turn.messages]
        system = {"role": "system", "content": f"{messages[0]['content']} {description}"}
        found.append((book, [system, *messages[1:]]))
    return found


def run(folder, provider, placement="frozen", *, has_card=True, prompt_cache: PromptCache | None = None):
    """The usage of every reply, and what the upstream got."""
    file = folder / "coast.json"
    dialect = Dialect(system_in_middle=not provider.strict, roles_must_alternate=provider.strict)
    if provider.kind == "anthropic":
        dialect = Dialect(system_in_middle=False)
    with FakeUpstream(cache=prompt_cache or provider.cache()) as fake:
        upstream = Upstream(
            name="up", base_url=fake.base_url, kind=provider.kind, apis=frozenset(ENDPOINTS), dialect=dialect
        )
        route = Route(name="coast", upstream="up", model="claude-sonnet-5", books=(BookFile(str(file)),), user="Max")
        routes = {"coast": replace(route, placement=placement)}
        world = Configuration(upstreams={"up": upstream}, routes=routes)
        weaver = LedgerWeaver(folder / "ledger", lambda seconds: make_session_tools())
        with RunningGateway(world, weaver) as gateway:
            return [ask(gateway, provider, file, *body) for body in bodies(has_card)], list(fake.received)


def ask(gateway, provider, file, book, messages):
    text = json.dumps(book)
    if not file.exists() or file.read_text("utf-8") != text:
        file.write_text(text, "utf-8")
    body = {"model": "coast", "max_tokens": 9, "messages": messages}
    path = "/v1/chat/completions"
    if provider.kind == "anthropic":
        path, body = "/v1/messages", {**body, "system": messages[0]["content"], "messages": messages[1:]}
    reply = gateway.post(path, json.dumps(body).encode())
    assert reply.status == 200
    assert "x-lorewright-turn" in reply.headers
    return json.loads(reply.body)["usage"]


def ratio(usages):
    """Read / (read + written + neither), over all tokens."""
    if "cache_read_input_tokens" in usages[0]:
        read = sum(usage["cache_read_input_tokens"] for usage in usages)
        rest = sum(usage["cache_creation_input_tokens"] + usage["input_tokens"] for usage in usages)
        return read / (read + rest)
    read = sum(usage["prompt_tokens_details"]["cached_tokens"] for usage in usages)
    return read / sum(usage["prompt_tokens"] for usage in usages)


@pytest.mark.parametrize("name", PROVIDERS)
def test_most_of_a_session_is_read_from_the_cache(name, tmp_path):
    usages, received, frozen, classic = compare(name, tmp_path, has_card=True)

    assert len(usages) > 100
    assert all(count_marks(request.json) <= 4 for request in received)
    assert frozen >= LEAST > classic


def test_a_small_session_on_a_server_without_a_minimum(tmp_path):
    """The bundled session as it is: messages of 30 tokens behind one sentence."""
    _, _, frozen, classic = compare("llamacpp", tmp_path, has_card=False)

    assert frozen >= LEAST > classic


def compare(name, folder, *, has_card):
    found = {}
    for placement in ("frozen", "sillytavern"):
        (folder / placement).mkdir()
        found[placement] = run(folder / placement, PROVIDERS[name], placement, has_card=has_card)
    usages, received = found["frozen"]
    frozen, classic = ratio(usages), ratio(found["sillytavern"][0])
    print(f"{name}: {frozen:.3f} of the prompt read from the cache, {classic:.3f} with the classic placement")
    return usages, received, frozen, classic


class WithoutMarks(AnthropicCache):
    """The provider as it would be if nobody had set a mark."""

    def usage(self, body):
        return super().usage(without_marks(body))


def without_marks(value):
    if isinstance(value, dict):
        return {name: without_marks(inner) for name, inner in value.items() if name != "cache_control"}
    return [without_marks(inner) for inner in value] if isinstance(value, list) else value


def test_without_our_marks_nothing_is_read(tmp_path):
    usages, received = run(tmp_path, PROVIDERS["anthropic"], prompt_cache=WithoutMarks())

    assert ratio(usages) == 0
    assert any(count_marks(request.json) for request in received)
