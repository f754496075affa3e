"""Books and cards that nobody here wrote: every text renders, and the macros in them are counted."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lorewright.core.model import Character, Turn
from lorewright.core.protocols import RenderContext
from lorewright.errors import FormatError
from lorewright.formats.read import read_book, read_card
from lorewright.templates.dialects import Dialect, DialectRenderer

CARD_TEXTS = (
    *("description", "personality", "scenario", "first_mes", "mes_example", "alternate_greetings", "system_prompt"),
    *("post_history_instructions", "creator_notes", "group_only_greetings", "depth_prompt"),
)
MACRO = re.compile(r"\{\{\s*([#/!?~>.$:]*\s*[\w.]*)")
UNKNOWN = re.compile(r"`\{\{(.*?)\}\}`", re.DOTALL)
TURN = Turn(user="Max", character=Character(name="Aria"), session="s", clock_ms=1_796_037_900_000)


def texts_of(path: Path) -> list[str]:
    """The contents and keys of a book's entries, and the texts of a card."""
    found: list[str] = []
    try:
        book = read_book(path).value
    except FormatError:
        pass
    else:
        for entry in book.entries:
            keys = entry.keys if isinstance(entry.keys, tuple) else ()
            found += [text for text in (entry.content, *keys) if isinstance(text, str)]
    try:
        card = read_card(path).value
    except FormatError:
        return found
    data = card.data.get("data")
    return [*found, *card_texts(data if isinstance(data, dict) else card.data)]


def card_texts(data: Any) -> Iterator[str]:
    extensions = data.get("extensions")
    depth = extensions.get("depth_prompt") if isinstance(extensions, dict) else None
    fields = {**data, "depth_prompt": depth.get("prompt") if isinstance(depth, dict) else ""}
    for name in CARD_TEXTS:
        value = fields.get(name)
        yield from (text for text in (value if isinstance(value, list) else [value]) if isinstance(text, str))


def dialect_of(path: Path) -> Dialect:
    """RisuAI's own files hold CBS."""
    return "cbs" if path.parent.name.startswith(("risu", "card-v3-charx")) else "sillytavern"


def count(path: Path) -> tuple[int, Counter[str], Counter[str]]:
    """Texts, macros met and macros unknown of a file. Every text is rendered."""
    renderer = DialectRenderer(dialect_of(path))
    met: Counter[str] = Counter()
    unknown: Counter[str] = Counter()
    texts = texts_of(path)
    for text in texts:
        rendered = renderer.render(text, RenderContext(TURN, lambda: 0.5))
        assert isinstance(rendered.text, str)
        assert "macro_too_deep" not in {report.code for report in rendered.reports}
        if not renderer.is_template(text):
            assert rendered.text == text
        met.update(found[1].strip().lower() for found in MACRO.finditer(text))
        for report in rendered.reports:
            if report.code == "macro_unknown" and (name := UNKNOWN.search(report.message)):
                unknown[name[1]] += 1
    return len(texts), met, unknown


def files(shared: Path) -> list[Path]:
    folders = ("card-", "st-worldinfo", "character-book", "lorebook", "risu", "novelai", "aidungeon", "byaf", "tavern")
    return sorted(p for p in (shared / "real-files").rglob("*") if p.is_file() and p.parent.name.startswith(folders))


def test_every_book_and_card_renders(shared, subtests):
    paths = files(shared)
    total = 0

    for path in paths:
        with subtests.test(file=path.name):
            total += count(path)[0]

    assert len(paths) > 20
    assert total > 500


def table(shared: Path) -> None:
    """The table of the closing note: texts, macros met and unknown, by file; then by name."""
    all_met: Counter[str] = Counter()
    all_unknown: Counter[str] = Counter()
    print(f"{'file':58} {'dialect':12} {'texts':>6} {'macros':>7} {'unknown':>8}")
    total = 0
    for path in files(shared):
        texts, met, unknown = count(path)
        total += texts
        all_met += met
        all_unknown += unknown
        name = f"{path.parent.name}/{path.name}"[:58]
        print(f"{name:58} {dialect_of(path):12} {texts:>6} {met.total():>7} {unknown.total():>8}")
    print(f"{'all':58} {'':12} {total:>6} {all_met.total():>7} {all_unknown.total():>8}")
    print("\nmet:", listed(all_met))
    print("unknown:", listed(all_unknown))


def listed(counted: Counter[str]) -> str:
    names = ", ".join(f"{name or '(no name)'} {number}" for name, number in counted.most_common())
    return f"{counted.total()} macros of {len(counted)} names: {names}" if counted else "none"


if __name__ == "__main__":
    import sys

    table(Path(sys.argv[1] if len(sys.argv) > 1 else "../shared"))
