"""The page of the macros: its tables list the rows of the registry, and every example gives what it says."""

import re
from dataclasses import fields, replace
from pathlib import Path

import pytest

from lorewright.templates.context import (
    Call,
    Card,
    ChatMessage,
    Clock,
    Context,
    Expressions,
    Instruct,
    Notes,
    Settings,
)
from lorewright.templates.sillytavern import MACROS, Defects, render

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "macros.md"
CONTEXT = Context(
    user="Mina",
    char="Rook",
    card=Card(
        description="{{char}} guards the north gate.",
        personality="dry, loyal",
        scenario="A cold night.",
        first_message="Halt, {{user}}.",
        alternate_greetings=("Who goes there?",),
        examples="<START>\n{{user}}: Hi",
        system_prompt="Stay as {{char}}.",
        post_history="Keep it short.",
        depth_prompt="Mind the gate.",
        creator_notes="Made for this page.",
        version="2.1",
        avatar="rook.png",
    ),
    persona="{{user}} sells maps.",
    chat=(
        ChatMessage("Rook", "Halt.", sent="2024-05-01T10:00:00Z", swipes=2, swipe=0),
        ChatMessage("Mina", "I bring maps.", is_user=True, sent="2024-05-01T10:05:00Z"),
        ChatMessage("Rook", "Show me.", sent="2024-05-01T10:06:00Z", swipes=3, swipe=1),
    ),
    chat_id="page",
    metadata={"lastInContextMessageId": 1},
    outlets={"lore": "The mill is old."},
    local_variables={"mood": "calm", "count": 5, "bag": '["map"]'},
    global_variables={"world": "Vey", "day": 3, "map": '{"north":"gate"}'},
    clock=Clock(1_714_566_896_789),
    random=lambda: 0.5,
    settings=Settings(
        model="test-model",
        input="typed text",
        generation_type="swipe",
        first_displayed=0,
        extensions=("regex",),
        instruct=Instruct(
            enabled=True,
            sequences={
                "story_string_prefix": "<story>",
                "story_string_suffix": "</story>",
                "input_sequence": "<u>",
                "input_suffix": "</u>",
                "output_sequence": "<a>",
                "output_suffix": "</a>",
                "system_sequence": "<s>",
                "system_suffix": "</s>",
                "first_input_sequence": "<u1>",
                "first_output_sequence": "<a1>",
                "last_system_sequence": "<s9>",
                "stop_sequence": "<stop>",
                "user_alignment_message": "Begin.",
            },
        ),
        system_prompt="Write well.",
        example_separator="***",
        chat_start=">>",
        reasoning=("<think>", "</think>", "\n"),
        notes=Notes("chat note", "char note", "default note"),
        summary="They met.",
        expressions=Expressions(("joy",), ("smug",), "calm", {"rook": "joy"}),
        image_prefix=("oil painting", "blurry"),
    ),
    call=Call(original="the original"),
)
CELL = re.compile(r"(?<!\\)\|")
CODE = re.compile(r"`([^`]*)`")


def tables(header):
    """The rows of the tables with this header, as lists of cells."""
    rows = []
    inside = False
    for line in PAGE.read_text("utf-8").splitlines():
        if not line.startswith("|"):
            inside = False
            continue
        cells = [cell.strip().replace("\\|", "|") for cell in CELL.split(line)[1:-1]]
        if cells == header:
            inside = True
        elif inside and not cells[0].startswith("---"):
            rows.append(cells)
    return rows


ROWS = tables(["macro", "other names", "arguments", "kind", "what it gives", "example", "gives"])
FORMS = tables(["form", "example", "gives"])
BUGS = tables(["switch", "what SillyTavern does", "example", "`sillytavern`", "`native`"])
KEPT = Defects()
REPAIRED = Defects(**{field.name: False for field in fields(Defects)})


def codes(cell):
    return CODE.findall(cell)


def test_the_tables_list_every_macro():
    ours = {m.name: ([*m.aliases, *(f"({name})" for name in m.hidden)], list(m.arguments), m.kind) for m in MACROS}
    shown = {
        codes(name)[0]: (re.sub(r"`", "", other).split(", ") if other else [], codes(arguments), kind)
        for name, other, arguments, kind, *_ in ROWS
    }

    assert shown == ours
    assert len(ROWS) == len(MACROS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: codes(row[0])[0])
def test_every_example_gives_what_the_page_says(row):
    example, gives = (codes(cell)[0].replace("⏎", "\n") for cell in row[5:])
    macro = next(macro for macro in MACROS if macro.name == codes(row[0])[0])
    names = (macro.name, *macro.aliases, *macro.hidden)

    assert any(f"{{{{{name}".lower() in example.lower() for name in names)
    assert render(example, CONTEXT).text == gives


@pytest.mark.parametrize("row", FORMS, ids=lambda row: row[0])
def test_every_form_gives_what_the_page_says(row):
    for example in codes(row[1]):
        assert render(example, CONTEXT).text == codes(row[2])[0]


def test_every_bug_is_on_the_page():
    assert [codes(row[0]) for row in BUGS] == [[field.name] for field in fields(Defects)]


@pytest.mark.parametrize("row", BUGS, ids=lambda row: codes(row[0])[0])
def test_each_switch_of_a_bug_makes_its_difference(row):
    """The profiles differ as the page says, and so does SillyTavern's with this one off or `native` with it on."""
    switch = codes(row[0])[0]
    example, kept, repaired = ("".join(codes(cell)) for cell in row[2:])

    def text(defects):
        return render(example, CONTEXT, defects=defects).text

    assert (text(KEPT), text(REPAIRED)) == (kept, repaired)
    assert text(replace(KEPT, **{switch: False})) != kept
    assert text(replace(REPAIRED, **{switch: True})) != repaired
