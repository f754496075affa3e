"""The examples print what their `expected.txt` says."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parent.parent.parent / "examples"
PROGRAMS = [
    EXAMPLES / "01-engine-only" / "demo.py",
    EXAMPLES / "02-python-api" / "why.py",
    EXAMPLES / "03-gateway-any-client" / "demo.py",
    EXAMPLES / "04-replay-and-diff" / "replay.py",
    EXAMPLES / "05-authority" / "authority.py",
    EXAMPLES / "06-presets" / "presets.py",
]

CHANGING = ((r"127\.0\.0\.1:\d+", "127.0.0.1:PORT"), (r"turns/1-[0-9a-f]{32}", "turns/TURN"))
"""What is another each time, and what stands in its place in the files."""


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.parent.name)
def test_examples_print_what_they_promise(program, tmp_path):
    environment = {name: value for name, value in os.environ.items() if name not in {"FORCE_COLOR", "CLICOLOR_FORCE"}}
    done = subprocess.run(
        [sys.executable, program],
        cwd=tmp_path,
        env=environment | {"PYTHONUTF8": "1", "NO_COLOR": "1"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )

    assert done.stderr == ""
    assert done.returncode == 0
    printed = done.stdout
    for pattern, name in CHANGING:
        printed = re.sub(pattern, name, printed)
    assert printed == (program.parent / "expected.txt").read_text("utf-8")
