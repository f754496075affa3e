"""The shape of the house: a pure core, imports in one direction, a known front door, files with one noun."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from tests.purity import find_impurities, imported_modules

ROOT = Path(__file__).resolve().parent.parent
SRC = ROOT / "src"
PYTHON_FOLDERS = ("src", "tests", "benchmarks", "examples", "scripts")
SOURCES = sorted(path for folder in PYTHON_FOLDERS for path in (ROOT / folder).rglob("*.py"))
CORE = sorted((SRC / "lorewright" / "core").rglob("*.py"))

MAX_LINES = 400
# Longer files and why. This list only shrinks: split the file and take its line out.
LONG_FILES: dict[str, str] = {}

DRAWERS = frozenset("common helper helpers manager managers misc util utils".split())


def name_of(path: Path) -> str:
    parts = list(path.relative_to(SRC).with_suffix("").parts)
    return ".".join(parts)


def local(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


# --- the database is known in one room


def test_only_storage_speaks_to_the_database():
    """And the reader of knowledge files, which are SQLite files of another program (ADR 0037)."""
    speaking = {
        local(path)
        for path in sorted((SRC / "lorewright").rglob("*.py"))
        for _, name in imported_modules(path.read_text("utf-8"), name_of(path))
        if name.partition(".")[0] == "sqlite3"
    }

    assert speaking == {"src/lorewright/storage/sqlite.py", "src/lorewright/formats/static_knowledge.py"}


# --- the core is pure


@pytest.mark.parametrize("path", CORE, ids=local)
def test_core_does_not_look_outside(path):
    found = [f"{local(path)}:{line} {what}" for line, what in find_impurities(path.read_text("utf-8"), name_of(path))]

    assert found == []


IMPURE = {
    "third party": "import regex",
    "another room": "from lorewright.fast import Automaton",
    "the package itself": "from lorewright import assemble",
    "a room, relative": "from .. import fast",
    "a clock": "import time",
    "a clock inside a function": "def f():\n    from time import monotonic",
    "a clock by attribute": "t = time.time()",
    "a calendar": "from datetime import datetime\nx = datetime.now()",
    "a calendar by module": "import datetime\nx = datetime.date.today()",
    "randomness": "from random import random",
    "randomness by attribute": "x = random.random()",
    "secrets": "import secrets",
    "an identifier": "import uuid",
    "the system": "import os.path",
    "the environment": "x = os.environ['HOME']",
    "the environment by a name": "x = system.getenv('HOME')",
    "files": "from pathlib import Path",
    "streams": "import io",
    "standard input": "import sys\nx = sys.stdin.read()",
    "network": "import socket",
    "logging": "import logging",
    "processes": "import subprocess",
    "an event loop": "import asyncio",
    "threads": "import threading",
    "open": "x = open('f')",
    "open under another name": "read = open",
    "input": "x = input()",
    "print": "print('x')",
    "eval": "x = eval('1')",
    "exec": "exec('x = 1')",
    "a hidden import": "x = __import__('os')",
}


@pytest.mark.parametrize("source", IMPURE.values(), ids=IMPURE.keys())
def test_the_purity_check_sees(source):
    assert list(find_impurities(source, "lorewright.core.example"))


def test_the_purity_check_lets_pure_code_pass():
    source = (
        "from __future__ import annotations\n"
        "import re\n"
        "from collections.abc import Mapping\n"
        "from datetime import datetime\n"
        "from lorewright.core.model import Book\n"
        "from lorewright.errors import InputError\n"
        "from . import model\n"
        "from .. import errors\n"
        "PATTERN = re.compile('x')\n"
        "def is_open(gate, now: datetime):\n"
        "    return gate.now < now\n"
    )

    assert list(find_impurities(source, "lorewright.core.example")) == []


# --- imports go one way


def test_rooms_import_towards_the_core():
    program = "import sys; from importlinter.cli import lint_imports_command; sys.exit(lint_imports_command())"
    done = subprocess.run(
        [sys.executable, "-c", program, "--cache-dir", ".cache/import-linter"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr


def test_nothing_we_ship_needs_the_testing_room():
    found = [
        f"{local(path)}:{line} imports `{name}`"
        for path in sorted((SRC / "lorewright").rglob("*.py"))
        if "testing" not in path.relative_to(SRC / "lorewright").parts
        for line, name in imported_modules(path.read_text("utf-8"), name_of(path))
        if name.startswith("lorewright.testing")
    ]

    assert found == []


# --- the front door is known


def test_public_names_are_pinned():
    lorewright = importlib.import_module("lorewright")
    pinned = (ROOT / "tests" / "public_names.txt").read_text("utf-8").split()

    assert pinned == sorted(set(pinned)), "tests/public_names.txt: one name a line, sorted"
    assert sorted(lorewright.__all__) == pinned, "a public name came or went: change tests/public_names.txt on purpose"


def test_public_names_say_what_they_are():
    lorewright = importlib.import_module("lorewright")
    # A constant has its type's docstring, or none; what it is stands in the reference pages.
    silent = [
        name
        for name in lorewright.__all__
        if (isinstance(value := getattr(lorewright, name), type) or callable(value))
        and (not (value.__doc__ or "").strip() or (value.__doc__ or "").startswith(f"{name}("))
    ]

    assert silent == [], "without a docstring of their own"


# --- files have one noun


def test_no_file_is_a_drawer_for_anything():
    found = [local(path) for path in SOURCES if path.stem.strip("_") in DRAWERS or path.parent.name in DRAWERS]

    assert found == [], "name a file after the thing in it"


@pytest.mark.parametrize("path", SOURCES, ids=local)
def test_files_fit_into_the_head(path):
    lines = len(path.read_text("utf-8").splitlines())

    if local(path) in LONG_FILES:
        assert lines > MAX_LINES, "short again: take it out of LONG_FILES"
    else:
        assert lines <= MAX_LINES, f"{lines} lines: split it by its nouns"


def test_long_files_exist_and_have_reasons():
    for name, reason in LONG_FILES.items():
        assert (ROOT / name).is_file(), name
        assert len(reason) > 20, name
