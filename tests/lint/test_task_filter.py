"""Findings about the settings of a task's filter."""

import pytest

from lorewright.lint import check_task_filter

MODE, WORDS = "worldInfoFilterMode", "worldInfoFilterCustomKeywords"


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, []),
        ({MODE: "custom", WORDS: "a,b"}, []),
        ({MODE: " custom ", WORDS: ""}, []),
        ({MODE: "default"}, []),
        ({MODE: None, WORDS: None}, []),
        ({MODE: "Custom"}, ["task_filter_unknown_mode"]),
        ({WORDS: "a"}, ["task_filter_idle_keywords"]),
        ({MODE: "custom", WORDS: "BME，测试"}, ["task_filter_joined_keywords"]),
        ({MODE: "custom", WORDS: "a、b;c"}, ["task_filter_joined_keywords"] * 2),
        (
            {MODE: "x", WORDS: "a，b"},
            ["task_filter_unknown_mode", "task_filter_idle_keywords", "task_filter_joined_keywords"],
        ),
    ],
)
def test_findings(settings, expected):
    assert [finding.code for finding in check_task_filter(settings)] == expected
