"""What must hold for regex scripts on any texts."""

from hypothesis import given
from hypothesis import strategies as st

from lorewright import make_tools
from lorewright.core.regex_script import RegexScript
from lorewright.templates.context import Context
from lorewright.templates.engines import LegacyEngine, NewEngine
from lorewright.templates.regex_scripts import Place, ScriptRunner, ScriptTools
from lorewright.templates.script_history import Said, rewrite_history

REGEXES = make_tools().regexes
CONTEXT = Context(user="Mina", char="Rook", local_variables={"n": 1})
PIECES = [
    "{{",
    "}}",
    "user",
    "setvar::evil::1",
    "{{setvar::evil::1}}",
    "{{addvar::evil::1}}",
    "<USER>",
    "::",
    "\\",
    "a",
]
messages = st.lists(st.sampled_from(PIECES), max_size=8).map("".join)
patterns = st.sampled_from(["/(.+)/s", "/(.)/gs", "a", "/(a)|(?<q>.)/g", "/{{(.*)}}/s", "/(/", "/x*/gu", ""])
replacements = st.lists(
    st.sampled_from(
        ["$1", "$0", "$<q>", "$2", "{{match}}", "{{", "}}", "{{user}}", "{{getvar::$1}}", "{{// $1}}", "x"]
    ),
    max_size=6,
).map("".join)
depths = st.none() | st.integers(-1, 3)
scripts = st.lists(
    st.builds(
        RegexScript,
        name=st.just("s"),
        pattern=patterns,
        replacement=replacements,
        placement=st.sampled_from([(1,), (2,), (1, 2), ()]),
        disabled=st.booleans(),
        trimmed=st.sampled_from([(), ("a",), ("{{user}}",)]),
        for_display=st.booleans(),
        for_prompt=st.booleans(),
        macros_in_pattern=st.sampled_from(["no", "raw", "escaped"]),
        least_depth=depths,
        most_depth=depths,
    ),
    max_size=3,
)


@given(messages, scripts, st.sampled_from([NewEngine(), LegacyEngine()]))
def test_no_chat_text_ever_writes_a_variable(message, listed, engine):
    runner = ScriptRunner(CONTEXT, ScriptTools(REGEXES, engine, output=2000))

    runner.run(message, listed, Place(2))

    assert runner.rendered("").writes == frozenset()


@given(st.lists(messages, max_size=4), scripts)
def test_what_was_sent_stays_unless_a_reason_is_named(said, listed):
    conversation = [Said(str(number), 1 + number % 2, text) for number, text in enumerate(said)]
    tools = ScriptTools(REGEXES)
    earlier = rewrite_history(conversation[:-1], listed, CONTEXT, tools)

    now = rewrite_history(conversation, listed, CONTEXT, tools, earlier.written)

    moved = {one.key for one in now.moved}
    assert {one.reason for one in now.moved} <= {"regex_depth"}
    for key, before in earlier.written.items():
        assert (now.written[key].text != before.text) == (key in moved)


@given(messages, scripts)
def test_scripts_for_display_only_change_nothing_that_is_sent(message, listed):
    shown = [script for script in listed if script.for_display and not script.for_prompt]

    history = rewrite_history([Said("1", 1, message)], shown, CONTEXT, ScriptTools(REGEXES))

    assert history.written["1"].text == message
