"""Files that commands write: never half, never over something by accident, and only over files."""

import os
import stat
from pathlib import Path

import pytest

from lorewright.cli.files import check_free, write_bytes
from lorewright.errors import InputError


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path):
    pipe = tmp_path / "pipe.json"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_bytes(str(pipe), b"lore")

        assert os.read(reader, 10) == b"lore"
        assert stat.S_ISFIFO(pipe.stat().st_mode)
    finally:
        os.close(reader)


def test_a_file_that_is_written_over_keeps_its_rights(tmp_path):
    path = tmp_path / "private.json"
    path.write_bytes(b"old")
    path.chmod(0o600)

    write_bytes(str(path), b"new")

    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_link_stays_a_link(tmp_path):
    target, link = tmp_path / "target.json", tmp_path / "link.json"
    target.write_bytes(b"old")
    link.symlink_to(target)

    write_bytes(str(link), b"new")

    assert link.is_symlink()
    assert target.read_bytes() == b"new"


@pytest.mark.parametrize(("path", "word"), [("", "empty"), ("n" * 300, "too long")])
def test_a_name_that_can_be_none_is_refused_with_a_sentence(path, word):
    with pytest.raises(InputError, match=word):
        check_free(path, force=False)


def test_nothing_is_left_beside_a_file_that_could_not_be_written(tmp_path):
    (tmp_path / "folder").mkdir()

    with pytest.raises(InputError, match="directory"):
        write_bytes(str(tmp_path / "folder"), b"x")

    assert [path.name for path in Path(tmp_path).iterdir()] == ["folder"]


def test_the_folder_of_an_import_must_be_a_folder(shop):
    path = shop.book({"key": ["a"]})

    result = shop.run("import", path, "--into", path)

    assert result.exit_code == 2
    assert result.stderr.endswith("the folder cannot be made: File exists.\n")
