"""Our own files that are no books: presets, cards and personas (docs/reference/native-things.md).

They begin as books do, and say by `kind` what they are. `origin` keeps of a foreign file what nobody needs to read: its
format, and the order of its members.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from lorewright.core.model import Report
from lorewright.errors import FormatError
from lorewright.formats.imported import Notes
from lorewright.formats.native.emit import emit_yaml
from lorewright.formats.native.kinds import DOCUMENTS, name_document
from lorewright.formats.native.read import check_version
from lorewright.formats.native.table import VERSION
from lorewright.formats.native.write import Form, as_json
from lorewright.formats.wording import describe

__all__ = ["document", "document_text", "open_document", "without_places"]

_HEAD: Final = ("lorewright", "kind", "name", "origin")


def document(kind: str, name: str, body: Mapping[str, Any], origin: Mapping[str, Any]) -> dict[str, Any]:
    """The value of a file. `kind` is one of `DOCUMENTS`."""
    return {"lorewright": VERSION, "kind": kind, "name": name, **body, **({"origin": dict(origin)} if origin else {})}


def document_text(value: Mapping[str, Any], form: Form = "yaml") -> str:
    """The text of a file; valid UTF-8 whatever it holds."""
    return as_json(value) if form == "json" else emit_yaml(value)


def open_document(value: object, kind: str, notes: Notes) -> tuple[str, dict[str, Any], Mapping[str, Any]]:
    """Name ("" without one), body and origin of a file.

    Raises:
        FormatError: it is no file of this kind, or written for a newer version.
    """
    if not isinstance(value, dict) or name_document(value) != DOCUMENTS[kind]:
        raise FormatError(f"A Lorewright {kind} begins with `lorewright: {VERSION}` and `kind: {kind}`.")
    check_version(value)
    name, origin = value.get("name"), value.get("origin")
    if name is not None and not isinstance(name, str):
        notes.add("bad_value", f"`name` holds {describe(name)}, where a text is wanted; it is not used.", field="name")
    if origin is not None and not isinstance(origin, dict):
        message = f"`origin` holds {describe(origin)}, where a mapping is wanted; it is not used."
        notes.add("bad_value", message, field="origin")
    body = {key: item for key, item in value.items() if key not in _HEAD}
    return name if isinstance(name, str) else "", body, origin if isinstance(origin, dict) else {}


def without_places(reports: Iterable[Report]) -> Iterator[Report]:
    """Reports about the foreign file that ours stands for: what they say holds, where they say it is not."""
    return (replace(report, place="") for report in reports)
