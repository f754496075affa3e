"""What a reply cost and how much of its prompt came from a cache, from the shape of every provider.

What a provider does not say is unknown, and stays so: no number here is an estimate.

Sources: `usage` of the `openai` SDK (Chat, Responses) and of the `anthropic` SDK; DeepSeek's `prompt_cache_hit_tokens`;
llama.cpp's `timings`; vLLM, whose `prompt_tokens_details` is null unless it was started to fill it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from lorewright.providers.api import Api

__all__ = ["Usage", "UsageReader", "hit_ratio", "is_usage_chunk"]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one reply. None: the provider did not say.

    input_tokens: the whole prompt, however much of it was cached. read_tokens: what came from a cache.
    written_tokens: what was put into one; 0 where writing is not counted apart. output_tokens: the reply, its
    reasoning included.
    """

    input_tokens: int | None = None
    read_tokens: int | None = None
    written_tokens: int | None = None
    output_tokens: int | None = None

    @property
    def uncached_tokens(self) -> int | None:
        """What was neither read from a cache nor written to one."""
        if self.input_tokens is None or self.read_tokens is None or self.written_tokens is None:
            return None
        return self.input_tokens - self.read_tokens - self.written_tokens

    @property
    def hit_ratio(self) -> float | None:
        """The share of the prompt that came from a cache, 0 to 1."""
        return hit_ratio([self])


def hit_ratio(usages: Iterable[Usage]) -> float | None:
    """Read / (read + written + uncached) over several replies, so that a long prompt counts for more. Replies whose
    usage is unknown do not count; without any other the ratio is unknown."""
    known = [usage for usage in usages if usage.uncached_tokens is not None]
    total = sum(usage.input_tokens or 0 for usage in known)
    return sum(usage.read_tokens or 0 for usage in known) / total if total else None


class UsageReader:
    """Reads the usage of one reply: of its body, or of the events of its stream as they come."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self._usage: dict[str, Any] = {}
        self._timings: dict[str, Any] = {}

    def see(self, data: object) -> None:
        """Take what a body or the data of an event says. What comes later counts; what says nothing changes nothing."""
        if not isinstance(data, Mapping):
            return
        for holder in (data, data.get("message"), data.get("response")):
            if isinstance(holder, Mapping):
                self._usage |= _said(holder.get("usage"))
                self._timings |= _said(holder.get("timings"))

    @property
    def usage(self) -> Usage | None:
        """What is known by now; None if nothing is."""
        found = _anthropic(self._usage) if self.api == "messages" else _openai(self._usage, self._timings)
        return found if found != Usage() else None


def _said(value: object) -> dict[str, Any]:
    return {name: said for name, said in value.items() if said is not None} if isinstance(value, Mapping) else {}


def _anthropic(usage: Mapping[str, Any]) -> Usage:
    """`input_tokens` is what was neither read nor written."""
    uncached, read = _count(usage.get("input_tokens")), _count(usage.get("cache_read_input_tokens"))
    written = _count(usage.get("cache_creation_input_tokens", 0))
    known = uncached is not None and read is not None and written is not None
    return Usage(
        (uncached or 0) + (read or 0) + (written or 0) if known else None,
        read,
        written if read is not None else None,
        _count(usage.get("output_tokens")),
    )


def _openai(usage: Mapping[str, Any], timings: Mapping[str, Any]) -> Usage:
    """`prompt_tokens` (Responses: `input_tokens`) is the whole prompt."""
    total = _count(usage.get("prompt_tokens", usage.get("input_tokens")))
    output = _count(usage.get("completion_tokens", usage.get("output_tokens", timings.get("predicted_n"))))
    details = usage.get("prompt_tokens_details", usage.get("input_tokens_details"))
    details = details if isinstance(details, Mapping) else {}
    cached = details.get("cached_tokens", usage.get("prompt_cache_hit_tokens", timings.get("cache_n")))
    read, written = _count(cached), _count(details.get("cache_write_tokens", 0))
    if total is None and read is not None and (new := _count(timings.get("prompt_n"))) is not None:
        total = read + new
    if read is None or total is None or written is None or read + written > total:
        return Usage(total, None, None, output)
    return Usage(total, read, written, output)


def _count(value: object) -> int | None:
    """A number of tokens; None for anything else, since a provider that says nonsense has said nothing."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def is_usage_chunk(data: object) -> bool:
    """Whether a chunk of Chat or legacy completions is there for the usage alone, as the one is that we asked for."""
    return isinstance(data, Mapping) and data.get("choices") == [] and isinstance(data.get("usage"), Mapping)
