"""The functions of books that are played: variables are written on a copy, definitions last, the rest is refused."""

from typing import Any

import pytest

from lorewright.core.model import ABSENT
from lorewright.templates.ejs import Change, ChatText, Nested, Output, Refused, Scene, Value

VARIABLES: dict[str, dict[str, Any]] = {
    "global": {"mood": "g", "count": 1},
    "local": {"mood": "l", "deep": {"list": [1, 2]}, "json": '["a"]'},
    "message": {"mood": "m", "stat_data": {"hp": 10, "bag": ["rope"]}},
    "initial": {"start": 1, "mood": "i"},
}


PATCH = """<% patchVariables('stat_data', [
  {op: 'replace', path: '/hp', value: 3}, {op: 'add', path: '/bag/-', value: 'x'},
  {op: 'move', from: '/bag/0', path: '/bag/1'}, {op: 'copy', from: '/hp', path: '/mp'},
  {op: 'remove', path: '/hp'}, {op: 'test', path: '/mp', value: 3},
]) %><%= JSON.stringify(stat_data) %>"""


def render(sandbox, text, answer=lambda request: Value(None), **scene):
    given = Scene(functions="host", **{"variables": VARIABLES, **scene})
    with sandbox.generation(given, answer, {"main"}) as generation:
        return generation.render("main", text, tag="main::1")


def shown(sandbox, text, **scene):
    found = render(sandbox, text, **scene)
    assert isinstance(found, Output), found
    return found.text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<%= getvar('mood') %><%= getvar('mood', 'global') %><%= getvar('mood', {scope: 'local'}) %>", "mgl"),
        ("<%= getvar('start') %><%= getvar('mood', {scope: 'initial'}) %>", "1i"),
        ("<%= getvar('deep.list[1]') %><%= getvar('deep.list', {index: 0}) %><%= getvar('json', {index: 0}) %>", "21a"),
        ("<%= getvar('no', {defaults: 5}) %>[<%= getvar('no') %>]", "5[]"),
        ("<%= Object.keys(getvar(null)).sort().join() %>", "count,deep,json,mood,start,stat_data"),
        ("<%= variables.mood %><%= stat_data.hp %>", "m10"),
        ("<% print('a', 1) %>b", "a1b"),
        ("<%= setvar('x', 1) %><%= getvar('x') %><%= getMessageVar('x') %>[<%= getLocalVar('x') %>]", "111[]"),
        ("<% setvar('a.b[1]', 2) %><%= JSON.stringify(getvar('a')) %>", '{"b":[null,2]}'),
        ("<%= setvar('mood', 'n', 'old') %>|<%= setvar('mood', 'o', {results: 'fullcache'}).mood %>", "m|o"),
        ("<% setvar('mood', 1, 'nx'); setvar('new', 1, 'xx') %><%= getvar('mood') %>[<%= getvar('new') %>]", "m[]"),
        ("<% setvar('count', 1, {flags: 'nxs'}) %><%= getMessageVar('count') %>", "1"),
        ("<% setvar('start', 5, {flags: 'xxs'}) %><%= getvar('start') %>", "1"),
        ("<% setvar('stat_data', {mp: 1}, {merge: true}) %><%= JSON.stringify(stat_data) %>", '{"hp":10,"bag":["rope"],"mp":1}'),
        ("<% setLocalVar('json', 'b', {index: 1}) %><%= getLocalVar('json') %>", '["a","b"]'),
        ("<%= incvar('count') %><%= incvar('count', 5) %><%= decvar('count', 2) %><%= getGlobalVar('count') %>", "2751"),
        ("<%= incvar('stat_data.hp', 90, {max: 50}) %>|<%= decvar('stat_data.hp', 90, {min: 0}) %>", "50|0"),
        ("<%= incvar('no') %><%= incvar('none', 1, {defaults: 5}) %>[<%= incvar('mood') %>]", "16[]"),
        ("<% insvar('stat_data.bag', 'lamp') %><% insvar('stat_data.bag', 'map', 0) %><%= stat_data.bag.join() %>", "map,rope,lamp"),
        ("<% insvar('stat_data', 3, 'mp') %><%= stat_data.mp %><% insvar('mood', 'ad', 1) %><%= getvar('mood') %>", "3mad"),
        ("<% delvar('stat_data.bag', 0) %><%= stat_data.bag.length %><% delvar('stat_data', 'hp') %>[<%= stat_data.hp %>]", "0[]"),
        ("<% delvar('mood') %>[<%= getMessageVar('mood') %>]<% delvar('json', 0, 'local') %><%= getLocalVar('json') %>", '[]"a"]'),
        (PATCH, '{"bag":["x","rope"],"mp":3}'),
        ("<% define('twice', function (x) { return 2 * x + this.getvar('count') }) %><%= this.twice(3) %><%= twice(4) %>", "79"),
        ("<% define('box', {a: 1}) %><% define('box', {b: 2}, true) %><%= box.a + box.b %>", "3"),
        ("<%= await evalTemplate('<' + '%= k + getvar(\"count\") %' + '>', {k: 2}) %>", "3"),
        ("a<#escape-ejs><%= 1 %><#/escape-ejs>b", "a<%= 1 %>b"),
        ("<%= matchChatMessages('x') %><%= _.has({a: 1}, 'a') %><%= parseJSON('[1') %>", "falsetrue"),
    ],
)  # fmt: skip
def test_functions(sandbox, text, expected):
    assert shown(sandbox, text) == expected


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("'one'", "false"),
        ("'two'", "true"),
        ("/t(w)o/", "true"),
        ("'TWO'", "false"),
        ("'one', {start: 0}", "true"),
        ("['one', 'two']", "true"),
        ("['one', 'two'], {and: true}", "false"),
        ("['one', 'two'], {start: 0, and: true}", "true"),
        ("'two', {role: 'assistant'}", "false"),
        ("'three', {start: 0, end: 2}", "false"),
    ],
)
def test_messages_are_searched(sandbox, call, expected):
    chat = (ChatText("user", "one"), ChatText("user", "two"), ChatText("assistant", "three"))

    assert shown(sandbox, f"<%= matchChatMessages({call}) %>", chat=chat) == expected


def test_what_is_written_comes_out_by_scope_and_name(sandbox):
    found = render(
        sandbox,
        "<% setvar('hp.now', 1); setGlobalVar('count', 2); delLocalVar('json'); setvar('t', 1, {scope: 'cache'}) %>",
    )

    assert isinstance(found, Output)
    assert Change("global", "count", 2) in found.writes
    assert Change("local", "json", ABSENT) in found.writes
    assert Change("cache", "t", 1) in found.writes
    assert Change("message", "hp", {"now": 1}) in found.writes


def test_without_variables_of_messages_those_of_the_chat_are_meant(sandbox):
    found = render(sandbox, "<% setvar('x', 1) %><%= getLocalVar('x') + getMessageVar('x') %>", variables={"local": {}})

    assert found == Output("2", frozenset({"local:x"}), (Change("local", "x", 1), Change("cache", "x", 1)))


def test_nothing_is_written_on_what_others_see(sandbox):
    scene = Scene(functions="host", variables=VARIABLES)
    with sandbox.generation(scene, lambda request: Value(None), {"main"}) as generation:
        generation.render("main", "<% setvar('mood', 'changed'); getvar('stat_data').hp = 0; variables.mood = 1 %>")

        assert generation.render("main", "<%= getvar('mood') %><%= stat_data.hp %>").text == "m10"


def test_variables_can_be_given_anew_for_each_text(sandbox):
    with sandbox.generation(Scene(functions="host"), lambda request: Value(None), {"main"}) as generation:
        first = generation.render("main", "<% setvar('x', 1) %>")
        then = {"local": {change.name: change.value for change in first.writes if change.scope == "local"}}

        assert generation.render("main", "<%= getvar('x') %>", variables=then).text == "1"


def test_a_definition_is_there_for_later_texts_of_the_book_alone(sandbox):
    scene = Scene(functions="host")
    with sandbox.generation(scene, lambda request: Value(None), {"main", "other"}) as generation:
        first = generation.render("main", "<% let own = 1; define('f', function (x) { return x + typeof own }) %>")
        defined = {change.name: change.value for change in first.writes if change.scope == "defined"}
        then = {"defined": {"main": defined}}

        assert generation.render("main", "<%= f(1) %><% f.mark = 1 %>", variables=then).text == "1undefined"
        assert generation.render("main", "<%= f.mark %>").text == ""
        assert generation.render("other", "<%= typeof f %>").text == "undefined"


@pytest.mark.parametrize("name", ["getvar", "getwi", "setvar", "__proto__", "evalTemplate", "user"])
def test_a_definition_replaces_nothing(sandbox, name):
    found = render(sandbox, f"<% define('{name}', function () {{ return 'evil' }}) %>", names={"user": "Ann"})

    assert isinstance(found, Refused)


@pytest.mark.parametrize("key", ["__proto__.x", "constructor.prototype.x", "a.__proto__.x", "a['prototype']"])
def test_unsafe_names_of_variables_are_refused(sandbox, key):
    found = render(sandbox, f'<% setvar("{key}", 1) %>')

    assert isinstance(found, Refused)
    assert "cannot be the name of a variable" in found.message


@pytest.mark.parametrize(
    "code",
    [
        "await execute('/echo x')", "jsonPatch({}, [])", "await getpreset('x')", "await getqr('a', 'b')",
        "injectPrompt('a', 'b')", "getPromptsInjected('a')", "hasPromptsInjected('a')", "activateRegex(/a/, 'b')",
        "selectActivatedEntries([], 'a')", "await activateWorldInfoByKeywords('a')", "findVariables('a')",
        "setVariableSchema({})", "faker.fakerEN", "toastr.info('x')", "$('#a')", "jQuery('#a')", "SillyTavern.chat",
        "z.object({})", "await getCharData()",
    ],
)  # fmt: skip
def test_the_rest_is_refused_by_name(sandbox, code):
    found = render(sandbox, f"a<%= {code} %>b")

    assert isinstance(found, Refused)
    assert found.code == "unsupported_helper"
    assert found.helper in code


def test_a_dry_run_writes_nothing_unless_asked(sandbox):
    text = "<% setvar('x', 1); setvar('y', 1, {dryRun: true}) %>[<%= getvar('x') %>]<%= getvar('y') %>"

    assert shown(sandbox, text, dry_run=True) == "[]1"


def test_a_text_of_another_book_is_rendered_in_its_own_context(sandbox):
    def answer(request):
        if request.helper == "finish":
            return Value(f"<{request.arguments[0]}>")
        return Nested("other", "<%= k %><%= typeof mark %><% setvar('x', 1) %>", "other::1", finish=True)

    with sandbox.generation(Scene(functions="host"), answer, {"main", "other"}) as generation:
        found = generation.render("main", "<% globalThis.mark = 1 %><%= await getwi('other', 'T', {k: 'v'}) %>")

        assert found.text == "<vundefined>"
        assert Change("local", "x", 1) in found.writes


def test_a_text_of_a_book_that_is_not_trusted_is_refused(sandbox):
    answer = lambda request: Nested("other", "<%= 1 %>", "other::1")  # noqa: E731

    with sandbox.generation(Scene(functions="host"), answer, {"main"}) as generation:
        found = generation.render("main", "<%= await getwi('other', 'T') %>")

    assert isinstance(found, Refused)
    assert found.code == "book_not_trusted"


def test_what_a_text_looked_at(sandbox):
    found = render(
        sandbox,
        "<%= user %><%= getvar('deep.list') %><%= getChatMessages(1) %><%= Date.now() %><%= Math.random() %>",
        names={"user": "Ann"},
    )

    assert isinstance(found, Output)
    assert found.reads == {"name:user", "cache:deep", "chat", "clock", "random"}


def test_random_numbers_and_the_clock_are_given(sandbox):
    scene = Scene(now_ms=86_400_000, utc_offset_minutes=330)
    text = "<%= Math.random() %>|<%= new Date().getHours() %>:<%= new Date().getMinutes() %>|<%= Date.now() %>|<%= _.random(9) %>"
    found = []
    for seed in ("a", "a", "b"):
        with sandbox.generation(scene, lambda request: Value(None), {"main"}) as generation:
            found.append(generation.render("main", text, seed=seed).text)

    assert found[0] == found[1] != found[2]
    assert found[0].split("|")[1:3] == ["5:30", "86400000"]
