"""Texts with code: what they find, what they ask for, and what becomes of those that fail."""

import pytest

from lorewright.templates.ejs import ChatText, Nested, Output, Pattern, Refused, Sandbox, Scene, Value

SCENE = Scene(
    lodash=False,
    names={"user": "Ann"},
    variables={
        "global": {"mood": "g", "only": 1},
        "local": {"mood": "l", "deep": {"a": [1, 2]}},
        "message": {"mood": "m", "stat_data": {"hp": [7, "health"]}},
    },
    chat=(ChatText("user", "u0"), ChatText("assistant", "a1"), ChatText("user", "u2")),
)


def render(sandbox, text, answer=lambda request: Value(None), scene=SCENE):
    with sandbox.generation(scene, answer, {"main"}) as generation:
        return generation.render("main", text, tag="main::1")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("no code", "no code"),
        ("<%= user %>|<%- '<b>&' %>", "Ann|<b>&"),
        ("a\n<% if (true) { -%>\nb\n<% } -%>\nc<%_ let q = 1 _%>\nd", "a\nb\ncd"),
        ("a<%# hidden %>b<%% x %>", "ab<% x %>"),
        ("<% for (const x of [1,2,3]) { %>(<%= x %>)<% } %>", "(1)(2)(3)"),
        ("<%= null %><%= undefined %><%= await Promise.resolve('ok') %>", "ok"),
        ("<%= stat_data.hp[0] %><%= this.user %>", "7Ann"),
        ("<%= getvar('mood') %><%= getvar('mood', {scope:'global'}) %><%= getLocalVar('deep.a.1') %>", "mg2"),
        ("<%= getvar('none', {defaults: 'd'}) %>[<%= getvar('none') %>]", "d[]"),
        ("<%= variables.only %>é中😀<%= '\\u{1f600}' %>", "1é中😀😀"),
        ("<% print('p', 1) %>!<%= print('p', 1) %>", "!p1"),
        ("<%= getChatMessage(-1) %>|<%= getChatMessages(2).join('+') %>|<%= getChatMessage(0,'assistant') %>", "u2|u0+a1|a1"),
        ("<%= getChatMessage(9) %>[<%= getChatMessage() %>]<%= matchChatMessages('U0') %>", "[]true"),
        ("<%= _.sum(['1', 2, null]) %><%= _.get({a: [5]}, 'a.0') %><%= _.get({}, 'a', 6) %><%= typeof _.has %>", "356undefined"),
        ("<%= typeof nobody %>", "undefined"),
    ],
)  # fmt: skip
def test_renders(sandbox, text, expected):
    found = render(sandbox, text)

    assert isinstance(found, Output), found
    assert found.text == expected


def test_a_nested_text_is_rendered_with_the_data_it_is_given(sandbox):
    asked = []

    def answer(request):
        asked.append(request)
        return Nested("main", "<%= k %>,<%= user %>,<%= world_info.name %>", "main::2", {"world_info": {"name": "Sub"}})

    found = render(sandbox, "[<%= await getwi(/^S/i, 'Sub', {k: 'v', user: 'X'}) %>]", answer)

    assert found.text == "[v,X,Sub]"
    assert asked[0].arguments == (Pattern("^S", "i"), "Sub", {"k": "v", "user": "X"})
    assert (asked[0].helper, asked[0].book, asked[0].path) == ("getwi", "main", ("main::1",))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("x<%= nobody %>", "failed"),
        ("<% if ( %>", "failed"),
        ("<% throw new Error('boom') %>", "failed"),
        ("<% setvar('x', 1) %>", "unsupported_helper"),
        ("<% await new Promise(() => {}) %>", "never_settles"),
        ("<%= 'x'.repeat(300000) %>", "output_too_long"),
    ],
)
def test_refuses(sandbox, text, code):
    found = render(sandbox, text)

    assert isinstance(found, Refused)
    assert found.code == code


def test_code_of_a_book_that_is_not_trusted_does_not_run(sandbox):
    with sandbox.generation(SCENE, lambda request: Value(None), {"main"}) as generation:
        found = generation.render("other", "<%= 1 %>")

    assert isinstance(found, Refused)
    assert found.code == "book_not_trusted"


def test_numbers_without_end_are_null_as_in_javascript(sandbox):
    numbers = [float("inf"), float("nan"), -float("inf"), 10**5000, 1.5]
    scene = Scene(functions="host", names={"list": numbers}, variables={"local": {"list": numbers}})
    code = "<%= JSON.stringify([list, getvar('list'), await getwi('x')]) %>"

    found = render(sandbox, code, lambda request: Value(numbers), scene)

    assert isinstance(found, Output), found
    assert found.text == "[" + ",".join(["[null,null,null,null,1.5]"] * 3) + "]"


def test_a_process_that_ended_while_it_stood_ready_costs_nothing():
    with Sandbox() as sandbox:
        sandbox.warm()
        assert sandbox._pool
        assert sandbox._pool._spare
        sandbox._pool._spare.kill()
        sandbox._pool._spare._process.wait()

        assert render(sandbox, "<%= 1 %>") == Output("1")


def test_a_next_process_that_cannot_be_started_costs_nothing(monkeypatch):
    with Sandbox(keep_warm=True) as sandbox:

        def fail():
            raise OSError

        monkeypatch.setattr(sandbox._pool, "warm", fail)

        assert render(sandbox, "<%= 1 %>") == Output("1")
