"""Macros that change texts, and those that write a fixed one (spec risu §2)."""

from __future__ import annotations

import base64
import math
import re
from collections.abc import Callable
from typing import Final

from lorewright.core.javascript import trim
from lorewright.templates.cbs.state import Given, Macro
from lorewright.templates.cbs.values import Thrown, check_size, parse_int, replace_all, units

__all__ = ["TEXTS"]

_NOT_BASE64 = re.compile(r"[^A-Za-z0-9+/]")
_SIX_BITS: Final = 4
_CAESAR: Final = 32_768
_UNIT: Final = 65_536


def _flag(value: object) -> str:
    return "1" if value else "0"


def starts_with(given: Given) -> str:
    return _flag(given.need(0).startswith(given.text(1)))


def ends_with(given: Given) -> str:
    return _flag(given.need(0).endswith(given.text(1)))


def contains(given: Given) -> str:
    return _flag(given.text(1) in given.need(0))


def replace(given: Given) -> str:
    return replace_all(given.need(0), given.text(1), given.text(2), given.run.context.limits.output_chars)


def _of_one(change: Callable[[str], str]) -> Callable[[Given], str]:
    return lambda given: change(given.need(0))


def _capital(text: str) -> str:
    """The first UTF-16 unit in upper case (case fn-456)."""
    inside = units(text[:1])
    return text[:1].upper() + text[1:] if len(inside) == 1 else text


def _length(text: str) -> str:
    return str(len(units(text)))


def encode(given: Given) -> str:
    inside, place = units(given.need(0)), given.number(1)
    place = 0.0 if math.isnan(place) else float(math.trunc(place)) if math.isfinite(place) else -1.0
    return str(ord(inside[int(place)])) if place in range(len(inside)) else "NaN"


def _unit(value: float) -> str:
    """`String.fromCharCode`."""
    return chr(math.trunc(value) % _UNIT) if math.isfinite(value) else "\0"


def decode(given: Given) -> str:
    return _unit(given.number(0))


def decode_hex(given: Given) -> str:
    return _unit(parse_int(given.text(0), 16))


def _bytes(text: str) -> bytes:
    """Base64 as `Buffer.from` reads it: other alphabets and letters are overlooked, the text ends at `=`."""
    letters = _NOT_BASE64.sub("", text.partition("=")[0].replace("-", "+").replace("_", "/"))
    if len(letters) % _SIX_BITS == 1:
        letters = letters[:-1]
    return base64.b64decode(letters + "=" * (-len(letters) % _SIX_BITS))


def hide(given: Given) -> str:
    """Every byte of the text turned around, as base64."""
    data = (given.get(0) or "").encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()
    return base64.b64encode(bytes(255 - byte for byte in data)).decode()


def reveal(given: Given) -> str:
    data = bytes(255 - byte for byte in _bytes(given.need(0)))
    return data.decode("utf-8-sig", "replace")


def shift(given: Given) -> str:
    text = units(given.need(0))
    by = given.number(1)
    if math.isnan(by):
        by = _CAESAR
    return "".join(_unit(ord(letter) + by) for letter in text)


def reverse(given: Given) -> str:
    """A text from the end; in RisuAI with the name of the macro."""
    if given.run.context.switches.reverse_takes_name:
        return given.whole[::-1]
    given.need(0)
    return given.whole.partition(":")[2].removeprefix(":")[::-1]


def line_break_code(given: Given) -> str:
    """A backslash and an n; with a number the macro's own text so often.

    Raises:
        Thrown: the number is infinite.
    """
    if not given.arguments:
        return r"\n"
    times = given.number(0)
    if math.isnan(times):
        return ""
    if math.isinf(times) and times > 0:
        raise Thrown
    count = int(times) if times >= 1 else 1
    text = given.whole if given.run.context.switches.cbr_repeats_macro else r"\n"
    check_size(count * len(text), given.run.context.limits.output_chars)
    return text * count


def file(given: Given) -> str:
    if given.run.context.call.displays:
        return f'<br><div class="risu-file">{given.text(0)}</div><br>'
    return _bytes(given.need(1)).decode("utf-8", "replace")


def comment(given: Given) -> str:
    return f'<div class="risu-comment">{given.text(0)}</div>' if given.run.context.call.displays else ""


def always(text: str) -> Callable[[Given], str]:
    return lambda given: text  # noqa: ARG005


TEXTS: Final = (
    Macro("blank", "", "constant", always(""), ("none",)),
    Macro("br", "", "constant", always("\n"), ("newline",)),
    Macro("cbr", "count?", "constant", line_break_code, ("cnl", "cnewline")),
    Macro("decbo", "", "constant", always("\ue9b8"), ("displayescapedcurlybracketopen",)),
    Macro("decbc", "", "constant", always("\ue9b9"), ("displayescapedcurlybracketclose",)),
    Macro("bo", "", "constant", always("\ue9b8" * 2), ("ddecbo", "doubledisplayescapedcurlybracketopen")),
    Macro("bc", "", "constant", always("\ue9b9" * 2), ("ddecbc", "doubledisplayescapedcurlybracketclose")),
    Macro("displayescapedbracketopen", "", "constant", always("\ue9ba"), ("debo", "(")),
    Macro("displayescapedbracketclose", "", "constant", always("\ue9bb"), ("debc", ")")),
    Macro("displayescapedanglebracketopen", "", "constant", always("\ue9bc"), ("deabo", "<")),
    Macro("displayescapedanglebracketclose", "", "constant", always("\ue9bd"), ("deabc", ">")),
    Macro("displayescapedcolon", "", "constant", always("\ue9be"), ("dec", ":")),
    Macro("displayescapedsemicolon", "", "constant", always("\ue9bf"), (";",)),
    Macro("hiddenkey", "text", "constant", always("")),
    Macro("comment", "text", "constant", comment),
    Macro("file", "name::base64", "constant", file),
    Macro("startswith", "text::start", "constant", starts_with),
    Macro("endswith", "text::end", "constant", ends_with),
    Macro("contains", "text::part", "constant", contains),
    Macro("replace", "text::old::new", "constant", replace),
    Macro("trim", "text", "constant", _of_one(trim)),
    Macro("length", "text", "constant", _of_one(_length)),
    Macro("lower", "text", "constant", _of_one(str.lower)),
    Macro("upper", "text", "constant", _of_one(str.upper)),
    Macro("capitalize", "text", "constant", _of_one(_capital)),
    Macro("unicodeencode", "text::place?", "constant", encode),
    Macro("unicodedecode", "number", "constant", decode),
    Macro("u", "hex", "constant", decode_hex, ("unicodedecodefromhex",)),
    Macro("ue", "hex", "constant", decode_hex, ("unicodeencodefromhex",)),
    Macro("xor", "text", "constant", hide, ("xorencrypt", "xorencode", "xore")),
    Macro("xordecrypt", "base64", "constant", reveal, ("xordecode", "xord")),
    Macro("crypt", "text::shift?", "constant", shift, ("crypto", "caesar", "encrypt", "decrypt")),
    Macro("reverse", "text", "constant", reverse),
)
