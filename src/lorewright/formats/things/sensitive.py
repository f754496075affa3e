"""Fields of presets that tell where somebody's requests go, or with which key (spec formats §3.13)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

__all__ = ["drop_sensitive", "find_sensitive"]

_NAMES: Final = frozenset(
    {
        "reverse_proxy",
        "proxy_password",
        "custom_url",
        "custom_include_body",
        "custom_exclude_body",
        "custom_include_headers",
        "server_urls",
        "forceReplaceUrl",
        "forceReplaceUrl2",
        "koboldURL",
        "textgenWebUIStreamURL",
        "textgenWebUIBlockingURL",
    }
)
_SORTS: Final = re.compile(
    r"(?:vertexai_|azure_)(?!\w*model).*|.*(?:api_?key|password|secret|access_?token|(?:proxy|openai)key)",
    re.IGNORECASE,
)
_NOTHING: Final[tuple[object, ...]] = (None, "", False, [], {})


def find_sensitive(value: object) -> tuple[str, ...]:
    """The filled fields of that sort, at the top and one level below: `reverse_proxy`, `preset.custom_url`."""
    return tuple(".".join(path) for path in _paths(value))


def drop_sensitive(value: Any) -> Any:
    """The value without those fields. It is itself if there are none."""
    for path in tuple(_paths(value)):
        value = _without(value, path)
    return value


def _paths(value: object, above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    if not isinstance(value, dict):
        return
    for name, inner in value.items():
        if name in _NAMES or _SORTS.fullmatch(name):
            if inner not in _NOTHING:
                yield (*above, name)
        elif not above:
            yield from _paths(inner, (name,))


def _without(value: dict[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
    name, *rest = path
    if not rest:
        return {key: inner for key, inner in value.items() if key != name}
    return {key: _without(inner, tuple(rest)) if key == name else inner for key, inner in value.items()}
