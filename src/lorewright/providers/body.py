"""The body of a request: JSON bytes in, a dict out, and back."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, NoReturn

from lorewright.errors import RequestError

__all__ = ["canonical", "kind_of", "read_body", "write_body"]


def read_body(data: bytes) -> dict[str, Any]:
    """The object that a body is.

    Raises:
        RequestError: it is no JSON, no object, nested too deeply, or has a number that JSON cannot hold (NaN, 1e999).
    """
    try:
        body = json.loads(data, parse_constant=_refuse_constant, parse_float=_finite)
    except RecursionError:
        raise RequestError("The request is nested too deeply to be read; send flatter JSON.") from None
    except ValueError as error:
        raise RequestError(f"The request is no JSON: {error}. Send one JSON object in UTF-8.") from None
    if not isinstance(body, dict):
        raise RequestError(f"The request is {kind_of(body)}; send one JSON object.")
    return body


def write_body(body: Mapping[str, Any]) -> bytes:
    """Compact JSON in UTF-8, fields in their order. Half of a surrogate pair is written as an escape, as it came."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace")


def canonical(value: object) -> str:
    """JSON that is the same for equal values: no spaces, names in order."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def kind_of(value: object) -> str:
    """What a value of JSON is, for a message to a person."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    kinds = {str: "a text", int: "a number", float: "a number", list: "a list", dict: "an object"}
    return kinds.get(type(value), f"a {type(value).__name__}")


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"the number {text} is too large")
    return number
