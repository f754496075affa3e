"""What must hold for regex scripts on any texts."""

from hypothesis import given
from hypothesis import strategies as st

from lorewright import make_tools
from lorewright.core.regex_script import RegexScript, ScriptPlace
from lorewright.templates.context import Context
from lorewright.templates.engines import LegacyEngine, NewEngine
from lorewright.templates.regex_scripts import ScriptRunner, ScriptTools

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

    runner.run(message, listed, ScriptPlace(2))

    assert runner.rendered("").writes == frozenset()
