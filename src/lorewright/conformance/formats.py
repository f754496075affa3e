"""The suite `formats`: files of other programs, and what a right importer makes of them.

A case is a file `X.expected.json` with the input `X.*` beside it, or with the names of several in `inputs`. Every key is
checked; a key that is not known is a difference, and never passed over.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from lorewright.conformance.outcome import Difference, Outcome, compare
from lorewright.core.authority import read_mark
from lorewright.core.keys import read_regex
from lorewright.core.model import Book, Entry
from lorewright.core.policy import NATIVE
from lorewright.core.prepared import Prepared, prepare_book
from lorewright.core.protocols import Tools
from lorewright.errors import CaseError, FormatError
from lorewright.formats.card import Card
from lorewright.formats.detect import detect
from lorewright.formats.fields import is_exact
from lorewright.formats.inspect import Inspection, inspect_file
from lorewright.formats.risu_lorebook import frame_of
from lorewright.formats.things.reader import write_thing
from lorewright.formats.things.thing import Prompt, Thing
from lorewright.formats.write import convert
from lorewright.formats.write_card import write_card

__all__ = ["ENDING", "case_of", "run_formats"]

ENDING: Final = ".expected.json"
_POSITIONS: Final = (
    "before_char",
    "after_char",
    "an_top",
    "an_bottom",
    "at_depth",
    "em_top",
    "em_bottom",
    "outlet",
)
_ROLES: Final = ("system", "user", "assistant")
_OWN: Final = "lorewright"
_COMMENTS: Final = frozenset({"issue", "rule", "inputs", "refused"})
"""Keys for people, and the names of the inputs."""


def case_of(path: Path) -> Path | None:
    """The case to which a file belongs: itself, or the expectation beside an input. None: it belongs to none."""
    if path.name.endswith(ENDING):
        return path
    own = path.with_name(path.stem + ENDING)
    if own.is_file():
        return own
    for other in sorted(path.parent.glob(f"*{ENDING}")):
        try:
            listed = json.loads(other.read_bytes()).get("inputs", ())
        except (OSError, ValueError, AttributeError):
            continue
        if path.name in listed:
            return other
    return None


@dataclass(frozen=True)
class _Input:
    """One input: the file, and what the program says of it."""

    path: Path
    found: Inspection
    tools: Tools

    @property
    def value(self) -> object:
        return self.found.value.value

    @property
    def data(self) -> bytes:
        return self.path.read_bytes()

    @cached_property
    def content(self) -> Any:
        """The parsed file."""
        return detect(self.data).content

    @cached_property
    def prepared(self) -> tuple[Prepared, ...]:
        book = self.found.book
        return prepare_book(book, NATIVE, self.tools.regexes, self.tools.renderer).entries if book else ()

    @property
    def prompts(self) -> tuple[Prompt, ...]:
        return self.value.prompts if isinstance(self.value, Thing) else ()

    @property
    def card_data(self) -> Mapping[str, Any]:
        """The object with the fields of a card: the innermost `data`."""
        data: Mapping[str, Any] = self.value.data if isinstance(self.value, Card) else {}
        while isinstance(data.get("data"), dict):
            data = data["data"]
        return data

    @cached_property
    def written(self) -> Any:
        """The parsed file that is written when nothing was changed."""
        match self.value:
            case Card():
                return detect(write_card(self.data, self.value)).content
            case Thing():
                return write_thing(self.value, strip_sensitive=False)
            case Book():
                return detect(convert(self.value, self.found.format).data).content
        raise CaseError("nothing was read that could be written")


def run_formats(document: Mapping[str, Any], suite: str, file: str, tools: Tools) -> Iterator[Outcome]:
    """Run the case of one file."""
    path = Path(file)
    name = path.name.removesuffix(ENDING)
    yield Outcome(suite, file, name, tuple(_differences(document, path, tools)))


def _differences(case: Mapping[str, Any], path: Path, tools: Tools) -> Iterator[Difference]:
    inputs: list[_Input] = []
    for source in _paths(case, path):
        try:
            inputs.append(_Input(source, inspect_file(source), tools))
        except FormatError as error:
            yield from _refused(case, source, error)
            return
    for key, wanted in case.items():
        check = _CHECKS.get(key)
        if key in _COMMENTS:
            continue
        if key == "cards":
            yield from compare(key, wanted, _count_cards(inputs))
        elif check is None:
            yield Difference(key, "a key that is known", wanted)
        else:
            for one in inputs:
                yield from check(one, wanted)


def _refused(case: Mapping[str, Any], source: Path, error: FormatError) -> Iterator[Difference]:
    """Of a file that is refused a case may say what it is, and what stands in the message."""
    if "refused" not in case:
        yield Difference(source.name, case.get("detect", "a file that is read"), error.message[:200])
        return
    yield from compare("detect", case.get("detect"), error.facts.get("format"))
    yield from (Difference("refused", word, error.message) for word in case["refused"] if word not in error.message)


def _paths(case: Mapping[str, Any], path: Path) -> list[Path]:
    listed = case.get("inputs")
    if listed:
        return [path.with_name(name) for name in listed]
    stem = path.name.removesuffix(ENDING)
    found = [one for one in sorted(path.parent.iterdir()) if one.stem == stem and one.name != path.name]
    if not found:
        raise CaseError(f"There is no input `{stem}.*` beside the case.", path=str(path))
    return found


def _count_cards(inputs: list[_Input]) -> int:
    """Cards with content of their own; their names do not count."""
    return len({repr(one.value.data) for one in inputs if isinstance(one.value, Card)})


# --- one check for each key


def _check_name(one: _Input, wanted: object) -> list[Difference]:
    """A book may be called after its file and say another name in it; either is its name."""
    value = one.value
    own = value.extra.get("name") if isinstance(value, Book) else None
    return compare("name", wanted, own or (value.name if isinstance(value, Card | Book | Thing) else None))


def _check_fallback(one: _Input, wanted: object) -> list[Difference]:
    return _check_name(one, wanted) + compare("stored name", "", one.card_data.get("name"))


def _check_ledger(one: _Input, wanted: object) -> list[Difference]:
    ledger = one.found.ledger
    numbers = {name: getattr(ledger, name) for name in ("found", "imported", "merged", "skipped")}
    return compare("ledger", wanted, numbers)


def _check_warnings(one: _Input, wanted: Any) -> list[Difference]:
    notes = [(note.code, f"{note.place} {note.reason}") for note in one.found.reports]
    if not wanted:
        return compare("warnings", [], [code for code, _ in notes])
    missing = []
    for warning in wanted:
        code, *words = warning.split(":")
        if not any(code == known and all(word in text for word in words) for known, text in notes):
            missing.append(Difference("warnings", warning, [f"{known}: {text}" for known, text in notes]))
    return missing


def _check_encoding(one: _Input, wanted: object) -> list[Difference]:
    guessed = [note.reason for note in one.found.reports if note.code == "encoding_guessed"]
    is_right = str(wanted) in guessed[0] if guessed else wanted == "utf-8"
    return [] if is_right else [Difference("encoding", wanted, guessed or "utf-8")]


def _check_folders(one: _Input, wanted: object) -> list[Difference]:
    frame = frame_of(one.found.book) if one.found.book else None
    rows = frame.kept.values() if frame else ()
    return compare("folders", wanted, [row.get("comment") for row in rows if isinstance(row, dict)])


def _check_book(one: _Input, wanted: Mapping[str, object]) -> list[Difference]:
    extra = one.found.book.extra if one.found.book else {}
    return compare("book", wanted, {name: extra.get(name, "<absent>") for name in wanted})


def _check_scripts(one: _Input, wanted: object) -> list[Difference]:
    if isinstance(one.value, Thing):
        return compare("regex_scripts", wanted, len(one.value.regex_scripts))
    extensions = one.card_data.get("extensions")
    scripts = extensions.get("regex_scripts") if isinstance(extensions, dict) else None
    return compare("regex_scripts", wanted, len(scripts or ()))


def _check_enabled(one: _Input, wanted: object) -> list[Difference]:
    return compare("enabled", wanted, [prompt.identifier for prompt in one.prompts if prompt.enabled])


def _check_order(one: _Input, wanted: object) -> list[Difference]:
    return compare("active_order", wanted, [*one.value.active_order] if isinstance(one.value, Thing) else None)


def _check_assets(one: _Input, wanted: object) -> list[Difference]:
    assets = one.value.assets if isinstance(one.value, Card) else ()
    return compare("assets_resolved", wanted, [asset.place for asset in assets if asset.place])


def _check_preserve(one: _Input, wanted: Any) -> list[Difference]:
    found: list[Difference] = []
    for path in wanted:
        before, after = _follow(one.content, path), _follow(one.written, path)
        expected = wanted[path] if isinstance(wanted, dict) else before
        if after == "<absent>" or not is_exact(after, expected) or not is_exact(after, before):
            found.append(Difference(f"preserve.{path}", expected, after))
    return found


def _follow(value: Any, path: str) -> Any:
    for name in path.split("."):
        if not isinstance(value, dict) or name not in value:
            return "<absent>"
        value = value[name]
    return value


def _check_round_trip(one: _Input, wanted: object) -> list[Difference]:
    if wanted != "json_equal":
        return [Difference("roundtrip", "a kind of equality that is known", wanted)]
    return [] if is_exact(one.written, one.content) else [Difference("roundtrip", one.content, one.written)]


def _check_texts(one: _Input, wanted: Mapping[str, str]) -> list[Difference]:
    prompt = one.prompts[0] if one.prompts else None
    actual = {name: getattr(prompt, name, None) if prompt else one.card_data.get(name) for name in wanted}
    return compare("check_text", dict(wanted), actual)


def _check_items(one: _Input, wanted: Any) -> list[Difference]:
    found: list[Difference] = []
    for number, item in enumerate(wanted):
        where = f"check[{number}]"
        if "identifier" in item:
            known = [prompt for prompt in one.prompts if prompt.identifier == item["identifier"]]
            found += _check_prompt(where, item, known[0]) if known else [Difference(where, item, "no such prompt")]
            continue
        by_id = {entry.entry.uid: entry for entry in one.prepared}
        entry = by_id.get(item["id"]) if "id" in item else dict(enumerate(one.prepared)).get(item.get("i", -1))
        found += _check_entry(where, item, entry) if entry else [Difference(where, item, "no such entry")]
    return found


def _check_prompt(where: str, wanted: Mapping[str, Any], prompt: Prompt) -> list[Difference]:
    actual = {name: getattr(prompt, name, "<unknown field>") for name in wanted}
    plain = {name: list(value) if isinstance(value, tuple) else value for name, value in actual.items()}
    return compare(where, dict(wanted), plain)


def _check_entry(where: str, wanted: Mapping[str, Any], entry: Prepared) -> list[Difference]:
    names = [name for name in wanted if name not in {"i", "id"}]
    return compare(where, {name: wanted[name] for name in names}, {name: _entry_value(entry, name) for name in names})


def _entry_value(prepared: Prepared, name: str) -> object:
    """A field of an entry by the name in the cases, as the profile `native` reads it."""
    entry, traits = prepared.entry, prepared.traits
    match name:
        case "keys":
            return [prepared.written_key(place) for place in range(len(prepared.keys))]
        case "secondary":
            return [prepared.written_secondary(place) for place in range(len(prepared.secondary))]
        case "regex":
            keys = [prepared.written_key(place) for place in range(len(prepared.keys))]
            return [read_regex(key) is not None for key in keys]
        case "enabled":
            return not traits.disabled
        case "position":
            return None if traits.position is None else _POSITIONS[traits.position]
        case "role":
            return _ROLES[int(traits.role)]
        case "logic":
            return str(traits.logic).upper()
        case "order":
            return prepared.order
        case "title" | "content":
            return getattr(entry, name)
        case "name":
            return entry.title
        case "weight" | "source" | "level":
            return getattr(entry, name)
        case "authority" | "authority_text":
            mark = entry.authority if isinstance(entry.authority, str) else ""
            return (read_mark(mark) or mark) if name == "authority" else mark
        case "use_probability":
            return entry.use_probability is not False
        case "filter":
            kept = traits.filter
            return kept and {"names": list(kept.names), "tags": list(kept.tags), "exclude": kept.exclude}
        case "triggers":
            return list(traits.triggers)
        case _ if name.startswith("match_"):
            return getattr(entry, name, "<unknown field>") is True
        case _ if name in _TRAITS:
            return getattr(traits, _TRAITS[name])
    return _kept_value(entry, name)


def _kept_value(entry: Entry, name: str) -> object:
    """What the engine does not use: under our own name, or as the file has it."""
    own = entry.extra.get(_OWN)
    if isinstance(own, Mapping) and name in own:
        return own[name]
    if name in entry.extra:
        return entry.extra[name]
    return None if name in _KEPT else "<unknown field>"


_TRAITS: Final[Mapping[str, str]] = {
    **{
        name: name
        for name in (
            "depth constant selective case_sensitive whole_words outlet sticky cooldown delay scan_depth "
            "exclude_recursion prevent_recursion group_override group_weight group_scoring"
        ).split()
    },
    "probability": "chance",
    "ignore_budget": "ignores_budget",
    "delay_until_recursion": "delay_level",
    "group": "group_text",
}
_KEPT: Final = frozenset(
    "priority weight source authority authority_text extra_fields level restricted_to scene folder category tags".split()
)

_Check = Callable[[_Input, Any], list[Difference]]

_CHECKS: Final[Mapping[str, _Check]] = {
    "detect": lambda one, wanted: compare("detect", wanted, one.found.format),
    "entries": lambda one, wanted: compare("entries", wanted, one.found.entries),
    "headings": lambda one, wanted: compare("headings", wanted, one.found.ledger.found),
    "prompts": lambda one, wanted: compare("prompts", wanted, len(one.prompts)),
    "check": _check_items,
    "check_text": _check_texts,
    "book": _check_book,
    "folders": _check_folders,
    "active_order": _check_order,
    "enabled": _check_enabled,
    "regex_scripts": _check_scripts,
    "name": _check_name,
    "name_fallback": _check_fallback,
    "encoding": _check_encoding,
    "warnings": _check_warnings,
    "ledger": _check_ledger,
    "preserve": _check_preserve,
    "assets_resolved": _check_assets,
    "roundtrip": _check_round_trip,
}
