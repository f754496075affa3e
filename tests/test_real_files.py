"""Files that nobody here wrote: each loads, weaves against a chat and explains itself, in both profiles."""

import pytest

from lorewright import NATIVE, SILLYTAVERN, ActiveBook, Message, State, Turn, assemble, load_lore, make_tools
from lorewright.formats.read import read_book, read_card

FOLDERS = (
    "st-worldinfo",
    "card-v1-json",
    "card-v2-json",
    "card-v2-png",
    "card-v3-json",
    "card-v3-png",
    "card-v3-charx",
    "card-yaml",
    "byaf",
)


def chat_about(book):
    """A chat that says the first plain key of every third entry, and some small talk."""
    keys = [
        entry.keys[0]
        for entry in book.entries[::3]
        if isinstance(entry.keys, tuple) and entry.keys and not entry.keys[0].startswith("/")
    ]
    return (Message("User", "Hello there."), *(Message("Guide", f"Tell me of {key}, please.") for key in keys))


@pytest.mark.parametrize("policy", [NATIVE, SILLYTAVERN], ids=lambda policy: policy.name)
@pytest.mark.parametrize("folder", FOLDERS)
def test_every_book_and_card_weaves_and_explains_itself(shared, subtests, folder, policy):
    fast, core = make_tools(engine="fast"), make_tools(engine="core")
    paths = sorted((shared / "real-files" / folder).iterdir())

    assert paths
    for path in paths:
        with subtests.test(file=path.name):
            imported = read_book(path)
            character = read_card(path).value.character if folder.startswith("card") else None
            lore = load_lore([ActiveBook(imported.value)], fast, policy)
            turn = Turn(messages=chat_about(imported.value), character=character)
            assembly = assemble(turn, lore, State(), fast)
            verdicts = list(assembly.trace.all())

            assert imported.found == imported.kept + imported.refused
            assert len(verdicts) == imported.kept == len(imported.value.entries)
            assert {v.entry for v in verdicts if v.active} == {item.entry.id for item in assembly.activated}
            assert all(verdict.reason.sentence for verdict in verdicts)
            assert list(assemble(turn, lore, State(), core).trace.all()) == verdicts


def table(shared):
    """The table of the closing note: entries found, kept, active, by file."""
    from pathlib import Path

    tools = make_tools()
    for folder in FOLDERS:
        for path in sorted((Path(shared) / "real-files" / folder).iterdir()):
            imported = read_book(path)
            counts = []
            for policy in (NATIVE, SILLYTAVERN):
                lore = load_lore([ActiveBook(imported.value)], tools, policy)
                assembly = assemble(Turn(messages=chat_about(imported.value)), lore, State(), tools)
                counts.append(f"{len(assembly.activated):>4} / {sum(1 for _ in assembly.trace.all()):<4}")
            print(f"{folder}/{path.name[:46]:46} {imported.found:>5} {imported.kept:>5}   {'   '.join(counts)}")


if __name__ == "__main__":
    import sys

    table(sys.argv[1] if len(sys.argv) > 1 else "../shared")
