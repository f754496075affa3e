"""Exact token counts with the vocabularies of current models (extra `tokens`)."""

from __future__ import annotations

from typing import Final

from lorewright.core.counter import EstimateCounter
from lorewright.core.protocols import Counter
from lorewright.errors import SettingsError

__all__ = ["COUNTERS", "VocabularyCounter", "make_counter"]

_VOCABULARIES: Final = {"cl100k": "cl100k_base", "o200k": "o200k_base", "qwen": "qwen3.5"}
COUNTERS: Final = ("estimate", *_VOCABULARIES)
_MAX_KEPT: Final = 50_000


class VocabularyCounter:
    """Counts with one vocabulary; counts of texts it has seen are kept."""

    def __init__(self, name: str) -> None:
        try:
            import toktok
        except ImportError as error:
            raise SettingsError(
                f"Counter `{name}` needs the package toktok-rs, the extra `tokens` of Lorewright. Install it with: "
                "pip install 'toktok-rs>=0.3,<0.4'",
                counter=name,
            ) from error
        self.name = name
        self._batch_count = toktok.batch_count
        self._vocabulary = _VOCABULARIES[name]
        self._kept: dict[str, int] = {}

    def count(self, text: str) -> int:
        """The number of tokens. Lone surrogates count as the replacement character."""
        known = self._kept.get(text)
        if known is None:
            if len(self._kept) >= _MAX_KEPT:
                self._kept.clear()
            sound = text.encode("utf-8", "replace").decode("utf-8")
            known = self._kept[text] = self._batch_count([sound], self._vocabulary)[0]
        return known


def make_counter(name: str) -> Counter:
    """The counter of this name.

    Raises:
        SettingsError: the name is none of `COUNTERS`, or the extra `tokens` is missing.
    """
    if name == EstimateCounter.name:
        return EstimateCounter()
    if name not in _VOCABULARIES:
        raise SettingsError(f"Unknown token counter `{name}`. Known: {', '.join(COUNTERS)}.", counter=name)
    return VocabularyCounter(name)
