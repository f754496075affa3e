"""The answer of `weave`: the active entries and where their texts stand, for programs and for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from lorewright.cli.completing import complete, told_of_text
from lorewright.cli.laying import show_laid, show_text
from lorewright.cli.messages import Layout, show_messages
from lorewright.cli.plain_json import report_object
from lorewright.cli.scene import Scene
from lorewright.cli.screen import Screen, count
from lorewright.core.engine import Assembly
from lorewright.core.layers import CHANNELS, Slot, layer_name
from lorewright.core.layout.objects import laid_object, text_object
from lorewright.core.layout.text_layout import LaidText
from lorewright.core.lore import Lore
from lorewright.core.model import Report
from lorewright.core.place import POSITION_NAMES, Placed, Text, join
from lorewright.core.prepared import Prepared
from lorewright.core.reasons import AfterOverflow, OverBudget
from lorewright.core.weave import Woven
from lorewright.formats.settings import write_settings
from lorewright.storage.state_file import state_object

__all__ = ["Weaving", "show_weaving", "weave", "weaving_object"]

_PLACES: Final = {
    "before": "before",
    "after": "after",
    "note_top": "anTop",
    "note_bottom": "anBottom",
    "at_depth": "atDepth",
    "example_top": "examples",
    "example_bottom": "examples",
    "outlet": "outlets",
}
"""Under which name of `positions` a text is found."""
_UNPLACED: Final = {
    "empty": ("has no text, so it stands nowhere.", "info"),
    "no_position": ("has no position that exists, so it stands nowhere.", "warning"),
    "no_outlet": ("has no outlet name, so it stands nowhere.", "warning"),
    "injected": ("its text goes into that of another entry.", "info"),
    "no_target": ("the entry that its text should go into is not, so it stands nowhere.", "warning"),
    "no_part": ("its text should go into a part of the prompt that is not here, so it stands nowhere.", "warning"),
}
_ABOUT_POSITION: Final = frozenset({"no_position", "no_outlet"})
_BUDGET_REASONS: Final = frozenset({OverBudget.code, AfterOverflow.code})
_SHOWN_TITLES: Final = 5


@dataclass(frozen=True, slots=True)
class Weaving:
    """One evaluation, its messages or its text, the entries that matched and did not fit, and all reports about it."""

    scene: Scene
    woven: Woven
    assembly: Assembly
    layout: Layout
    refused: tuple[Prepared, ...]
    reports: tuple[Report, ...]
    text: LaidText | None = None


def weave(scene: Scene, woven: Woven | None = None, *, spoilers: bool = False) -> Weaving:
    """Weave the scene, unless that is done already."""
    woven = woven or scene.weave()
    assembly = woven.assembly
    text = complete(scene.completion, woven, scene.tools) if scene.completion else None
    classic = scene.rules.policy.placement == "sillytavern"
    layout = show_messages(woven, classic=classic) if text is None else Layout((), told_of_text(text))
    refused = _refused(assembly)
    read = scene.reports_about(assembly, spoilers=spoilers)
    reports = (*read, *assembly.reports, *_unplaced(assembly), *_over_budget(refused), *layout.reports)
    return Weaving(scene, woven, assembly, layout, refused, reports, text)


def _refused(assembly: Assembly) -> tuple[Prepared, ...]:
    """The entries that only the budget kept out, in the order in which they were tried."""
    activation = assembly.trace.activation
    if assembly.trace.lore.emptied_by is not None:  # then no entry of any book is in, and for that reason
        return ()
    survivors = {entry.id: entry for loop in activation.loops for entry in loop.survivors}
    return tuple(
        entry
        for identity, entry in survivors.items()
        if identity not in activation.activated
        and any(decision.reason.code in _BUDGET_REASONS for decision in activation.decisions.get(identity, ()))
    )


def _over_budget(refused: Sequence[Prepared]) -> Iterator[Report]:
    if refused:
        yield Report(code=OverBudget.code, level="info", message=_tell_refused(refused))


def _tell_refused(refused: Sequence[Prepared]) -> str:
    titles = [" ".join(entry.title.split()) for entry in refused[:_SHOWN_TITLES]]
    more = ", …" if len(refused) > _SHOWN_TITLES else ""
    return f"{len(refused)} more matched but did not fit the budget: {', '.join(titles)}{more}"


def _unplaced(assembly: Assembly) -> Iterator[Report]:
    for identity, why in assembly.placed.unplaced.items():
        sentence, level = _UNPLACED[why]
        entry = next(item.entry for item in assembly.activated if item.entry.id == identity)
        if why == "empty" and entry.replaces:  # it is there for what it replaces
            continue
        yield Report(
            code=f"placed_nowhere_{why}",
            message=f"The entry is active but {sentence}",
            level="info" if level == "info" else "warning",
            book=entry.book,
            entry=identity,
            field="position" if why in _ABOUT_POSITION else "content",
        )


# -- for programs ------------------------------------------------------------------------------------------------------


def weaving_object(weaving: Weaving) -> dict[str, object]:
    """The answer as `weave --json` prints it."""
    assembly, rules = weaving.assembly, weaving.scene.rules
    lore = assembly.trace.lore
    return {
        "profile": assembly.profile,
        "settings": write_settings(rules.policy.settings, rules.context_tokens),
        "counter": assembly.counter,
        "activated": list(_activated(weaving)),
        "positions": _positions(assembly.placed) | (_texts_of_channels(assembly.placed) if lore.uses_channels else {}),
        **({"channels": _channels(lore)} if lore.uses_channels else {}),
        "placement": rules.policy.placement,
        **_messages(weaving),
        "moves": [{"cause": move.cause, "entry": move.entry, "node": move.node} for move in weaving.woven.moves],
        "state": state_object(assembly.state),
        "budget": {"limit": assembly.limit_tokens, "used": assembly.used_tokens},
        "reports": [report_object(report) for report in weaving.reports],
    }


def _messages(weaving: Weaving) -> dict[str, object]:
    if weaving.text is not None:
        return text_object(weaving.text)
    if weaving.woven.laid is not None:
        return laid_object(weaving.woven.laid)
    return {"messages": [{"role": message.role, "content": message.content} for message in weaving.layout.messages]}


def _activated(weaving: Weaving) -> Iterator[dict[str, object]]:
    unplaced = weaving.assembly.placed.unplaced
    for item in weaving.assembly.activated:
        entry, text = item.entry, item.text
        slot, position = entry.traits.slot, entry.traits.position
        where = None if entry.id in unplaced else _where(slot, position)
        layer = {"layer": slot.order} if slot and slot.is_system else {}
        badge = {"badge": slot.route.badge} if slot and slot.route.badge else {}
        shown = {"text": text} if text else {}
        tokens = weaving.scene.tools.counter.count(text)
        yield {
            "entry": entry.id,
            "title": entry.title,
            "tokens": tokens,
            "position": where,
            **layer,
            **badge,
            **shown,
        }


def _where(slot: Slot | None, position: int | None) -> str | None:
    if slot is not None:
        return slot.route.effective
    return None if position is None else _PLACES[POSITION_NAMES[position]]


def _texts_of_channels(placed: Placed) -> dict[str, object]:
    return {
        "system": [{"layer": section.key[0], "content": section.text.text} for section in placed.sections],
        "message": [text.text for text in placed.contexts],
    }


def _channels(lore: Lore) -> dict[str, object]:
    """How many entries ask for each channel and take it, and which of them take another one."""
    routes = [e.traits.slot.route for e in lore.entries if e.traits.slot and not e.traits.disabled]
    return {
        "declared": {channel: sum(route.declared == channel for route in routes) for channel in CHANNELS},
        "effective": {channel: sum(route.effective == channel for route in routes) for channel in CHANNELS},
        "rerouted": [entry.id for entry in lore.rerouted],
    }


def _positions(placed: Placed) -> dict[str, object]:
    return {
        "before": join(placed.before),
        "after": join(placed.after),
        "atDepth": [
            {"depth": group.depth, "role": group.role, "entries": [item.text for item in group.texts]}
            for group in placed.at_depth
        ],
        "examples": [{"where": example.where, "content": example.text.text} for example in placed.examples],
        "anTop": [item.text for item in placed.note_top],
        "anBottom": [item.text for item in placed.note_bottom],
        "outlets": {name: [item.text for item in texts] for name, texts in placed.outlets.items()},
    }


# -- for people --------------------------------------------------------------------------------------------------------


def show_weaving(weaving: Weaving, screen: Screen) -> None:
    """Print the answer by position, then what there is to report."""
    show_settings(weaving.scene, weaving.assembly, screen)
    if weaving.woven.laid is not None:
        show_laid(weaving.woven.laid, screen)
    if weaving.text is not None:
        show_text(weaving.text, screen)
    known = {item.entry.id: item.entry.title for item in weaving.assembly.activated}
    for title, texts in () if weaving.woven.laid or weaving.text else _sections(weaving.assembly.placed):
        screen.heading(title)
        for text in texts:
            tokens = count(weaving.scene.tools.counter.count(text.text), "token")
            screen.line((known[text.entry], "bold"), (f" ({text.entry}, {tokens})", "dim"))
            screen.text(text.text)
    active, entries = len(weaving.assembly.activated), len(weaving.assembly.trace.lore.entries)
    screen.line()
    screen.line(
        f"{active} of {count(entries, 'entry')} active. Add `--all` to `explain` with the same files to see why."
    )
    if closed := len(weaving.assembly.trace.lore.closed):
        screen.line("1 more entry is closed." if closed == 1 else f"{closed} more entries are closed.")
    _show_standing(weaving.woven, screen)
    if weaving.refused:
        screen.line(f"{_tell_refused(weaving.refused)} (explain says more)")
    screen.reports([report for report in weaving.reports if report.code != OverBudget.code])


def _show_standing(woven: Woven, screen: Screen) -> None:
    """What stands from earlier turns without being active now, and what stood and was moved."""
    active = {item.entry.id for item in woven.assembly.activated}
    standing: dict[str, None] = {}
    for message in woven.messages:
        standing |= dict.fromkeys(piece.entry for piece in message.pieces if piece.kind in {"front", "record"})
    if rest := [entry for entry in standing if entry and entry not in active]:
        screen.line(
            f"From earlier turns {count(len(rest), 'text')} more {'stands' if len(rest) == 1 else 'stand'}: "
            f"{', '.join(rest[:_SHOWN_TITLES])}{', …' if len(rest) > _SHOWN_TITLES else ''}"
        )
    for cause, entry in dict.fromkeys((move.cause, move.entry) for move in woven.moves):
        screen.line(("moved by ", "dim"), (cause, "bold"), f": {entry or 'the client'}")


def show_settings(scene: Scene, assembly: Assembly, screen: Screen) -> None:
    """The lines at the top of an answer: by which rules it was made."""
    settings = scene.rules.policy.settings
    share = f"{settings.budget_percent:g} % of {scene.rules.context_tokens}"
    recursion, words = _switch(settings.recursive), _switch(settings.whole_words)
    rules = f", scan depth {settings.scan_depth:g}, recursion {recursion}, whole words {words}"
    screen.line(("Profile ", "dim"), (assembly.profile, "bold"), (rules, "dim"))
    screen.line(
        ("Budget ", "dim"),
        (f"{assembly.used_tokens} of {assembly.limit_tokens} tokens", "bold"),
        (f" ({share}), counter: {assembly.counter}", "dim"),
    )
    screen.line(("SillyTavern counts with the model's own tokenizer, so it may cut elsewhere.", "dim"))


def _switch(value: bool) -> str:
    return "on" if value else "off"


def _sections(placed: Placed) -> Iterator[tuple[str, Iterable[Text]]]:
    """The positions that hold something, with their names."""
    for order, sections in groupby(placed.sections, key=lambda section: section.key[0]):
        yield f"System prompt, layer {layer_name(order)}", [section.text for section in sections]
    if placed.before:
        yield "Before the character", placed.before
    if placed.after:
        yield "After the character", placed.after
    for where in ("top", "bottom"):
        if examples := [example.text for example in placed.examples if example.where == where]:
            yield f"Example dialogues, {where}", examples
    if placed.note_top:
        yield "Author's note, top", placed.note_top
    if placed.note_bottom:
        yield "Author's note, bottom", placed.note_bottom
    for group in placed.at_depth:
        depth = "4 (not set)" if group.depth is None else group.depth
        yield f"At depth {depth}, {group.role_name}", group.texts
    for name, texts in placed.outlets.items():
        yield f"Outlet {name}", texts
    if placed.contexts:
        yield "Channel message", placed.contexts
