"""Code in entries while a turn is assembled: what runs when, what it sees, what becomes of what it does."""

from dataclasses import replace

import pytest

from lorewright import NATIVE, PROFILES, SILLYTAVERN, ActiveBook, load_lore, make_tools
from lorewright.core.chain import DictMemory
from lorewright.core.gates import Flag, Gate
from lorewright.core.model import Book, Character, Message
from lorewright.core.weave import weave
from tests.templates.ejs.world import TURN, entry, played, texts, why

# -- what runs ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", [NATIVE, SILLYTAVERN])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<%= user %>+<%= char %>: <%= getvar('mood') %>", "Mina+Aria: calm"),
        ("{{user}} <%= '{{char}}' %> <%= {{getvar::hp}} + 1 %>", "Mina Aria 8"),
        ("<%= '{{getvar::bad}}' %>", "'); evil(); ('"),
        ("{{getvar::tag}}", "<%= evil() %>"),
        ("{{setvar::x::5}}<%= getvar('x') %>", "5"),
        ("<%= lastUserMessage.length %><%= getChatMessage(-1) %>", "32It sleeps."),
        ("<%= getchar() %> <%= world_info.comment %> <%= charLoreBook %>", "A pilot. T1 main"),
        ("<%= new Date().getUTCDate() %>", "2"),
        ("@@private\n<%= 1 %>", "1"),
    ],
)
def test_texts(tools, policy, text, expected):
    assert texts(played(tools, entry(1, text), policy=policy)) == {"1": expected}


def test_a_code_tag_that_came_in_with_a_message_is_text(tools):
    found = played(tools, entry(1, "{{lastUserMessage}}<%= 1 %>"))

    assert texts(found) == {"1": "Tell me of the cat <%= 'evil' %>1"}


STOLEN = "setvar('stolen', 1)"
CARRIED = [
    f"<% {STOLEN} %>",
    f"'); {STOLEN}; ('",
    f'"); {STOLEN}; ("',
    f"`); {STOLEN}; (`",
    f"${{{STOLEN}}}",
    f"\n{STOLEN}",
    f"*/ {STOLEN} /*",
    f"%><% {STOLEN} %><%",
    STOLEN,
    "{{setvar::stolen::1}}",
]
TAKEN_IN = [
    "{{x}}",
    "<%= '{{x}}' %>",
    '<%= "{{x}}" %>',
    "<%= `{{x}}` %>",
    "<%= `${ {{x}} }` %>",
    "<% const it = {{x}} %>",
    "<% // {{x}}\n%>",
    "<% /* {{x}} */ %>",
    "<%= getvar('carried') %>",
    "<%= getChatMessage(0) %>",
    "<%= await getwi('T2') %>",
    "<%= await getwi('T3') %>",
    "<%= await evalTemplate('a') %><%= user %>",
]


@pytest.mark.parametrize("policy", [NATIVE, SILLYTAVERN])
@pytest.mark.parametrize("carried", CARRIED)
def test_nothing_that_was_said_or_kept_ever_runs(tools, policy, carried):
    authors = carried.replace("{{", "{ {")  # macros of card and persona are their authors' own
    turn = replace(
        TURN,
        messages=(Message(carried, carried), Message("Aria", carried, "assistant")),
        user=carried,
        persona_description=authors,
        character=Character(name=carried, description=authors),
        variables={"carried": carried},
    )
    macros = ("{{lastUserMessage}}", "{{getvar::carried}}", "{{user}}", "{{char}}", "{{persona}}", "{{description}}")
    uses = [text.replace("{{x}}", macro) for text in TAKEN_IN for macro in macros]
    pulled = (
        entry(2, "<%= getvar('carried') %>{{getvar::carried}}", enabled=False),
        entry(3, "<%= '{{lastUserMessage}}' %>{{lastUserMessage}}", enabled=False),
    )

    found = played(tools, *(entry(10 + n, text) for n, text in enumerate(uses)), *pulled, policy=policy, turn=turn)

    assert "stolen" not in found.state.variables
    assert "stolen" not in found.trace.activation.variables.cache


def test_in_books_of_risuai_it_is_no_code(tools):
    found = played(tools, entry(1, "<%= 1 %>"), policy=PROFILES["risu"])

    assert texts(found) == {"1": "<%= 1 %>"}


def test_keys_are_not_run(tools):
    found = played(
        tools, entry(1, "a", constant=False, keys=("<%= 'cat' %>",)), entry(2, "b", constant=False, keys=("cat",))
    )

    assert texts(found) == {"2": "b"}


# -- what is refused ---------------------------------------------------------------------------------------------------


def test_code_of_a_book_that_nobody_trusts_is_refused_and_the_others_work(tools):
    found = played(tools, entry(1, "<%= 1 %>"), entry(2, "plain {{user}}"), trusted=())

    assert texts(found) == {"2": "plain Mina"}
    assert (why(found, 1).code, why(found, 1).why) == ("code_refused", "book_not_trusted")
    assert [(report.code, report.entry) for report in found.reports] == [("book_not_trusted", "main.1")]


def test_without_a_sandbox_code_is_refused_and_the_others_work():
    found = played(make_tools(), entry(1, "<%= 1 %>"), entry(2, "plain"))

    assert texts(found) == {"2": "plain"}
    assert why(found, 1).why == "engine_missing"


@pytest.mark.parametrize(
    ("code", "refusal", "function"),
    [
        ("await execute('/echo')", "unsupported_helper", "execute"),
        ("nobody", "failed", ""),
        ("'x'.repeat(1e6)", "output_too_long", ""),
        ("await new Promise(() => {})", "never_settles", ""),
    ],
)
def test_an_entry_whose_code_fails_is_left_out_and_says_why(tools, code, refusal, function):
    found = played(tools, entry(1, f"a<%= {code} %>b"), entry(2, "<%= 2 %>"))

    assert texts(found) == {"2": "2"}
    assert (why(found, 1).code, why(found, 1).why, why(found, 1).function) == ("code_refused", refusal, function)


def test_a_refused_entry_writes_nothing_and_spends_nothing(tools):
    found = played(tools, entry(1, "<% setvar('x', 1); nobody() %>"), entry(2, "<%= typeof getvar('x') %>"))

    assert texts(found) == {"2": "undefined"}
    assert "x" not in found.state.variables
    assert found.used_tokens == played(tools, entry(2, "<%= typeof getvar('x') %>")).used_tokens


# -- variables ---------------------------------------------------------------------------------------------------------


def test_what_is_written_is_there_for_later_texts_and_turns(tools):
    first = played(
        tools,
        entry(1, "<% setvar('a.b', 1); setGlobalVar('g', 2); setvar('t', 3, {scope: 'cache'}) %>x", order=1),
        entry(2, "<%= getvar('a.b') + getvar('g') + getvar('t') %>{{getvar::mood}}", order=0),
    )

    assert texts(first)["2"] == "6calm"
    assert first.state.variables == {"a": {"b": 1}}
    assert first.state.global_variables == {"g": 2}
    later = played(tools, entry(1, "<%= getvar('a.b') %>[<%= getvar('t') %>]"), state=first.state)
    assert texts(later) == {"1": "1[]"}


def test_what_the_budget_refuses_writes_nothing(tools):
    tight = replace(NATIVE, settings=replace(NATIVE.settings, budget_cap_tokens=5))

    found = played(tools, entry(1, f"<% setvar('x', 1) %>{'long ' * 99}"), policy=tight)

    assert texts(found) == {}
    assert found.state.variables == {}


def test_a_dry_run_writes_nothing(tools):
    found = played(tools, entry(1, "<% setvar('x', 1) %>[<%= getvar('x') %>]"), turn=replace(TURN, dry_run=True))

    assert texts(found) == {"1": "[]"}
    assert found.state.variables == {}


def test_a_definition_is_there_for_later_texts_of_the_book_in_this_turn(tools):
    other = Book("other", (entry(1, "<%= typeof double %>"),))
    found = played(
        tools,
        entry(1, "<% define('double', function (x) { return 2 * x + this.getvar('hp') }) %>x", order=1),
        entry(2, "<%= double(4) %>", order=0),
        books=(other,),
        trusted=("main", "other"),
    )

    assert texts(found)["2"] == "15"
    assert texts(found)["other.1"] == "undefined"
    assert found.state.variables == {}


# -- other entries -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("getwi('T2')", "two Mina 7"),
        ("getwi(2)", "two Mina 7"),
        ("getwi('2')", "two Mina 7"),
        ("getwi('', 'T2')", "two Mina 7"),
        ("getwi('main', 'T2')", "two Mina 7"),
        ("getwi(/^t2$/i)", "two Mina 7"),
        ("getwi('T2 nobody')", ""),
        ("getwi('long ti')", "three v"),
        ("getwi('A long title', {k: 'v'})", "three v"),
        ("getwi('side', 'S')", "side main"),
        ("getwi('S')", "side main"),
        ("getwi('nobook', 'T2')", ""),
        ("activewi('nobody')", ""),
        ("(await getWorldInfoData()).map(x => x.comment)", "T1,T2,A long title"),
        ("(await getWorldInfoData('side')).length", "1"),
        ("(await getEnabledWorldInfoEntries()).length", "4"),
        ("getEnabledLoreBooks()", "main,side"),
        ("await evalTemplate('<' + '%= getvar(\"hp\") %' + '>')", "7"),
    ],
)
def test_code_asks_for_entries(tools, call, expected):
    side = Book("side", (entry(1, "side <%= typeof world_info.nothing === 'undefined' ? 'main' : '' %>", title="S"),))
    found = played(
        tools,
        entry(1, f"<%= await {call} %>"),
        entry(2, "@@dont_activate\ntwo {{user}} <%= getvar('hp') %>", enabled=False),
        entry(3, "three <%= typeof k === 'undefined' ? 'v' : k %>", title="A long title", enabled=False),
        books=(side,),
        trusted=("main", "side"),
    )

    assert texts(found)["1"] == expected


def test_what_a_model_wrote_is_never_run(tools):
    found = played(
        tools,
        entry(1, "<%= await getwi('T2') %>|<%= await getwi('T3') %>"),
        entry(2, "<%= 'evil' %>{{user}}", authority="proposal", constant=False),
        entry(3, "@@if false\n<%= 'evil' %>", verbatim=True),
        policy=SILLYTAVERN,
    )

    assert texts(found) == {
        "1": "<%= 'evil' %>{{user}}|@@if false\n<%= 'evil' %>",
        "3": "@@if false\n<%= 'evil' %>",
    }


@pytest.mark.parametrize("call", ["getwi('side', 'S')", "getwi('S')", "(await getEnabledWorldInfoEntries()).length"])
def test_a_book_that_is_not_trusted_cannot_be_read(tools, call):
    found = played(tools, entry(1, f"<%= await {call} %>"), books=(Book("side", (entry(1, "secret", title="S"),)),))

    assert texts(found).get("1", "") in {"", "1"}
    assert why(found, 1).code in {"code_refused", "constant"}


@pytest.mark.parametrize("policy", [NATIVE, SILLYTAVERN])
def test_macros_of_the_author_run_in_what_was_pulled_in_and_others_do_not(tools, policy):
    found = played(
        tools,
        entry(1, "<%= await getwi('T2') %>|<%= await getwi('T3') %>"),
        entry(2, "<%= '{{us' + 'er}}' %>", enabled=False),
        entry(3, "<%= getvar('evil') %>", enabled=False),
        policy=policy,
        turn=replace(TURN, variables={"evil": "{{setvar::stolen::1}}"}),
    )

    again = "Mina" if policy is SILLYTAVERN else "{{user}}"
    assert texts(found) == {"1": f"{again}|{{{{setvar::stolen::1}}}}"}
    assert "stolen" not in found.state.variables


# -- gates -------------------------------------------------------------------------------------------------------------

LISTS = """<%= [
  await getwi('Closed'), await getwi(2), await getwi('main', 'Closed'), await getwi(/lose/), await getwi('losed'),
  JSON.stringify(await activewi('Closed', true)), JSON.stringify(await getWorldInfoData()),
  JSON.stringify(await getWorldInfoActivatedData()), JSON.stringify(await getEnabledWorldInfoEntries()),
  JSON.stringify(world_info), JSON.stringify(Object.keys(this)), getEnabledLoreBooks().join(), JSON.stringify(variables),
].join('|') %>"""


@pytest.mark.parametrize("policy", [NATIVE, SILLYTAVERN])
@pytest.mark.parametrize("enabled", [True, False])
def test_a_closed_entry_is_invisible_to_code(tools, policy, enabled):
    closed = entry(2, "⟦secret⟧", title="⟦Closed⟧ Closed", gate=Gate((Flag("met"),)), enabled=enabled, keys=("⟦key⟧",))
    side = Book("side", (entry(1, "⟦secret⟧", title="Closed"),), gate=Gate((Flag("met"),)))

    found = played(tools, entry(1, LISTS), closed, policy=policy, books=(side,), trusted=("main", "side"))

    assert "⟦" not in texts(found)["1"]
    assert list(texts(found)) == ["1"]
    opened = played(tools, entry(1, LISTS), closed, policy=policy, turn=replace(TURN, variables={"met": True}))
    assert "⟦secret⟧" in texts(opened)["1"]


def test_variables_of_other_chats_are_not_there(tools):
    first = played(tools, entry(1, "<% setvar('mine', 1) %>x"), turn=replace(TURN, session="one", variables={"own": 1}))
    assert first.state.variables == {"mine": 1}

    found = played(
        tools, entry(1, "<%= Object.keys(getvar(null)).join() %>"), turn=replace(TURN, session="two", variables={})
    )

    assert texts(found) == {"1": ""}


# -- placement ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("<%= 1 + 1 %>", False),
        ("<%= user + char + getchar() %>", False),
        ("<%= getvar('hp') %>", True),
        ("<%= variables.hp %>", True),
        ("<%= getChatMessage(0) %>", True),
        ("<%= lastMessageId %>", True),
        ("<%= Date.now() %>", True),
        ("<%= Math.random() %>", True),
        ("<%= _.random(9) %>", True),
        ("<%= await getwi('T2') %>", True),
        ("<% setvar('x', 1) %>", True),
        ("{{getvar::hp}}<%= 1 %>", True),
    ],
)
def test_only_a_text_that_is_the_same_in_every_turn_is_constant(tools, text, kinds):
    found = played(tools, entry(1, text), entry(2, "two", enabled=False))

    assert [item.volatile for item in found.activated] == [kinds]


def test_a_kept_text_leaves_when_the_gate_of_what_it_pulled_in_closes(tools):
    pulled = entry(2, "the secret", enabled=False, gate=Gate((Flag("met"),)))
    book = Book("main", (entry(1, "says <%= await getwi('T2') %>", freeze=True), pulled))
    lore = load_lore([ActiveBook(book)], tools, replace(NATIVE, code_books=("main",)))
    memory = DictMemory()
    say = Message("Mina", "hello")
    opened = weave(replace(TURN, messages=(say,), variables={"met": True}), lore, memory, tools)
    memory.put(opened.nodes)
    reply, more = Message("Aria", "yes", "assistant"), Message("Mina", "go on")

    stays = weave(replace(TURN, messages=(say, reply, more), variables={"met": True}), lore, memory, tools)
    closed = weave(replace(TURN, messages=(say, reply, more), variables={"met": False}), lore, memory, tools)

    assert "the secret" in opened.messages[0].content
    assert (stays.messages[0].content, stays.moves) == (opened.messages[0].content, ())
    assert "the secret" not in "".join(message.content for message in closed.messages)
    assert [(move.cause, move.entry) for move in closed.moves] == [("gate_closed", "main.1")]


# -- order and budget --------------------------------------------------------------------------------------------------

LONG = "<%= 'x '.repeat(400) %>"


def test_sillytavern_counts_and_scans_the_text_before_its_code_runs(tools):
    tight = replace(SILLYTAVERN, settings=replace(SILLYTAVERN.settings, budget_cap_tokens=60))
    found = played(tools, entry(1, LONG), policy=tight)
    assert len(texts(found)["1"]) == 800

    found = played(
        tools,
        entry(1, "<%= 'do' + 'g' %> {{user}}"),
        entry(2, "a dog", constant=False, keys=("dog",)),
        entry(3, "a Mina", constant=False, keys=("Mina",)),
        policy=SILLYTAVERN,
        turn=replace(TURN, messages=(Message("x", "hello"),)),
    )
    assert set(texts(found)) == {"1", "3"}


def test_native_counts_and_scans_the_text_that_is_sent(tools):
    tight = replace(NATIVE, settings=replace(NATIVE.settings, budget_cap_tokens=60))
    assert texts(played(tools, entry(1, LONG), policy=tight)) == {}

    found = played(tools, entry(1, "<%= 'do' + 'g' %>"), entry(2, "a dog", constant=False, keys=("dog",)))
    assert set(texts(found)) == {"1", "2"}
