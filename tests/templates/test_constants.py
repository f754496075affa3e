"""Renderings that are kept come out as they would if they were made anew."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from lorewright.core.layout.macros import Reading
from lorewright.core.layout.scene import Card, Line, Scene
from lorewright.core.variables import Values
from lorewright.templates.constants import Constants
from lorewright.templates.context import Context
from lorewright.templates.prompt_macros import PromptMacros

PARTS = (
    "{{char}}", "{{user}}", "{{getvar::a}}", "{{getglobalvar::a}}", "{{setvar::a::2}}", "{{incvar::a}}", "{{description}}",
    "{{scenario}}", "{{lastMessage}}", "{{random::x::y::z}}", "{{pick::x::y::z}}", "{{roll:d20}}", "{{time}}", "{{original}}",
    "{{own}}", "{{outlet::o}}", "{{maxPrompt}}", "{{if .a}}yes{{else}}no{{/if}}", "{{unknown}}", "{{lastGenerationType}}",
    "{{.a += 1}}", "{{deletevar::a}}", "plain", "<USER>",
)  # fmt: skip
texts = st.lists(st.sampled_from(PARTS), min_size=1, max_size=3).map(" ".join)
values = st.sampled_from([None, "", "1", 1, 1.0, True, [1], {"k": 1}, "text"])
readings = st.builds(
    lambda local, shared, char, cards, original, own, outlet, said: Reading(
        variables=Values({"a": local}, {"a": shared}),
        chat=(Line(name="Max", text=said, is_user=True),),
        outlets={"o": outlet},
        char=char,
        cards=cards,
        original=original,
        extra={"own": own},
    ),
    values, values, st.sampled_from([None, "Bo"]), st.booleans(), st.sampled_from([None, "old"]),
    st.sampled_from(["m", "n"]), st.sampled_from(["o", "p"]), st.sampled_from(["hi", "ho"]),
)  # fmt: skip
scenes = st.builds(
    lambda user, text, trigger: Scene(
        user=user, trigger=trigger, card=Card(name="Aria", description=text, scenario="by the sea")
    ),
    st.sampled_from(["Max", "Ida"]),
    texts,
    st.sampled_from(["normal", "swipe"]),
)
steps = st.lists(st.tuples(scenes, texts, readings), min_size=1, max_size=12)


def chance():
    """The same numbers for every scene."""
    numbers = iter(range(10_000))
    return lambda: next(numbers) % 7 / 7


@given(steps)
def test_kept_renderings_are_those_that_are_made_anew(steps):
    constants = Constants()
    for number, (scene, text, reading) in enumerate([*steps, *steps]):
        base = Context(chat_id=f"chat {number % 2}", random=chance())
        kept = PromptMacros(scene, base, constants=constants)
        anew = PromptMacros(scene, replace(base, random=chance()))

        assert kept.render(text, reading) == anew.render(text, reading)


def test_a_variable_that_changes_makes_another_text():
    macros = PromptMacros(Scene(), constants=Constants())
    moods = ("calm", "stormy", "calm")
    found = [macros.render("It is {{getvar::mood}}.", Reading(variables=Values({"mood": mood}))).text for mood in moods]

    assert found == ["It is calm.", "It is stormy.", "It is calm."]
    assert macros.render("It is {{getvar::mood}}.", Reading()).text == "It is ."


def test_chance_is_asked_every_time():
    numbers = iter((0.0, 0.9))
    macros = PromptMacros(Scene(), Context(random=lambda: next(numbers)), constants=Constants())

    assert [macros.render("{{random::a::b}}", Reading()).text for _ in range(2)] == ["a", "b"]
