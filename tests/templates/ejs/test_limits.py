"""Code that goes on and on is stopped, and the texts after it are rendered. How soon: benchmarks/ejs."""

from importlib import metadata

import pytest

from lorewright.templates.ejs import Limits, Nested, Output, Refused, Sandbox, Scene, Value, generation
from lorewright.templates.ejs.process import engine_path

BOMBS = {
    "a loop": ("for (;;);", "time_limit"),
    "a loop that catches": ("for (;;) try { for (;;); } catch {}", "time_limit"),
    "a regular expression": ("/^(a+)+$/.test('a'.repeat(60) + 'b')", "time_limit"),
    "jobs without end": ("await (async () => { for (;;) await null })()", "time_limit"),
    "a loop in a job": ("Promise.resolve().then(() => { for (;;); })", "time_limit"),
    "a loop that nobody waits for": ("(async () => { await null; for (;;); })()", "time_limit"),
    "a loop in a getter": ("const o = { get x() { for (;;); } }; o.x", "time_limit"),
    "a loop in a sort": ("[1, 2].sort(() => { for (;;); })", "time_limit"),
    "a loop in an argument": ("await getwi({toJSON() { for (;;); }})", "time_limit"),
    "asking without end": ("for (;;) await getwi('x')", "time_limit"),
    "allocation": ("const a = []; for (;;) a.push('x'.repeat(1000) + a.length)", "memory_limit"),
    "allocation at once": ("'x'.repeat(1 << 28)", "memory_limit"),
    "a long list": ("new Array(1e9).fill(1)", "memory_limit"),
    "recursion": ("const f = n => n ? f(n - 1) + 1 : 0; f(10000)", "stack_limit"),
    "endless recursion": ("const f = () => f(); f()", "stack_limit"),
    "recursion of JSON": ("let a = []; for (let i = 0; i < 1e5; i++) a = [a]; JSON.stringify(a)", "stack_limit"),
    "never": ("await new Promise(() => {})", "never_settles"),
    "output": ("print('x'.repeat(1e6))", "output_too_long"),
    "wide output": ("print('中'.repeat(9e4))", "output_too_long"),
}


def answer(request):
    del request
    return Value("text")


@pytest.mark.parametrize(("code", "why"), BOMBS.values(), ids=BOMBS.keys())
def test_it_is_stopped_and_the_others_are_rendered(sandbox, code, why):
    with sandbox.generation(Scene(functions="host"), answer, {"main"}) as entries:
        found = entries.render("main", f"a<% {code} %>b", tag="main::1")
        after = entries.render("main", "<%= 1 + 1 %>", tag="main::2")

    assert isinstance(found, Refused)
    assert (found.code, found.path) == (why, ("main::1",)), found
    assert after == Output("2")


def test_the_time_of_all_entries_is_limited():
    with (
        Sandbox(Limits(entry_cpu_seconds=0.2, generation_seconds=0.3)) as sandbox,
        sandbox.generation(Scene(), answer, {"main"}) as entries,
    ):
        found = [entries.render("main", f"<% for (;;); %>{n}") for n in range(4)]

        assert {item.code for item in found[:2] if isinstance(item, Refused)} <= {"time_limit", "generation_time"}
        assert [item.code for item in found[2:] if isinstance(item, Refused)] == ["generation_time"] * 2
        assert entries.render("main", "no code") == Output("no code")


def test_texts_that_pull_in_texts_end():
    def nest(request):
        return Nested(request.book, "<%= await getwi('again') %>", "again")

    with Sandbox() as sandbox, sandbox.generation(Scene(), nest, {"main"}) as entries:
        found = entries.render("main", "<%= await getwi('again') %>")

    assert isinstance(found, Refused)
    assert found.code == "too_deep"


def test_texts_of_two_books_that_pull_in_each_other_end():
    def nest(request):
        other = "other" if request.book == "main" else "main"
        return Nested(other, "<%= await getwi('again') %>", "again")

    with Sandbox() as sandbox, sandbox.generation(Scene(), nest, {"main", "other"}) as entries:
        found = entries.render("main", "<%= await getwi('again') %>")

    assert isinstance(found, Refused)
    assert found.code == "too_deep"


def test_evaluated_texts_that_evaluate_end(sandbox):
    text = "<% const t = '<' + '%= await evalTemplate(t, {t}) %' + '>' %><%= await evalTemplate(t, {t}) %>"
    with sandbox.generation(Scene(functions="host"), answer, {"main"}) as entries:
        found = entries.render("main", text)

    assert isinstance(found, Refused)
    assert found.code == "too_deep"


@pytest.mark.parametrize(
    "scene", [Scene(names={"a": "x" * 9_000_000}), Scene(variables={"local": {"a": "x" * 9_000_000}})]
)
def test_more_data_than_a_sandbox_takes_is_refused(sandbox, scene):
    with sandbox.generation(scene, answer, {"main"}) as entries:
        found = entries.render("main", "<%= 1 %>")

    assert isinstance(found, Refused)
    assert found.code == "data_too_large"


def test_variables_that_grow_too_large_are_refused(sandbox):
    with sandbox.generation(Scene(functions="host"), answer, {"main"}) as entries:
        found = entries.render("main", "<% setvar('a', 'x'.repeat(2e6)) %>")

    assert isinstance(found, Refused)
    assert found.code == "data_too_large"


def test_without_the_engine_texts_with_code_are_refused_and_others_work(monkeypatch):
    monkeypatch.setattr(generation, "engine_path", lambda: None)

    with Sandbox() as sandbox, sandbox.generation(Scene(), answer, {"main"}) as entries:
        sandbox.warm()
        found = entries.render("main", "a<%= 1 %>")

        assert isinstance(found, Refused)
        assert found.code == "engine_missing"
        assert "lorewright[ejs]" in found.message
        assert entries.render("main", "a") == Output("a")


@pytest.mark.parametrize(
    ("installed", "is_there"), [({"quickjs-ng"}, True), ({"quickjs"}, False), ({"quickjs-ng", "quickjs"}, False)]
)
def test_the_other_package_with_the_same_file_is_no_engine(monkeypatch, installed, is_there):
    def version(name):
        if name not in installed:
            raise metadata.PackageNotFoundError(name)
        return "1"

    monkeypatch.setattr(metadata, "version", version)

    assert (engine_path() is not None) is is_there


def test_a_process_that_dies_costs_one_text():
    with Sandbox() as sandbox, sandbox.generation(Scene(), answer, {"main"}) as entries:
        entries.render("main", "<%= 1 %>")
        entries._contexts["main"].process.kill()

        found = entries.render("main", "<%= 2 %>")
        after = entries.render("main", "<%= 3 %>")

    assert isinstance(found, Refused)
    assert found.code == "sandbox_failed"
    assert after == Output("3")
