"""Clients of one API, served by an upstream that speaks another: the official clients, errors, breaks, what is lost."""

import json
from dataclasses import replace

import anthropic
import openai
import pytest

from lorewright.gateway.weaver import Woven
from lorewright.testing.fake_upstream import Plan
from tests.gateway.running import RunningGateway

TEXT = Plan().text
SAID = [{"role": "user", "content": "Where are we?"}]


@pytest.fixture
def speaking(gateway):
    """Lets the upstream speak one API only."""

    def only(*apis, **more):
        configuration = gateway.service.configuration
        upstream = replace(configuration.upstreams["local"], apis=frozenset(apis), **more)
        gateway.service.configuration = replace(configuration, upstreams={"local": upstream})
        return gateway

    return only


@pytest.fixture
def openai_client(gateway):
    with openai.OpenAI(base_url=f"{gateway.url}/v1", api_key="k", max_retries=0) as client:
        yield client


@pytest.fixture
def anthropic_client(gateway):
    with anthropic.Anthropic(base_url=gateway.url, api_key="k", max_retries=0) as client:
        yield client


@pytest.mark.parametrize("asks_usage", [False, True])
def test_a_client_of_messages_and_a_server_of_chat(asks_usage, speaking, anthropic_client, fake):
    speaking("chat", usage_in_stream=asks_usage)
    asked = {"model": "aria", "system": "Be brief.", "messages": SAID, "max_tokens": 50}
    whole = anthropic_client.messages.create(**asked)
    with anthropic_client.messages.stream(**asked) as stream:
        text = "".join(stream.text_stream)
        final = stream.get_final_message()

    assert (whole.content[0].text, text, final.content[0].text) == (TEXT, TEXT, TEXT)
    assert (whole.stop_reason, final.stop_reason) == ("end_turn", "end_turn")
    assert whole.usage.output_tokens > 0
    assert [one.path for one in fake.received] == ["/v1/chat/completions"] * 2
    sent = fake.received[0].json
    assert sent["model"] == "m"
    assert sent["messages"] == [{"role": "system", "content": "Be brief."}, *SAID]
    assert fake.received[1].json["stream"] is True
    assert not asks_usage or final.usage.output_tokens == whole.usage.output_tokens


def test_a_client_of_chat_and_a_server_of_messages(speaking, openai_client, fake):
    speaking("messages", kind="anthropic")
    said = [{"role": "system", "content": "Be brief."}, *SAID]
    options = {"include_usage": True}
    whole = openai_client.chat.completions.create(model="aria", messages=said, max_tokens=50)
    chunks = list(
        openai_client.chat.completions.create(
            model="aria", messages=said, max_tokens=50, stream=True, stream_options=options
        )
    )

    assert whole.choices[0].message.content == TEXT
    assert "".join(one.choices[0].delta.content or "" for one in chunks if one.choices) == TEXT
    assert chunks[-1].usage == whole.usage
    assert [one.path for one in fake.received] == ["/v1/messages"] * 2
    assert fake.received[0].json["model"] == "m"
    assert fake.received[0].json["max_tokens"] == 50


@pytest.mark.parametrize("api", ["chat", "messages"])
def test_a_client_of_responses(api, speaking, openai_client, fake):
    speaking(api)
    asked = {
        "model": "aria",
        "instructions": "Be brief.",
        "input": "Where are we?",
        "max_output_tokens": 50,
        "store": False,
    }
    whole = openai_client.responses.create(**asked)
    with openai_client.responses.stream(**asked) as stream:
        kinds = [event.type for event in stream]
        final = stream.get_final_response()

    assert (whole.output_text, final.output_text) == (TEXT, TEXT)
    assert (kinds[0], kinds[-1]) == ("response.created", "response.completed")
    assert {one.path for one in fake.received} == {"/v1/chat/completions" if api == "chat" else "/v1/messages"}


def test_what_is_spoken_is_not_translated(speaking, fake):
    gateway = speaking("chat", "messages")
    fake.usually(Plan(pieces=(b"as it is",)))

    assert gateway.post("/v1/messages", b'{"model":"m", "odd":1}').body == b"as it is"
    assert fake.received[0].body == b'{"model":"m", "odd":1}'


@pytest.mark.parametrize(
    ("path", "spoken", "code"),
    [
        ("/v1/embeddings", "messages", "api_not_spoken"),
        ("/v1/completions", "messages", "api_not_spoken"),
        ("/v1/messages/count_tokens", "chat", "tokens_not_counted"),
    ],
)
def test_what_is_no_conversation_is_not_translated(path, spoken, code, speaking, fake):
    gateway = speaking(spoken)

    assert gateway.post(path, b'{"model":"aria"}').headers["x-lorewright-refused"] == code
    assert fake.received == []


def test_what_cannot_be_said_is_refused_by_its_name(speaking, openai_client, fake):
    speaking("messages")
    with pytest.raises(openai.BadRequestError) as caught:
        openai_client.chat.completions.create(model="aria", messages=SAID, n=2)

    assert (caught.value.code, caught.value.param) == ("not_translatable", "n")
    assert fake.received == []


@pytest.mark.parametrize("stream", [True, False])
def test_what_is_left_out_is_told(stream, speaking, fake):
    gateway = speaking("messages")
    body = {"model": "aria", "messages": SAID, "seed": 1, "stream": stream}

    answer = gateway.post("/v1/chat/completions", json.dumps(body).encode())

    assert answer.status == 200
    assert "seed" in answer.headers["x-lorewright-dropped"]
    assert "seed" not in fake.received[0].json


@pytest.mark.parametrize("stream", [True, False])
def test_errors_come_in_the_clients_words(stream, speaking, anthropic_client, fake):
    speaking("chat")
    fake.plan(Plan(status=429, headers=(("retry-after", "3"),)))

    with pytest.raises(anthropic.RateLimitError) as caught:
        anthropic_client.messages.create(model="aria", messages=SAID, max_tokens=1, stream=stream)

    assert "was told to answer 429" in str(caught.value)
    assert caught.value.body == {
        "type": "error",
        "error": {"type": "rate_limit_error", "message": "The fake was told to answer 429."},
    }
    assert caught.value.response.headers["retry-after"] == "3"


@pytest.mark.parametrize("body", [b"<html>Bad gateway</html>", b"", b"[]", b'{"error": 3}', b"\xff"])
def test_errors_that_are_none_of_an_api(body, speaking, fake):
    gateway = speaking("chat")
    fake.plan(Plan(status=502, pieces=(body,), content_type="text/html"))

    answer = gateway.post("/v1/messages", b'{"model":"aria","max_tokens":1,"messages":[{"role":"user","content":"a"}]}')

    assert (answer.status, answer.headers["content-type"]) == (502, "application/json")
    assert json.loads(answer.body)["error"]["type"] == "api_error"


@pytest.mark.parametrize("body", [b"<html>", b"[]", b'{"choices": 3}', b'{"error": {"message": "x"}}'])
def test_a_reply_that_is_none_of_its_api(body, speaking, fake):
    gateway = speaking("chat")
    fake.plan(Plan(pieces=(body,)))

    answer = gateway.post("/v1/messages", b'{"model":"aria","max_tokens":1,"messages":[{"role":"user","content":"a"}]}')

    assert (answer.status, answer.headers["x-lorewright-refused"]) == (502, "upstream_broke")
    assert json.loads(answer.body)["type"] == "error"


@pytest.mark.parametrize("fault", ["cut", "reset"])
@pytest.mark.parametrize("stream", [True, False])
def test_a_reply_that_breaks_off(fault, stream, speaking, anthropic_client, fake):
    speaking("chat")
    fake.plan(Plan(fault=fault, after_pieces=2 if stream else 0, between_seconds=0.01))

    with pytest.raises(anthropic.APIError):
        for _ in anthropic_client.messages.create(model="aria", messages=SAID, max_tokens=1, stream=stream):
            pass


@pytest.mark.parametrize("size", [1, 7])
def test_a_stream_is_translated_however_it_is_cut(size, speaking, gateway, fake):
    speaking("chat")
    body = b'{"model":"aria","max_tokens":1,"stream":true,"messages":[{"role":"user","content":"a"}]}'
    whole = gateway.post("/v1/messages", body).body
    speaking("chat", "messages")
    direct = gateway.post("/v1/chat/completions", fake.received[0].body).body
    speaking("chat")
    pieces = tuple(direct[at : at + size] for at in range(0, len(direct), size))
    fake.plan(Plan(pieces=pieces, content_type="text/event-stream"))

    assert gateway.post("/v1/messages", body).body == whole


def test_weaving_sees_the_upstreams_words(configuration, upstream, fake):
    asked = []

    class Weaver:
        def weave(self, request, _):
            asked.append(request)
            return Woven(body=request.body)

        def close(self):
            pass

    only = replace(configuration, upstreams={"local": replace(upstream, apis=frozenset({"messages"}))})
    body = json.dumps({"model": "aria", "messages": SAID, "seed": 1}).encode()
    with RunningGateway(only, Weaver()) as gateway:
        assert gateway.post("/v1/chat/completions", body).status == 200

    assert asked[0].endpoint == "messages"
    assert "seed" in asked[0].dropped
    assert asked[0].body == fake.received[0].body
