"""Bytes to text: a byte order mark decides, else strict UTF-8, else UTF-16 by its NULs, else a reported guess.

Nothing is trimmed or normalised (spec formats §2 step 3, §4 point 6).
"""

from __future__ import annotations

import base64
import binascii
import codecs
import re
import string
from typing import Final

from lorewright.errors import FormatError
from lorewright.formats.imported import Notes

__all__ = ["decode_text", "encode_like", "peek_text", "unpack_base64"]

_MARKS: Final = (  # the longer mark first: UTF-32's begins with UTF-16's
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_HEAD_BYTES: Final = 4096
_SAMPLE_BYTES: Final = 65_536
_HIGH_RUNS = re.compile(rb"[\x80-\xff]+")
_KANA = re.compile(r"[\u3040-\u30ff]")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_DATA_URI: Final = re.compile(rb"data:[^,\s]{0,100};base64,")
_ALPHABET: Final = string.ascii_letters.encode() + string.digits.encode() + b"+/"
_URL_SAFE: Final = bytes.maketrans(b"-_", b"+/")
_WHITE: Final = b" \t\r\n\v\f"
_SHORTEST: Final = 16
"""Characters of base64 below which nothing worth reading can be in it."""
_WORTH_READING: Final = (
    b"{",
    b"[",
    b"---",
    b"# ",
    b"## ",
    b"\x89PNG",
    b"PK\x03\x04",
    b"\xff\xd8\xff",
    b"RIFF",
    b"\x6f\0",
)
_LONG_RUN = 2.0
_MUCH_KANA = 0.2


def decode_text(data: bytes, notes: Notes) -> str:
    """The text of a file, without its byte order mark. A guessed encoding is reported as `encoding_guessed`.

    Raises:
        FormatError: no encoding fits; `facts["encoding"]` names the one that was promised by a byte order mark.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _decode_marked(data[len(mark) :], encoding)
    if encoding := _utf16_by_nulls(data[:_HEAD_BYTES]):
        return _decode_marked(data, encoding)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return _guess(data, notes)


def encode_like(original: bytes, text: str) -> bytes:
    """The text in the encoding of a file if that is a Unicode one, with its byte order mark; else in UTF-8.

    Raises:
        FormatError: half of a surrogate pair, which no encoding can hold.
    """
    mark, encoding = next(
        (one for one in _MARKS if original.startswith(one[0])),
        (b"", _utf16_by_nulls(original[:_HEAD_BYTES]) or "utf-8"),
    )
    try:
        return mark + text.encode(encoding)
    except UnicodeEncodeError as error:
        raise FormatError(
            f"The text holds half of a surrogate pair ({text[error.start]!a}), which a text file cannot hold.",
            offset=error.start,
        ) from error


def peek_text(data: bytes) -> str:
    """About the first 4,000 characters, read forgivingly, to see what sort of text it is."""
    head = data[:_HEAD_BYTES]
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return head[len(mark) :].decode(encoding, "replace")
    return head.decode(_utf16_by_nulls(head) or "utf-8", "replace")


def _decode_marked(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise FormatError(
            f"The file says that it is {encoding.upper()} but byte {error.start:,} is not ({error.reason}). "
            "Save it again as UTF-8.",
            encoding=encoding,
            offset=error.start,
        ) from error


def _utf16_by_nulls(head: bytes) -> str:
    """UTF-16 of mostly ASCII text has a NUL in every other byte; JSON has none otherwise."""
    even, odd = head[0::2].count(0), head[1::2].count(0)
    enough = max(2, len(head) // 20)
    if odd >= enough and even == 0:
        return "utf-16-le"
    return "utf-16-be" if even >= enough and odd == 0 else ""


def _guess(data: bytes, notes: Notes) -> str:
    for encoding in _candidates(data[:_SAMPLE_BYTES]):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        notes.add("encoding_guessed", f"The file is not UTF-8; it was read as {encoding}. Save it as UTF-8 to be sure.")
        return text
    raise FormatError("The file is no text in UTF-8, UTF-16, cp1252, GB18030 or Shift-JIS. Save it again as UTF-8.")


def _candidates(sample: bytes) -> tuple[str, ...]:
    """Western text has single high bytes among ASCII, Chinese and Japanese text has them in runs."""
    runs = [len(run) for run in _HIGH_RUNS.findall(sample)]
    if not runs or sum(runs) / len(runs) < _LONG_RUN:
        return ("cp1252", "gb18030", "shift_jis")
    japanese = sample.decode("shift_jis", "replace")
    foreign = len(_NOT_ASCII.findall(japanese))
    is_whole = japanese.rstrip("\ufffd").count("\ufffd") == 0  # the sample may end inside a character
    if is_whole and len(_KANA.findall(japanese)) > _MUCH_KANA * foreign:
        return ("shift_jis", "gb18030", "cp1252")
    return ("gb18030", "shift_jis", "cp1252")


def unpack_base64(data: bytes) -> bytes:
    """What a file that is nothing but base64 holds (either alphabet, white space and padding as they like), or b"".

    Only what then begins like a file that is read counts; every word is base64, too.
    """
    start = found.end() if (found := _DATA_URI.match(data)) else 0
    head = data[start : start + _SHORTEST].translate(_URL_SAFE, delete=_WHITE)
    if len(data) - start < _SHORTEST or head.translate(None, delete=_ALPHABET):
        return b""
    body = data[start:].translate(_URL_SAFE, delete=_WHITE).rstrip(b"=")
    if body.translate(None, delete=_ALPHABET):
        return b""
    try:
        plain = base64.b64decode(body + b"=" * (-len(body) % 4), validate=True)
    except (binascii.Error, ValueError):
        return b""
    return plain if plain.lstrip(b" \t\r\n\xef\xbb\xbf").startswith(_WORTH_READING) else b""
