"""`check`: its output and its exit code. What is found is tested in `tests/lint`."""

import pytest

from lorewright.cli.screen import count

GOOD = {"key": ["dragon"], "content": "x"}


def test_a_sound_book(shop):
    book = shop.book(GOOD)
    result = shop.run("check", book)

    assert (result.exit_code, result.stdout) == (0, f"== {book}: 0 findings\n")
    assert shop.json("check", book) == []


def test_a_finding_names_level_place_and_code(shop):
    book = shop.book(GOOD, {"content": "x", "comment": "Nobody"})
    result = shop.run("check", book)

    assert result.exit_code == 1
    assert result.stdout == (
        f"== {book}: 1 finding\n"
        "warning: world.1 keys: The entry has no key that can match and is not constant, so it is never active. "
        "[never_active]\n"
    )
    assert shop.json("check", book) == [
        {
            "code": "never_active",
            "level": "warning",
            "book": "world",
            "entry": "world.1",
            "field": "keys",
            "message": "The entry has no key that can match and is not constant, so it is never active.",
        }
    ]


def test_infos_alone_are_no_failure(shop):
    result = shop.run("check", shop.book({"key": ["dragon"]}))

    assert result.exit_code == 0
    assert "[content_empty]" in result.stdout


def test_many_findings_of_one_code_are_cut_for_people_only(shop):
    book = shop.book(*({"content": "x"} for _ in range(5)))

    assert "... and 2 more of [never_active]; --json lists them." in shop.run("check", book).stdout
    assert len(shop.json("check", book)) == 5


def test_several_books(shop):
    found = shop.json("check", shop.book({"content": "x"}, name="a.json"), shop.book({"content": "x"}, name="b.json"))

    assert [finding["entry"] for finding in found] == ["a.0", "b.0"]


def test_profile_settings_and_context_count(shop):
    book = shop.book({"key": ["  "], "content": "x" * 400})

    def codes(*words):
        return {finding["code"] for finding in shop.json("check", book, *words)}

    settings = shop.write("s.json", {"budget": 10, "maxContext": 500})
    assert codes() == {"key_blank", "never_active"}
    assert codes("--profile", "sillytavern") == {"key_matches_all"}
    assert codes("--context-tokens", "100") == {"key_blank", "never_active", "entry_over_budget"}
    assert codes("--settings", settings) == {"key_blank", "never_active", "entry_over_budget"}


def test_what_the_reader_noted_is_a_finding(shop):
    book = shop.write(
        "world.json",
        {
            "entries": {
                "0": {"uid": 0, "key": ["a"], "content": "x", "position": 0, "order": 1, "constant": "true"},
                "1": {"uid": 0, "key": ["b"], "content": "x", "position": 0, "order": 1},
            }
        },
    )

    assert [(finding["code"], finding["entry"]) for finding in shop.json("check", book)] == [
        ("bool_as_string", "world.0"),
        ("uid_duplicate", "world.0#2"),
    ]


@pytest.mark.parametrize(
    ("number", "noun", "expected"), [(1, "entry", "1 entry"), (0, "entry", "0 entries"), (2, "token", "2 tokens")]
)
def test_numbers_with_nouns(number, noun, expected):
    assert count(number, noun) == expected


def test_code_that_is_not_closed_is_found(shop):
    book = shop.book(GOOD | {"content": "a\n<% if (true) { %> b <% "}, GOOD | {"content": "<%= 1 %>"})

    found = [one for one in shop.json("check", book) if one["code"] == "code_broken"]

    assert [one["entry"] for one in found] == ["world.0"]
    assert "line 2" in found[0]["message"]


def test_a_condition_that_does_not_compile_is_found(shop):
    book = shop.book(GOOD | {"content": "@@if getvar('hp' <\nx"})

    assert "code_broken" in [one["code"] for one in shop.json("check", book)]


def test_where_there_is_no_code_none_is_broken(shop):
    book = shop.book(GOOD | {"content": "a <% b"})

    assert "code_broken" not in [one["code"] for one in shop.json("check", book, "--profile", "risu")]
