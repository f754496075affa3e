"""Spans of replies, read by the SDK's own exporter."""

import json
import sys
import time

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from lorewright.gateway.spans import make_spans
from lorewright.gateway.weaving.ledger_weaver import LedgerWeaver
from lorewright.testing.fake_upstream import Plan
from tests.gateway.running import RunningGateway
from tests.gateway.weaving.conftest import chat, user
from tests.gateway.weaving.test_receipts import REPLY

OF_EVERY_REPLY = {
    "gen_ai.provider.name": "openai",
    "gen_ai.request.model": "m",
    "gen_ai.response.id": "chatcmpl-7",
    "gen_ai.usage.input_tokens": 100,
    "gen_ai.usage.output_tokens": 3,
    "gen_ai.usage.cache_read.input_tokens": 80,
    "gen_ai.usage.cache_creation.input_tokens": 0,
    "http.response.status_code": 200,
    "lorewright.upstream": "local",
    "lorewright.ending": "complete",
}
"""What the span of a reply says, whether something was woven or not."""


@pytest.fixture
def exporter(monkeypatch):
    """Where the spans of this test are."""
    found = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(found))
    monkeypatch.setattr(trace, "get_tracer_provider", lambda: provider)
    yield found
    provider.shutdown()


@pytest.fixture
def woven(exporter, world, tmp_path):
    spans = make_spans()
    with RunningGateway(world, LedgerWeaver(tmp_path / "gateway.ledger", spans=spans), spans) as running:
        yield running


def spans(exporter, count):
    for _ in range(200):
        if len(exporter.get_finished_spans()) >= count:
            break
        time.sleep(0.05)
    return exporter.get_finished_spans()


def test_a_reply_is_told_by_the_conventions_and_without_its_text(woven, exporter, fake):
    fake.plan(Plan(pieces=(json.dumps(REPLY).encode(),), content_type="application/json"))
    before_ns = time.time_ns()
    answer = chat(woven, user("What of the bell?"))

    [span] = spans(exporter, 1)

    assert (span.name, span.kind, span.status.is_ok) == ("chat m", trace.SpanKind.CLIENT, True)
    assert dict(span.attributes) == {
        "gen_ai.operation.name": "chat",
        **OF_EVERY_REPLY,
        "lorewright.turn": answer.headers["x-lorewright-turn"],
    }
    assert before_ns <= span.start_time <= span.end_time <= time.time_ns()
    assert "bell" not in span.to_json()


@pytest.mark.parametrize(
    ("path", "headers", "name"),
    [
        ("/v1/chat/completions", {"x-lorewright-mode": "off"}, "chat m"),
        ("/v1/embeddings", {}, "embeddings m"),
        ("/v1/completions", {}, "text_completion m"),
    ],
)
def test_a_reply_to_a_request_that_was_not_woven_has_a_span(path, headers, name, woven, exporter, fake):
    fake.plan(Plan(pieces=(json.dumps(REPLY).encode(),), content_type="application/json"))
    body = json.dumps({"model": "aria", "messages": [user("What of the bell?")]}).encode()
    answer = woven.post(path, body, {"authorization": "Bearer t-max", **headers})

    [span] = spans(exporter, 1)

    assert (answer.status, span.name, span.status.is_ok) == (200, name, True)
    assert dict(span.attributes) == {
        "gen_ai.operation.name": name.partition(" ")[0],
        **OF_EVERY_REPLY,
    }


def test_the_span_of_a_request_whose_weaving_failed_says_where(exporter, world, fake):
    class Broken:
        def weave(self, request, stage):
            stage.name = "assemble"
            raise MemoryError

        def close(self):
            pass

    fake.plan(Plan(status=500))
    with RunningGateway(world, Broken(), make_spans()) as running:
        chat(running, user("Hello"))
        [span] = spans(exporter, 1)

    assert (span.attributes["lorewright.error"], span.attributes["lorewright.ending"]) == ("assemble", "failed")
    assert "lorewright.turn" not in span.attributes


def test_a_dry_run_has_no_span(woven, exporter):
    body = json.dumps({"model": "aria", "messages": [user("Hello")]}).encode()
    for more in ({}, {"x-lorewright-mode": "off"}):
        headers = {"authorization": "Bearer t-max", "x-lorewright-dry-run": "1", **more}
        assert woven.post("/v1/chat/completions", body, headers).headers["x-lorewright-dry-run"] == "1"
    assert "x-lorewright-dry-run" not in chat(woven, user("Hello")).headers

    assert [span.attributes["lorewright.upstream"] for span in spans(exporter, 1)] == ["local"]


def test_a_failed_request_is_an_error(woven, exporter, fake):
    fake.plan(Plan(status=500))
    chat(woven, user("Hello"))

    [span] = spans(exporter, 1)

    assert (span.status.status_code, span.attributes["error.type"]) == (trace.StatusCode.ERROR, "500")
    assert "gen_ai.usage.input_tokens" not in span.attributes


def test_spans_that_fail_stop_no_reply(world, tmp_path, fake):
    class Broken:
        def tell(self, exchanged):
            raise RuntimeError(exchanged.model)

    with RunningGateway(world, LedgerWeaver(tmp_path / "b.ledger", spans=Broken()), Broken()) as running:
        assert [chat(running, user(text)).status for text in ("Hello", "Hello again")] == [200, 200]
        off = {"authorization": "Bearer t-max", "x-lorewright-mode": "off"}
        assert running.post("/v1/chat/completions", b'{"model":"aria"}', off).status == 200


def test_where_nobody_takes_spans_none_are_made():
    assert make_spans() is None


def test_without_the_package_nothing_is_told(monkeypatch, exporter):
    monkeypatch.setitem(sys.modules, "opentelemetry", None)

    assert make_spans() is None
