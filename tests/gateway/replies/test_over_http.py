"""Rewritten replies as the official clients see them, also of an upstream that speaks another API, and with our question
for the usage."""

import json
from dataclasses import replace
from typing import Any

import anthropic
import openai
import pytest

from lorewright.gateway.configuration import ReplyRules
from lorewright.testing.fake_upstream import Plan

SAID = "It rings.<UpdateVariable>_.set('gold', 1, 2);</UpdateVariable> Then <silence>."
SHOWN = "It rings. Then <silence>."
ASKED: Any = [{"role": "user", "content": "What of the bell?"}]
HIDES = ReplyRules(hide_updates=True)
ALL = ("chat", "completions", "responses", "messages")


@pytest.fixture
def rewriting(gateway, fake):
    """Lets the route rewrite replies, and the upstream speak these APIs."""
    fake.usually(Plan(text=SAID))

    def make(*apis, replies=HIDES, **more):
        configuration = gateway.service.configuration
        upstream = replace(configuration.upstreams["local"], apis=frozenset(apis), **more)
        aria = replace(configuration.routes["aria"], replies=replies)
        gateway.service.configuration = replace(
            configuration, upstreams={"local": upstream}, routes={"aria": aria, "any": configuration.routes["any"]}
        )
        return gateway

    return make


@pytest.fixture
def loud(tmp_path):
    """A script that needs the whole text."""
    path = tmp_path / "loud.json"
    script = {"scriptName": "loud", "findRegex": "/rings[^]*silence/", "replaceString": "RINGS", "placement": [2]}
    path.write_text(json.dumps([script]), "utf-8")
    return ReplyRules(hide_updates=True, scripts=(str(path),))


def stream_of_chat(gateway):
    with openai.OpenAI(base_url=f"{gateway.url}/v1", api_key="k", max_retries=0) as client:
        chunks = list(client.chat.completions.create(model="aria", messages=ASKED, stream=True))
        whole = client.chat.completions.create(model="aria", messages=ASKED)
    assert not any(chunk.usage for chunk in chunks)
    assert [chunk.choices[0].finish_reason for chunk in chunks][-1] == "stop"
    return "".join(chunk.choices[0].delta.content or "" for chunk in chunks), whole.choices[0].message.content


def stream_of_completions(gateway):
    with openai.OpenAI(base_url=f"{gateway.url}/v1", api_key="k", max_retries=0) as client:
        chunks = list(client.completions.create(model="aria", prompt="The bell", stream=True))
        whole = client.completions.create(model="aria", prompt="The bell")
    return "".join(chunk.choices[0].text for chunk in chunks), whole.choices[0].text


def stream_of_responses(gateway):
    with openai.OpenAI(base_url=f"{gateway.url}/v1", api_key="k", max_retries=0) as client:
        with client.responses.stream(model="aria", input=ASKED) as stream:
            pieces = [event.delta for event in stream if event.type == "response.output_text.delta"]
            final = stream.get_final_response()
        whole = client.responses.create(model="aria", input=ASKED)
    assert final.output_text == "".join(pieces)
    return final.output_text, whole.output_text


def stream_of_messages(gateway):
    with anthropic.Anthropic(base_url=gateway.url, api_key="k", max_retries=0) as client:
        with client.messages.stream(model="aria", messages=ASKED, max_tokens=50) as stream:
            pieces = list(stream.text_stream)
            final: Any = stream.get_final_message()
        whole: Any = client.messages.create(model="aria", messages=ASKED, max_tokens=50)
    assert final.content[0].text == "".join(pieces)
    return final.content[0].text, whole.content[0].text


ASKS = [stream_of_chat, stream_of_completions, stream_of_responses, stream_of_messages]


@pytest.mark.parametrize("ask", ASKS)
def test_the_official_clients_get_the_text_without_blocks(ask, rewriting):
    assert ask(rewriting(*ALL, usage_in_stream=True)) == (SHOWN, SHOWN)


@pytest.mark.parametrize("ask", ASKS)
def test_the_official_clients_get_what_scripts_made_of_the_text(ask, rewriting, loud):
    assert ask(rewriting(*ALL, usage_in_stream=True, replies=loud)) == ("It RINGS>.", "It RINGS>.")


@pytest.mark.parametrize("spoken", ["chat", "messages"])
@pytest.mark.parametrize("ask", [stream_of_chat, stream_of_responses, stream_of_messages])
def test_translated_replies_are_rewritten_too(ask, spoken, rewriting):
    assert ask(rewriting(spoken, usage_in_stream=spoken == "chat")) == (SHOWN, SHOWN)


def test_a_route_that_does_not_say_so_passes_bytes(gateway, rewriting, fake):
    rewriting(*ALL)
    body = json.dumps({"model": "other", "messages": ASKED}).encode()
    answer = gateway.post("/v1/chat/completions", body, {"accept-encoding": "gzip"})
    assert "x-lorewright-rewritten" not in answer.headers
    assert SAID in json.loads(answer.body)["choices"][0]["message"]["content"]
    assert fake.received[-1].header("accept-encoding") == "gzip"


def test_an_error_of_the_upstream_passes_as_it_is(gateway, rewriting, fake):
    rewriting(*ALL)
    fake.plan(Plan(status=429, headers=(("retry-after", "7"),)))
    answer = gateway.post("/v1/chat/completions", json.dumps({"model": "aria", "messages": ASKED}).encode())
    assert (answer.status, answer.headers["retry-after"]) == (429, "7")
    assert "x-lorewright-rewritten" not in answer.headers


def test_a_body_that_breaks_off_is_an_error(gateway, rewriting, fake):
    rewriting(*ALL)
    fake.plan(Plan(pieces=(b'{"choices": [', b"]}"), content_type="application/json", fault="reset", after_pieces=1))
    answer = gateway.post("/v1/chat/completions", json.dumps({"model": "aria", "messages": ASKED}).encode())
    assert answer.status == 502
    assert answer.headers["x-lorewright-refused"] == "upstream_broke"
