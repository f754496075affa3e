"""Timed effects as a SillyTavern chat keeps them (spec world-info §7: key book.uid, value hash, start, end, protected)."""

import json

import pytest

from lorewright.core.model import State, Timer
from lorewright.formats.chat import read_chat_lines
from lorewright.formats.chat_timers import read_timers, with_timers
from lorewright.formats.chat_write import write_chat_lines
from lorewright.formats.imported import Notes
from tests.formats.chats import chat

RECORD = {"hash": 5, "start": 1, "end": 4, "protected": False}


def timed(value):
    header = json.dumps({"chat_metadata": {"timedWorldInfo": value}}).replace("Infinity", "1e999")
    return read_chat_lines(header).value


def read(value):
    notes = Notes()
    return read_timers(timed(value), notes), [report.field for report in notes.reports()]


def test_the_effects_of_a_chat():
    notes = Notes()

    assert read_timers(chat("timers"), notes) == State(
        sticky={"isles.3": Timer("4503599627370495", 2, 6), "elsewhere.9": Timer("17", 1, 40)},
        cooldown={"isles.4": Timer("281474976710655", 3, 9, protected=True)},
    )
    assert notes.reports() == ()


@pytest.mark.parametrize("name", ["single", "old", "swipes"])
def test_chats_without_effects(name):
    assert read_timers(chat(name), Notes()) == State()


@pytest.mark.parametrize("odd", [5, "x", [RECORD], True])
def test_effects_that_are_no_object(odd):
    assert read(odd) == (State(), ["chat_metadata.timedWorldInfo"])
    assert read({"sticky": odd}) == (State(), ["chat_metadata.timedWorldInfo.sticky"])


@pytest.mark.parametrize(
    "record",
    [
        None,
        "soon",
        [],
        {},
        {**RECORD, "hash": "5"},
        {**RECORD, "start": None},
        {**RECORD, "end": None},
        {**RECORD, "end": True},
        {**RECORD, "end": float("inf")},
        {**RECORD, "end": 10**400},
    ],
)
def test_an_odd_record_is_reported_and_stays(record):
    kept = timed({"sticky": {"b.1": record, "b.2": RECORD}})

    found, fields = read({"sticky": {"b.1": record, "b.2": RECORD}})
    assert (found, fields) == (State({"b.2": Timer("5", 1, 4)}), ["chat_metadata.timedWorldInfo.sticky.b.1"])
    written = write_chat_lines(with_timers(kept, State()))
    assert written == "\n".join(kept.source.lines).replace(f', "b.2": {json.dumps(RECORD)}', "")


@pytest.mark.parametrize(("value", "expected"), [(1, True), ("", False), (None, False), ([], True)])
def test_protected_is_read_as_javascript_reads_it(value, expected):
    assert read({"cooldown": {"b.1": {**RECORD, "protected": value}}})[0].cooldown["b.1"].protected is expected


def test_the_same_effects_change_nothing():
    for name in ("timers", "odd", "single"):
        before = chat(name)
        assert with_timers(before, read_timers(before, Notes())) is before


def test_unknown_members_of_a_record_stay_with_it():
    before = timed({"sticky": {"b.1": {**RECORD, "mine": 1}}, "mine": 2})

    after = with_timers(before, State({"b.1": Timer("5", 1, 4), "b.2": Timer("6", 2, 3)}))

    found = json.loads(write_chat_lines(after))["chat_metadata"]["timedWorldInfo"]
    assert (found["sticky"]["b.1"], found["mine"]) == ({**RECORD, "mine": 1}, 2)
