"""The prompt of a task, where the recorded cases say nothing."""

import pytest

from lorewright.errors import InputError
from lorewright.tasks.payload import finish, make_payload, parts_of
from lorewright.tasks.profile import read_profile
from lorewright.tasks.regexes import apply_rules, read_task_rules
from tests.tasks.world import REGEXES, STATE, entry, prompt

ASK = {"id": "u", "type": "custom", "role": "user", "content": "Ask: {{userMessage}}", "order": 9}
LORE = {"id": "b", "type": "builtin", "sourceKey": "worldInfoBefore"}


def texts(messages):
    return [(message.role, message.content) for message in messages]


def test_route_goes_before_profile_and_profile_before_settings():
    books = {"main": [entry("a", "A"), entry("b", "B", uid=2), entry("c", "C", uid=3)]}
    settings = {"worldInfoFilterMode": "custom", "worldInfoFilterCustomKeywords": "a"}

    assert prompt(settings, [LORE], books).system == "C\n\nB"
    assert prompt(settings, [LORE], books, route={"worldInfoFilterCustomKeywords": "b"}).system == "C\n\nA"
    profile = {"worldInfoFilterCustomKeywords": "c", "blocks": [LORE], "id": "q"}
    assert prompt({**settings, "taskProfiles": {"recall": {"profiles": [profile]}}}, [], books).system == "B\n\nA"


def test_an_unknown_task_says_which_there_are():
    with pytest.raises(InputError, match=r"`recal` is no task\. Tasks: extract, recall"):
        read_profile({}, "recal")


def test_a_context_that_is_nested_too_deep_is_refused_by_name():
    deep: list[object] = []
    for _ in range(200):
        deep = [deep]

    with pytest.raises(InputError, match="`candidateNodes` is nested more than 100 levels deep"):
        prompt({}, [ASK], context={"candidateNodes": deep})


def test_without_a_profile_ours_shows_lore_chat_and_the_message():
    profile = read_profile({"recallPrompt": "old"}, " recall ")

    assert [block.source_key for block in profile.blocks] == [
        *("charDescription", "userPersona", "worldInfoBefore", "worldInfoAfter", "recentMessages", "userMessage")
    ]
    assert profile.legacy_prompt == "old"


# Expected by spec mvu-filter §9: prepend puts in front, blank blocks are skipped, an unknown role is the system's.
def test_blocks_stand_in_order_and_prepended_ones_before_what_came():
    blocks = [
        {"type": "custom", "content": "one", "role": "tool", "order": 1},
        {"type": "custom", "content": "two", "injectionMode": "prepend", "order": 2},
        {"type": "custom", "content": " ", "order": 0},
        {"type": "other", "content": "never", "order": 0},
        {"type": "custom", "content": "u1", "role": "user", "order": 3},
        {"type": "custom", "content": "u2", "role": "assistant", "injectionMode": "prepend", "order": 4},
        {"type": "custom", "content": "off", "enabled": False},
    ]
    built = prompt({}, blocks, books={})

    assert built.system == "two\n\none"
    assert texts(built.messages) == [("system", "one"), ("system", "two"), ("user", "u1"), ("assistant", "u2")]
    assert texts(built.private) == [("assistant", "u2"), ("user", "u1")]


# Spec mvu-filter §9, the map of sanitising, and points E to H of the seed.
def test_on_the_custom_runway_only_texts_of_books_are_spared():
    dirty = "x <UpdateVariable>q</UpdateVariable> y"
    blocks = [
        LORE,
        {"id": "c", "type": "builtin", "sourceKey": "candidateText", "order": 5},
        {"id": "t", "type": "custom", "content": dirty, "order": 6},
        ASK,
    ]
    books = {"main": [entry("lore", dirty)]}
    context = {"candidateText": dirty, "userMessage": dirty}
    custom = {"worldInfoFilterMode": "custom"}

    assert texts(make_payload(parts_of(prompt(custom, blocks, books, context))).messages) == [
        ("system", dirty),
        ("system", "x y"),
        ("system", dirty),
        ("user", "Ask: x y"),
    ]
    assert texts(make_payload(parts_of(prompt({}, blocks, books, context))).messages)[0] == ("system", "x y")


def test_a_depth_that_is_too_large_stands_first():
    books = {"main": [entry("deep", "DEEP", position=6, depth=1e300), entry("low", "LOW", uid=2, position=6, depth=-5)]}
    chat = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
    shown = {"id": "r", "type": "builtin", "sourceKey": "recentMessages"}
    built = prompt({}, [shown], books, {"chatMessages": chat, "recentMessages": ""})

    assert built.system == "#1 [assistant|deep]: DEEP\n\n#2 [user]: a\n\n#3 [assistant]: b\n\n#4 [assistant|low]: LOW"
    assert built.depth_in_chat


def test_rules_for_the_finished_prompt_change_what_is_sent_and_nothing_before():
    rules = {"stages": {"input.finalPrompt": True}, "localRules": [{"id": "r", "find_regex": "/secret/g"}]}
    built = prompt({"globalTaskRegex": rules}, [{"type": "custom", "content": "a secret"}, ASK], books={})
    payload = make_payload(parts_of(built))

    assert texts(payload.messages)[0] == ("system", "a secret")
    assert finish(payload, built, REGEXES)[0] == [
        {"role": "system", "content": "a "},
        {"role": "user", "content": "Ask: 继续调查"},
    ]


# Spec mvu-filter §10: these act in both modes, so they can still remove tags after custom mode.
def test_the_rules_of_a_global_set_act_on_inputs_in_custom_mode():
    built = prompt(
        {"globalTaskRegex": {}, "worldInfoFilterMode": "custom"},
        [LORE, ASK],
        {"main": [entry("lore", STATE)]},
        {"userMessage": "a<think>b</think>c"},
    )

    assert texts(built.messages) == [("system", STATE), ("user", "Ask: ac")]
    assert [event.rule for event in built.events] == ["default-contamination-thinking-blocks"]


@pytest.mark.parametrize(
    ("rule", "text", "expected", "errors"),
    [
        ({"find_regex": "/(/g", "replace_string": "x"}, "(", "(", ["invalid_regex"]),
        (
            {"find_regex": r"/^(?:(a+)+\1)+$/g", "replace_string": "x"},
            "a" * 40 + "b",
            "a" * 40 + "b",
            ["regex_timeout"],
        ),
        ({"find_regex": "a", "replace_string": "$&" * 2_000_000}, "a", "a", ["too_long"]),
        ({"find_regex": "/(b)(?<n>c)?/", "replace_string": "[$1$2$<n>$3$$$`$']"}, "a🐉bcd", "a🐉[bcc$3$a🐉d]d", [""]),
        ({"find_regex": "/(b)/", "replace_string": "$10$01$0$<n>"}, "b", "b0b$0$<n>", [""]),
        ({"find_regex": "/x/", "trim_strings": "a\n b \n\n"}, "axbx", "x", [""]),
        ({"find_regex": "/x/", "trim_strings": ["", "a"]}, "ax", "", [""]),
    ],
)
def test_rules_that_fail_do_nothing_and_dollars_mean_what_they_mean_in_javascript(rule, text, expected, errors):
    rules = read_task_rules({"globalTaskRegex": {"localRules": [{"id": "r", **rule}]}})
    changed, events = apply_rules(rules, text, "input.userMessage", "user", REGEXES)

    assert changed == expected
    assert [event.error for event in events] == errors


# Spec mvu-filter §10: which stages run without a word, and the old names.
@pytest.mark.parametrize(
    ("stages", "stage", "expected"),
    [
        ({}, "input.userMessage", True),
        ({}, "input.finalPrompt", False),
        ({}, "finalPrompt", False),
        ({}, "output.rawResponse", False),
        ({}, "", True),
        ({"finalPrompt": True}, "input.finalPrompt", True),
        ({"finalPrompt": True, "input.finalPrompt": False}, "finalPrompt", False),
        ({"input": False}, "input.userMessage", True),  # the stage itself is said by default
        ({"input": False}, "input.other", False),
        ({"beforeParse": True}, "output.beforeParse", True),
        ({}, "output.other", False),
        ({}, "somewhere", True),
    ],
)
def test_stages(stages, stage, expected):
    assert read_task_rules({"globalTaskRegex": {"stages": stages}}).runs_at(stage) is expected


def test_a_profile_has_no_rules_unless_it_says_so():
    own = {"localRules": [{"id": "p", "find_regex": "x"}]}

    assert read_task_rules({}).rules == ()
    assert [rule.id for rule in read_task_rules({}, own).rules] == ["p"]
    assert len(read_task_rules({"globalTaskRegex": {}}, own).rules) == 5
    assert not read_task_rules({"globalTaskRegex": {"enabled": False}}).enabled
