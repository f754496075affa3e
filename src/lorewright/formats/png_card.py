"""The card in a PNG picture: which of its texts is the card, decoded (spec formats §3.5)."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from lorewright.errors import FormatError
from lorewright.formats.imported import Notes
from lorewright.formats.png import TextChunk, read_texts
from lorewright.formats.strict_json import parse_json

__all__ = ["find_png_card", "read_older_card", "read_png_card"]

_KEYWORDS: Final = ("ccv3", "chara")
"""The newer one first: it wins."""
_RISU_ENCRYPTED: Final = b"rcc||"
_ENCRYPTED: Final = "risu_encrypted"
_URL_SAFE: Final = bytes.maketrans(b"-_", b"+/")
_LOSSES: Final = frozenset({"png_truncated", "png_text_limit", "png_chunk_skipped"})
"""Reports that may be the reason why there is no card."""
_SHOWN: Final = 3
_WHITE: Final = b" \t\r\n\v\f\0"


@dataclass(slots=True)
class _Found:
    """What one keyword holds: the first text that could be decoded, and why others could not."""

    card: Mapping[str, Any] | None = None
    failures: tuple[str, ...] = ()
    is_encrypted: bool = False


def read_png_card(data: bytes, notes: Notes) -> Mapping[str, Any]:
    """The JSON object that `find_png_card` finds."""
    return find_png_card(data, notes)[1]


def find_png_card(data: bytes, notes: Notes) -> tuple[str, Mapping[str, Any]]:
    """The keyword of the text that is used, and the JSON object of the card in a PNG or APNG file, or of the NovelAI lorebook (`naidata`) if there is no card.

    `ccv3` wins over `chara`, the first text of a keyword that decodes over later ones; keywords in any case.

    Raises:
        FormatError: no card text, none that can be decoded (the message says why), or a RisuAI encrypted card.
    """
    texts = list(read_texts(data, notes))
    found = {keyword: _decode_first(keyword, texts, notes) for keyword in _KEYWORDS}
    cards = [found[keyword].card for keyword in _KEYWORDS]
    newer, older = cards
    if newer is not None and older is not None and _differ(newer, older):
        notes.add(
            "png_both_chunks_differ", "The picture holds two cards that differ (`ccv3`, `chara`); `ccv3` is used."
        )
    for keyword, card in zip(_KEYWORDS, cards, strict=True):
        if card is not None:
            return keyword, card
    failures = [failure for keyword in _KEYWORDS for failure in found[keyword].failures]
    if failures:
        raise FormatError(
            f"The card text in this picture cannot be read: {'; '.join(failures)}.",
            **_format_of(found),
            failures=failures,
        )
    novelai = _decode_first("naidata", texts, notes)
    if novelai.card is not None:
        return "naidata", novelai.card
    if novelai.failures:
        raise FormatError(
            f"The NovelAI lorebook in this picture cannot be read: {'; '.join(novelai.failures)}.",
            format="novelai_lorebook_png",
        )
    if damage := [report.message for report in notes.reports() if report.code in _LOSSES][:_SHOWN]:
        raise FormatError(
            f"This PNG picture holds no character card that can be read. {' '.join(damage)} Use the original file.",
            format="png",
            damage=damage,
        )
    raise FormatError(
        "This PNG picture holds no character card (no text chunk `ccv3` or `chara`). "
        "Pictures that were edited or sent through a chat program often lose it; use the original file.",
        format="png",
    )


def _format_of(found: Mapping[str, _Found]) -> dict[str, str]:
    return {"format": _ENCRYPTED} if any(one.is_encrypted for one in found.values()) else {}


def read_older_card(data: bytes) -> Mapping[str, Any] | None:
    """The card in `chara` alone, which programs read that do not know `ccv3`; None if there is none that can be read."""
    return _decode_first("chara", list(read_texts(data, Notes())), Notes()).card


def _decode_first(keyword: str, texts: list[TextChunk], notes: Notes) -> _Found:
    mine = [text for text in texts if text.keyword.lower() == keyword]
    if len(mine) > 1:
        notes.add("png_duplicate_chunk", f"{len(mine)} texts named `{keyword}`; the first that can be read is used.")
    failures: list[str] = []
    is_encrypted = False
    for text in mine:
        attempt = Notes()
        try:
            card = _decode(text, attempt)
        except FormatError as error:
            failures.append(f"`{keyword}`: {error.message.rstrip('.')}")
            is_encrypted |= error.facts.get("format") == _ENCRYPTED
            continue
        notes.include(attempt)
        if text.carrier != "tEXt":
            notes.add("png_nonstandard_chunk", f"The card stands in a {text.carrier} chunk; tEXt is usual.", "info")
        for failure in failures:
            notes.add("png_unreadable_card", f"A text that cannot be read was passed over: {failure}.")
        return _Found(card)
    for failure in failures:
        notes.add("png_unreadable_card", f"A text that cannot be read was passed over: {failure}.")
    return _Found(None, tuple(failures), is_encrypted)


def _decode(text: TextChunk, notes: Notes) -> Mapping[str, Any]:
    payload = text.payload.translate(None, delete=_WHITE)
    if payload.startswith(_RISU_ENCRYPTED):
        raise FormatError("it is a RisuAI encrypted card (`rcc||`), which only RisuAI can open", format=_ENCRYPTED)
    if payload.startswith(b"{"):
        notes.add("png_nonstandard_chunk", "The card is plain JSON; base64 is usual.", "info")
        raw = text.payload
    else:
        raw = _from_base64(payload)
    try:
        decoded = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FormatError(f"it is not UTF-8 ({error.reason} at byte {error.start:,})") from error
    value = parse_json(decoded.removeprefix("\ufeff"), notes)
    if not isinstance(value, dict):
        raise FormatError("its JSON is no object")
    return value


def _from_base64(payload: bytes) -> bytes:
    """Either alphabet, with or without padding."""
    bare = payload.translate(_URL_SAFE).rstrip(b"=")
    try:
        return base64.b64decode(bare + b"=" * (-len(bare) % 4), validate=True)
    except (binascii.Error, ValueError) as error:
        raise FormatError(f"it is not base64 ({error})") from error


def _differ(newer: Mapping[str, Any], older: Mapping[str, Any]) -> bool:
    """Whether two cards say different things in the fields that both have."""
    left, right = newer.get("data", newer), older.get("data", older)
    if not isinstance(left, dict) or not isinstance(right, dict):
        return True
    return any(left[name] != right[name] for name in left.keys() & right.keys())
