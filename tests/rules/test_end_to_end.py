"""From one rules file to the request: all eight anchors, both channels, replacements, bad entries."""

from lorewright import Message
from lorewright.core.system_prompt import SNAPSHOT_HEADER
from lorewright.rules import inject, read_rules
from lorewright.rules.injection import compose
from tests.rules.prompts import EVERYTHING, HOST, TOOLS, reply, turn, user

RULES = read_rules(EVERYTHING, TOOLS.regexes, "yard")
ASKED = turn(user("Is the Dragon at anchor?"))


def codes(reports):
    return [(report.code, report.entry, report.field) for report in reports]


def test_sections_stand_where_their_layers_say():
    """The order numbers are those of §1.6 and §8.3; in a tie the place in the file decides, not the name."""
    composed = compose(inject(ASKED, RULES, TOOLS), HOST)

    assert [(section.name.removeprefix("lorebook-prompt:"), section.order) for section in composed.prompt.sections] == [
        ("anchor-identity", -1100),
        ("harness:identity", -1000),
        ("layer-early", -500),
        ("deployment:persona-prefix", 0),
        ("anchor-after", 100),
        ("sys-redact", 700),
        ("anchor-tools", 950),
        ("ref:middle", 3000),
        ("number", 3149.5),
        ("tie-b", 3150),
        ("tie-a", 3150),
        ("anchor-files", 8500),
        ("deployment:persona-suffix", 10200),
        ("layer-late", 10300),
        ("kept-green", 10300),
        ("ref:hidden", 11000),
    ]
    names = [section.name for section in composed.prompt.sections]
    assert "lorebook-prompt:sys-redact" in names
    assert composed.system.endswith("suffix\n\nlate\n\nWeigh anchor.\n\nhidden")


def test_the_message_channel_is_a_snapshot_at_the_end():
    composed = compose(inject(ASKED, RULES, TOOLS), HOST)

    assert [(one.name, one.order) for one in composed.prompt.contexts] == [
        ("lorebook-prompt:dragon", 1010),
        ("lorebook-prompt:note", 1012),
    ]
    assert composed.messages[-1] == Message(
        "lorewright",
        f"{SNAPSHOT_HEADER}\n\nThe dragon [sleeps|sleep].\n\nOne note.",
        hidden=True,
    )


def test_the_same_snapshot_is_not_said_twice():
    first = compose(inject(turn(user("a dragon")), RULES, TOOLS)).messages
    again = compose(inject(turn(*first, reply("yes"), user("the dragon?")), RULES, TOOLS)).messages

    assert [message.text for message in again].count(first[-1].text) == 1
    assert again[-1].role == "user"
    assert not again[-1].hidden


def test_rerouting_is_told_and_counted():
    """Of the two selective entries of the system channel one is exempt; the one that is off or broken does not count."""
    (report,) = [report for report in RULES.reports if report.code == "cache_rerouted"]

    assert "`dragon`" in report.message
    assert "kept-green" not in report.message
    assert [(rule.id, rule.route.badge) for rule in RULES.rerouted] == [("dragon", "rerouted")]
    assert RULES.counts("declared") == {"system": 12, "message": 1}
    assert RULES.counts("effective") == {"system": 11, "message": 2}


def test_replacements_on_the_three_targets():
    """content: `$&` and `$1`; system: `$<name>`, `$$` and a number, in sections of the host too; user: newest only."""
    asked = turn(user("A dragon."), reply("Where?"), user("The Dragon is here."))
    composed = compose(inject(asked, RULES, TOOLS), HOST)
    sections = {section.name: section.text for section in composed.prompt.sections}

    assert composed.prompt.contexts[0].text == "The dragon [sleeps|sleep]."
    assert sections["deployment:persona-prefix"] == "A persona with Secret-$-[42]."
    assert [message.text for message in composed.messages[:3]] == ["A dragon.", "Where?", "The wyrm is here."]


def test_the_users_words_are_scanned_before_they_are_replaced():
    """The replacement takes the key out of the text that is sent, and the entry is active all the same."""
    injection = inject(ASKED, RULES, TOOLS)

    assert injection.messages[0].text == "Is the wyrm at anchor?"
    assert "dragon" in [rule.id for rule in injection.active]


def test_a_bad_pattern_costs_its_entry_and_no_other():
    assert [one for one in codes(RULES.reports) if one[0] == "rule_not_loaded"] == [
        ("rule_not_loaded", "broken-key", "keys"),
        ("rule_not_loaded", "broken-replace", "replaces"),
    ]
    assert all(report.level == "error" for report in RULES.reports if report.code == "rule_not_loaded")
    assert RULES.found == 16
    assert len(RULES.rules) == 14


def test_what_is_unknown_is_told():
    assert [one for one in codes(RULES.reports) if one[0] == "unknown_field"] == [
        ("unknown_field", "", "owner"),
        ("unknown_field", "dragon", "colour"),
    ]


def test_a_text_with_its_own_key_does_not_keep_itself_alive():
    """The entry says "dragon" itself. It is active while the user's word is in the last two messages, and no longer,
    though its own text stands in the conversation all the time."""
    said: list[Message] = []
    active = []
    for text in ("the dragon!", "and the weather?", "and the sea?", "and the sky?"):
        said.append(user(text))
        injection = inject(turn(*said), RULES, TOOLS)
        active.append("dragon" in [rule.id for rule in injection.active])
        said = list(compose(injection).messages)
        said.append(reply("Well."))
    assert active == [True, False, False, False]
    assert any("The dragon" in message.text for message in said)


def test_our_snapshots_are_known_without_their_mark():
    """A client that sends the conversation back knows nothing of hidden messages."""
    first = compose(inject(turn(user("the dragon!")), RULES, TOOLS)).messages
    unmarked = [Message(message.name, message.text, message.role) for message in first]
    later = turn(*unmarked, reply("Well."), user("and the sea?"))

    assert "dragon" not in [rule.id for rule in inject(later, RULES, TOOLS).active]
