"""A card that plays: its tree belongs to the messages of a conversation, whatever the client does with them."""

from dataclasses import replace

import pytest

from lorewright import NATIVE, ActiveBook, load_lore, make_tools
from lorewright.core.chain import DictMemory
from lorewright.core.gates import Flag, Gate
from lorewright.core.model import Book, Character, Entry, Message, Turn
from lorewright.core.weave import weave
from lorewright.ledger.erase import erase, find_message
from lorewright.ledger.events import VariablesChanged
from lorewright.ledger.ledger import open_ledger
from lorewright.ledger.session import LedgerSession
from lorewright.mvu.addons import OWN_CHECKS
from lorewright.testing.ledgers import assert_replays

TOOLS = make_tools()
INITIAL = "hp: 100\ngold: [50, coins]\n{{user}}: {mood: calm}\nbag:\n  $meta: {extensible: true}\n  rope: 1\n"
STATUS = Entry(
    uid="status",
    title="status",
    constant=True,
    position=4,
    depth=0,
    content="HP {{get_message_variable::stat_data.hp}}",
)
VALUES = Entry(uid="initial", title="[InitVar] start", enabled=False, content=INITIAL)
BOOK = Book("card", (VALUES, STATUS))


class Chat:
    """A client: it sends the whole chat again and again."""

    def __init__(self, *books, greeting=None):
        self.lore = load_lore([ActiveBook(book, "character") for book in books or (BOOK,)], TOOLS, NATIVE)
        self.memory = DictMemory()
        self.messages = [Message("Aria", greeting, "assistant")] if greeting else []

    def request(self, **fields):
        woven = weave(self.turn(**fields), self.lore, self.memory, TOOLS)
        self.memory.put(woven.nodes)
        return woven

    def turn(self, **fields):
        return Turn(messages=tuple(self.messages), user="Mina", character=Character(name="Aria"), **fields)

    def say(self, text, **fields):
        self.messages.append(Message("Mina", text))
        return self.request(**fields)

    def hear(self, text):
        self.messages.append(Message("Aria", text, "assistant"))

    def back(self, count):
        del self.messages[-count:]


def tree(woven):
    return woven.turn.variables["stat_data"]


def test_initial_values_come_with_the_first_request_and_are_seen_in_the_prompt():
    woven = Chat().say("Hello.")

    assert tree(woven) == {"hp": 100, "gold": [50, "coins"], "Mina": {"mood": "calm"}, "bag": {"rope": 1}}
    assert "HP 100" in woven.messages[-1].content
    assert [change.message for change in woven.changes] == [-1]


def test_a_reply_changes_the_tree_of_the_messages_behind_it():
    chat = Chat()
    chat.say("I fight.")
    chat.hear("Ouch. _.add('hp', -10);//hit")

    woven = chat.say("I run.")

    assert tree(woven)["hp"] == 90
    assert "HP 90" in woven.messages[-1].content
    assert [(change.message, change.done) for change in woven.changes] == [
        (1, (("_.add('hp', -10);//hit", "100->90 (hit)"),))
    ]


def test_the_same_reply_seen_again_counts_once():
    chat = Chat()
    chat.say("I fight.")
    chat.hear("Ouch. _.add('hp', -10);")
    chat.say("I run.")

    again = chat.request()
    chat.hear("You run.")

    assert tree(again)["hp"] == 90
    assert tree(chat.say("Where?"))["hp"] == 90


def test_another_reply_goes_on_from_the_tree_before_it():
    chat = Chat()
    chat.say("I fight.")
    chat.hear("Ouch. _.add('hp', -10);")
    chat.say("I run.")
    chat.back(2)
    chat.hear("Oh no. _.add('hp', -25);")

    assert tree(chat.say("I run."))["hp"] == 75


def test_an_edit_far_back_is_worked_out_anew():
    chat = Chat()
    chat.say("I fight.")
    chat.hear("Ouch. _.add('hp', -10);")
    chat.say("I run.")
    chat.hear("You stumble. _.add('hp', -1);")
    chat.say("On.")
    chat.messages[1] = Message("Aria", "Ouch. _.add('hp', -50);", "assistant")

    assert tree(chat.request())["hp"] == 49


def test_branches_do_not_see_each_other():
    chat = Chat()
    chat.say("I fight.")
    other = Chat()
    other.memory, other.messages = chat.memory, list(chat.messages)
    chat.hear("Ouch. _.add('hp', -10);")
    other.hear("You win. _.insert('bag', 'crown', 1);")

    left, right = tree(chat.say("On.")), tree(other.say("On."))

    assert (left["hp"], left["bag"]) == (90, {"rope": 1})
    assert (right["hp"], right["bag"]) == (100, {"rope": 1, "crown": 1})


def test_a_reply_that_was_cut_off_applies_closed_blocks_and_all_of_it_once_it_is_continued():
    chat = Chat()
    chat.say("I fight.")
    whole = (
        "<UpdateVariable>_.add('hp', -10);</UpdateVariable> And then "
        "<UpdateVariable>_.add('hp', -5);\n_.add('gold', 1);</UpdateVariable>"
    )
    chat.hear(whole[: whole.index("gold")])
    cut = chat.say("On.")
    chat.back(2)
    chat.hear(whole)

    assert tree(cut)["hp"] == 90
    assert [report.code for report in cut.assembly.reports] == ["mvu_not_a_command", "mvu_block_not_closed"]
    assert (tree(chat.say("On."))["hp"], tree(chat.request())["gold"][0]) == (85, 51)


def test_a_refused_command_is_named_with_its_text_and_the_others_count():
    chat = Chat()
    chat.say("I steal.")
    chat.hear("_.set('mana', 5);\n_.add('gold', 5);")
    woven = chat.say("And?")

    assert tree(woven)["gold"] == [55, "coins"]
    (report,) = woven.assembly.reports
    assert report.code == "mvu_path_missing"
    assert "_.set('mana', 5);" in report.message
    assert woven.changes[0].refused == (("path_missing", "_.set('mana', 5);"),)


def test_the_user_can_type_commands():
    woven = Chat().say("I drink it. _.add('hp', 5);")

    assert tree(woven)["hp"] == 105


def test_messages_that_are_hidden_by_now_counted():
    chat = Chat()
    chat.messages = [
        Message("Mina", "I fight."),
        Message("Aria", "Ouch. _.add('hp', -10);", "assistant", hidden=True),
        Message("Rules", "_.set('hp', 1);", "system", hidden=True),
    ]

    assert tree(chat.say("I run."))["hp"] == 90


@pytest.mark.parametrize(("variables", "mana"), [({OWN_CHECKS: True}, 3), ({}, None)])
def test_a_card_that_checks_its_tree_itself_is_played_without_rules(variables, mana):
    chat = Chat()
    chat.say("I look.", variables=variables)
    chat.hear("_.set('stat_data.mana', 3);")

    assert tree(chat.say("Go on.")).get("mana") == mana


def test_a_greeting_brings_its_own_values_and_commands():
    chat = Chat(greeting="<initvar>\nhp: 7\nmp: 3\n</initvar> Welcome. _.add('mp', 1);")

    assert tree(chat.say("Hello.")) == {"hp": 7, "mp": 4}


def test_a_book_that_is_added_later_adds_what_is_missing():
    chat = Chat()
    chat.say("I fight.")
    chat.hear("Ouch. _.add('hp', -10);")
    weather = Book("weather", (Entry(uid=0, title="[initvar]", content="sky: clear\nhp: 5"),))
    chat.lore = load_lore([ActiveBook(BOOK, "character"), ActiveBook(weather)], TOOLS, NATIVE)

    found = tree(chat.say("Look up."))

    assert (found["hp"], found["sky"]) == (90, "clear")


def test_values_behind_a_closed_gate_stay_out_until_it_opens():
    secret = Entry(uid=0, title="[initvar]", content="murderer: Bo", gate=Gate((Flag("solved"),)))
    chat = Chat(BOOK, Book("secrets", (secret,)))

    assert "murderer" not in tree(chat.say("Who was it?"))
    assert tree(chat.say("Aha!", variables={"solved": True}))["murderer"] == "Bo"


def test_books_of_the_chat_and_of_the_persona_bring_no_values():
    lore = load_lore([ActiveBook(BOOK, "chat"), ActiveBook(replace(BOOK, name="me"), "persona")], TOOLS, NATIVE)

    woven = weave(Turn(messages=(Message("Mina", "Hi."),)), lore, DictMemory(), TOOLS)

    assert "stat_data" not in woven.turn.variables


def test_without_a_tree_nothing_is_kept_and_commands_are_words():
    plain = Book("plain", (Entry(uid=0, constant=True, content="x"),))
    chat = Chat(plain)
    chat.say("I fight.")
    chat.hear("Ouch. _.add('hp', -10);")
    woven = chat.say("On.")

    assert woven.turn.variables == {}
    assert (woven.changes, woven.assembly.reports) == ((), ())


def test_a_client_that_gives_the_tree_has_carried_the_commands_out():
    chat = Chat()
    chat.say("I fight.")
    chat.hear("Ouch. _.add('hp', -10);")

    woven = chat.say("On.", variables={"stat_data": {"hp": 1}})
    assert (tree(woven), woven.changes) == ({"hp": 1}, ())
    chat.hear("_.add('hp', 5);")
    assert tree(chat.say("And on."))["hp"] == 6


def test_a_dry_run_changes_nothing():
    chat = Chat()
    chat.say("I fight.")
    chat.hear("Ouch. _.add('hp', -10);")
    dry = chat.request(dry_run=True)

    assert tree(dry)["hp"] == 90
    assert dry.nodes == ()


def test_macros_of_a_model_do_not_run():
    chat = Chat()
    chat.say("I fight.")
    chat.hear("_.set('{{user}}.mood', '{{setvar::x::1}}{{roll::1d6}} {{char}}');")
    woven = chat.say("On.")

    assert tree(woven)["Mina"]["mood"] == "{{setvar::x::1}}{{roll::1d6}} Aria"
    assert "x" not in woven.turn.variables


@pytest.mark.parametrize("hostile", ["{{setvar::gold::9}}", "{{outlet::x}}", "{{user}}"])
def test_a_value_is_never_run_where_it_is_shown(hostile):
    shown = replace(STATUS, content="Mood {{format_message_variable::stat_data.mood}}.")
    chat = Chat(Book("card", (replace(VALUES, content="mood: calm"), shown)))
    chat.say("Hi.")
    chat.hear(f"_.set('mood', 'x {hostile}');".replace("{{user}}", "{{ user }}"))
    woven = chat.say("On.")

    assert f"Mood x {hostile}.".replace("{{user}}", "{{ user }}") in woven.messages[-1].content
    assert "gold" not in woven.turn.variables


# -- the ledger --------------------------------------------------------------------------------------------------------


def played(path):
    ledger = open_ledger(path)
    session = LedgerSession(ledger, [ActiveBook(BOOK, "character")], NATIVE, TOOLS)
    chat = Chat()
    for reply in ("Ouch. _.add('hp', -10);//secret reason", "_.set('mana', 1);", "Nothing happens."):
        chat.messages.append(Message("Mina", f"On to {reply[:3]}."))
        session.weave(chat.turn())
        chat.hear(reply)
    chat.messages.append(Message("Mina", "The end."))
    session.weave(chat.turn())
    return ledger


def test_the_ledger_records_every_change(tmp_path):
    with played(tmp_path / "x.ledger") as ledger:
        events = list(ledger.of_kind(VariablesChanged))

        assert [(one.turn, one.message, one.done, one.refused) for one in events] == [
            (1, -1, 0, 0),
            (2, 1, 1, 0),
            (3, 3, 0, 1),
        ]
        assert ledger.texts.get(events[1].commands) == (
            (("_.add('hp', -10);//secret reason", "100->90 (secret reason)"),),
            (),
        )


def test_a_ledger_with_a_tree_replays(tmp_path):
    with played(tmp_path / "x.ledger") as ledger:
        assert assert_replays(ledger) == 4


def test_erasing_a_reply_erases_what_its_commands_say(tmp_path):
    with played(tmp_path / "x.ledger") as ledger:
        erase(ledger, find_message(ledger, 2, 1))

        left = b"".join(filter(None, map(ledger.store.text, (row.commitment for row in ledger.store.texts()))))

    assert b"secret reason" not in left
