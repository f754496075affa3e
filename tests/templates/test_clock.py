"""Instants in a zone."""

from zoneinfo import ZoneInfo

from lorewright.templates.clock import Clock
from lorewright.templates.date_texts import parse_date, parse_send_date
from lorewright.templates.dates import format_date, format_now


def test_a_zone_with_summer_time_decides_the_offset():
    berlin = ZoneInfo("Europe/Berlin")

    assert format_now(Clock(1_714_566_896_789, zone=berlin), "HH:mm Z") == "14:34 +02:00"
    assert format_now(Clock(1_704_067_200_000, zone=berlin), "HH:mm Z") == "01:00 +01:00"
    assert parse_date("2024-07-01 12:00", Clock(zone=berlin)) == 1_719_828_000_000
    assert parse_date("2024-01-01 12:00", Clock(zone=berlin)) == 1_704_106_800_000


def test_years_that_python_has_not_use_the_fixed_offset():
    assert format_now(Clock(253_402_300_800_000, 60, ZoneInfo("Europe/Berlin")), "YYYY HH") == "10000 01"


def test_times_of_messages():
    clock = Clock(utc_offset_minutes=60)

    assert parse_send_date("2024-05-01@11h31m37s123ms", clock) == 1_714_563_097_123
    assert parse_send_date("1714561200000", clock) == parse_send_date(1_714_561_200_000, clock) == 1_714_561_200_000
    assert parse_send_date("May 1, 2024 2:20pm", clock) == 1_714_569_600_000
    assert parse_send_date(None, clock) is None
    assert parse_send_date(True, clock) is None


def test_an_instant_beyond_javascript_is_no_date():
    assert format_date(8.64e15 + 1, 0, "YYYY") == "Invalid date"
    assert format_date(float("nan"), 0, "YYYY") == "Invalid date"
