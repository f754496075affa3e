"""A rules file in use: loaded, edited on disk, broken, saved, let go; and what its status says of each."""

import json
import os
import platform
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest

from lorewright.errors import FormatError, InputError, LorewrightError
from lorewright.formats.imported import Notes
from lorewright.formats.native.read import parse_native
from lorewright.rules import RulesFile, file, inject
from tests.rules.prompts import EVERYTHING, TOOLS, turn, user

MOMENT = datetime(2026, 10, 8, 0, 49, 48, tzinfo=UTC)
COUNTED: dict[str, object] = {
    "entries": 16,
    "enabled": 13,
    "systemSections": 11,
    "messageContexts": 2,
    "declaredChannel": {"system": 12, "message": 1},
    "byChannel": {"system": 11, "message": 2},
    "cacheSafe": True,
    "cacheRouted": 1,
}


@pytest.fixture
def path(tmp_path):
    made = tmp_path / "lorebook-prompt.yaml"
    made.write_text(EVERYTHING, "utf-8")
    return made


def opened(path, **options):
    return RulesFile(path, TOOLS.regexes, clock=lambda: MOMENT, **options)


def status(rules):
    return json.loads(rules.status_path.read_bytes())


def expected(path, event, **changes):
    """The status by hand, after the table of the specification."""
    return {
        "plugin": "lorewright",
        "event": event,
        "at": "2026-10-08T00:49:48.000Z",
        "pid": os.getpid(),
        "runtime": f"Python {platform.python_version()}",
        "rulesPath": str(path),
        **COUNTED,
        "settingsApi": False,
        "settingsApiPath": "/lorebook-prompt",
        "migratedFrom": None,
    } | changes


def texts(rules):
    return {section.name: section.text for section in inject(turn(user("hi")), rules.current(), TOOLS).sections}


def test_no_status_means_never_loaded(path):
    rules = opened(path)

    assert rules.current() is None
    assert not rules.status_path.exists()


def test_loaded(path):
    rules = opened(path, has_settings_api=True)

    assert rules.load() is rules.current()
    assert rules.status_path.name == "lorebook-prompt.status.json"
    assert status(rules) == expected(path, "loaded", settingsApi=True)


def test_an_edit_on_disk_is_in_force_with_the_next_question(path):
    rules = opened(path)
    rules.load()
    before = texts(rules)
    path.write_text(EVERYTHING.replace("content: late", "content: later"), "utf-8")

    assert texts(rules) == before | {"lorebook-prompt:layer-late": "later"}
    assert status(rules) == expected(path, "reloaded")


def test_an_edit_of_the_same_size_and_time_is_seen(path):
    rules = opened(path)
    rules.load()
    stat = path.stat()
    path.write_text(EVERYTHING.replace("content: late", "content: LATE"), "utf-8")
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))

    assert texts(rules)["lorebook-prompt:layer-late"] == "LATE"


def test_a_file_that_is_only_touched_is_not_loaded_again(path):
    rules = opened(path)
    first = rules.load()
    os.utime(path)

    assert not rules.refresh()
    assert rules.current() is first
    assert status(rules)["event"] == "loaded"


@pytest.mark.parametrize("broken", ["entries: [", '{"entries": 1}', "", "\x00\xff", "- a\n"])
def test_a_broken_edit_leaves_the_last_good_rules(path, broken):
    rules = opened(path)
    good = rules.load()
    path.write_bytes(broken.encode("latin-1"))

    assert rules.current() is good
    assert rules.error
    assert status(rules) == expected(path, "error", detail=rules.error)

    path.write_text(EVERYTHING, "utf-8")
    assert texts(rules)["lorebook-prompt:layer-late"] == "late"
    assert rules.error is None
    assert status(rules) == expected(path, "reloaded")


def test_a_file_that_goes_away_and_comes_back(path):
    rules = opened(path)
    good = rules.load()
    path.unlink()

    assert rules.current() is good
    assert status(rules)["event"] == "error"
    assert str(path) in status(rules)["detail"]

    path.write_text(EVERYTHING, "utf-8")
    assert rules.refresh()
    assert status(rules)["event"] == "reloaded"


def test_an_edit_soon_after_the_last_look_is_seen_later_too(path, monkeypatch):
    """A file system may give two edits one time stamp; a look between them must not hide the second for good."""
    rules = opened(path)
    rules.load()
    stat = path.stat()
    path.write_text(EVERYTHING.replace("content: late", "content: LATE"), "utf-8")
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    monkeypatch.setattr("lorewright.rules.file.time.time_ns", lambda: stat.st_mtime_ns + 3_600_000_000_000)

    assert texts(rules)["lorebook-prompt:layer-late"] == "LATE"


def test_a_file_that_is_settled_is_not_read_again(path, monkeypatch):
    rules = opened(path)
    monkeypatch.setattr("lorewright.rules.file.time.time_ns", lambda: path.stat().st_mtime_ns + 3_600_000_000_000)
    first = rules.load()
    monkeypatch.setattr(file, "_read_bytes", None)

    assert rules.current() is first


def test_a_file_that_cannot_be_read_for_a_while(path, monkeypatch):
    rules = opened(path)
    good = rules.load()
    reading = file._read_bytes

    def refuse(_):
        raise InputError("no permission")

    monkeypatch.setattr(file, "_read_bytes", refuse)
    os.utime(path, ns=(0, 0))
    assert rules.current() is good
    assert status(rules)["detail"] == "no permission"

    monkeypatch.setattr(file, "_read_bytes", reading)
    assert rules.refresh()
    assert status(rules) == expected(path, "reloaded")


def test_nothing_good_yet(tmp_path):
    path = tmp_path / "rules.json"
    rules = opened(path)

    assert rules.load() is None
    nothing = {"system": 0, "message": 0}
    zero = dict.fromkeys(("entries", "enabled", "systemSections", "messageContexts", "cacheRouted"), 0)
    assert status(rules) == expected(
        path, "error", detail=rules.error, **zero, declaredChannel=nothing, byChannel=nothing
    )

    path.write_text('{"entries": []}', "utf-8")
    assert rules.current() is not None
    assert status(rules)["event"] == "loaded"


def test_unloaded(path):
    rules = opened(path)
    rules.load()
    rules.unload()

    assert rules.current() is None
    assert status(rules) == expected(
        path, "unloaded", systemSections=0, messageContexts=0, byChannel={"system": 0, "message": 0}
    )

    path.write_text('{"entries": []}', "utf-8")
    assert not rules.refresh()
    assert status(rules)["event"] == "unloaded"


# --- saving


def value_of(text):
    return parse_native(text, Notes())


def test_a_save_changes_one_line_and_keeps_comments_and_unknown_fields(path):
    rules = opened(path)
    value = value_of(EVERYTHING)
    rules.load()
    dragon = next(entry for entry in value["entries"] if entry["id"] == "dragon")
    dragon |= {
        "content": "It wakes.",
        "effectiveChannel": "message",
        "routedForCache": True,
        "sortKey": [3150, 10, "x"],
    }

    rules.save(value)

    assert path.read_text("utf-8") == EVERYTHING.replace("content: The dragon sleeps.", "content: It wakes.")
    assert status(rules) == expected(path, "saved")
    assert not rules.refresh()
    assert status(rules)["event"] == "saved"


def test_a_save_of_json(tmp_path):
    path = tmp_path / "rules.json"
    value: dict[str, Any] = {
        "note": {"kept": [1, 2.50]},
        "entries": [{"content": "a", "mood": None}, {"id": "b", "content": "b"}],
    }
    path.write_text(json.dumps(value), "utf-8")
    rules = opened(path)
    loaded = rules.load()
    assert [rule.id for rule in loaded.rules] == ["entry-1", "b"]
    shown = {
        **value,
        "entries": [{"id": rule.id, **entry} for rule, entry in zip(loaded.rules, value["entries"], strict=True)],
    }

    rules.save(shown)

    assert json.loads(path.read_bytes()) == value


def test_rules_that_are_none_are_not_saved(path):
    rules = opened(path)
    rules.load()

    with pytest.raises(FormatError):
        rules.save({"entries": "many"})
    assert path.read_text("utf-8") == EVERYTHING
    assert status(rules)["event"] == "loaded"


@pytest.mark.parametrize("field", ["id", "keys", "content", "order", "enabled", "layer", "x"])
@pytest.mark.parametrize("odd", [[], ["a"], {}, {"a": []}, None, 1.5, True, "\ud800", "a\nb"])
def test_an_entry_with_an_odd_value_is_saved_or_refused(path, field, odd):
    rules = opened(path)
    rules.load()

    with suppress(LorewrightError):
        rules.save({"entries": [{"id": "a", "content": "b", field: odd}]})
        assert status(rules)["event"] == "saved"


def test_a_broken_file_is_not_written_over(path):
    rules = opened(path)
    rules.load()
    path.write_text("entries: [", "utf-8")

    with pytest.raises(InputError, match="not written over"):
        rules.save({"entries": []})
    assert path.read_text("utf-8") == "entries: ["


@pytest.mark.parametrize("name", ["new.json", "new.yaml"])
def test_a_new_file_is_made_by_its_name(tmp_path, name):
    path = tmp_path / name
    rules = opened(path)
    rules.save({"entries": [{"id": "a", "content": "b"}]})

    assert value_of(path.read_text("utf-8")) == {"entries": [{"id": "a", "content": "b"}]}
    assert path.read_text("utf-8").startswith("{") is name.endswith("json")
    assert status(rules)["event"] == "saved"


def test_a_status_that_cannot_be_written_stops_nothing(path):
    rules = opened(path)
    rules.status_path.mkdir()

    assert rules.load() is not None
    assert "cannot be written" in rules.status_error


# --- an older name


def test_an_older_name_is_taken_over_once(tmp_path):
    older = tmp_path / "rules.json"
    older.write_text('{"entries": [{"id": "a", "content": "b"}]}', "utf-8")
    rules = RulesFile.in_folder(tmp_path, TOOLS.regexes, clock=lambda: MOMENT)
    rules.load()

    assert not older.exists()
    assert rules.path == tmp_path / "lorebook-prompt.json"
    assert status(rules)["migratedFrom"] == str(older)

    again = RulesFile.in_folder(tmp_path, TOOLS.regexes)
    again.load()
    assert status(again)["migratedFrom"] is None


def test_somebody_elses_file_is_left_alone(tmp_path):
    other = tmp_path / "rules.json"
    other.write_text('{"rules": []}', "utf-8")
    rules = RulesFile.in_folder(tmp_path, TOOLS.regexes)

    assert rules.load() is None
    assert other.exists()
    assert status(rules)["migratedFrom"] is None
