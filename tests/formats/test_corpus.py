"""The importer inputs of the shared corpus: read as expected, or refused under the right name."""

import json
from pathlib import Path

import pytest

from lorewright.core.authority import read_mark
from lorewright.core.keys import read_regex
from lorewright.errors import FormatError
from lorewright.formats.kinds import KINDS
from lorewright.formats.read import read_book, read_card

FOLDER = Path(__file__).resolve().parents[2] / "conformance" / "formats"
INPUTS = sorted(path for path in FOLDER.iterdir() if path.name[0].isdigit() and ".expected." not in path.name)

# Where we differ from the corpus, and why. Numbers are the cases'.
NOT_READ: dict[str, tuple[str, str]] = {}
OTHER_WARNINGS = {
    "14": "entries without keys or content are for the linter, which knows decorators; the reader keeps them",
}
POSITIONS = {"before_char": 0, "after_char": 1, "at_depth": 4}
ROLES = {"system": 0, "user": 1, "assistant": 2}
KEPT_AS_WRITTEN = {
    "12": "a number written as text stays `Odd`; the profile decides what it means",
    "16": "a text in place of a key list stays `Odd`; the profile decides whether to split it",
}


def number_of(path):
    return path.name[:2]


def expectation(path):
    found = [*FOLDER.glob(f"{path.stem}.expected.json"), *FOLDER.glob(f"{number_of(path)}-*.expected.json")]
    return json.loads(found[0].read_text("utf-8"))


def read(path, expected):
    wanted = expected.get("detect", "card_v2")
    return (read_card if "card" in KINDS[wanted].reads else read_book)(path)


def is_read(path):
    wanted = expectation(path).get("detect", "card_v2")
    return number_of(path) not in NOT_READ and bool(KINDS[wanted].reads if wanted in KINDS else False)


def is_thing(path):
    """Presets and other files that are no books are read in `test_things.py`."""
    return KINDS[expectation(path).get("detect", "card_v2")].reads == ("thing",)


READ = [path for path in INPUTS if is_read(path) and not is_thing(path)]
REFUSED = [path for path in INPUTS if not is_read(path)]


def test_the_corpus_is_here():
    assert len(INPUTS) == 32
    assert len(READ) >= 19


@pytest.mark.parametrize("path", REFUSED, ids=lambda path: path.name)
def test_what_is_not_read_is_refused_by_its_name(path):
    kind, _ = NOT_READ.get(number_of(path), (expectation(path).get("detect"), ""))

    with pytest.raises(FormatError) as caught:
        read_book(path)

    assert caught.value.facts.get("format", "") == kind


@pytest.mark.parametrize("path", READ, ids=lambda path: path.name)
def test_what_is_read_is_as_expected(path):
    expected = expectation(path)

    imported = read(path, expected)

    assert imported.format == expected.get("detect", imported.format)
    assert imported.found - imported.merged == imported.kept == expected.get("entries", imported.kept)
    if "name" in expected or "name_fallback" in expected:
        assert imported.value.name == expected.get("name", expected.get("name_fallback"))
    if "assets_resolved" in expected:
        assert [asset.place for asset in imported.value.assets if asset.place] == expected["assets_resolved"]
    if number_of(path) not in OTHER_WARNINGS:
        check_warnings(expected.get("warnings"), imported.reports)
    if number_of(path) not in KEPT_AS_WRITTEN:
        check_entries(expected.get("check", ()), imported.value)
    check_texts(expected.get("check_text", {}), imported.value)
    for name, wanted in expected.get("book", {}).items():
        assert getattr(imported.value, "book", imported.value).extra[name] == wanted


def check_warnings(warnings, reports):
    if warnings == []:
        assert reports == ()
    for warning in warnings or ():
        code, *words = warning.split(":")
        places = [(report.code, f"{report.message} {report.entry} {report.field}") for report in reports]
        assert any(found == code and all(word in place for word in words) for found, place in places), warning


def check_entries(checks, value):
    entries = getattr(value, "book", value).entries if checks else ()
    for check in checks:
        entry = entries[check["i"]] if "i" in check else next(one for one in entries if one.uid == check["id"])
        for name, wanted in check.items():
            match name:
                case "i" | "id":
                    pass
                case "name":
                    assert entry.title == wanted
                case "position":
                    assert entry.position == POSITIONS[wanted]
                case "role":
                    assert entry.role == ROLES[wanted]
                case "regex":
                    assert [read_regex(key) is not None for key in entry.keys] == wanted
                case "priority":
                    assert entry.extra["priority"] == wanted
                case "authority":
                    assert read_mark(entry.authority) == wanted
                case "authority_text":
                    assert entry.authority == wanted
                case "extra_fields":
                    assert entry.extra["lorewright"][name] == wanted
                case "keys" if wanted == []:
                    assert not entry.keys
                case _:
                    value = getattr(entry, name)
                    assert (list(value) if isinstance(value, tuple) else value) == wanted, name


def check_texts(texts, card):
    for name, wanted in texts.items():
        assert card.data["data"][name] == wanted
