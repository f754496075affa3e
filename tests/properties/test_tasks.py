"""What must hold for the task reader, whatever books, settings and contexts say."""

import copy
import json

from hypothesis import given
from hypothesis import strategies as st

from lorewright import make_tools
from lorewright.tasks.active import Active
from lorewright.tasks.debug import show_report
from lorewright.tasks.depth import put_into_chat
from lorewright.tasks.fields import FieldLog, clean_field
from lorewright.tasks.lore import LoreText
from lorewright.tasks.payload import finish, make_payload, parts_of
from lorewright.tasks.profile import TASKS
from lorewright.tasks.prompt import TaskRequest, build_task_prompt
from lorewright.tasks.regexes import apply_rules, read_task_rules
from lorewright.tasks.settings import read_task_settings
from lorewright.tasks.shelf import BookShelf
from lorewright.tasks.world import TaskTools, WorldRequest, read_world
from lorewright.templates.bme import fill_block, substitute
from lorewright.templates.ejs import Sandbox
from lorewright.testing.strategies import books, texts
from tests.tasks.world import SCENE, entry

REGEXES = make_tools().regexes
SANDBOX = Sandbox()
NAMES = (
    "content",
    "mes",
    "role",
    "is_user",
    "seq",
    "name",
    "isContextOnly",
    "a",
    "stat_data",
    " STAT_DATA",
    "variables",
)
pieces = st.sampled_from(["x <update>1</update>", "stat_data: getvar('stat_data')", " ", "", "text", "{{userMessage}}"])
scalars = pieces | texts() | st.none() | st.booleans() | st.integers(-3, 3) | st.floats(allow_nan=False)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=3),
    max_leaves=8,
)
fields = st.sampled_from(
    ["userMessage", "recentMessages", "chatMessages", "candidateNodes", "candidateText", "extra", "__skipWorldInfo"]
)
contexts = st.dictionaries(fields, values, max_size=4)
modes = st.sampled_from(["default", "custom", " custom ", "CUSTOM", "", None, 5])
keywords = st.sampled_from(["", "a", "cat,dragon", "，", None, 7, ["a", "b"]])
odd_settings = st.dictionaries(
    st.sampled_from(["taskProfiles", "globalTaskRegex", "recallPrompt", "worldInfoMaxResolvePasses"]),
    values,
    max_size=3,
)
blocks = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["builtin", "custom", "legacyPrompt", "other"]),
            "role": st.sampled_from(["system", "user", "assistant", "tool"]),
            "sourceKey": st.sampled_from(["worldInfoBefore", "recentMessages", "candidateNodes", "extra", "nothing"]),
            "content": st.sampled_from(["", "{{worldInfoAfter}}", "{{candidateNodes}}", "own", "{{a.b.0}}"]),
            "order": scalars,
            "enabled": scalars,
            "injectionMode": st.sampled_from(["append", "prepend", "relative", ""]),
        },
    ),
    max_size=4,
)


def holds_state(value):
    if isinstance(value, dict):
        return any(key.strip().lower() == "stat_data" for key in value) or any(map(holds_state, value.values()))
    return isinstance(value, list) and any(map(holds_state, value))


@given(values)
def test_a_cleaned_value_holds_no_state_and_the_given_one_is_untouched(value):
    before = copy.deepcopy(value)
    log = FieldLog()
    found = clean_field(value, "f", log)

    assert not holds_state(found.value)
    assert value == before
    assert found.changed == bool(found.value != value or log.notes) or found.changed
    assert clean_field(value, "f", FieldLog(), texts=False, containers=False).value == value
    if not log.notes:
        assert json.dumps(found.value) == json.dumps(clean_field(found.value, "f", FieldLog()).value)


@given(values, texts())
def test_paths_never_raise(value, text):
    for path in ("a", "a.b", "a.content.0", ".", "..", "a..length"):
        assert isinstance(substitute(f"{text}{{{{{path}}}}}", {"a": value}).text, str)
        assert isinstance(fill_block(f"{text}{{{{ {path} }}}}", {"a": value}).text, str)


@given(books(), modes, keywords, texts(), contexts)
def test_reading_never_raises_and_every_entry_is_kept_or_told_of(book, mode, words, message, context):
    settings = {"worldInfoFilterMode": mode, "worldInfoFilterCustomKeywords": words}
    request = WorldRequest(
        settings=read_task_settings(settings), books=(book.name,), user_message=message, context=context, scene=SCENE
    )
    shelf = BookShelf([book])
    lore = read_world(request, shelf, TaskTools(REGEXES, SANDBOX))
    report = lore.report

    found = shelf.read(book.name.strip())
    assert len(found) == len(report.entries) + len(report.removed) or not request.settings.is_custom
    assert {removal.entry.name for removal in report.removed} <= {entry.name for entry in found}
    assert set(map(id, report.entries)) | {id(removal.entry) for removal in report.removed} <= set(map(id, found))
    if request.settings.is_custom:
        assert report.blocked == ()
        assert all(entry.enabled for entry in report.entries)
        assert show_report(report)["mvu"]["filteredEntryCount"] == 0
    else:
        assert not any(removal.reason == "custom_keyword" for removal in report.removed)
    again = read_world(request, shelf, TaskTools(REGEXES, SANDBOX))
    assert again == lore


@given(books(), modes, keywords, contexts, blocks, odd_settings, st.sampled_from(TASKS))
def test_a_prompt_is_built_whatever_is_given(book, mode, words, context, listed, odd, task):
    settings = {
        "taskProfiles": {task: {"profiles": [{"id": "p", "blocks": listed}]}},
        **odd,
        "worldInfoFilterMode": mode,
        "worldInfoFilterCustomKeywords": words,
    }
    request = TaskRequest(task=task, settings=settings, context=context, books=(book.name,), scene=SCENE)
    built = build_task_prompt(request, BookShelf([book]), TaskTools(REGEXES, SANDBOX))
    payload = make_payload(parts_of(built), "fallback")
    messages, _ = finish(payload, built, REGEXES)

    assert all(
        message["content"].strip() and message["role"] in {"system", "user", "assistant"} for message in messages
    )
    assert any(message["role"] == "user" for message in messages)


@given(
    st.lists(values.filter(lambda value: isinstance(value, dict) and "content" in value), max_size=4),
    st.lists(st.floats(-3, 9), max_size=4),
)
def test_texts_at_a_depth_move_no_message(chat, depths):
    chat = [message for message in chat if isinstance(message["content"], str)]
    lore = [
        LoreText(Active(entry(f"e{place}", depth=depth), "constant"), f"L{place}", place)
        for place, depth in enumerate(depths)
    ]
    put = put_into_chat(chat, lore)

    assert [message["content"] for message in put if message.get("source") != "worldInfo-atDepth"] == [
        message["content"] for message in chat
    ]
    assert sorted(message["content"] for message in put if message.get("source") == "worldInfo-atDepth") == sorted(
        text.content for text in lore
    )


@given(values, texts(), st.sampled_from(["input.userMessage", "finalPrompt", ""]))
def test_rules_never_raise(config, text, stage):
    rules = read_task_rules(
        {"globalTaskRegex": {"localRules": [config, {"find_regex": text, "replace_string": "$1$<a>$'"}]}}
    )

    assert isinstance(apply_rules(rules, text, stage, "user", REGEXES)[0], str)
