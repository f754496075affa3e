"""An edited card into its YAML file (spec formats §3.12, §4)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from lorewright.errors import FormatError
from lorewright.formats.imported import Notes
from lorewright.formats.native.emit import emit_yaml
from lorewright.formats.safe_yaml import parse_yaml
from lorewright.formats.text import decode_text, encode_like
from lorewright.formats.yaml_edit import edit_yaml

__all__ = ["write_yaml_card"]


def write_yaml_card(original: bytes, before: Mapping[str, Any], after: Mapping[str, Any], notes: Notes) -> bytes:
    """The YAML file with what has changed of its card. Numbers and switches of fields nobody knows are texts in YAML.

    `notes` takes the report `yaml_layout_lost` where comments or the layout could not be kept.

    Raises:
        FormatError: the card holds what YAML cannot, such as half of a surrogate pair.
    """
    text = decode_text(original, Notes())
    edited = edit_yaml(text, dict(before), dict(after))
    if edited is not None and _holds(edited[0], after):
        made, comments = edited
        if comments:
            what = "a comment" if comments == 1 else f"{comments} comments"
            notes.add("yaml_layout_lost", f"The YAML lost {what} beside what was changed.", "info")
    else:
        made = emit_yaml(after)
        notes.add("yaml_layout_lost", "The YAML was written anew; its comments and layout are not kept.")
        if not _holds(made, after):
            raise FormatError("The card cannot be written as YAML. Write it as JSON.", format="card_yaml")
    return encode_like(original, made)


def _holds(text: str, value: object) -> bool:
    try:
        return _as_texts(parse_yaml(text, Notes())) == _as_texts(value)
    except FormatError:
        return False


def _as_texts(value: object) -> object:
    """The value with the texts that stand in YAML for its numbers and switches."""
    if isinstance(value, dict):
        return {name: _as_texts(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_as_texts(item) for item in value]
    return value if value is None or isinstance(value, str) else json.dumps(value)
