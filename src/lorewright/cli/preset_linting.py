"""The answer of `preset lint`: the blocks of a preset, findings, and what they come to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from lorewright.cli.files import about_file
from lorewright.cli.plain_json import report_object
from lorewright.cli.screen import Screen, count
from lorewright.core.layout.preset import Limits
from lorewright.fast.tokens import make_counter
from lorewright.formats.imported import Imported
from lorewright.formats.kinds import KINDS
from lorewright.formats.read import read_thing
from lorewright.formats.things.layout_preset import CHAT_PRESETS
from lorewright.formats.things.risu_template import read_risu_template
from lorewright.formats.things.text_preset import read_text_preset, text_sections
from lorewright.formats.things.thing import Thing
from lorewright.lint.preset import (
    Block,
    CheckedPreset,
    Named,
    Piece,
    PresetSubject,
    TextSubject,
    Where,
    check_pieces,
    check_preset,
    check_text_preset,
    one_line,
)
from lorewright.templates.cbs.uses import macro_uses as cbs_uses
from lorewright.templates.handlebars import Handlebars
from lorewright.templates.sillytavern.uses import macro_uses

__all__ = ["Linted", "lint_file", "lint_thing", "linted_object", "show_linted"]

_SAID_BETTER: Final = frozenset(
    {
        "multiple_prompt_orders",
        "order_unknown_identifier",
        "prompt_duplicate_identifier",
        "prompt_not_in_order",
        "script_inert",
    }
)
"""What the reader notes of prompts, orders and code, and a check says with what follows from it. Scripts elsewhere in the
file are no affair of its prompts."""
_EMPTY: Final = "All its texts are empty"
_NOTHING: Final = {"st_preset_textgen": "It holds settings of the sampler and no prompts"}
_NO_PROMPTS: Final = "It holds no prompts"
_SLOT: Final = "{{slot}}"
"""Where the text of a place stands in its format; no macro of the language."""
_PIECE_KINDS: Final[Mapping[str, Literal["prompt", "marker"]]] = {"text": "prompt", "place": "marker", "chat": "marker"}


@dataclass(frozen=True, slots=True)
class Linted:
    """What was found in a file. nothing: why there is nothing to check, "" if there is."""

    file: str
    kind: str
    counter: str
    checked: CheckedPreset
    nothing: str = ""


def lint_file(path: str, counter: str, context_tokens: int | None = None) -> Linted:
    """Check the preset or template in a file. context_tokens: of the model, in place of what the preset says.

    Raises:
        InputError: the file cannot be used.
    """
    with about_file(path, "thing"):
        imported = read_thing(path)
    return lint_thing(path, imported, counter, context_tokens)


def lint_thing(file: str, imported: Imported[Thing], counter: str, context_tokens: int | None = None) -> Linted:
    """The same for what was read already, with what was noted then."""
    thing = imported.value
    kind = imported.format or thing.kind
    counted = make_counter(counter)
    noted = tuple(report for report in imported.reports if report.code not in _SAID_BETTER)
    if thing.kind in CHAT_PRESETS:
        preset = CHAT_PRESETS[thing.kind](thing.value)
        if context_tokens is not None:
            preset = replace(preset, limits=Limits(context_tokens, preset.limits.response_tokens))
        subject = PresetSubject(preset=preset, uses=macro_uses, counter=counted, name=thing.name)
        return Linted(file, kind, counter, check_preset(subject, noted))
    parts = text_sections(thing)
    if parts is not None:
        text = TextSubject(
            preset=read_text_preset(parts),
            uses=macro_uses,
            counter=counted,
            name=thing.name,
            story=Handlebars(),
            has_context="context" in parts,
        )
        checked = check_text_preset(text, noted)
        return Linted(file, kind, counter, checked, "" if checked.blocks else _EMPTY)
    if thing.kind == "risu_preset":
        template = Named(uses=cbs_uses, counter=counted, name=thing.name)
        checked = check_pieces(template, list(_pieces(thing)), noted)
        return Linted(file, kind, counter, checked, "" if checked.blocks else _EMPTY)
    return Linted(file, kind, counter, CheckedPreset((), noted), _NOTHING.get(thing.kind, _NO_PROMPTS))


def _pieces(thing: Thing) -> Iterator[Piece]:
    """The parts of RisuAI's template: before the first part of the chat is the front, behind it the tail."""
    where: Where = "front"
    for part in read_risu_template(thing.value):
        stands: Where = "chat" if part.kind == "chat" else where
        name = part.name if part.name != part.role else ""
        macros = part.text.replace(_SLOT, "")
        yield Piece(part.id, part.text, stands, macros=macros, name=name, role=part.role, kind=_PIECE_KINDS[part.kind])
        where = "tail" if part.kind == "chat" else where


# -- for programs ------------------------------------------------------------------------------------------------------


def linted_object(linted: Linted) -> dict[str, Any]:
    checked = linted.checked
    return {
        "file": linted.file,
        "format": linted.kind,
        "counter": linted.counter,
        "nothing": linted.nothing,
        "blocks": [_block_object(block) for block in checked.blocks],
        "tokens": {
            "front": checked.tokens("front"),
            "kept": checked.kept_tokens,
            "tail": checked.tokens("tail"),
            "off": checked.tokens("off"),
        },
        "findings": [report_object(finding) for finding in checked.findings],
    }


def _block_object(block: Block) -> dict[str, Any]:
    messages = "all" if block.sillytavern_messages is None else block.sillytavern_messages
    return {
        "id": block.id,
        "kind": block.kind,
        "name": block.name,
        "role": block.role,
        "place": block.place,
        "depth": block.depth,
        "stands": block.where,
        "tokens": None if block.kind == "marker" else block.tokens,
        "cost": block.cost,
        "triggers": list(block.triggers),
        "causes": [cause._asdict() for cause in block.causes],
        "native": {"tokens": block.native_tokens},
        "sillytavern": {"tokens": block.sillytavern_tokens, "messages": messages},
    }


# -- for people --------------------------------------------------------------------------------------------------------


def show_linted(linted: Linted, screen: Screen) -> None:
    checked = linted.checked
    title = KINDS[linted.kind].title if linted.kind in KINDS else linted.kind
    screen.line((f"== {linted.file}: {title}, tokens by {linted.counter}", "bold cyan"))
    if checked.blocks:
        screen.line()
        screen.table(("place", "stands", "cost", "role", "tokens", "prompt"), map(_row, checked.blocks))
    if linted.nothing:
        screen.line(f"{linted.nothing}, so there is nothing to check.")
    if checked.findings:
        screen.heading(count(len(checked.findings), "finding"))
        names = {block.id: block.name for block in checked.blocks if block.name}
        screen.findings(
            replace(one, entry=one_line(names.get(one.entry, one.entry)), book=one_line(one.book))
            for one in checked.findings
        )
    if checked.blocks:
        screen.line()
        screen.line(_summary(checked))


def _row(block: Block) -> tuple[str, ...]:
    tokens = "-" if block.kind == "marker" else str(block.tokens)
    place = "-" if block.place is None else str(block.place)
    depth = f" at depth {block.depth}" if block.depth is not None else ""
    name = f" ({one_line(block.name)})" if block.name and block.name != block.id else ""
    role = one_line(block.role) or "-"
    return (place, block.where, block.cost, role, tokens, one_line(block.id) + name + depth)


def _summary(checked: CheckedPreset) -> str:
    front, tail, kept = checked.tokens("front"), checked.tokens("tail"), checked.kept_tokens
    changing = f", {front - kept} of them again when they differ" if front > kept else ""
    off = checked.tokens("off")
    rest = f"; off {count(off, 'token')}" if off else ""
    return (
        f"front {count(front, 'token')} (kept{changing}), tail {count(tail, 'token')} (read anew each turn){rest}. Card, "
        "persona, lore and chat are not counted."
    )
