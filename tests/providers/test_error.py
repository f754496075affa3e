"""Errors in the shape of each API, read by the SDKs' own models."""

import json

import pytest
from anthropic.types import ErrorResponse
from openai.types import ErrorObject
from openai.types.responses import ResponseErrorEvent

from lorewright.providers.error import error_body, error_event
from lorewright.providers.sse import Decoder

# (Anthropic's type, OpenAI's type) by status, from the providers' pages on errors.
TYPES = {
    400: ("invalid_request_error", "invalid_request_error"),
    401: ("authentication_error", "authentication_error"),
    403: ("permission_error", "permission_error"),
    404: ("not_found_error", "invalid_request_error"),
    413: ("request_too_large", "invalid_request_error"),
    429: ("rate_limit_error", "rate_limit_error"),
    500: ("api_error", "server_error"),
    502: ("api_error", "server_error"),
    504: ("timeout_error", "server_error"),
    529: ("overloaded_error", "server_error"),
}


@pytest.mark.parametrize(("status", "anthropic", "openai"), [(status, *types) for status, types in TYPES.items()])
def test_bodies(status, anthropic, openai):
    assert error_body("messages", status, "No.") == {"type": "error", "error": {"type": anthropic, "message": "No."}}
    for api in ("chat", "responses", "completions"):
        body = error_body(api, status, "No.", code="why", param="model")
        assert body == {"error": {"message": "No.", "type": openai, "param": "model", "code": "why"}}
        ErrorObject.model_validate(body["error"])


@pytest.mark.parametrize("status", [400, 401, 403, 404, 429, 500, 504, 529])
def test_the_sdk_of_anthropic_knows_them(status):
    ErrorResponse.model_validate({**error_body("messages", status, "No."), "request_id": None})


def only(stream):
    (event,) = Decoder().feed(stream)
    assert event.is_whole
    return event.name, json.loads(event.data or "")


def test_events():
    assert only(error_event("chat", 502, "Gone.\nReally.")) == ("", error_body("chat", 502, "Gone.\nReally."))
    assert only(error_event("completions", 502, "Gone.")) == ("", error_body("completions", 502, "Gone."))
    assert only(error_event("messages", 529, "Gone.")) == ("error", error_body("messages", 529, "Gone."))
    name, data = only(error_event("responses", 502, "Gone.", sequence_number=7))
    assert (name, data["sequence_number"], data["message"]) == ("error", 7, "Gone.")
    ResponseErrorEvent.model_validate(data)
