"""Requests as JSON: what was written of a message in an earlier one is not written again."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from lorewright.fast.memo import KeptTexts
from lorewright.providers.exact import read_each

__all__ = ["Bodies"]

_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_LISTS: Final = ("messages", "input")


class Bodies:
    """Writes requests. One thread at a time."""

    def __init__(self) -> None:
        self._memo = KeptTexts()

    def write(self, body: Mapping[str, Any]) -> bytes:
        """The same as one `json.dumps` without spaces."""
        fields = (
            f"{_write(name)}:{self._write_each(value) if _is_list(name, value) else _write(value)}"
            for name, value in body.items()
        )
        return f"{{{','.join(fields)}}}".encode("utf-8", "surrogatepass")

    def _write_each(self, items: Sequence[Mapping[str, Any]]) -> str:
        return f"[{','.join(read_each(self._memo, _write_item, items))}]"


def _is_list(name: str, value: object) -> bool:
    return name in _LISTS and isinstance(value, list) and all(isinstance(item, dict) for item in value)


def _write_item(item: Mapping[str, Any], _: int) -> str:
    return _write(item)


def _write(value: object) -> str:
    return _ENCODER.encode(value)
