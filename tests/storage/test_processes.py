"""Processes that use a file: alive as long as they are, dead at once when they are not."""

import subprocess
import sys
from contextlib import contextmanager

import pytest

from lorewright.storage.processes import enter, is_alive, sweep

OTHER = """
import sys
from pathlib import Path
from lorewright.storage.processes import enter
print(enter(Path(sys.argv[1])).name, flush=True)
sys.stdin.read()
"""


@contextmanager
def another(file):
    """A process that uses the file; it is killed at the end, without a chance to say so."""
    other = subprocess.Popen(
        [sys.executable, "-c", OTHER, str(file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
    )
    assert other.stdout is not None
    assert other.stdin is not None
    try:
        yield other.stdout.readline().strip()
    finally:
        other.kill()
        other.wait()
        other.stdout.close()
        other.stdin.close()


@pytest.fixture
def file(tmp_path):
    return tmp_path / "a.ledger"


def left_of(file):
    folder = file.with_name("a.ledger-processes")
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else None


def test_who_uses_the_file_is_alive_until_it_leaves(file):
    one, two = enter(file), enter(file)

    assert (is_alive(file, one.name), is_alive(file, two.name)) == (True, True)
    one.leave()
    assert (is_alive(file, one.name), is_alive(file, two.name)) == (False, True)
    two.leave()
    two.leave()
    assert not is_alive(file, two.name)
    assert left_of(file) is None


def test_another_process_is_alive_until_it_is_killed(file):
    with another(file) as name:
        assert [is_alive(file, name) for _ in range(3)] == [True] * 3
        sweep(file)
        assert is_alive(file, name)

    assert not is_alive(file, name)
    assert left_of(file) == [name]
    sweep(file)
    assert left_of(file) == []


def test_looking_at_ones_own_name_keeps_the_lock(file):
    """A process loses its locks on a file when it closes the file."""
    mine = enter(file)
    is_alive(file, mine.name)
    sweep(file)
    look = "import sys; from pathlib import Path; from lorewright.storage.processes import is_alive; "
    done = subprocess.run(
        [sys.executable, "-c", f"{look}print(is_alive(Path(sys.argv[1]), sys.argv[2]))", str(file), mine.name],
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    mine.leave()

    assert done.stdout.strip() == "True"


@pytest.mark.parametrize("name", ["", ".", "../a.ledger", "0123456789abcdef", "x" * 16, "/etc/passwd"])
def test_a_name_that_nobody_has_is_dead(name, file):
    file.write_bytes(b"")

    assert not is_alive(file, name)


def test_what_is_no_lock_stays_there(file):
    folder = file.with_name("a.ledger-processes")
    folder.mkdir()
    (folder / "notes.txt").write_text("mine", "utf-8")
    enter(file).leave()
    sweep(file)

    assert left_of(file) == ["notes.txt"]


def test_where_no_lock_can_be_made_that_is_said(file, tmp_path):
    file.with_name("a.ledger-processes").write_bytes(b"a file")

    with pytest.raises(OSError, match="ledger-processes"):
        enter(file)
    with pytest.raises(OSError, match="none"):
        enter(tmp_path / "none" / "a.ledger")
    sweep(file)
