"""Checks of what is sent piece by piece, in one order, without a list that says so."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from lorewright.core.model import Report
from lorewright.lint.preset.block import Block, Where
from lorewright.lint.preset.check import CheckedPreset
from lorewright.lint.preset.costs import find_costs
from lorewright.lint.preset.flow import Flow, Text, follow
from lorewright.lint.preset.places import price
from lorewright.lint.preset.prompts import find_early_variables, find_macro_faults
from lorewright.lint.preset.subject import Named

__all__ = ["Piece", "check_pieces"]


class Piece(NamedTuple):
    """A text, and where it stands. macros: the text whose macros run, where that is another one."""

    id: str
    text: str
    where: Where
    depth: int | None = None
    macros: str | None = None
    name: str = ""
    role: str = ""
    kind: Literal["prompt", "marker", "setting"] = "setting"


def check_pieces(subject: Named, pieces: Sequence[Piece], noted: Iterable[Report] = ()) -> CheckedPreset:
    """Blocks of the pieces in their order, and findings about their macros and what they cost, behind those `noted`.

    Pure, and nothing is raised for any text.
    """
    texts = (Text("piece", piece.id, piece.text if piece.macros is None else piece.macros) for piece in pieces)
    flow = follow(texts, subject.uses)
    blocks = price([_block(subject, flow, piece, place) for place, piece in enumerate(pieces)])
    faults = (*find_macro_faults(subject, flow), *find_early_variables(subject, flow))
    return CheckedPreset(blocks, (*noted, *faults, *find_costs(subject, blocks)))


def _block(subject: Named, flow: Flow, piece: Piece, place: int) -> Block:
    return Block(
        id=piece.id,
        kind=piece.kind,
        name=piece.name,
        role=piece.role,
        place=place,
        depth=piece.depth,
        tokens=0 if piece.kind == "marker" else subject.counter.count(piece.text),
        causes=flow.causes("piece", piece.id) if piece.where != "off" else (),
        where=piece.where,
    )
