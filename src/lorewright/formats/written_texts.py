"""Texts that are not JSON: our own YAML, cards in YAML, Markdown, rules of coding agents."""

from __future__ import annotations

import re
from typing import Final

from lorewright.errors import FormatError
from lorewright.formats.agent_rules import AgentFile, has_rule_fields
from lorewright.formats.card_yaml import typed
from lorewright.formats.detect import Detected, refuse_kind
from lorewright.formats.imported import Notes
from lorewright.formats.kinds import KINDS, readable
from lorewright.formats.markdown.reader import CHARACTERS
from lorewright.formats.markdown.recognise import is_markdown
from lorewright.formats.native.kinds import name_document
from lorewright.formats.native.read import is_native_yaml, parse_native
from lorewright.formats.safe_yaml import parse_yaml
from lorewright.formats.shapes import name_json
from lorewright.formats.text import decode_text

__all__ = ["read_written"]

_TEXTS: Final = ("markdown_lorebook", "native_yaml", "card_yaml")
_MARKDOWN_BYTES: Final = 4 * CHARACTERS
_YAML_FIELD: Final = re.compile(r"^(?P<name>[A-Za-z_]\w*):(?:\s|$)", re.MULTILINE)
_YAML_NAMES: Final = frozenset({"name", "context", "greeting", "spec"})


def read_written(data: bytes, head: str, notes: Notes) -> Detected:
    """What a text is that begins with `head` and not with a sign of JSON.

    Raises:
        FormatError: it is none of these, is damaged, over a limit, or YAML that is not read.
    """
    if is_native_yaml(head):
        value = parse_native(decode_text(data, notes), notes)
        return Detected(name_document(value) or "native_yaml", value, notes)
    if has_rule_fields(head):
        return Detected("agent_rules", AgentFile(decode_text(data, notes)), notes)
    kind = _name_text(head)
    if kind == "yaml":
        return _read_yaml(data, notes)
    if kind == "markdown_lorebook" or (not kind and len(data) <= _MARKDOWN_BYTES):
        text = decode_text(data, notes)
        if kind or is_markdown(text):
            return Detected("markdown_lorebook", text, notes)
    if kind:
        refuse_kind(kind)
    raise FormatError(
        f"This is neither JSON nor a PNG picture; it begins with {head[:30]!a}. Nearest of the formats of text are {'; '.join(KINDS[kind].title for kind in _TEXTS)}.",
        keys=(),
        nearest=_TEXTS,
        reads=tuple(known.id for known in readable()),
    )


def _read_yaml(data: bytes, notes: Notes) -> Detected:
    value = typed(parse_yaml(decode_text(data, notes), notes))
    kind = name_json(value)
    if not kind.startswith("card_"):
        refuse_kind("yaml")
    return Detected("card_yaml", value, notes)


def _name_text(head: str) -> str:
    """The id of a format of text that is not JSON, judged by its first lines, or ""."""
    if head.startswith("version https://git-lfs"):
        return "lfs_pointer"
    if head.startswith("---") and is_markdown(head):
        return "markdown_lorebook"
    if head.startswith(("---", "# yaml")) or _has_yaml_fields(head):
        return "yaml"
    return "markdown_lorebook" if is_markdown(head) else ""


def _has_yaml_fields(head: str) -> bool:
    names = [match["name"] for match in _YAML_FIELD.finditer(head)]
    return len(names) > 1 and not _YAML_NAMES.isdisjoint(names)
