"""The answer to a separate request for an update -> the update block that is put behind the story (spec mvu-vars §10).

Each function gives None for an answer that holds no update, so that the model can be asked again.
"""

from __future__ import annotations

import json
import re
from typing import Final

from lorewright.errors import FormatError
from lorewright.mvu.documents import read_document
from lorewright.mvu.patches import find_blocks, is_patch, without_fence
from lorewright.mvu.values import Json, saved

__all__ = ["TOOL_NAME", "from_structure", "from_text", "from_tool_call"]

TOOL_NAME: Final = "mvu_VariableUpdate_"
"""What the name of the tool begins with; the id of the script follows."""
_SHORTEST_DELTA: Final = 5
_PATCH_KEYS: Final = ("json_patch", "jsonPatch", "patch", "delta")
_ANALYSIS_KEYS: Final = ("analysis", "analyze", "Analysis", "Analyze")
_OPEN: Final = re.compile(r"<(update|updatevariable|variableupdate)>", re.IGNORECASE)
_CALL: Final = re.compile(r"_\s*\.\s*(?:set|insert|assign|remove|unset|delete|add)\s*\(")
_PATCH: Final = re.compile(r"json_?patch", re.IGNORECASE)
_PATCH_TAG: Final = re.compile(r"<json_?patch>", re.IGNORECASE)


def from_text(text: str) -> str | None:
    """Of an answer in words, the last update block; one that is not closed goes to the end."""
    opened = list(_OPEN.finditer(text))
    if not opened:
        return None
    last = opened[-1]
    close = re.compile(f"</{last[1]}>", re.IGNORECASE).search(text, last.end())
    block = text[last.start() : close.end() if close else len(text)]
    return block if _CALL.search(block) or _PATCH.search(block) else None


def from_structure(content: str) -> str | None:
    """Of an answer in JSON: an object that holds a patch, or the patch itself."""
    found = _read(content)
    if isinstance(found, list):
        return _block("", found)
    if not isinstance(found, dict):
        return None
    given = next((found[key] for key in _PATCH_KEYS if key in found), None)
    analysis = next((found[key] for key in _ANALYSIS_KEYS if isinstance(found.get(key), str)), "")
    return _block(analysis, _patch_in(given) if isinstance(given, str) else given)


def from_tool_call(name: str, arguments: str) -> str | None:
    """Of a call of the tool: its argument `delta` holds a patch or commands, in a text of more than five letters."""
    if not name.startswith(TOOL_NAME):
        return None
    found = _read(arguments)
    delta = found.get("delta") if isinstance(found, dict) else None
    if not isinstance(delta, str) or len(delta) <= _SHORTEST_DELTA:
        return None
    analysis = found["analysis"] if isinstance(found.get("analysis"), str) else "undefined"
    if _PATCH_TAG.search(delta) or not _CALL.search(delta):
        return _block(analysis, _patch_in(delta))
    return _framed(analysis, delta)


def _read(text: str) -> Json:
    try:
        return read_document(without_fence(text.strip())).value
    except FormatError:
        return None


def _patch_in(text: str) -> Json:
    """The patch in a text: in a tag of its own, or all of it."""
    for block in find_blocks(text):
        if is_patch(found := _read(block.content)):
            return found
    return None if _PATCH_TAG.search(text) else _read(text)


def _block(analysis: str, patch: Json) -> str | None:
    if not is_patch(patch):
        return None
    written = json.dumps(saved(patch), ensure_ascii=False, indent=2)
    return _framed(analysis, f"<JSONPatch>\n{written}\n</JSONPatch>")


def _framed(analysis: str, content: str) -> str:
    return f"<UpdateVariable>\n<Analyze>\n{analysis}\n</Analyze>\n{content}\n</UpdateVariable>"
