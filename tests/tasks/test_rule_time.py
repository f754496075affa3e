"""Rules of a task share their time."""

from lorewright.fast.regexes import default_regexes
from lorewright.tasks import regexes as module
from lorewright.tasks.regexes import Allowance, RuleEvent, apply_rules, read_task_rules

RULES = read_task_rules(
    {
        "globalTaskRegex": {
            "localRules": [{"id": name, "find_regex": f"/{name}/", "replace_string": ""} for name in "abc"]
        }
    }
)


def apply(text, allowance):
    return apply_rules(RULES, text, "input.userMessage", "user", default_regexes(), allowance)


def test_after_the_time_of_all_a_rule_does_nothing_and_says_so(monkeypatch):
    now = 0.0

    def tick():
        nonlocal now
        now += 1
        return now

    monkeypatch.setattr(module, "thread_time", tick)
    allowance = Allowance(2)

    assert apply("abc", allowance) == ("c", [RuleEvent("a"), RuleEvent("b"), RuleEvent("c", "regex_timeout")])
    assert apply("abc", allowance)[0] == "abc"
