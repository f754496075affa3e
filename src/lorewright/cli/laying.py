"""The messages or the text of a preset, with whose every part is and why it stands there."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from lorewright.cli.screen import Screen, count
from lorewright.core.layout.account import LeftOut
from lorewright.core.layout.layout import LaidOut
from lorewright.core.layout.message import Block
from lorewright.core.layout.objects import source_name
from lorewright.core.layout.text_layout import LaidText

__all__ = ["show_laid", "show_text"]


def show_laid(laid: LaidOut, screen: Screen) -> None:
    """Print every message with its blocks, then what was left out, by reason."""
    begin, end = laid.borders
    for at, message in enumerate(laid.messages):
        if laid.kept and at in (begin, end):
            screen.line(("-- the chat" if at == begin else "-- only of this turn", "dim"))
        screen.heading(f"{message.role} ({message.name})" if message.name else message.role)
        for block in message.blocks:
            _show_block(block, screen)
    _show_left_out(laid.left_out, screen)


def show_text(laid: LaidText, screen: Screen) -> None:
    """Print a text with its blocks, where the reply ends, then what was left out, by reason."""
    screen.heading("The text to be completed")
    for block in laid.blocks:
        if block.text.strip():
            _show_block(block, screen)
    screen.line()
    screen.line(("the reply ends at ", "dim"), ", ".join(map(repr, laid.stops)) or "nothing")
    _show_left_out(laid.left_out, screen)


def _show_block(block: Block, screen: Screen) -> None:
    screen.line((f"{_names(block)}, {count(block.tokens, 'token')}: {block.why.sentence}", "dim"))
    screen.text(block.text.strip("\n"))


def _show_left_out(left: tuple[LeftOut, ...], screen: Screen) -> None:
    for reason, sources in _by_reason(left):
        screen.line(("left out ", "dim"), ", ".join(sources), (f": {reason}", "dim"))


def _names(block: Block) -> str:
    return " + ".join(source_name(source) for source in block.sources)


def _by_reason(left: tuple[LeftOut, ...]) -> Iterator[tuple[str, list[str]]]:
    found = sorted(left, key=lambda one: one.reason.sentence)
    for reason, items in groupby(found, key=lambda one: one.reason.sentence):
        yield reason, [source_name(one.source) for one in items]
