"""Rule files of coding agents: known by name or front matter, one entry each, written back as they were."""

from dataclasses import replace

import pytest

from lorewright.core.model import Book, Entry
from lorewright.errors import FormatError
from lorewright.formats.agent_rules import AgentFile, read_agent_rules, write_agent_rules
from lorewright.formats.detect import detect
from lorewright.formats.magic import is_agent_file
from lorewright.formats.read import read_book
from lorewright.formats.write import Converted, convert

ALWAYS = "---\ndescription: Style\nalwaysApply: true\n---\n\n# Style\n\nTabs.\n"
GLOB = "---\ndescription: \nglobs: *.py,src/{a,b}/**\nalwaysApply: false\n---\nTyped.\n"
DESCRIBED = '---\ndescription: "How to release"\nglobs:\nalwaysApply: false\n---\nTag it.'
MANUAL = "---\r\nalwaysApply: false\r\n---\r\nBy hand.\r\n"
PATHS = '---\npaths:\n  - "src/**/*.ts"\n  - lib/*\n---\nStrict.\n'
PLAIN = "# Project\n\n## Build\n\n- make\n"


@pytest.mark.parametrize(
    ("path", "text", "kind", "globs", "description"),
    [
        ("style.mdc", ALWAYS, "always", [], "Style"),
        ("py.mdc", GLOB, "glob", ["*.py", "src/{a,b}/**"], ""),
        ("release.mdc", DESCRIBED, "description", [], "How to release"),
        ("hand.mdc", MANUAL, "manual", [], ""),
        ("bare.mdc", "Words.", "manual", [], ""),
        ("AGENTS.md", PLAIN, "always", [], ""),
        (".claude/rules/ts.md", PATHS, "glob", ["src/**/*.ts", "lib/*"], ""),
        (".claude/rules/more/all.md", PLAIN, "always", [], ""),
    ],
)
def test_kinds(tmp_path, path, text, kind, globs, description):
    file = tmp_path / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode())

    read = read_book(file)

    entry = read.value.entries[0]
    assert (read.format, read.found, read.kept, read.value.name) == ("agent_rules", 1, 1, file.stem)
    assert entry.extra["rule"] == {"kind": kind, "globs": globs, "description": description}
    assert entry.constant is (kind == "always")
    assert ("entry_never_activates" in [report.code for report in read.reports]) is (kind != "always")
    assert isinstance(entry.content, str)
    assert text.endswith(entry.content)
    assert not entry.content.startswith("---")
    assert write_agent_rules(read.value) == text


@pytest.mark.parametrize("text", [ALWAYS, GLOB, DESCRIBED, MANUAL])
def test_front_matter_is_enough(text):
    assert detect(text.encode()).format == "agent_rules"


def test_other_markdown_is_left_alone():
    assert detect(PLAIN.encode()).format == "markdown_lorebook"
    assert detect(PLAIN.encode(), "notes.md").format == "markdown_lorebook"
    assert not is_agent_file("rules/agents.txt")
    assert is_agent_file("C:\\x\\.cursor\\rules\\a.md")
    assert detect(b"---\nkeywords: [a]\ndescription: d\n---\nText\n").format == "markdown_lorebook"


def test_too_long():
    with pytest.raises(FormatError):
        read_agent_rules(AgentFile("x" * 4_194_305))


def test_written_with_changes_and_from_elsewhere():
    book = read_agent_rules(AgentFile(GLOB, "py.mdc")).value
    changed = replace(book, entries=(replace(book.entries[0], content="Untyped.\n"),))
    other = Book("Isles", (Entry(uid=3, keys=("fog",), title="Fog", content="Thick."), Entry(uid=4)))
    converted = convert(other, "agent_rules")

    assert convert(book, "agent_rules") == Converted(GLOB.encode())
    assert convert(changed, "agent_rules").data.decode() == GLOB.replace("Typed.", "Untyped.")
    assert converted.data.decode() == "# Isles\n\n## Fog\n\nThick.\n\n## 4\n\n\n"
    assert "keys" in [report.field for report in converted.losses]


def test_through_a_native_book(tmp_path):
    path = tmp_path / "book.yaml"
    path.write_bytes(convert(read_agent_rules(AgentFile(GLOB, "py.mdc")).value, "native_yaml").data)

    again = read_book(path).value

    assert again.entries[0].extra["rule"] == {"kind": "glob", "globs": ["*.py", "src/{a,b}/**"], "description": ""}
    assert write_agent_rules(again) == GLOB
