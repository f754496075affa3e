"""Facts for macros: every row of the page is a fact that can be given, and its example gives what it says."""

import json
import re
from pathlib import Path

import pytest

from lorewright.core.model import Character, Message, Turn
from lorewright.core.protocols import RenderContext
from lorewright.errors import InputError
from lorewright.templates.dialects import DialectRenderer
from lorewright.templates.host_facts import HOST_FACTS, check_facts

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "reference" / "cli.md").read_text("utf-8")
SECTION = PAGE.split("\n## Facts for macros\n")[1].split("\n## ")[0].split("| fact |")[1]
ROWS = [
    [cell.strip().strip("`").replace("⏎", "\n") for cell in line.split("|")[1:-1]]
    for line in SECTION.splitlines()
    if line.startswith("| `")
]
EXAMPLES = {row[0]: row for row in ROWS if row[3]}
SILENT = {row[0]: row for row in ROWS if not row[3]}
CHAT = (Message("Mina", "Hello?"), Message("Rook", "Yes.", "assistant"))
ROOK = Character(name="Rook", description="Rook guards.")
HALF_PAST_TWELVE = 1_714_566_600_000  # `date -u -d 2024-05-01T12:30:00Z +%s`


def rendered(text, facts, dialect="sillytavern"):
    facts = dict(facts)
    turn = Turn(
        messages=CHAT,
        user="Mina",
        character=ROOK,
        session="chat",
        clock_ms=HALF_PAST_TWELVE,
        greeting=facts.pop("greeting", None),
        host_facts=check_facts(facts),
    )
    return DialectRenderer(dialect or "sillytavern").render(text, RenderContext(turn, lambda: 0.5)).text


def test_the_page_lists_all_facts_with_their_kinds():
    kinds = {row[0]: row[1] for row in ROWS if row[0] != "greeting"}

    assert list(kinds) == list(HOST_FACTS)
    for name, fact in HOST_FACTS.items():
        choices = re.findall(r"\w+", kinds[name].replace(" or ", " "))
        if fact.choices:
            assert choices == list(fact.choices)
        else:
            assert kinds[name].replace("text or number", "anything") == fact.kind


@pytest.mark.parametrize("row", EXAMPLES.values(), ids=EXAMPLES)
def test_an_example_gives_what_the_page_says(row):
    _, _, _, facts, dialect, text, gives = row

    assert rendered(text, json.loads(facts), dialect) == gives


EXAMPLE_DIALOGUE = {
    "api": "kobold",
    "examples": "<START>\nMina: Hi\nRook: Yes",
    "instruct": {"input_sequence": "[{{user}}]", "output_sequence": "[rook]"},
}
PICKS = "{{pick::a::b::c::d}}" * 20


@pytest.mark.parametrize(
    ("name", "value", "others", "dialect", "text"),
    [
        ("character_id", "c1", {}, "cbs", "{{rollp::20d1000}}"),
        ("main_chat", "other", {}, "", PICKS),
        ("chat_hash", 5, {}, "", PICKS),
        ("pick_seed", "new", {}, "", PICKS),
        ("instruct_names", "none", EXAMPLE_DIALOGUE, "", "{{mesExamples}}"),
        ("instruct_macros", False, EXAMPLE_DIALOGUE, "", "{{mesExamples}}"),
        ("instruct_wrap", False, EXAMPLE_DIALOGUE, "", "{{mesExamples}}"),
        ("skip_examples", True, EXAMPLE_DIALOGUE, "", "{{mesExamples}}"),
    ],
)
def test_a_fact_without_example_changes_something(name, value, others, dialect, text):
    assert name in SILENT
    assert rendered(text, {**others, name: value}, dialect) != rendered(text, others, dialect)


def test_the_table_of_facts_without_example_is_complete():
    tested = test_a_fact_without_example_changes_something.pytestmark[0].args[1]

    assert set(SILENT) == {row[0] for row in tested}


@pytest.mark.parametrize(
    ("facts", "says"),
    [
        ([], "a mapping of names to values"),
        ({"modle": "x"}, "no fact `modle`. Did you mean `mod"),
        ({"model": 5}, "`model` takes a text, not 5"),
        ({"max_context": True}, "a whole number, not True"),
        ({"max_context": 10**400}, "a whole number, not 1000"),
        ({"group": [{"muted": True}]}, "a list of members"),
        ({"group": [{"name": "a", "muted": "no"}]}, "a list of members"),
        ({"group": [{"name": "a", "secret": "no"}]}, "a list of members"),
        ({"group_cards": "all"}, "one of swap, join, join_muted, not 'all'"),
        ({"instruct": {"a": 1}}, "texts by name"),
        (
            {"reasoning": {"prefx": "<"}},
            "`reasoning` has the texts prefix, suffix, separator, and none with the name 'prefx'",
        ),
        ({"extensions": "regex"}, "a list of texts"),
        ({"model": 1, "mobile": "no"}, "`model` takes a text, not 1. `mobile` takes true or false, not 'no'."),
    ],
)
def test_what_is_no_fact_is_told_all_at_once(facts, says):
    with pytest.raises(InputError) as told:
        check_facts(facts)

    assert says in str(told.value)
    assert len(str(told.value)) < 400 + len(", ".join(HOST_FACTS))


# --- in the commands


def test_render_takes_facts_card_and_chat(shop):
    facts = shop.write("facts.yaml", "model: my-model\ngreeting: 1\ngroup: [Ana, {name: Bo, muted: true}]\n")
    card = shop.write(
        "ana.json",
        {
            "spec": "chara_card_v2",
            "data": {
                "name": "Ana",
                "description": "{{char}} sails.",
                "first_mes": "Ahoy!",
                "alternate_greetings": ["Hi"],
            },
        },
    )
    text = "{{model}} {{group}} {{description}} {{charFirstMessage}} {{greeting::1}} {{lastMessage}} {{user}}"
    (found,) = shop.json("render", text, "--facts", facts, "--card", card, "--chat", shop.chat())["texts"]
    (risu,) = shop.json("render", "{{firstmsgindex}}", "--dialect", "cbs", "--facts", facts)["texts"]

    assert found["text"] == "my-model Ana, Bo Ana sails. Ahoy! Hi Then I ask the dragon by the river. Max"
    assert risu["text"] == "0"


def test_what_a_file_says_goes_before_the_card(shop):
    card = shop.write("ana.json", {"name": "Ana", "description": "", "first_mes": "Ahoy!", "mes_example": "Ana: Yo"})
    facts = shop.write("facts.json", {"first_message": "Well met."})
    (found,) = shop.json("render", "{{charFirstMessage}} {{mesExamplesRaw}}", "--card", card, "--facts", facts)["texts"]

    assert found["text"] == "Well met. Ana: Yo"


def test_weave_takes_facts_and_a_ledger_repeats_them(shop):
    book = shop.book({"constant": True, "content": "{{model}}, {{groupNotMuted}}"})
    facts = shop.write("facts.json", {"model": "my-model", "group": [{"name": "Ana", "muted": True}, "Bo"]})
    ledger = shop.folder / "chat.ledger"
    found = shop.json("weave", book, "--chat", shop.chat(), "--facts", facts, "--ledger", ledger)
    (again,) = shop.json("ledger", "replay", ledger)

    assert found["activated"][0]["text"] == "my-model, Bo"
    assert again["outcome"] == "same"


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("facts.yaml", "- a\n- b\n", "a mapping"),
        ("facts.yaml", "greeting: -1\n", "0 for the first message"),
        ("facts.json", "{", "facts.json"),
        ("facts.yaml", "a: &b c\nd: *b\n", "facts.yaml"),
    ],
)
def test_a_file_that_holds_no_facts_is_refused(shop, name, content, says):
    result = shop.run("render", "x", "--facts", shop.write(name, content))

    assert result.exit_code == 2
    assert says in result.stderr


@pytest.mark.parametrize("content", ["model: a\nmodel: b\n", '{"model": "a", "model": "b"}'])
def test_what_is_odd_about_a_file_of_facts_is_reported(shop, content):
    facts = shop.write("facts.yaml", content)
    found = [
        shop.json("render", "{{model}}", "--facts", facts)["reports"],
        shop.json("weave", shop.book({"constant": True}), "--chat", shop.chat(), "--facts", facts)["reports"],
    ]

    for reports in found:
        (told,) = (report for report in reports if report["message"].startswith("Facts: "))
        assert "model" in told["message"]


def test_a_long_number_is_shown_by_its_beginning(shop):
    result = shop.run("render", "x", "--facts", shop.write("facts.json", '{"greeting": -' + "1" * 4000 + "}"))

    assert result.exit_code == 2
    assert len(result.stderr) < 300


def test_facts_may_stand_on_the_command_line(shop):
    book = shop.book({"constant": True, "content": "By {{model}}."})
    woven = shop.json("weave", book, "--chat", shop.chat(), "--facts", '{"model": "quill"}')
    assert "By quill." in json.dumps(woven)
    refused = shop.run("weave", book, "--chat", shop.chat(), "--facts", '{"modle": "quill"}')
    assert refused.exit_code == 2
    assert "--facts" in refused.stderr
    assert "max_response" in refused.stderr
    assert "docs/" not in refused.stderr


@pytest.mark.parametrize("text", ["model: !x a\n", "model: &a b\n", "a: {<<: {b: 1}}\n", "a: 1\n---\nb: 1\n"])
def test_what_is_odd_in_a_file_of_facts_is_not_said_of_a_book(shop, text):
    words = ("--chat", shop.chat(), "--facts", shop.write("facts.yaml", text))
    refused = shop.run("weave", shop.book({"constant": True, "content": "x"}), *words)
    assert refused.exit_code == 2
    assert "book" not in refused.stderr
