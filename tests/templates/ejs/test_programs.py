"""Lines at the top of entries with code, and marks in their titles (spec templates §2)."""

import pytest

from lorewright import NATIVE, SILLYTAVERN
from tests.templates.ejs.world import entry, played, texts, why


@pytest.mark.parametrize("policy", [NATIVE, SILLYTAVERN])
class TestPrograms:
    @pytest.mark.parametrize(
        ("condition", "is_in"),
        [("getvar('hp') > 5", True), ("variables.hp > 8", False), ("'{{user}}' === 'Mina'", True), ("''", False)],
    )
    def test_a_condition(self, tools, policy, condition, is_in):
        found = played(tools, entry(1, f"@@if {condition}\ntext"), policy=policy)

        assert texts(found) == ({"1": "text"} if is_in else {})
        assert why(found, 1).code == ("constant" if is_in else "condition_failed")

    def test_a_condition_that_fails(self, tools, policy):
        found = played(tools, entry(1, "@@if nobody.here\ntext"), policy=policy)

        assert texts(found) == {}
        assert why(found, 1).code == "code_refused"

    def test_a_condition_takes_the_entry_out_of_its_group(self, tools, policy):
        found = played(
            tools,
            entry(1, "@@if false\none", group="g", group_override=True, order=9),
            entry(2, "two", group="g"),
            policy=policy,
        )

        assert texts(found) == {"2": "two"}

    def test_preprocessing_runs_code_in_keys_and_is_scanned_afterwards(self, tools, policy):
        found = played(
            tools,
            entry(1, "@@preprocessing\n<%= 'do' + 'g' %>", constant=False, keys=("<%= 'c' + 'at' %>",)),
            entry(2, "a dog", constant=False, keys=("dog",)),
            entry(
                3,
                "[Preprocessing] is a title",
                title="[Preprocessing] x",
                constant=False,
                keys=("<%= 'sle' + 'eps' %>",),
            ),
            policy=policy,
        )

        assert texts(found) == {"1": "dog", "2": "a dog", "3": "[Preprocessing] is a title"}

    @pytest.mark.parametrize(("title", "line"), [("[GENERATE:BEFORE] a", ""), ("a", "@@generate_before\n")])
    def test_in_front_of_all(self, tools, policy, title, line):
        found = played(tools, entry(1, f"{line}<%= 1 %>", title=title, position=4, depth=2), policy=policy)

        assert [text.text for text in found.placed.before] == ["1"]

    @pytest.mark.parametrize(("title", "line"), [("[GENERATE:AFTER] a", ""), ("a", "@@generate_after\n")])
    def test_behind_all(self, tools, policy, title, line):
        found = played(tools, entry(1, f"{line}<%= 1 %>", title=title), policy=policy)

        assert [(group.depth, [text.text for text in group.texts]) for group in found.placed.at_depth] == [(0, ["1"])]

    def test_what_stands_in_front_enables_other_entries(self, tools, policy):
        found = played(
            tools,
            entry(
                1,
                "@@generate_before\n<% await activewi('T2', true); activewi('T3') %>front<% setvar('n', (getvar('n') ?? 0) + 1) %>",
            ),
            entry(2, "two", enabled=False, constant=False),
            entry(3, "three", enabled=False, constant=False, keys=("cat",)),
            entry(4, "four", enabled=False, constant=False, keys=("cat",)),
            policy=policy,
        )

        assert texts(found) == {"1": "front", "2": "two", "3": "three"}
        assert why(found, 2).code == "forced"
        assert found.state.variables == {"n": 1}

    def test_elsewhere_that_is_too_late_and_said(self, tools, policy):
        found = played(tools, entry(1, "<% activewi('T2', true) %>x"), entry(2, "two", enabled=False), policy=policy)

        assert texts(found) == {"1": "x"}
        assert [report.code for report in found.reports] == ["activated_too_late"]

    @pytest.mark.parametrize(("title", "line"), [("[InitialVariables]", ""), ("a", "@@initial_variables\n")])
    def test_first_values(self, tools, policy, title, line):
        found = played(
            tools,
            entry(1, f'{line}{{"hp": 1, "new": {{"deep": 2}}}}', title=title),
            entry(2, "<%= getvar('hp') %><%= getvar('new.deep') %>"),
            policy=policy,
        )

        assert texts(found) == {"2": "72"}
        assert why(found, 1).code == "not_text"
        assert found.state.variables == {}

    def test_first_values_that_are_no_object(self, tools, policy):
        found = played(tools, entry(1, "no JSON", title="[InitialVariables]"), policy=policy)

        assert [report.code for report in found.reports] == ["initial_variables_broken"]

    @pytest.mark.parametrize(
        ("title", "content"),
        [
            ("a", "@@render_after\nx"),
            ("a", "@@render_before\nx"),
            ("[RENDER:AFTER] a", "x"),
            ("@INJECT pos=1", "x"),
            ("[GENERATE:1:BEFORE]", "x"),
        ],
    )
    def test_what_is_not_played_is_refused(self, tools, policy, title, content):
        found = played(tools, entry(1, content, title=title), policy=policy)

        assert texts(found) == {}
        assert (why(found, 1).code, why(found, 1).why) == ("code_refused", "not_played")

    def test_without_trust_such_entries_are_left_out_but_for_sillytavern_itself(self, tools, policy):
        found = played(
            tools, entry(1, "@@generate_after\nx"), entry(2, "y", title="[RENDER:AFTER]"), policy=policy, trusted=()
        )

        assert texts(found) == ({"1": "x", "2": "y"} if policy is SILLYTAVERN else {})
        assert found.placed.at_depth == ()

    def test_switched_on_and_off_by_lines(self, tools, policy):
        found = played(
            tools,
            entry(1, "@@activate\n<%= 1 %>", constant=False, keys=("nowhere",)),
            entry(2, "@@dont_activate\n<%= 2 %>"),
            policy=policy,
        )

        assert texts(found) == {"1": "1"}
