"""A name by which a format is known, with a value that it never has: said, and never passed over in silence."""

import json
import os

import pytest

from lorewright.errors import FormatError
from lorewright.formats.inspect import inspect_file


@pytest.mark.parametrize(
    "value",
    [
        {"lorebookVersion": "5", "entries": []},
        {"lorebookVersion": None, "entries": {"0": {"uid": 0, "key": ["a"], "content": "b"}}},
        {"scenarioVersion": "x", "entries": {}},
        {"spec": 3, "entries": {"0": {"uid": 0, "key": ["a"], "content": "b"}}},
    ],
)
def test_a_sign_with_another_value(value):
    found = inspect_file(json.dumps(value).encode())

    assert [note.code for note in found.reports] == ["format_doubtful"]
    assert (found.format, found.confidence) == ("st_worldinfo", 0.7)


def test_a_lorebook_newer_than_known():
    found = inspect_file(b'{"lorebookVersion": 7, "entries": []}')

    assert [(note.code, note.place) for note in found.reports] == [("version_newer", "/lorebookVersion")]
    assert inspect_file(b'{"lorebookVersion": 6, "entries": []}').reports == ()


def test_a_pipe_without_a_writer_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")

    with pytest.raises(FormatError, match="a pipe, not a file"):
        inspect_file(tmp_path / "pipe")


def test_text_of_no_format_names_three():
    with pytest.raises(FormatError) as caught:
        inspect_file(b"Just words that say nothing")

    assert caught.value.facts["nearest"] == ("markdown_lorebook", "native_yaml", "card_yaml")
    assert len(caught.value.message) < 250
