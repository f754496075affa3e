"""The list of bugs (docs/reference/dialects.md) names every switch in the code, and says truly who has it on."""

import ast
import importlib
import re
from dataclasses import fields
from pathlib import Path

import pytest

from lorewright.core.model import Turn
from lorewright.core.policy import NATIVE, RISU, SILLYTAVERN, RowRules, Switches
from lorewright.core.protocols import RenderContext
from lorewright.templates import cbs, legacy, regex_scripts, sillytavern
from lorewright.templates.dialects import ProfileRenderer

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = ROOT / "docs" / "reference"
SECTION = (REFERENCE / "dialects.md").read_text("utf-8").split("\n## Bugs of the real programs\n")[1].split("\n## ")[0]
ROWS = [[cell.strip() for cell in line.split("|")[1:-1]] for line in SECTION.splitlines() if line.startswith("| `")]
LISTS = {row[0].strip("`"): row for row in ROWS}
KINDS = {"Defects", "Switches", "RowRules"}
LINK = re.compile(r"\(([^)#]*)#([^)]+)\)")


def test_every_class_of_switches_is_in_the_list():
    found = set()
    for path in (ROOT / "src").rglob("*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        names = {node.name for node in tree.body if isinstance(node, ast.ClassDef)} & KINDS
        room = path.relative_to(ROOT / "src" / "lorewright").with_suffix("").parts
        found |= {(room, name) for name in names}
    listed = {(tuple(name.split(".")[:-1]), name.rpartition(".")[2]) for name in LISTS}

    assert len(found) == len(listed)
    assert all(any(room[: len(place)] == place and name == kind for room, name in found) for place, kind in listed)


@pytest.mark.parametrize("name", LISTS)
def test_every_switch_is_on_its_page(name):
    place, _, kind = name.rpartition(".")
    switches = [field.name for field in fields(getattr(importlib.import_module(f"lorewright.{place}"), kind))]
    link = LINK.search(LISTS[name][4])
    assert link
    text = (REFERENCE / (link[1] or "dialects.md")).read_text("utf-8")
    heading = next(h for h in re.findall(r"^#+ (.+)$", text, re.MULTILINE) if anchor(h) == link[2])
    section = re.split(r"^#+ ", text.split(f"# {heading}\n")[1], flags=re.MULTILINE)[0]

    assert [switch for switch in switches if f"`{switch}" not in section + LISTS[name][4]] == []
    rows = [found[1] for line in section.splitlines() if (found := re.match(r"\| `([a-z_]+)` \|", line))]
    assert set(rows) in (set(switches), set())


def anchor(heading: str) -> str:
    return re.sub(r"[^a-z0-9 -]", "", heading.lower()).replace(" ", "-")


def of(defects: type, *, on: bool):
    return defects(**{field.name: on for field in fields(defects)})


def test_the_profiles_have_what_the_list_says(monkeypatch):
    """What the profiles really render with."""
    seen = []
    monkeypatch.setattr(sillytavern, "render", lambda text, context, defects: seen.append(defects))
    monkeypatch.setattr(cbs, "render", lambda text, context: seen.append(context.switches))
    for profile in ("sillytavern", "native", "risu"):
        with pytest.raises(AttributeError):  # nothing is rendered
            ProfileRenderer().render("{{x}}", RenderContext(Turn(), lambda: 0.5, profile=profile))

    assert seen == [of(sillytavern.Defects, on=True), of(sillytavern.Defects, on=False), cbs.RISU]
    assert {field.name for field in fields(cbs.RISU) if not getattr(cbs.RISU, field.name)} == set(cbs.UNSAFE)
    assert (legacy.Defects(), regex_scripts.Defects()) == (
        of(legacy.Defects, on=False),
        of(regex_scripts.Defects, on=False),
    )
    assert (SILLYTAVERN.switches, NATIVE.switches) == (of(Switches, on=True), of(Switches, on=False))
    assert (RISU.rows, NATIVE.rows) == (of(RowRules, on=True), None)
