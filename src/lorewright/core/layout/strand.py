"""A text that knows whose it is: every character belongs to a source, through joining, trimming and macros."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from lorewright.core.javascript import WHITE_SPACE

__all__ = ["Bit", "Source", "SourceKind", "Strand", "join"]

SourceKind = Literal[
    "prompt", "setting", "card", "chat", "persona", "note", "entry", "injection", "message", "bias", "quiet"
]
"""`prompt`: of the preset; `setting`: a text among the preset's settings; `chat`: a text kept with the chat in the place
of the card's; `entry`: a lorebook entry; `injection`: a text that somebody else injects; `message`: one of the chat."""


class Source(NamedTuple):
    """Where a text comes from. `id` is a prompt's or entry's id, the name of a field or setting, a message's number."""

    kind: SourceKind
    id: str


class Bit(NamedTuple):
    """A part of a text. It has several sources where macros ran over their joined texts and nobody can say which
    character came of which. `rendered`: macros ran over it."""

    sources: tuple[Source, ...]
    text: str
    rendered: bool = False


@dataclass(frozen=True, slots=True)
class Strand:
    """A text in bits. Separators belong to the text behind them."""

    bits: tuple[Bit, ...] = ()

    @classmethod
    def of(cls, source: Source, text: str, *, rendered: bool = False) -> Strand:
        """A text of one source; an empty one still has its source."""
        return cls((Bit((source,), text, rendered),))

    @property
    def text(self) -> str:
        """All characters."""
        return self.bits[0].text if len(self.bits) == 1 else "".join(bit.text for bit in self.bits)

    @property
    def has_text(self) -> bool:
        """Whether there is any character."""
        for bit in self.bits:  # noqa: SIM110 -- asked of every message of a chat, and faster than `any`
            if bit.text:
                return True
        return False

    @property
    def sources(self) -> tuple[Source, ...]:
        """All sources, each once, those of empty bits among them."""
        if len(self.bits) == 1:
            return self.bits[0].sources
        return tuple(dict.fromkeys(source for bit in self.bits for source in bit.sources))

    def __add__(self, other: Strand) -> Strand:
        return Strand(self.bits + other.bits)

    def slice(self, start: int, end: int) -> Strand:
        """The characters from `start` to before `end`; of an empty result the first source is kept."""
        found: list[Bit] = []
        at = 0
        for bit in self.bits:
            text = bit.text[max(0, start - at) : max(0, end - at)]
            if text:
                found.append(bit._replace(text=text))
            at += len(bit.text)
        return Strand(tuple(found) or tuple(bit._replace(text="") for bit in self.bits[:1]))

    def trimmed(self) -> Strand:
        """Without white space at its ends, as JavaScript trims."""
        text = self.text
        left = len(text) - len(text.lstrip(WHITE_SPACE))
        right = len(text.rstrip(WHITE_SPACE))
        return self if (left, right) == (0, len(text)) else self.slice(left, right)

    def without_first(self, part: str) -> Strand:
        """Without the first occurrence of a text."""
        at = self.text.find(part)
        return self if at < 0 else self.slice(0, at) + self.slice(at + len(part), len(self.text))

    def mapped(self, change: Callable[[str], str]) -> Strand:
        """Each bit changed by itself."""
        texts = [change(bit.text) for bit in self.bits]
        if all(text == bit.text for text, bit in zip(texts, self.bits, strict=True)):
            return self
        return Strand(tuple(bit._replace(text=text) for text, bit in zip(texts, self.bits, strict=True)))

    def merged(self) -> Strand:
        """With neighbouring bits of the same sources in one."""
        if len(self.bits) == 1:
            return self
        found: list[Bit] = []
        for bit in self.bits:
            if found and found[-1].sources == bit.sources:
                last = found[-1]
                found[-1] = last._replace(text=last.text + bit.text, rendered=last.rendered and bit.rendered)
            else:
                found.append(bit)
        return Strand(tuple(found))

    def holding(self, inner: Strand) -> Strand:
        """With the characters of `inner`, which macros put in, as its own: where its text stands just once. Where it
        stands in one bit more often, that bit belongs to it, too."""
        part = inner.text
        found: list[Bit] = []
        for bit in self.bits:
            if not part or part not in bit.text:
                found.append(bit)
            elif bit.text.count(part) > 1:
                found.append(bit._replace(sources=tuple(dict.fromkeys((*bit.sources, *inner.sources)))))
            else:
                before, _, after = bit.text.partition(part)
                found += [bit._replace(text=before)] if before else []
                found += [one._replace(rendered=bit.rendered) for one in inner.bits]
                found += [bit._replace(text=after)] if after else []
        return Strand(tuple(found))

    def prefixed(self, text: str) -> Strand:
        """With a text in front, which belongs to the first source."""
        if not text:
            return self
        first, *others = self.bits
        return Strand((first._replace(text=text + first.text), *others))


def join(separator: str, strands: Iterable[Strand]) -> Strand:
    """The strands with a separator between them."""
    found: list[Bit] = []
    for number, strand in enumerate(strands):
        found += strand.prefixed(separator).bits if number else strand.bits
    return Strand(tuple(found))
