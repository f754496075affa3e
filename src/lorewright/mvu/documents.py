"""Texts that people and models write by hand, as JSON or YAML, sound or broken -> a value (spec mvu-vars §8).

A text that begins with a bracket is read as JSON5, then as broken JSON, then as YAML; any other as YAML, then as JSON5.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Final, NamedTuple

from lorewright.core.javascript import WHITE_SPACE
from lorewright.errors import FormatError
from lorewright.formats.lenient_json import as_strict_json
from lorewright.mvu.mending import NotJson, mend_json
from lorewright.mvu.values import FORBIDDEN, Json, measure, tidy
from lorewright.mvu.yaml_mending import mend_yaml
from lorewright.mvu.yaml_text import NotYaml, read_yaml

__all__ = ["LONGEST", "Document", "read_document"]

LONGEST: Final = 1024 * 1024
_DEEPEST: Final = 64
_MOST_MENDINGS: Final = 20
_LONGEST_MENDED: Final = 32 * 1024


class Document(NamedTuple):
    """A value, and what was not as it should be, in a sentence for people: empty if all was."""

    value: Json
    mended: str = ""


def read_document(text: str) -> Document:
    """What a text holds. Names that reach behind objects are left out, and `mended` says so.

    Raises:
        FormatError: no reader can make anything of it, or it is over a limit (`limit`).
    """
    if len(text) > LONGEST:
        raise FormatError(
            f"The text has {len(text):,} characters; the limit for variables is {LONGEST:,}.", limit=LONGEST
        )
    value, mended = _read(text)
    if (depth := measure(value).depth) > _DEEPEST + 1:
        raise FormatError(f"The variables are nested {depth} levels deep; the limit is {_DEEPEST}.", limit=_DEEPEST)
    left_out: list[str] = []
    value = _without_forbidden(value, left_out)
    if left_out:
        mended = f"{mended} The name `{left_out[0]}` reaches behind objects and is left out.".strip()
    return Document(value, mended)


@lru_cache(maxsize=64)
def _read(text: str) -> Document:
    begins_json = text.lstrip(WHITE_SPACE)[:1] in {"{", "["}
    readers = (_json5, _mended, _yaml) if begins_json else (_yaml, _json5)
    problem = ""
    for read in readers:
        try:
            found = read(text)
        except (NotJson, NotYaml) as error:
            problem = problem or str(error)
        else:
            return found
    raise FormatError(f"The text is neither JSON nor YAML. {problem}")


def _json5(text: str) -> Document:
    strict = as_strict_json(text)
    try:
        if strict is not None:
            return Document(json.loads(strict, parse_int=_number, parse_float=_number))
    except (ValueError, RecursionError):
        pass
    raise NotJson("This is not JSON.")


def _number(digits: str) -> float:
    return tidy(float(digits))


def _mended(text: str) -> Document:
    return Document(mend_json(text), "The JSON is broken and was mended.")


def _yaml(text: str) -> Document:
    """YAML; what is broken is mended line by line where it is plain what was meant."""
    mended = ""
    for _ in range(_MOST_MENDINGS):
        try:
            return Document(read_yaml(text, document=True), mended)
        except NotYaml as error:
            better = mend_yaml(text, str(error)) if len(text) <= _LONGEST_MENDED else text
            if better == text:
                raise
            text, mended = better, f"{error} It was mended."
    raise NotYaml(mended)


def _without_forbidden(value: Json, left_out: list[str]) -> Json:
    if isinstance(value, dict):
        left_out += sorted(FORBIDDEN & value.keys())
        return {name: _without_forbidden(item, left_out) for name, item in value.items() if name not in FORBIDDEN}
    return [_without_forbidden(item, left_out) for item in value] if isinstance(value, list) else value
