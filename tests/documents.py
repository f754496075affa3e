"""Reads our Markdown: fenced blocks, commands with their output, links and headings."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

FENCE = re.compile(r"^(?P<indent> *)(?P<fence>`{3,}|~{3,}) *(?P<info>[^`]*)$")
LINK = re.compile(r"(?<!\\)\[[^\]]*\]\((?P<target>[^)\s]+)(?: \"[^\"]*\")?\)")
HEADING = re.compile(r"^#{1,6} +(?P<text>.+?) *#*$")
EXIT = re.compile(r"^exit (\d+)$")


@dataclass(frozen=True)
class Block:
    """A fenced block. `line` is the line of its first line of text, `after` the number of the line behind its fence."""

    info: str
    text: str
    line: int
    after: int

    @property
    def language(self) -> str:
        return self.info.split(maxsplit=1)[0] if self.info else ""

    @property
    def flags(self) -> list[str]:
        return self.info.split(maxsplit=1)[1:]


@dataclass
class Command:
    """A line that starts with `$ ` in a console block, and what the document says it prints."""

    words: list[str]
    line: int
    exit_code: int = 0
    output: list[str] = field(default_factory=list)


def read_blocks(text: str) -> Iterator[Block]:
    """The fenced blocks of a document, in order."""
    opening: re.Match[str] | None = None
    start, lines = 0, list[str]()
    for number, line in enumerate(text.splitlines(), start=1):
        if opening is None:
            if opening := FENCE.match(line):
                start, lines = number + 1, []
        elif line.strip().startswith(opening["fence"]) and not line.strip().strip(opening["fence"][0]):
            yield Block(opening["info"].strip(), "\n".join(lines), start, number + 1)
            opening = None
        else:
            lines.append(line.removeprefix(opening["indent"]))


def read_commands(block: Block) -> Iterator[Command]:
    """The commands of a console block. A command may end in `# exit 1`, and go on in the next line behind a `\\`."""
    command: Command | None = None
    lines = enumerate(block.text.splitlines(), start=block.line)
    for number, line in lines:
        if line.startswith("$ "):
            if command:
                yield command
            source = line[2:]
            while source.endswith("\\"):
                source = source[:-1] + next(lines)[1].strip()
            source, _, comment = source.partition(" # ")
            found = EXIT.match(comment.strip())
            command = Command(shlex.split(source), number, int(found[1]) if found else 0)
        elif command:
            command.output.append(line)
    if command:
        yield command


def outputs_agree(expected: list[str], actual: list[str]) -> bool:
    """Line by line, without white space at the ends; a line `...` stands for any number of lines."""
    expected, actual = _trimmed(expected), _trimmed(actual)
    if "..." not in expected:
        return expected == actual
    gap = expected.index("...")
    head, rest = expected[:gap], expected[gap + 1 :]
    return actual[:gap] == head and any(outputs_agree(rest, actual[at:]) for at in range(gap, len(actual) + 1))


def _trimmed(lines: list[str]) -> list[str]:
    stripped = [line.rstrip() for line in lines]
    while stripped and not stripped[-1]:
        stripped.pop()
    return stripped


def without_blocks(text: str) -> str:
    """The document with its fenced blocks and inline code blanked out, so that no link is found in code."""
    lines = text.splitlines()
    for block in read_blocks(text):
        for number in range(block.line - 1, block.after):
            if number - 1 < len(lines):
                lines[number - 1] = ""
    return re.sub(r"`[^`\n]*`", "", "\n".join(lines))


def read_links(text: str) -> list[str]:
    """The targets of all links that stay in the repository."""
    targets = [found["target"] for found in LINK.finditer(without_blocks(text))]
    return [target for target in targets if not re.match(r"[a-z]+:", target)]


def read_anchors(text: str) -> set[str]:
    """The names under which headings can be linked to."""
    inside = {number for block in read_blocks(text) for number in range(block.line, block.after)}
    anchors = set()
    for number, line in enumerate(text.splitlines(), start=1):
        if number not in inside and (found := HEADING.match(line)):
            words = re.sub(r"[^\w\- ]", "", found["text"].lower())
            anchors.add(words.replace(" ", "-"))
    return anchors


def documents(root: Path) -> list[Path]:
    """Every document that people read."""
    found = [*root.glob("*.md"), *(root / "docs").rglob("*.md"), *(root / "examples").rglob("*.md")]
    found += [*(root / "changelog.d").glob("*.md"), *(root / "requirements").glob("*.md")]
    found += [*(root / "conformance").rglob("README.md"), *(root / "benchmarks").rglob("README.md")]
    return sorted(found)
