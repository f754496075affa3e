"""Entries that can never be active, stand nowhere, or mean different things to the two profiles."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from lorewright.core.checks import TRIGGERS
from lorewright.core.directives import DECORATORS, MARK
from lorewright.core.gates import gates_before, names_lost_folder
from lorewright.core.javascript import number
from lorewright.core.keys import Key
from lorewright.core.model import ABSENT, Odd, Report
from lorewright.core.policy import NATIVE
from lorewright.core.prepared import Prepared
from lorewright.core.program import PROGRAM_LINES, read_program
from lorewright.core.traits import POSITIONS
from lorewright.lint.subject import Subject, cut, finding, quoted

__all__ = [
    "find_absent_fields",
    "find_broken_code",
    "find_contradictions",
    "find_decorators",
    "find_empty_contents",
    "find_idle_entries",
    "find_ignored_secondary",
    "find_lost_folders",
    "find_recursion_conflicts",
    "find_unknown_logic",
    "find_unknown_triggers",
    "find_unplaced_entries",
]

_OUTLET: Final = 7
_SHOWN_FOLDERS: Final = 10
_KNOWN_DECORATORS: Final = ("activate", "dont_activate")
"""To SillyTavern."""
_DIFFERENCES: Final = (
    ("position", "position", "SillyTavern then places the text nowhere; `native` places it before the character"),
    ("order", "order", "SillyTavern then cannot sort the entry; `native` takes 100"),
)
"""Field, its name in a report code, and what its absence means."""
_OWN_FORMATS: Final = frozenset({"native_yaml", "native_json", "markdown_lorebook", "agent_rules"})


def find_idle_entries(subject: Subject) -> Iterator[Report]:
    """Entries that nothing can switch on."""
    for entry in subject.entries:
        if entry.activate:
            continue
        if entry.suppress:
            message = "The content says @@dont_activate, so the entry is never active."
            yield finding(entry, "never_active", message, field="content", level="info")
        elif not entry.traits.constant and not any(key.kind != "never" for key in entry.keys):
            yield _without_keys(entry)
        if entry.traits.rolls and entry.traits.chance <= 0:
            message = "The probability is 0, so the entry is never active."
            yield finding(entry, "never_drawn", message, field="probability")
        own_depth = entry.traits.scan_depth
        blind = own_depth is not None and own_depth <= 0 and subject.policy.switches.depth_zero_scans_nothing
        if blind and not entry.traits.constant:
            message = "The scan depth of this entry is 0; SillyTavern then scans nothing at all, so no key can match."
            yield finding(entry, "scans_nothing", message, field="scan_depth")


def _without_keys(entry: Prepared) -> Report:
    if entry.entry.extra.get("vectorized") is True:
        message = "The entry has no key that can match; only a vector search (`vectorized`) can switch it on."
        return finding(entry, "only_vectorized", message, field="keys", level="info")
    message = "The entry has no key that can match and is not constant, so it is never active."
    return finding(entry, "never_active", message, field="keys")


def find_recursion_conflicts(subject: Subject) -> Iterator[Report]:
    """Entries that wait for recursion which never comes, or in which they are not allowed."""
    settings = subject.policy.settings
    levels = {entry.traits.delay_level for entry in subject.entries if entry.traits.delay_level}
    for entry in subject.entries:
        if not entry.traits.delay_level:
            continue
        if entry.traits.exclude_recursion and settings.recursive:
            message = "The entry waits for recursion but may not be activated by recursion, so it is never active."
            yield finding(entry, "recursion_contradiction", message, field="exclude_recursion")
        elif not settings.recursive and len(levels) == 1:
            message = "The entry waits for recursion, which is switched off in the settings, so it is never active."
            yield finding(entry, "recursion_off", message, field="delay_until_recursion")


def find_lost_folders(subject: Subject) -> Iterator[Report]:
    """Entries in a folder that their book does not list."""
    book = subject.book.book
    for entry in subject.entries:
        if not names_lost_folder(entry.entry, book):
            continue
        names = [folder.name for folder in book.folders] if isinstance(book.folders, tuple) else []
        known = ", ".join(quoted(name) for name in names[:_SHOWN_FOLDERS])
        more = ", …" if len(names) > _SHOWN_FOLDERS else ""
        closed = any(isinstance(gate, Odd) for gate in gates_before(entry.entry, book))
        outcome = "one of which has a gate, so the entry stays closed" if closed else "none of which has a gate"
        message = f"The folder {quoted(str(entry.entry.folder))} is not in the book's list ({known}{more}), {outcome}."
        yield finding(entry, "unknown_folder", message, field="folder")


def find_unplaced_entries(subject: Subject) -> Iterator[Report]:
    """Entries whose text stands nowhere, or not where the file says."""
    for entry in subject.entries:
        if entry.traits.position == _OUTLET and not entry.traits.outlet:
            message = "The entry is for an outlet but names none, so its text stands nowhere."
            yield finding(entry, "placed_nowhere", message, field="outlet")
        raw = entry.entry.position
        if raw is None or raw is ABSENT or (not isinstance(raw, Odd) and raw in POSITIONS):
            continue
        shown = raw.value if isinstance(raw, Odd) else raw
        if entry.traits.position is None:
            message = f"There is no position {shown!r}, so the text stands nowhere. Positions are 0 to 7."
            yield finding(entry, "placed_nowhere", message, field="position")
        elif number(shown) not in POSITIONS:
            message = f"There is no position {shown!r}; the text stands before the character. Positions are 0 to 7."
            yield finding(entry, "position_unknown", message, field="position")


def find_absent_fields(subject: Subject) -> Iterator[Report]:
    """Fields that are missing and mean something else in each profile.

    A book of a format that SillyTavern does not read may leave them out, as long as `native` is what it is checked for.
    """
    kind = subject.book.book.origin.partition(":")[0]
    if subject.policy.name == NATIVE.name and kind in _OWN_FORMATS:
        return
    for entry in subject.entries:
        raw = entry.entry
        for field, name, meaning in _DIFFERENCES:
            if getattr(raw, field) is ABSENT:
                yield finding(entry, f"absent_{name}", f"`{field}` is missing: {meaning}.", field=field)
        if raw.secondary and isinstance(raw.secondary, tuple) and raw.selective is ABSENT:
            message = (
                "`selective` is missing: SillyTavern then ignores the secondary keys; `native` looks at them. "
                "Set it to say which is meant."
            )
            yield finding(entry, "absent_selective", message, field="selective")
        if raw.use_probability is ABSENT and isinstance(raw.probability, (int, float)) and raw.probability < 100:
            message = "`use_probability` is missing: SillyTavern then never draws; `native` draws."
            yield finding(entry, "absent_use_probability", message, field="use_probability")
        if raw.probability is ABSENT and raw.use_probability is True:
            message = (
                "`probability` is missing: in SillyTavern the entry then never passes its draw; `native` takes 100."
            )
            yield finding(entry, "absent_probability", message, field="probability")


def find_ignored_secondary(subject: Subject) -> Iterator[Report]:
    """Secondary keys that are written but not looked at."""
    for entry in subject.entries:
        raw = entry.entry
        if raw.secondary and isinstance(raw.secondary, tuple) and not entry.secondary and raw.selective is not ABSENT:
            message = f"Its {len(raw.secondary)} secondary keys are ignored, because the entry is not selective."
            yield finding(entry, "secondary_ignored", message, field="selective")


def find_unknown_logic(subject: Subject) -> Iterator[Report]:
    """A secondary logic that does not exist."""
    for entry in subject.entries:
        raw = entry.entry.logic
        shown = raw.value if isinstance(raw, Odd) else raw
        if not entry.secondary or raw is ABSENT or raw is None:
            continue
        if entry.traits.logic is None or number(shown) not in range(4):
            outcome = "the entry never passes" if entry.traits.logic is None else "it counts as 0 (any of them)"
            message = f"There is no secondary logic {shown!r}; {outcome}. Logics are 0 to 3."
            yield finding(entry, "logic_unknown", message, field="logic")


def find_contradictions(subject: Subject) -> Iterator[Report]:
    """A secondary key that forbids the one key there is."""
    for entry in subject.entries:
        keys, secondary, logic = entry.keys, entry.secondary, entry.traits.logic
        forbids = logic == "not_any" or (logic == "not_all" and len(secondary) == 1)
        if not forbids or len(keys) != 1 or entry.traits.constant or entry.activate:
            continue
        same = [place for place, key in enumerate(secondary) if _looks_for(key) == _looks_for(keys[0])]
        if same and keys[0].kind in {"plain", "regex"}:
            message = (
                f"Secondary key {quoted(entry.written_secondary(same[0]))} is also the only key, and by the logic {logic} "
                "the entry then does not pass, so it is never active."
            )
            yield finding(entry, "secondary_contradicts", message, field="secondary")


def _looks_for(key: Key) -> tuple[str, ...]:
    return (key.kind, key.needle) if key.kind == "plain" else (key.kind, key.text, key.flags)


def find_unknown_triggers(subject: Subject) -> Iterator[Report]:
    """Names of triggers that no reply has."""
    for entry in subject.entries:
        for name in entry.traits.triggers:
            if name not in TRIGGERS:
                rest = "" if set(entry.traits.triggers) & set(TRIGGERS) else " The entry is never active."
                message = f"There is no trigger {name!r}; known are {', '.join(TRIGGERS)}.{rest}"
                yield finding(entry, "trigger_unknown", message, field="triggers")


def find_decorators(subject: Subject) -> Iterator[Report]:
    """Decorator lines that are taken out of the text and do nothing."""
    few = subject.policy.switches.few_decorators
    of_code: Collection[str] = () if subject.policy.rows else PROGRAM_LINES
    for entry in subject.entries:
        if entry.program and entry.program.locked:
            message = (
                f"`{entry.program.mark}` counts only in a book that is trusted (`lorewright trust BOOK`). Elsewhere the "
                "entry is left out."
            )
            yield finding(entry, "code_needs_trust", message, field="content", level="info")
        raw = entry.entry.content
        if not isinstance(raw, str) or raw == entry.content:
            continue
        for line in (raw if few else raw.lstrip()).split("\n"):
            if not line.strip().startswith(MARK):
                break
            name = line.strip().lstrip("@")
            if name.partition(" ")[0] in of_code:
                continue
            if not (name.startswith(_KNOWN_DECORATORS) if few else name.partition(" ")[0] in DECORATORS):
                message = f"The decorator {line[:40]!r} is not known here; the line is removed and does nothing."
                yield finding(entry, "decorator_unknown", message, field="content")


def find_broken_code(subject: Subject) -> Iterator[Report]:
    """Texts and conditions whose code cannot be read. Under a policy that knows no code there are none."""
    if subject.code is None or subject.policy.rows or subject.policy.layered:
        return
    for entry in subject.entries:
        raw = entry.entry.content
        if entry.verbatim or not isinstance(raw, str):
            continue
        program = read_program(raw, entry.title)
        condition = f"<%= ({program.condition}) ? 1 : '' %>" if program and program.condition else ""
        for text in (entry.content, condition):
            if why := subject.code(text):
                message = f"The entry's code cannot run, so the entry would be left out. {cut(why)}"
                yield finding(entry, "code_broken", message, field="content")


def find_empty_contents(subject: Subject) -> Iterator[Report]:
    """Entries that can be active and have nothing to say."""
    for entry in subject.entries:
        if not entry.content and not entry.replaces:
            message = "The entry has no text. When it is active, nothing is added to the prompt."
            yield finding(entry, "content_empty", message, field="content", level="info")
