"""The documentation is true: its code runs, its output is what comes out, its links lead somewhere, its names exist."""

import contextlib
import dataclasses
import io
import os
import subprocess
import sys
import types
from pathlib import Path

import pytest

from tests.documents import (
    Block,
    Command,
    documents,
    outputs_agree,
    read_anchors,
    read_blocks,
    read_commands,
    read_links,
)

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
WITH_CODE = [path for path in (ROOT / "README.md", *sorted(DOCS.rglob("*.md"))) if "```" in path.read_text("utf-8")]
REACHABLE = ("examples", "conformance")

NO_RUN = "no-run="
# What is run, and how; every other command of a document is left to its reader.
RUN = {
    ("lorewright",): [sys.executable, "-m", "lorewright"],
    ("python", "-m", "tests.conformance"): [sys.executable, "-m", "tests.conformance"],
    ("make", "help"): ["make", "--no-print-directory", "-C", str(ROOT), "help"],
}
SHELL_SIGNS = frozenset("| > < >> && || ; &".split())


def local(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


# --- the code


@pytest.mark.parametrize("path", WITH_CODE, ids=local)
def test_code_of_documents_runs(path, tmp_path, monkeypatch):
    """The blocks of one document run in order, in one empty folder; its Python blocks share their names."""
    for name in REACHABLE:
        if (ROOT / name).is_dir():
            (tmp_path / name).symlink_to(ROOT / name, target_is_directory=True)
    monkeypatch.chdir(tmp_path)
    names = vars(types.ModuleType("document"))
    text = path.read_text("utf-8")
    blocks = list(read_blocks(text))

    for number, block in enumerate(blocks):
        where = f"{local(path)}:{block.line}"
        if is_left_out(block, where):
            continue
        if block.language == "python":
            follower = blocks[number + 1] if number + 1 < len(blocks) else None
            run_python(block, expected_output(text, block, follower), names, where)
        elif block.language == "console":
            for command in read_commands(block):
                run_command(command, local(path), tmp_path)


def is_left_out(block: Block, where: str) -> bool:
    if not any(flag.startswith("no-run") for flag in block.flags):
        return False
    reason = " ".join(block.flags).partition(NO_RUN)[2]
    assert reason.strip(), f"{where}: write why it is not run: no-run=reason"
    return True


def expected_output(text: str, block: Block, follower: Block | None) -> list[str] | None:
    """The text block that stands directly behind a Python block, but for blank lines."""
    if follower is None or follower.language != "text":
        return None
    between = text.splitlines()[block.after - 1 : follower.line - 2]
    return follower.text.splitlines() if not "".join(between).strip() else None


def run_python(block: Block, expected: list[str] | None, names: dict[str, object], where: str) -> None:
    source = "\n" * (block.line - 1) + block.text  # so that a traceback has the line numbers of the document
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(source, where, "exec"), names)
    if expected is not None:
        check_output(expected, printed.getvalue(), where)


def run_command(command: Command, document: str, folder: Path) -> None:
    where = f"{document}:{command.line}"
    start = next((start for start in RUN if tuple(command.words[: len(start)]) == start), None)
    if start is None:
        return
    assert not SHELL_SIGNS & set(command.words), f"{where}: commands are run without a shell"
    environment = {name: value for name, value in os.environ.items() if name not in {"FORCE_COLOR", "CLICOLOR_FORCE"}}
    environment |= {"NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "100", "PYTHONUTF8": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [*RUN[start], *command.words[len(start) :]],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == command.exit_code, f"{where}: exit {done.returncode}\n{done.stdout}"
    if any(line.strip() for line in command.output):
        check_output(command.output, done.stdout, where)


def check_output(expected: list[str], actual: str, where: str) -> None:
    assert outputs_agree(expected, actual.splitlines()), (
        f"{where}: the document is out of date; it now prints\n{actual}"
    )


# --- the reader of documents itself


def test_blocks_are_found_with_their_lines():
    text = "# T\n\n```python no-run=needs a server\na\n\nb\n```\n\n- x\n  ```console\n  $ lorewright\n  ```\n"
    first, second = read_blocks(text)

    assert (first.language, first.text, first.line) == ("python", "a\n\nb", 4)
    assert is_left_out(first, "here")
    assert (second.language, second.text, second.line) == ("console", "$ lorewright", 11)


def test_a_left_out_block_needs_a_reason():
    with pytest.raises(AssertionError, match="write why"):
        is_left_out(Block("python no-run=", "", 1, 2), "here")


def test_commands_have_output_and_exit_code():
    text = '$ lorewright check \\\n    "a b.json"  # exit 1\none\n\n$ lorewright --version'
    first, second = read_commands(Block("console", text, 10, 20))

    assert (first.words, first.line, first.exit_code) == (["lorewright", "check", "a b.json"], 10, 1)
    assert first.output == ["one", ""]
    assert (second.words, second.line, second.exit_code) == (["lorewright", "--version"], 14, 0)


@pytest.mark.parametrize(
    ("expected", "actual", "agree"),
    [
        ("a\nb", "a  \nb\n\n", True),
        ("a\nb", "a\nc", False),
        ("a\n...", "a\nb\nc", True),
        ("a\n...\nd", "a\nb\nc\nd", True),
        ("...\nb\n...", "a\nb\nc", True),
        ("a\n...\nd", "a\nb\nc", False),
        ("a\n...\nb", "a\nb", True),
        ("a", "", False),
    ],
)
def test_outputs_agree(expected, actual, agree):
    assert outputs_agree(expected.splitlines(), actual.splitlines()) is agree


def test_a_wrong_output_is_noticed():
    with pytest.raises(AssertionError, match="out of date"):
        run_python(Block("python", "print(1 + 1)", 3, 5), ["3"], {}, "here")


# --- the links


@pytest.mark.parametrize("path", documents(ROOT), ids=local)
def test_links_lead_somewhere(path):
    broken = []
    for target in read_links(path.read_text("utf-8")):
        name, _, anchor = target.partition("#")
        goal = (path.parent / name).resolve() if name else path
        if not goal.exists() or (
            anchor and goal.suffix == ".md" and anchor not in read_anchors(goal.read_text("utf-8"))
        ):
            broken.append(target)

    assert broken == []


def test_the_index_lists_every_decision():
    index = (DOCS / "index.md").read_text("utf-8")
    missing = [path.name for path in sorted((DOCS / "adr").glob("*.md")) if f"adr/{path.name}" not in index]

    assert missing == []


def test_decisions_name_the_test_that_guards_them():
    for path in sorted((DOCS / "adr").glob("*.md")):
        text = path.read_text("utf-8")
        for heading in ("## Context", "## Decision", "## Consequences", "## Guarded by"):
            assert heading in text, f"{path.name} has no `{heading}`"


# --- the names


@pytest.mark.parametrize(
    ("module", "record", "page"),
    [
        ("lorewright.core.model", "Entry", "reference/entry-fields.md"),
        ("lorewright.core.policy", "Settings", "reference/settings.md"),
        ("lorewright.core.policy", "Switches", "reference/profiles.md"),
        ("lorewright.core.policy", "RowRules", "reference/profiles.md"),
    ],
)
def test_every_field_is_documented(module, record, page):
    fields = dataclasses.fields(getattr(__import__(module, fromlist=[record]), record))
    assert (DOCS / page).is_file(), f"docs/{page} is not written yet"
    text = (DOCS / page).read_text("utf-8")
    missing = [field.name for field in fields if f"`{field.name}`" not in text]

    assert missing == [], f"docs/{page} does not say what these are"
