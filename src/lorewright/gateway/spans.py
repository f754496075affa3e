"""A span for each reply, by OpenTelemetry's conventions for generative AI. Numbers and names, no text.

Source: the semantic conventions `gen_ai.*`. Without the package or an SDK nothing is read for them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Protocol

from lorewright import __version__
from lorewright.gateway.endpoints import EndpointName, Kind
from lorewright.providers.usage import Usage

__all__ = ["Exchanged", "Spans", "make_spans"]

_OPERATIONS: Final = {"responses": "chat", "messages": "chat", "completions": "text_completion"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchanged:
    """A request and its reply. turn: the id of the receipt; None: nothing was woven in, and `failed` says at which stage
    if it should have been. ending: as in the ledger. Times are in nanoseconds since 1970."""

    endpoint: EndpointName
    kind: Kind
    upstream: str
    model: str
    turn: str | None = None
    failed: str | None = None
    started_ns: int
    ended_ns: int
    status: int
    ending: str
    response: str
    usage: Usage


class Spans(Protocol):
    def tell(self, exchanged: Exchanged) -> None:
        """Hand on what happened. Called behind the reply, in a thread that no stream waits for."""
        ...


def make_spans() -> Spans | None:
    """What hands spans to OpenTelemetry; None: its package is not there, or nobody has set an SDK up to take them."""
    try:
        from opentelemetry import trace
    except ModuleNotFoundError:
        return None
    provider = trace.get_tracer_provider()
    if isinstance(provider, trace.ProxyTracerProvider):
        return None
    return _Told(provider.get_tracer("lorewright", __version__), trace)


class _Told:
    def __init__(self, tracer: Any, trace: Any) -> None:
        self._tracer = tracer
        self._trace = trace

    def tell(self, exchanged: Exchanged) -> None:
        """See `Spans`."""
        operation = _OPERATIONS.get(exchanged.endpoint, exchanged.endpoint)
        span = self._tracer.start_span(
            f"{operation} {exchanged.model}",
            kind=self._trace.SpanKind.CLIENT,
            attributes=_attributes(exchanged, operation),
            start_time=exchanged.started_ns,
        )
        if exchanged.ending != "complete":
            span.set_attribute("error.type", str(exchanged.status) if exchanged.status >= 400 else exchanged.ending)
            if exchanged.ending != "client_gone":
                span.set_status(self._trace.StatusCode.ERROR)
        span.end(exchanged.ended_ns)


def _attributes(exchanged: Exchanged, operation: str) -> dict[str, str | int]:
    """What is known; what the provider did not say is left out."""
    usage = exchanged.usage
    known: dict[str, str | int | None] = {
        "gen_ai.operation.name": operation,
        "gen_ai.provider.name": exchanged.kind,
        "gen_ai.request.model": exchanged.model,
        "gen_ai.response.id": exchanged.response or None,
        "gen_ai.usage.input_tokens": usage.input_tokens,
        "gen_ai.usage.output_tokens": usage.output_tokens,
        "gen_ai.usage.cache_read.input_tokens": usage.read_tokens,
        "gen_ai.usage.cache_creation.input_tokens": usage.written_tokens,
        "http.response.status_code": exchanged.status or None,
        "lorewright.turn": exchanged.turn,
        "lorewright.error": exchanged.failed,
        "lorewright.upstream": exchanged.upstream,
        "lorewright.ending": exchanged.ending,
    }
    return {name: value for name, value in known.items() if value is not None}
