"""Whose rules: global settings, named switches, and the profiles made of them.

A `Policy` is data. There is one engine; wherever SillyTavern's behaviour is a defect, the engine asks one switch.
`SILLYTAVERN` has every switch on and reproduces SillyTavern 1.18/1.19 as recorded; `NATIVE` has them off.
`docs/reference/profiles.md` says of every switch what it keeps or repairs, and why.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Final, Literal

from lorewright.core.record import Form
from lorewright.core.regex_script import RegexScript

__all__ = [
    "LAYERED",
    "NATIVE",
    "PROFILES",
    "RISU",
    "SILLYTAVERN",
    "OnEdit",
    "Placement",
    "Policy",
    "RowRules",
    "Settings",
    "Strategy",
    "Switches",
]

Strategy = Literal["evenly", "character_first", "global_first"]
Placement = Literal["frozen", "sillytavern"]
"""Whether a text stays where it was placed first, or stands anew in every turn where its position says."""
OnEdit = Literal["append", "rewrite"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The global settings of lorebook scanning (spec world-info §1.2). Defaults are SillyTavern's shipped ones.

    Limits that are 0 are off: `budget_cap_tokens`, `min_activations`, `min_activations_max_depth`,
    `max_recursion_steps`, `max_entries`.
    """

    scan_depth: float = 2
    """How many of the newest messages are scanned."""
    budget_percent: float = 25
    """Share of the context that lore may fill."""
    budget_cap_tokens: int = 0
    min_activations: int = 0
    min_activations_max_depth: int = 0
    recursive: bool = True
    max_recursion_steps: int = 0
    case_sensitive: bool = False
    whole_words: bool = True
    include_names: bool = True
    """Scan each message as `Name: text`."""
    strategy: Strategy = "character_first"
    group_scoring: bool = False
    max_entries: int = 0
    """How many entries may come in; 0: as many as the budget lets in."""
    authority_discount: float = 0.4
    """What the weight of unverified entries and of proposals is multiplied by."""
    use_proposals: bool = False
    """Whether proposals that nobody has promoted take part."""
    max_level: float = 2
    """Entries of a higher level are left out: 0 takes general lore, 1 that of professions too, 2 personal lore too."""
    form: Form = "inside"
    """Frozen placement: our text inside the client's messages, or in messages of its own."""
    standing_budget_percent: float = 50
    """Frozen placement: share of the context that the texts that stand may fill together."""
    on_edit: OnEdit = "append"
    """Frozen placement: an edited entry's new text is added where it is next active, or takes the old one's place."""
    replace_seconds: float = 1
    """How long all replacements (`replaces`) of one turn may search together; those that come after it are not made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Switches:
    """Defects of SillyTavern, one switch each; on means: as SillyTavern does it. The section is spec world-info's."""

    javascript_fields: bool = False
    """§1.1, §9.3: absent fields and values of a wrong type act as they do in JavaScript, not as defaults."""
    bad_content_empties_lore: bool = False
    """§2: one entry whose content is no text makes the evaluation go on as if there were no entries."""
    depth_zero_scans_nothing: bool = False
    """§3.1: with scan depth 0 not even the extra sources and the recursion text are scanned."""
    few_decorators: bool = False
    """§4.4: of the lines that begin with `@@` only `@@activate` and `@@dont_activate` have a meaning."""
    blank_key_matches_all: bool = False
    """§4.1: a key that is empty after trimming matches everything."""
    ascii_words: bool = False
    """§4.2: a whole word is bounded by anything but A-Z a-z 0-9 _, case is plain lower-casing, and a key with white
    space inside ignores whole words."""
    deepen_one_too_far: bool = False
    """§5.3: the limits of minimum activations are tested before deepening, so one message more is scanned."""
    refused_text_recurses: bool = False
    """§5.4: entries refused by the budget are scanned by later loops all the same."""
    group_timers_hide: bool = False
    """§5.2: a grouped entry with both sticky and cooldown is removed while both run."""
    group_keeps_removed: bool = False
    """§5.2: a member removed through one group stays a member of its other groups and can win there."""
    group_removes_bystander: bool = False
    """§5.2: removing an entry that is already gone removes the last survivor of the loop instead."""
    group_raw_scoring: bool = False
    """§5.2: scoring takes keys as written, without macros and trimming; an empty key scores."""
    group_whole_string: bool = False
    """§5.2: an activated entry blocks a group in later loops only if its whole `group` text is that name."""
    group_text_weights: bool = False
    """§5.2: weights stored as text are joined, not added."""
    javascript_group_order: bool = False
    """§5.2, §9.6: groups with names like integers are visited first, in numeric order."""
    budget_forgets: bool = False
    """§6: tokens of earlier loops are counted from the recursion text, so entries that prevent recursion are
    forgotten and refused ones counted."""
    budget_refuses_exact_fit: bool = False
    """§6: the sum must stay strictly below the budget."""
    budget_stops_at_refusal: bool = False
    """§6: after the first refusal no entry is tried any more, nothing recurses and nothing is deepened."""
    budget_ignores_constants: bool = False
    """§6: constant entries have no priority in the budget."""
    outlets_descend: bool = False
    """§8: texts of an outlet stand in descending order, opposite to every other position."""
    absent_depth_stands_alone: bool = False
    """§8: at-depth entries with an absent depth never join each other's group."""
    random_draws: bool = False
    """§5.1: a chance passes when the draw is at most the percentage (so 0 % can pass), not when it is below it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowRules:
    """Entries are rows of a RisuAI lorebook and are activated in passes (spec risu §8). The switches are RisuAI's
    defects; on means: as RisuAI does it."""

    depth_wraps: bool = False
    """§8.1: of a chat shorter than the scan depth only a part is scanned."""
    regex_keeps_slash: bool = False
    """§8.1: a pattern keeps the slash before it, and is spoilt by the first text it is looked for in."""
    marks_leak: bool = False
    """§8.3: once a row that remembers its activation has been read, every row that is activated later remembers too."""
    bare_position_fails: bool = False
    """§8.3: a line `@@position` without a place makes all rows fail."""
    depth_from_start: bool = False
    """§8.5: `@@depth` counts from the start of the chat, and `@@reverse_depth` from its end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """A profile's name, its switches, the global settings and how texts are placed; everything that decides but is not
    data of the turn."""

    name: str
    switches: Switches = Switches()
    settings: Settings = Settings()
    placement: Placement = "frozen"
    authority: bool = True
    """Whether tiers rank, label and overrule; without it they are data that is kept."""
    rows: RowRules | None = None
    """How rows of RisuAI are played; None: entries are SillyTavern's."""
    scripts: tuple[RegexScript, ...] = ()
    """Regex scripts in the order in which they run: the user's own, those of the preset, those of the character."""
    code_books: tuple[str, ...] = ()
    """Names of the books whose code may run, since somebody trusts them as they are."""
    scans_rewritten: bool = False
    """Keys are looked for in messages as regex scripts changed them, not as they were said (spec world-info §3.1)."""
    keeps_layout_defects: bool = False
    """A preset is laid out with the defects of SillyTavern (`core/layout/defects.py`), where nothing is frozen."""
    layered: bool = False
    """Every entry has a channel and a layer, and none a budget, macros or decorators (spec injection-engine §8)."""

    def with_settings(self, settings: Settings) -> Policy:
        """The same rules with other global settings."""
        return replace(self, settings=settings)


NATIVE: Final = Policy(name="native")
SILLYTAVERN: Final = Policy(
    name="sillytavern",
    switches=Switches(**{f.name: True for f in fields(Switches)}),
    placement="sillytavern",
    authority=False,
    scans_rewritten=True,
    keeps_layout_defects=True,
)
LAYERED: Final = Policy(
    name="layered",
    switches=Switches(depth_zero_scans_nothing=True),
    settings=Settings(recursive=False, whole_words=False, include_names=False, budget_percent=100),
    authority=False,
    layered=True,
)
"""The entries of rules files (spec injection-engine §8): no recursion and no budget."""
RISU: Final = Policy(
    name="risu",
    settings=Settings(scan_depth=5, budget_percent=100, budget_cap_tokens=8000, whole_words=False, include_names=False),
    placement="sillytavern",
    authority=False,
    rows=RowRules(**{f.name: True for f in fields(RowRules)}),
)
"""RisuAI 166.3.3. `replace(RISU, rows=RowRules())` plays the same books without the defects."""
PROFILES: Final = {"layered": LAYERED, "native": NATIVE, "risu": RISU, "sillytavern": SILLYTAVERN}
