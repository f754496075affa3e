"""Fields of a request, read with an error that names them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lorewright.errors import RequestError
from lorewright.providers.body import kind_of

__all__ = ["content_parts", "objects", "text_or_empty", "tools_of", "wrong"]


def wrong(param: str, value: object, expected: str) -> RequestError:
    """The error for a field of a wrong type."""
    return RequestError(f"`{param}` is {kind_of(value)}; send {expected}.", param=param)


def objects(body: Mapping[str, Any], field: str) -> list[dict[str, Any]]:
    """A list of objects that must be there.

    Raises:
        RequestError: it is missing, is no list, or holds something else.
    """
    found = body.get(field)
    if not isinstance(found, list):
        raise wrong(field, found, "a list of messages")
    for number, item in enumerate(found):
        if not isinstance(item, dict):
            raise wrong(f"{field}[{number}]", item, "an object")
    return found


def content_parts(content: object, param: str) -> Iterator[Mapping[str, Any] | str]:
    """The parts of a content: a text is one part, null is none.

    Raises:
        RequestError: it is neither, or a part is no object.
    """
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        for number, part in enumerate(content):
            if not isinstance(part, dict):
                raise wrong(f"{param}[{number}]", part, "an object with a `type`")
            yield part
    elif content is not None:
        raise wrong(param, content, "a text or a list of parts")


def text_or_empty(value: object) -> str:
    """A text, or an empty one for anything else: for fields that only name something."""
    return value if isinstance(value, str) else ""


def tools_of(body: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    """The tools that are objects; whoever runs the model judges the others."""
    tools = body.get("tools")
    return tuple(tool for tool in tools if isinstance(tool, dict)) if isinstance(tools, list) else ()
