"""Which suites there are, and how a file says to which it belongs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Protocol

from lorewright.conformance.block_texts import run_blocks
from lorewright.conformance.cbs import run_cbs
from lorewright.conformance.draws import run_draws
from lorewright.conformance.facts import run_facts
from lorewright.conformance.formats import ENDING, run_formats
from lorewright.conformance.freezing import run_freezing
from lorewright.conformance.macro_parts import run_macro_parts
from lorewright.conformance.macros import run_new_engine, run_old_engine
from lorewright.conformance.mvu_chats import run_mvu_chats
from lorewright.conformance.mvu_vars import MVU_TEXTS, run_mvu_texts
from lorewright.conformance.outcome import Outcome
from lorewright.conformance.prompt_assembly import run_prompt_assembly
from lorewright.conformance.regex_scripts import run_regex_scripts
from lorewright.conformance.risu_rows import run_risu_rows
from lorewright.conformance.rule_texts import run_imported_texts, run_references, run_rule_macros
from lorewright.conformance.rules import run_rules
from lorewright.conformance.system_prompt import run_system_prompt
from lorewright.conformance.task_prompts import run_payloads, run_prompts
from lorewright.conformance.task_worlds import run_cache, run_worlds
from lorewright.conformance.tasks import run_texts
from lorewright.conformance.turns import run_turns
from lorewright.conformance.world_info import run_world_info
from lorewright.core.protocols import Tools

__all__ = ["NOT_BUILT", "SUITES", "Runner", "find_suite"]


class Runner(Protocol):
    """Runs the cases of one file. A text among the outcomes is a line for people."""

    def __call__(self, document: Mapping[str, Any], suite: str, file: str, tools: Tools) -> Iterator[Outcome | str]: ...


_NEW_ENGINE: Final = ("limits", "macros", "random-pick", "scoped", "syntax", "variables")

SUITES: Final[Mapping[str, Runner]] = {
    "world-info": run_world_info,
    "native": run_world_info,
    "authority": run_turns,
    "facts": run_facts,
    "gates": run_turns,
    "freezing": run_freezing,
    "probability": run_draws,
    "formats": run_formats,
    **dict.fromkeys(("moment-formats", "number-format", "seedrandom", "string-hash"), run_macro_parts),
    **{f"new-engine-{name}": run_new_engine for name in _NEW_ENGINE},
    **dict.fromkeys(("cbs-blocks", "cbs-functions", "cbs-random", "cbs-syntax", "cbs-variables"), run_cbs),
    "legacy-engine": run_old_engine,
    "regex-scripts": run_regex_scripts,
    "lorebook-entries": run_rules,
    "host-system-prompt": run_system_prompt,
    "st-macros-2.0": run_rule_macros,
    "st-text": run_imported_texts,
    "text-helpers": run_references,
    "interpolate": run_blocks,
    **dict.fromkeys(("detect_content", "detect_tag", "sanitize", "structured", "substitute", "task_regex"), run_texts),
    "worldinfo": run_worlds,
    "cache": run_cache,
    "prompt_builder": run_prompts,
    "payload": run_payloads,
    "lorebook": run_risu_rows,
    "prompt-assembly": run_prompt_assembly,
    **dict.fromkeys(MVU_TEXTS, run_mvu_texts),
    **dict.fromkeys(("initvar", "session"), run_mvu_chats),
}

NOT_BUILT: Final[Mapping[str, frozenset[str]]] = {
    folder: frozenset(suites.split())
    for folder, suites in {
        "injection": "actions-assembly-append actions-other-2.0 conditions-2.0 config-schema content-strategies "
        "control-layers pre-step-batches promotion-epochs rules-validation-2.0 "
        "st-conversion subagent-policy tool-filter",
        "macros": "",
        "mvu": "",
        "reading": "reading",
    }.items()
}
"""Suites of parts that are not built yet, by the folder they come in."""

_WORLD_INFO_KEYS: Final = {"topic", "defaultSettings", "entryDefaults", "cases"}


def find_suite(document: object, path: Path) -> str | None:
    """The suite of a parsed case file: by its `suite`, else by the shape of a file with `topic`, else by its
    name or its folder.

    None: it belongs to no suite that is known.
    """
    known = {*SUITES, *(suite for suites in NOT_BUILT.values() for suite in suites)}
    if isinstance(document, Mapping):
        if "suite" in document:
            suite = str(document["suite"])
            return suite if suite in known else None
        if document.keys() >= _WORLD_INFO_KEYS:
            return "world-info"
    return "formats" if path.name.endswith(ENDING) else _by_folder(path)


def _by_folder(path: Path) -> str | None:
    """The suite of the nearest folder above that has the name of one and a README beside its cases."""
    for folder in path.resolve().parents:
        if folder.name in NOT_BUILT and (folder / "README.md").is_file():
            return folder.name
    return None
