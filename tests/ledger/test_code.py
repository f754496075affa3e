"""Code of books in a ledger: what came out of the sandbox is kept, and replaying runs none."""

from dataclasses import replace

from lorewright import NATIVE, make_tools
from lorewright.core.model import Book, Entry, Message, Turn
from lorewright.ledger.replay import replay
from lorewright.templates.ejs import Sandbox, generation
from lorewright.testing.ledgers import assert_replays
from tests.ledger.world import open_chat

BOOK = Book(
    "main",
    (
        Entry(
            uid=1, constant=True, position=0, order=3, content="@@generate_before\n<% await activewi('two', true) %>f"
        ),
        Entry(
            uid=2, constant=False, enabled=False, title="two", content="<% setvar('n', (getvar('n') ?? 0) + 1) %>two"
        ),
        Entry(uid=3, constant=True, position=0, order=1, content="{{user}} <%= getvar('n') %> <%= Math.random() %>"),
        Entry(uid=4, constant=True, position=0, content="<%= nobody %>"),
        Entry(uid=5, constant=True, position=0, content="<%= await getwi('two') %>", freeze=True),
        Entry(uid=6, constant=True, position=0, content="@@if getvar('n') > 99\nnever"),
        Entry(uid=7, constant=True, position=0, content="plain {{random::a::b::c}}"),
    ),
)
POLICY = replace(NATIVE, code_books=("main",))


def test_a_turn_with_code_comes_out_again_without_a_sandbox(tmp_path, monkeypatch):
    with Sandbox() as sandbox:
        session = open_chat(tmp_path / "a", book=BOOK, policy=POLICY, tools=make_tools(sandbox=sandbox))
        chat = [Message("Mina", "one"), Message("Aria", "yes", "assistant"), Message("Mina", "two")]
        session.weave(Turn(messages=tuple(chat[:1]), user="Mina"))
        woven = session.weave(Turn(messages=tuple(chat), user="Mina")).woven

    assert woven.assembly.state.variables == {"n": 4}  # once in the entry itself, once where it is pulled in
    assert {item.entry.entry.uid for item in woven.assembly.activated} == {1, 2, 3, 5, 7}
    monkeypatch.setattr(generation, "engine_path", lambda: None)
    with session.ledger as ledger:
        assert assert_replays(ledger) == 2
        assert [found.outcome for found in replay(ledger)] == ["same"] * 2


def test_only_what_came_out_of_the_sandbox_is_kept(tmp_path):
    with Sandbox() as sandbox:
        session = open_chat(tmp_path / "a", book=BOOK, policy=POLICY, tools=make_tools(sandbox=sandbox))
        session.weave(Turn(messages=(Message("Mina", "hello"),), user="Mina"))

    with session.ledger as ledger:
        outside = ledger.texts.get(ledger.turn(1)[1].reads)

    assert not any(text.startswith("plain") for _, text, *_ in outside.rendered)
    assert len(outside.rendered) == 6
