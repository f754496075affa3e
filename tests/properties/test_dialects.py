"""What no dialect may do inside the engine, whatever a text or a chat says."""

from hypothesis import given
from hypothesis import strategies as st

from lorewright import NATIVE, SILLYTAVERN, ActiveBook, load_lore, make_tools
from lorewright.core.chain import DictMemory
from lorewright.core.model import Book, Character, Entry, Message, Role, Turn
from lorewright.core.policy import RISU
from lorewright.core.protocols import RenderContext
from lorewright.core.variables import Values
from lorewright.core.weave import weave
from lorewright.templates.dialects import DIALECTS, DialectRenderer

TOOLS = make_tools()
PIECES = st.sampled_from(
    [
        *(
            "{{",
            "}}",
            "::",
            "{{setvar::a::1}}",
            "{{setglobalvar::a::1}}",
            "{{incvar::n}}",
            "{{lastMessage}}",
            "{{user}}",
        ),
        *(
            "{{outlet::secret}}",
            "{{getvar::a}}",
            "{{#if 1}}",
            "{{/if}}",
            "{{time}}",
            "{{random::x::y}}",
            "{{a.b}}",
            "<USER>",
        ),
        *("{{.a = 1}}", "{{if 1}}x{{/if}}", "{{previous_chat}}", "\\{", "text ", "\n"),
    ]
)
TEXTS = st.lists(PIECES | st.text(max_size=5), max_size=8).map("".join)
LOCAL = {"a": "old", "n": 1}
ENTRIES = (
    Entry(uid="said", constant=True, content="{{lastMessage}}|{{lastUserMessage}}|{{lastCharMessage}}", position=0),
    Entry(uid="secret", constant=True, content="Nobody may know.", position=7, outlet="secret"),
)


@given(TEXTS, TEXTS, st.sampled_from(DIALECTS))
def test_rendering_never_raises_and_changes_nothing_that_was_handed_in(text, said, dialect):
    turn = Turn(messages=(Message("Max", said),), user="Max", character=Character(name="Aria"))
    local, shared = dict(LOCAL), {"g": [1]}
    context = RenderContext(turn, lambda: 0.5, variables=Values(local, shared))
    renderer = DialectRenderer(dialect)

    found, again = renderer.render(text, context), renderer.render(text, context)

    assert found == again
    assert (local, shared) == (LOCAL, {"g": [1]})
    assert found.volatile is bool(found.kinds)
    if not renderer.is_template(text):
        assert found.text == text


@given(
    st.lists(TEXTS, min_size=1, max_size=3),
    st.sampled_from([None, "sillytavern", "sillytavern-legacy", "cbs"]),
    st.sampled_from([NATIVE, SILLYTAVERN, RISU]),
)
def test_nothing_in_the_chat_ever_runs(said, dialect, policy):
    """Neither in the dialect of the profile (None) nor in another one."""
    tools = make_tools(dialect=dialect)
    roles: tuple[Role, ...] = ("user", "assistant", "user")
    turn = Turn(
        messages=tuple(Message("x", text, role) for text, role in zip(said, roles, strict=False)),
        character=Character(name="Aria"),
        variables=LOCAL,
    )
    woven = weave(turn, load_lore([ActiveBook(Book("b", ENTRIES))], tools, policy), DictMemory(), tools)

    after = woven.assembly.trace.activation
    assert (after.writes, dict(after.variables.local), dict(after.variables.shared)) == ((), LOCAL, {})
    if policy is not RISU:  # it knows no outlets: all texts stand in the prompt
        assert "Nobody may know." not in "".join(message.content for message in woven.messages)
    client = [piece.text for m in woven.messages for piece in m.pieces if piece.kind == "client" and piece.text]
    assert client == [message.text for message in turn.messages if message.text]
