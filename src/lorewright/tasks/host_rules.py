"""Regex scripts of SillyTavern that a task uses, too, beside its own rules (spec mvu-filter §10).

They act on what the host gives and on texts of books, on both runways. A script is used as a task's rule is: what it
captures by number or name, and `$&`; macros in it are text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from lorewright.core.javascript import WHITE_SPACE
from lorewright.core.protocols import Regexes
from lorewright.core.regex_script import RegexScript
from lorewright.tasks.regexes import Allowance, RuleEvent, TaskRule, TaskRules, try_rule

__all__ = ["HostRules", "ScriptOrigin", "TextSource", "choose_scripts"]

ScriptOrigin = Literal["global", "preset", "character"]
"""Whose scripts they are; a task's settings say for each whether it is used (`sources`)."""

TextSource = Literal["user_input", "ai_output", "world_info"]
"""Which of the host's texts a script is for."""

_PLACEMENTS: Final[Mapping[TextSource, int]] = {"user_input": 1, "ai_output": 2, "world_info": 5}
_MARKUP: Final = re.compile(
    rf"</?[a-z][\w:-]*\b|\b(?:style|class|id|href|src|data-)[{WHITE_SPACE}]*=", re.IGNORECASE | re.ASCII
)


@dataclass(slots=True)
class HostRules:
    """Scripts that are used, what they did, and the time that is left for them and for the rules of the task."""

    scripts: Sequence[RegexScript]
    regexes: Regexes
    events: list[RuleEvent] = field(default_factory=list)
    allowance: Allowance = field(default_factory=Allowance)

    def change(self, text: str, source: TextSource, role: str = "system", depth: float | None = None) -> str:
        """The text after the scripts that are for it. A reply of the user's role is the user's."""
        where: TextSource = "user_input" if source == "ai_output" and role == "user" else source
        for script in self.scripts if text else ():
            if _is_for(script, where) and _reaches(script, depth):
                rule = TaskRule(
                    id=script.name, find=script.pattern, replacement=script.replacement, trimmed=script.trimmed
                )
                text = try_rule(rule, text, self.regexes, self.events, self.allowance)
        return text


def choose_scripts(scripts: Mapping[ScriptOrigin, Sequence[RegexScript]], rules: TaskRules) -> list[RegexScript]:
    """The scripts that the rules let in. Not used: those that only change what is shown, and those that write markup."""
    if not rules.enabled or not rules.reuses:
        return []
    return [
        script
        for origin, listed in scripts.items()
        if rules.origins.get(origin, True)
        for script in listed
        if script.pattern and not script.disabled and not script.for_display and not _MARKUP.search(script.replacement)
    ]


def _is_for(script: RegexScript, source: TextSource) -> bool:
    return not script.placement or _PLACEMENTS[source] in script.placement


def _reaches(script: RegexScript, depth: float | None) -> bool:
    if depth is None:
        return True
    least, most = script.least_depth, script.most_depth
    return (least is None or depth >= least) and (most is None or depth <= most)
