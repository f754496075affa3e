"""What is nearly a command, or an operation of no patch: it is named with its text, and nothing else changes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.mvu.behaviour import CAREFUL, RECORDED
from lorewright.mvu.commands import find_commands
from lorewright.mvu.record import Record
from lorewright.mvu.schema import generate
from lorewright.mvu.update import update

TREE = {"hp": 1, "flags": {"seen": True}}
BEFORE = Record(TREE, generate(TREE))


def refused(text, behaviour=CAREFUL):
    return [(one.category, one.text) for one in find_commands(text, behaviour).refused]


@pytest.mark.parametrize("behaviour", [CAREFUL, RECORDED])
@pytest.mark.parametrize(
    "text",
    [
        "_.frob('hp', 1);",
        "_.Set('hp', 3);",
        "_.SET('hp', 3);",
        "_.move('hp', 'mp');",
        "_.设置('hp', 3);",
        "_.set（'hp', 3);",
        "_ .set('hp', 3);",
        "_. set('hp', 3);",
        "_.set ('hp', 3);",
        "_.frob('hp', 1)；",
        "_.frob('hp', 1)",
    ],
)
def test_what_is_nearly_a_command_is_named(text, behaviour):
    said = f"She smiles.\n<UpdateVariable>\n{text}\n_.set('hp', 2);\n</UpdateVariable>"

    assert refused(said, behaviour) == [("unknown_command", text)]
    assert [one.text for one in find_commands(said, behaviour).commands] == ["_.set('hp', 2);"]


@pytest.mark.parametrize("op", ["test", "copy", "Replace", "frob", ""])
def test_an_operation_that_is_none_is_named(op):
    said = f'<JSONPatch>[{{"op":"{op}","path":"/hp"}},{{"op":"remove","path":"/mp"}}]</JSONPatch>'

    assert refused(said) == [("unknown_command", f'{{"op":"{op}","path":"/hp"}}')]
    assert [one.op for one in find_commands(said, CAREFUL).commands] == ["delete"]


REMOVES = '[{"op":"remove","path":"/hp"}]'


@pytest.mark.parametrize(
    ("said", "named"),
    [
        (f"<JSONPatch>{REMOVES}", REMOVES),
        (f"<JSONPatch>{REMOVES}</json_patch>", f"{REMOVES}</json_patch>"),
        (f"<JSONPatch>{REMOVES}<JSONPatch>[]</JSONPatch>", REMOVES),
    ],
)
def test_a_patch_that_is_not_closed_is_named(said, named):
    assert refused(said) == [("block_not_closed", named)]


@pytest.mark.parametrize(
    "said",
    [
        "I set (as it were) my_.frob(1) and lodash_.map(x); a_b.c(d).",
        "Well _._ (she winks). _. And so (on).",
        "_.set('note', '_.frob(1);');",
        """<JSONPatch>[{"op":"replace","path":"/note","value":"_.frob('hp', 1);"}]</JSONPatch>""",
    ],
)
def test_prose_and_values_are_not(said):
    assert refused(said) == []


@given(st.text(st.sampled_from("_.sx（()' ;,1"), max_size=40))
def test_every_form_of_a_call_is_carried_out_or_named(inside):
    said = f"_.frob({inside}"

    assert refused(said)[0][0] == "unknown_command"


def test_a_path_through_the_name_of_the_tree_is_told_what_to_write():
    (one,) = update(BEFORE, "_.set('stat_data.hp', 4);").refused
    assert "Leave out `stat_data.`: write `hp`." in one.message
    (other,) = update(BEFORE, "_.set('stat_data.mana', 4);").refused
    assert "Leave out" not in other.message
    (third,) = update(BEFORE, "_.delete('stat_data.flags');").refused
    assert "Leave out `stat_data.`: write `flags`." in third.message


def test_what_must_stay_is_said_without_inventing_a_word_of_the_card():
    (one,) = update(BEFORE, "_.delete('flags.seen');").refused

    assert one.category == "schema_required"
    assert one.message == (
        "`seen` must stay in `flags`: an object is closed unless its card opens it (`$meta: {extensible: true}`), "
        "and what a card requires stays in any."
    )


def test_of_very_many_the_rest_is_counted():
    named = refused("_.frob(1);" * 130)

    assert [category for category, _ in named] == ["unknown_command"] * 100 + ["too_many"]
    assert "30 more" in find_commands("_.frob(1);" * 130, CAREFUL).refused[-1].message
