"""`python -m benchmarks.macros [--record]`: what a text of 1 MB with 10,000 macros costs in each dialect.

CPU time of this process, since other programs of the machine count otherwise. Every answer is checked.
"""

import sys
from collections.abc import Callable
from time import process_time

from benchmarks.table import Table
from lorewright.templates import bme, cbs, host_strict, legacy, rules, sillytavern
from lorewright.templates.context import ChatMessage, Context
from lorewright.templates.seeded import kept_hash, seeded_number

SIZE = 1_000_000
MACROS = 10_000
RUNS = 7
LIMIT_MS = 150
FREE_MS = 5

VARIABLES = {"mood": "calm", "n": 5, "bag": [{"name": "map"}]}
ST = Context(
    user="Mina",
    char="Rook",
    chat=(ChatMessage("Mina", "hi", is_user=True),),
    chat_id="c",
    local_variables=VARIABLES,
    random=lambda: 0.5,
)
REPAIRED = sillytavern.Defects(**dict.fromkeys(sillytavern.Defects.__dataclass_fields__, False))
CBS = cbs.CbsContext(
    user="Mina", character=cbs.Character("Rook", id="c"), chat=cbs.Chat("d"), variables=VARIABLES, switches=cbs.RISU
)
RULES = rules.RuleContext(variables=VARIABLES, last_user_message="hi", session="s", random=lambda: 0.5)
STRICT = {name: str(value) for name, value in VARIABLES.items()}

ANSWERS: dict[str, Callable] = {
    "sillytavern": lambda text: sillytavern.render(text, ST),
    "sillytavern, repaired": lambda text: sillytavern.render(text, ST, defects=REPAIRED),
    "sillytavern-legacy": lambda text: legacy.render(text, ST),
    "cbs": lambda text: cbs.render(text, CBS),
    "rules": lambda text: rules.render(text, RULES),
    "host-strict": lambda text: host_strict.render(text, STRICT),
    "bme": lambda text: bme.substitute(text, VARIABLES),
}
NEW = (
    ("{{user}}", "Mina"),
    ("{{getvar::mood}}", "calm"),
    ("{{char}}", "Rook"),
    ("{{.n}}", "5"),
    ("{{random::a::b}}", "b"),
    ("{{upper::{{user}}}}", "{{upper::Mina}}"),
    ("{{if .n}}a{{else}}b{{/if}}", "a"),
    ("{{isodate}}", "1970-01-01"),
)
MIXED = {
    "sillytavern": NEW,
    "sillytavern, repaired": NEW,
    "sillytavern-legacy": (
        ("{{user}}", "Mina"),
        ("{{getvar::mood}}", "calm"),
        ("{{char}}", "Rook"),
        ("{{random::a::b}}", "b"),
        ("{{reverse:ab}}", "ba"),
        ("{{upper::x}}", "{{upper::x}}"),
        ("{{lastMessage}}", "hi"),
        ("{{isodate}}", "1970-01-01"),
    ),
    "cbs": (
        ("{{user}}", "Mina"),
        ("{{getvar::mood}}", "calm"),
        ("{{? 1+2*3}}", "7"),
        ("{{upper::{{user}}}}", "MINA"),
        ("{{nope::x}}", "{{nope::x}}"),
        ("{{#if {{equal::a::a}}}}yes{{/if}}", "yes"),
    ),
    "rules": (
        ("{{mood}}", "calm"),
        ("{{ n }}", "5"),
        ("{{lastusermessage}}", "hi"),
        ("{{random::a::b}}", "b"),
        ("{{chance::100::yes::no}}", "yes"),
        ("{{upper::{{mood}}}}", "{{upper::calm}}"),
        ("{{who}}", "{{who}}"),
        ("{{isodate}}", "1970-01-01"),
    ),
    "host-strict": (("{{mood}}", "calm"), ("{{n}}", "5")),
    "bme": (
        ("{{mood}}", "calm"),
        ("{{ n }}", "5"),
        ("{{bag.0.name}}", "map"),
        ("{{who}}", ""),
        ("{{a::b}}", "{{a::b}}"),
    ),
}
PICK = (("{{pick::same::same}}", "same"),)
PLAIN = (("user", "user"),)


def make_text(pieces):
    """A text of 1 MB in which 10,000 macros stand, and what becomes of it."""
    count = MACROS * len(pieces) // sum(piece.count("{{") or 1 for piece, _ in pieces)
    written = [pieces[number % len(pieces)] for number in range(count)]
    filler = (" and so on" * 20)[: (SIZE - sum(len(piece) for piece, _ in written)) // count]
    text = "".join(piece + filler for piece, _ in written).ljust(SIZE)
    assert len(text) == SIZE
    return text, "".join(gives + filler for _, gives in written)


def measure(answer, pieces, *, forgets=False):
    """Times in ms. `forgets`: as if the text had never been seen."""
    text, right = make_text(pieces)
    times = []
    for number in range(RUNS + 1):
        if forgets:
            kept_hash.cache_clear()
            seeded_number.cache_clear()
        began = process_time()
        rendered = answer(text)
        if number:  # the first one warms up
            times.append((process_time() - began) * 1000)
        if rendered.text.rstrip() != right.rstrip():
            raise SystemExit("not the right text")
    return times


def main(keep):
    table = Table("macros", "1 MB with 10,000 macros (each answer checked), CPU time")
    for name, answer in ANSWERS.items():
        table.add(f"{name}: several kinds", measure(answer, MIXED[name]), "ms", LIMIT_MS)
        table.add(f"{name}: none", measure(answer, PLAIN), "ms", FREE_MS)
    for name in ("sillytavern", "sillytavern-legacy", "cbs", "rules"):
        table.add(f"{name}: pick, in every turn", measure(ANSWERS[name], PICK), "ms", LIMIT_MS)
    for name in ("sillytavern", "sillytavern-legacy"):
        times = measure(ANSWERS[name], PICK, forgets=True)
        table.add(f"{name}: pick, for the first time", times, "ms", None, "  10,000 generators")
    table.close(keep)


if __name__ == "__main__":
    main("--record" in sys.argv[1:])
