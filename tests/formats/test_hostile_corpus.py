"""A small run of the hostile files, in a process of its own: its memory is measured, and it can be stopped."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_hostile_files_do_no_harm():
    done = subprocess.run(
        [sys.executable, "-m", "tests.formats.hostile_corpus", "300", "1"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("none did harm\n")
