"""The official clients of both APIs, against the mirror and against a server behind the gateway."""

import json
from dataclasses import replace

import anthropic
import openai
import pytest

from lorewright.gateway.configuration import Secret, Token
from lorewright.testing.fake_upstream import Plan

SAID = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Where are\nwe?"}]
MIRRORED = "[system]\nBe brief.\n\n[user]\nWhere are\nwe?"
FAKE_TEXT = Plan().text


@pytest.fixture
def openai_client(gateway):
    with openai.OpenAI(base_url=f"{gateway.url}/v1", api_key="not-needed", max_retries=0) as client:
        yield client


@pytest.fixture
def anthropic_client(gateway):
    with anthropic.Anthropic(base_url=gateway.url, api_key="not-needed", max_retries=0) as client:
        yield client


MODELS = [("mirror", MIRRORED), ("aria", FAKE_TEXT)]


@pytest.mark.parametrize(("model", "text"), MODELS)
def test_chat(model, text, openai_client):
    whole = openai_client.chat.completions.create(model=model, messages=SAID)
    options = {"include_usage": True}
    chunks = list(
        openai_client.chat.completions.create(model=model, messages=SAID, stream=True, stream_options=options)
    )

    assert whole.choices[0].message.content == text
    assert whole.choices[0].finish_reason == "stop"
    assert whole.usage is not None
    deltas = [chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices]
    assert "".join(deltas) == text
    assert len(deltas) > 2
    assert chunks[-1].usage == whole.usage
    assert chunks[-2].choices[0].finish_reason == "stop"


@pytest.mark.parametrize(("model", "text"), MODELS)
def test_responses(model, text, openai_client):
    question = [{"role": "user", "content": [{"type": "input_text", "text": "Where are\nwe?"}]}]
    whole = openai_client.responses.create(model=model, instructions="Be brief.", input=question)
    with openai_client.responses.stream(model=model, instructions="Be brief.", input=question) as stream:
        kinds = [event.type for event in stream]
        final = stream.get_final_response()

    assert whole.output_text == text
    assert final.output_text == text
    assert whole.usage == final.usage
    assert kinds[0] == "response.created"
    assert kinds[-1] == "response.completed"


@pytest.mark.parametrize(("model", "text"), MODELS)
def test_completions(model, text, openai_client):
    whole = openai_client.completions.create(model=model, prompt=MIRRORED)
    chunks = list(openai_client.completions.create(model=model, prompt=MIRRORED, stream=True))

    assert whole.choices[0].text == text
    assert "".join(chunk.choices[0].text for chunk in chunks) == text


@pytest.mark.parametrize(("model", "text"), MODELS)
def test_messages(model, text, anthropic_client):
    asked = {"model": model, "system": "Be brief.", "messages": SAID[1:], "max_tokens": 100}
    whole = anthropic_client.messages.create(**asked)
    with anthropic_client.messages.stream(**asked) as stream:
        pieces = list(stream.text_stream)
        final = stream.get_final_message()

    assert whole.content[0].text == text
    assert "".join(pieces) == text
    assert final.content[0].text == text
    assert (final.stop_reason, final.usage.output_tokens) == (whole.stop_reason, whole.usage.output_tokens)


def test_count_tokens(anthropic_client, fake):
    counted = anthropic_client.messages.count_tokens(model="mirror", system="Be brief.", messages=SAID[1:])
    other = anthropic_client.messages.count_tokens(model="aria", messages=SAID[1:])

    assert counted.input_tokens == 10  # a quarter of 40 letters
    assert other.input_tokens > 0
    assert fake.received[0].path == "/v1/messages/count_tokens"


@pytest.mark.parametrize("encoding", ["float", "base64"])
def test_embeddings(encoding, openai_client):
    found = openai_client.embeddings.create(model="aria", input=["a", "b"], encoding_format=encoding)
    usual = openai_client.embeddings.create(model="aria", input="a")

    assert len(found.data) == 2
    assert encoding != "float" or found.data[0].embedding == [0.5, -1.0]
    assert usual.data[0].embedding == [0.5, -1.0]


def test_models(openai_client, anthropic_client):
    assert [one.id for one in openai_client.models.list()] == ["aria", "any", "mirror", "m"]
    assert openai_client.models.retrieve("aria").owned_by == "lorewright"
    assert [one.id for one in anthropic_client.models.list()] == ["aria", "any", "mirror", "m"]
    assert anthropic_client.models.retrieve("mirror").display_name == "mirror"


def test_a_stored_response(openai_client, fake):
    made = openai_client.responses.create(model="aria", input="a")
    openai_client.responses.cancel(made.id)
    openai_client.responses.delete(made.id)

    assert [(one.method, one.path) for one in fake.received[1:]] == [
        ("POST", f"/v1/responses/{made.id}/cancel"),
        ("DELETE", f"/v1/responses/{made.id}"),
    ]


STATUSES = {
    400: "BadRequestError",
    401: "AuthenticationError",
    403: "PermissionDeniedError",
    404: "NotFoundError",
    409: "ConflictError",
    422: "UnprocessableEntityError",
    429: "RateLimitError",
    500: "InternalServerError",
}


@pytest.mark.parametrize(("status", "name"), STATUSES.items())
def test_errors_of_the_upstream(status, name, openai_client, anthropic_client, fake):
    fake.plan(*[Plan(status=status, headers=(("retry-after", "3"), ("request-id", "r1"), ("x-request-id", "r1")))] * 2)

    with pytest.raises(getattr(openai, name)) as of_openai:
        openai_client.chat.completions.create(model="aria", messages=SAID)
    with pytest.raises(getattr(anthropic, name)) as of_anthropic:
        anthropic_client.messages.create(model="aria", messages=SAID[1:], max_tokens=1)

    assert of_openai.value.code == "fake"
    assert of_openai.value.response.headers["retry-after"] == "3"
    assert of_openai.value.request_id == "r1"
    assert f"answer {status}" in str(of_anthropic.value)
    assert of_anthropic.value.response.headers["retry-after"] == "3"


def test_errors_of_the_gateway(openai_client, anthropic_client, gateway):
    configuration = replace(gateway.service.configuration, default_route=None)
    gateway.service.configuration = configuration
    with pytest.raises(openai.NotFoundError) as of_openai:
        openai_client.chat.completions.create(model="x", messages=SAID)
    with pytest.raises(anthropic.NotFoundError):
        anthropic_client.messages.create(model="x", messages=SAID[1:], max_tokens=1)
    assert (of_openai.value.code, of_openai.value.param) == ("model_not_found", "model")

    tokens = (Token(owner="max", secret=Secret("t-max")),)
    gateway.service.configuration = replace(configuration, tokens=tokens)
    with pytest.raises(openai.AuthenticationError):
        openai_client.models.list()
    with pytest.raises(anthropic.AuthenticationError):
        anthropic_client.models.list()
    assert openai_client.with_options(api_key="t-max").models.list().data
    assert anthropic_client.with_options(api_key="t-max").models.list().data


def test_a_stream_that_breaks_off_raises(openai_client, anthropic_client, fake):
    fake.plan(
        Plan(fault="cut", after_pieces=2, between_seconds=0.01), Plan(fault="cut", after_pieces=3, between_seconds=0.01)
    )

    with pytest.raises(openai.APIError, match="broke off"):
        list(openai_client.chat.completions.create(model="aria", messages=SAID, stream=True))
    with (
        pytest.raises(anthropic.APIError, match="broke off"),
        anthropic_client.messages.stream(model="aria", messages=SAID[1:], max_tokens=1) as stream,
    ):
        list(stream)


def test_tools_pictures_and_unknown_fields_arrive_untouched(openai_client, fake):
    tool = {"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {}}}}
    asked = {
        "messages": [
            {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}]},
            {
                "role": "assistant",
                "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}],
            },
            {"role": "tool", "tool_call_id": "c1", "content": "Fog."},
        ],
        "tools": [tool],
        "n": 2,
        "logprobs": True,
        "response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "object"}}},
    }

    openai_client.chat.completions.create(model="aria", **asked, extra_body={"min_p": 0.1, "lora": [{"id": 0}]})

    assert fake.received[0].json == {"model": "m", **asked, "min_p": 0.1, "lora": [{"id": 0}]}


def test_the_mirror_shows_tools_and_pictures(openai_client):
    said = [
        {
            "role": "user",
            "content": [{"type": "text", "text": "See:"}, {"type": "image_url", "image_url": {"url": "x"}}],
        },
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "Fog."},
    ]
    text = openai_client.chat.completions.create(model="mirror", messages=said).choices[0].message.content

    assert text is not None
    assert text.startswith("[user]\nSee:\n(image_url)\n\n[assistant]\n")
    assert text.endswith("\n\n[tool]\nFog.")
    assert '"name": "look"' in text


def test_the_mirror_is_the_same_every_time(gateway):
    body = json.dumps({"model": "mirror", "messages": SAID, "stream": True}).encode()

    assert gateway.post("/v1/chat/completions", body).body == gateway.post("/v1/chat/completions", body).body


ODD: list[object] = [
    "\ud800",
    None,
    3,
    "x",
    [],
    [3, None],
    {},
    [{"role": 3, "content": 4}],
    [{"content": [None, 3, {"type": 5}]}],
    [{"tool_calls": 3, "content": []}],
]


@pytest.mark.parametrize("odd", ODD, ids=str)
@pytest.mark.parametrize(
    "path", ["/v1/chat/completions", "/v1/messages", "/v1/responses", "/v1/completions", "/v1/messages/count_tokens"]
)
@pytest.mark.parametrize("stream", [False, True])
def test_the_mirror_answers_whatever_it_is_asked(path, odd, stream, gateway):
    fields = dict.fromkeys(("messages", "input", "prompt", "system", "instructions", "stream_options"), odd)

    answer = gateway.post(path, json.dumps({"model": "mirror", "stream": stream, **fields}).encode())

    assert answer.status == 200


@pytest.mark.parametrize(
    "body", [b'{"model":"mirror",}', b'{"model":"mirror","a":' + b"[" * 100_000 + b"]" * 100_000 + b"}"]
)
def test_the_mirror_refuses_what_is_no_json(body, gateway):
    answer = gateway.post("/v1/chat/completions", body)

    assert (answer.status, answer.headers["x-lorewright-refused"]) == (400, "body_invalid")
