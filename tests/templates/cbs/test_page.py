"""The page of CBS: every macro, alias and switch stands on it, and every example gives what it says."""

import dataclasses
import re
from pathlib import Path

import pytest

from lorewright.templates.cbs import NATIVE, RECORDED, RISU, UNSAFE, Switches, render
from lorewright.templates.cbs.registry import DOCUMENTED, TABLE
from tests.documents import read_blocks

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "reference" / "cbs.md").read_text("utf-8")
CELL = re.compile(r"(?<!\\)\|")
CODE_POINT = re.compile(r" ?U\+([0-9A-F]{4}) ?")


def rows(heading):
    """The table rows below a heading, cells without backquotes."""
    section = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in CELL.split(line)[1:-1]] for line in lines]
    return [row for row in cells if row[0].startswith("`") or "example" not in row]


def plain(cell):
    """The text in a cell: without quotes and escapes, line breaks and private characters as they are."""
    text = cell.strip("`").replace(r"\|", "|").replace("↵", "\n")
    return CODE_POINT.sub(lambda found: chr(int(found[1], 16)), text)


@pytest.fixture(scope="module")
def context():
    names: dict[str, object] = {}
    block = next(block for block in read_blocks(PAGE) if block.language == "python")
    exec(block.text, names)
    return names["context"]


MACROS = {plain(row[0]): row for row in rows("Macros")}


def test_the_table_is_the_registry():
    said = {name: (plain(row[1].replace("` `", " ")).split(), plain(row[2]), row[3]) for name, row in MACROS.items()}

    assert said == {macro.name: (list(macro.aliases), macro.arguments, macro.kind) for macro in TABLE}


@pytest.mark.parametrize("row", MACROS.values(), ids=MACROS)
def test_examples_give_what_they_say(row, context):
    assert render(plain(row[4]), context).text == plain(row[5])


BLOCKS = rows("Blocks")


@pytest.mark.parametrize("row", BLOCKS, ids=lambda row: row[0])
def test_blocks_give_what_they_say(row, context):
    assert render(plain(row[2]), context).text == plain(row[3])


DEFECTS = {plain(row[0]): row for row in rows("Defects")}


def test_every_switch_is_on_the_page():
    assert list(DEFECTS) == [field.name for field in dataclasses.fields(Switches)]


def test_the_profile_has_all_that_are_safe():
    differ = {name for name in DEFECTS if getattr(RISU, name) is not getattr(RECORDED, name)}

    assert differ == set(UNSAFE)
    assert all(f"`{name}`" in PAGE.split("The profile `risu` runs")[1].split("\n")[0] for name in UNSAFE)


@pytest.mark.parametrize("name", DEFECTS)
def test_each_switch_makes_its_difference(name, context):
    """The two differ as the page says, and so does RisuAI with this one switch off or `native` with it on."""
    _, example, as_risu, repaired = map(plain, DEFECTS[name])

    def text(switches):
        return render(example, dataclasses.replace(context, switches=switches)).text

    assert (text(RECORDED), text(NATIVE)) == (as_risu, repaired)
    assert text(dataclasses.replace(RECORDED, **{name: False})) != as_risu
    assert text(dataclasses.replace(NATIVE, **{name: True})) != repaired


def test_the_names_of_the_help_are_on_the_page():
    section = PAGE.split("are no macros and stay as text:\n")[1].split("\n\n")[0]
    blocks = {name for name in DOCUMENTED if name.startswith("#") or name == ":else"}

    assert set(re.findall(r"`([^`]+)`", section)) == DOCUMENTED - blocks
