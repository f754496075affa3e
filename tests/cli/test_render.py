"""`lorewright render`, and the clock and variables of `weave`."""

import json

import pytest

EVENING = "2026-11-30T18:05:00+01:00"


def test_a_text_is_printed_with_what_it_touched(shop):
    shown = shop.run("render", "{{time}} {{incvar::day}}", "--vars", '{"day": 3}', "--clock", EVENING).stdout

    assert shown.splitlines() == [
        "    6:05 PM 4",
        "kind   clock, state, writes",
        "reads  clock, local:day",
        "writes local:day = 4",
    ]


def test_json_names_scopes_and_removed_variables(shop):
    found = shop.json(
        "render", "{{deletevar::a}}{{addglobalvar::b::2}}{{getglobalvar::b}}", "--vars", '{"a": 1, "global:b": 3}'
    )

    (text,) = found["texts"]
    assert (text["text"], text["writes"]) == ("5", {"local:a": None, "global:b": 5})


def test_every_entry_of_a_book_is_rendered_by_itself(shop):
    book = shop.book(
        {"content": "@@depth 3\n{{setvar::a::1}}{{char}}"}, {"content": "{{getvar::a}}!"}, {"content": "plain"}
    )
    found = shop.json("render", book, "--char", "Ana")

    assert [(text["entry"], text["text"]) for text in found["texts"]] == [
        ("world.0", "Ana"),
        ("world.1", "!"),
        ("world.2", "plain"),
    ]
    assert "1 of 3 texts have no macros and no code." in shop.run("render", book).stdout


@pytest.mark.parametrize(
    ("dialect", "text", "gives"),
    [
        ("cbs", "{{#if 1}}{{getvar::a}}{{/if}}", "7"),
        ("bme", "{{a}}", "7"),
        ("host-strict", "{{a}}", "7"),
        ("rules", "{{a}}", "7"),
        ("sillytavern-legacy", "{{getvar::a}}", "7"),
    ],
)
def test_dialects(shop, dialect, text, gives):
    assert shop.json("render", text, "--dialect", dialect, "--vars", '{"a": 7}')["texts"][0]["text"] == gives


def test_the_seed_decides_the_draws(shop):
    text = "{{roll::1d1000}} {{roll::1d1000}}"
    found = [shop.json("render", text, "--seed", seed)["texts"][0]["text"] for seed in ("a", "a", "b")]

    assert found[0] == found[1] != found[2]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--clock", "noon"), "--clock noon: write a time"),
        (("--vars", "{"), "--vars"),
        (("--vars", "nothing.json"), "nothing.json"),
    ],
)
def test_what_cannot_be_used_is_told(shop, words, says):
    result = shop.run("render", "x", *words)

    assert result.exit_code == 2
    assert says in result.stderr


def test_a_file_that_is_not_there_is_no_text(shop):
    assert shop.run("render", "nothing.json").exit_code == 2


def test_weave_keeps_what_macros_wrote_in_the_state_file(shop):
    book = shop.book({"constant": True, "content": "Day {{incvar::day}}, {{incglobalvar::all}}, {{time}}."})
    state = shop.folder / "state.json"
    chat = [{"name": "Max", "is_user": True, "mes": "one"}]
    texts = []
    for words in ("two", "three"):
        found = shop.json("weave", book, "--chat", shop.chat(chat), "--state", state, "--clock", EVENING)
        texts.append(found["activated"][0]["text"])
        chat += [{"name": "Ana", "is_user": False, "mes": "yes"}, {"name": "Max", "is_user": True, "mes": words}]
    other = shop.json("weave", book, "--chat", shop.chat([{"name": "Max", "is_user": True, "mes": "new"}]), "--state", state,
                      "--clock", EVENING)  # fmt: skip

    assert texts == ["Day 1, 1, 6:05 PM.", "Day 2, 2, 6:05 PM."]
    assert other["activated"][0]["text"] == "Day 1, 3, 6:05 PM."
    assert json.loads(state.read_text())["global_variables"] == {"all": 3}


def test_code_is_not_called_constant_and_it_is_said_that_it_is_not_run(shop):
    (text,) = shop.json("render", "HP <%= getvar('hp') %>")["texts"]

    assert [one["code"] for one in text["reports"]] == ["code_not_rendered"]
    shown = shop.run("render", "HP <%= getvar('hp') %>").stdout
    assert "code, not run" in shown
    assert "constant" not in shown
    assert shop.json("render", "HP <%= 1 %>", "--dialect", "cbs")["texts"][0]["reports"] == []


def test_an_empty_text_is_a_text(shop):
    assert [text["text"] for text in shop.json("render", "")["texts"]] == [""]


def test_only_texts_without_macros_and_code_are_counted_as_such(shop):
    book = shop.book(
        {"content": "plain"},
        {"content": "<%= 1 %>"},
        {"content": "{{get_message_variable::stat_data.hp}}"},
        {"content": "{{nobody}}"},
    )

    assert "1 of 4 texts have no macros and no code." in shop.run("render", book).stdout


@pytest.mark.parametrize("dialect", ["sillytavern", "sillytavern-legacy"])
@pytest.mark.parametrize("name", ["get_message_variable", "format_message_variable"])
def test_a_macro_of_message_variables_is_one_where_no_message_has_any(shop, dialect, name):
    (text,) = shop.json("render", f"{{{{{name}::stat_data.hp}}}}", "--dialect", dialect)["texts"]

    (report,) = text["reports"]
    assert report["code"] == "message_variables_missing"
    assert name in report["message"]
    assert "no macro" not in report["message"]
