"""Running macros while a prompt is laid out: what one text writes, the next one reads."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from lorewright.core.layout.defects import Defects
from lorewright.core.layout.macros import Macros, Reading
from lorewright.core.layout.scene import Preferences
from lorewright.core.layout.strand import Bit, Source, Strand
from lorewright.core.memo import ANEW, Memo
from lorewright.core.model import Report
from lorewright.core.protocols import Rendered

__all__ = ["Pen"]

_LINE_FEEDS: Final = re.compile(r"\n+")
_TRIM_WORD: Final = re.compile(r"\{\{trim\}\}", re.IGNORECASE)
_TRIM_MARK: Final = "\0trim\0"
"""What `{{trim}}` is while the bits of a text are rendered one by one; it takes the line feeds on both its sides."""
_TRIMMED: Final = re.compile(r"(?:\r?\n)*\0trim\0(?:\r?\n)*")


class Pen:
    """Renders the texts of one layout, in the order of the calls. `reading` is what they read now."""

    def __init__(
        self, macros: Macros, reading: Reading, preferences: Preferences, defects: Defects, memo: Memo = ANEW
    ) -> None:
        self.reading = reading
        self.reports: list[Report] = []
        self._macros = macros
        self._preferences = preferences
        self._defects = defects
        self._memo = memo
        self._outlets: Mapping[str, Strand] = {}

    @property
    def is_template(self) -> Callable[[str], bool]:
        """Whether macros could change a text."""
        return self._macros.is_template

    def open_outlets(self, outlets: Mapping[str, Strand]) -> None:
        """From here on texts can ask for these."""
        self._outlets = outlets
        self.reading = replace(self.reading, outlets={name: strand.text for name, strand in outlets.items()})

    def prepare(self, strand: Strand, **changes: Any) -> Strand:
        """A text with its macros replaced (spec §1.2). `changes` are fields of `Reading` that hold for it alone."""
        if self._defects.renders_again:
            return self._as_one(strand, changes)
        return self._apart(strand, changes)

    def prepare_format(self, strand: Strand, name: str, value: str) -> Strand:
        """The same for a text that asks for a field by a macro of this name; the field is rendered already."""
        return self.prepare(strand, extra={} if self._defects.renders_again else {name: value})

    def field(self, strand: Strand, **changes: Any) -> Strand:
        """A field of a card (spec §2.3): trimmed, rendered without card macros, without carriage returns."""
        return self.part(strand.trimmed(), **changes)

    def part(self, strand: Strand, **changes: Any) -> Strand:
        """The same with the white space at its ends."""
        return self.prepare(strand, cards=not self._defects.hides_card_in_card, **changes).mapped(self._tidied)

    def override(self, strand: Strand) -> Strand:
        """A field that stands for a prompt: its macros run once more there, or only there."""
        if self._defects.renders_again:
            return self.field(strand)
        return strand.trimmed().mapped(self._tidied)

    def _tidied(self, text: str) -> str:
        return (_LINE_FEEDS.sub("\n", text) if self._preferences.collapse_newlines else text).replace("\r", "")

    def _as_one(self, strand: Strand, changes: dict[str, Any]) -> Strand:
        """Rendered as one text. Each bit keeps its characters if they come out the same one by one."""
        text = strand.text
        if not self._macros.is_template(text):
            return strand
        before = self.reading
        rendered = self._run(text, changes)
        if len(strand.bits) > 1 and "random" not in rendered.kinds:
            probe = Pen(self._macros, before, self._preferences, self._defects, self._memo)
            probe.open_outlets(self._outlets)
            parts = probe._apart(strand, changes)
            if parts.text == rendered.text:
                return parts
        return self._with_outlets(strand.sources, rendered)

    def _apart(self, strand: Strand, changes: dict[str, Any]) -> Strand:
        """Rendered bit by bit; only `{{trim}}` reaches beyond its bit."""
        text = strand.text
        if "{{" not in text or not _TRIM_WORD.search(text):
            return self._bit_by_bit(strand, changes)
        marked = self._memo.once(_marked, strand, self._defects.renders_again)
        return self._memo.once(_cut_at_marks, self._bit_by_bit(marked, changes))

    def _is_done(self, bit: Bit) -> bool:
        return bit.rendered and not self._defects.renders_again

    def _bit_by_bit(self, strand: Strand, changes: dict[str, Any]) -> Strand:
        found = [self._bit(bit, changes) for bit in strand.bits]
        return found[0] if len(found) == 1 else Strand(tuple(bit for one in found for bit in one.bits))

    def _bit(self, bit: Bit, changes: dict[str, Any]) -> Strand:
        if self._is_done(bit) or not self._macros.is_template(bit.text):
            return self._memo.once(_rendered, bit.sources, bit.text)
        rendered = self._run(bit.text, changes)
        return self._with_outlets(bit.sources, rendered)

    def _with_outlets(self, sources: tuple[Source, ...], rendered: Rendered) -> Strand:
        """A rendered text in which the texts of outlets keep their sources."""
        strand = self._memo.once(_rendered, sources, rendered.text)
        for name in self._outlets:
            if f"outlet:{name}" in rendered.reads:
                strand = strand.holding(self._outlets[name])
        return strand

    def _run(self, text: str, changes: dict[str, Any]) -> Rendered:
        rendered = self._macros.render(text, replace(self.reading, **changes) if changes else self.reading)
        if rendered.writes:
            variables = self.reading.variables.after(rendered.writes)
            if variables is not self.reading.variables:
                self.reading = replace(self.reading, variables=variables)
        self.reports += rendered.reports
        return rendered


def _marked(strand: Strand, renders_again: bool) -> Strand:
    """With a mark in the place of each `{{trim}}` in bits that are not rendered yet."""
    return Strand(
        tuple(
            bit if bit.rendered and not renders_again else bit._replace(text=_TRIM_WORD.sub(_TRIM_MARK, bit.text))
            for bit in strand.bits
        )
    )


def _cut_at_marks(strand: Strand) -> Strand:
    text, kept, at = strand.text, Strand(), 0
    for cut in _TRIMMED.finditer(text):
        kept += strand.slice(at, cut.start())
        at = cut.end()
    return kept + strand.slice(at, len(text))


def _rendered(sources: tuple[Source, ...], text: str) -> Strand:
    """A text over which macros ran."""
    return Strand((Bit(sources, text, rendered=True),))
