"""Facts that a model proposes at the end of a reply: text in, facts and refusals out.

A fact is a proposal until a person promotes it; see `docs/explanation/authority.md`. The block is an HTML comment, so a
client that does not know it shows nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

from lorewright.core.authority import Tier
from lorewright.core.gates import Gate, Reveal
from lorewright.core.model import ABSENT, Entry
from lorewright.errors import InputError

__all__ = [
    "EXAMPLE",
    "INSTRUCTION",
    "REPLACES",
    "Fact",
    "Found",
    "Refusal",
    "Why",
    "as_entry",
    "promote",
    "read_facts",
]

EXAMPLE: Final = """\
<!--lorewright-fact
subject: The mill of Saltwick
fact: Since the flood the mill belongs to Aldric's sister.
keys: mill, Aldric's sister
chapter: 3
-->"""
"""A block as a model shall write it."""

INSTRUCTION: Final = f"""\
If your reply establishes a new fact of this story that no note states, propose it at the very end of the reply, in a \
block like this one, one block for each fact:
{EXAMPLE}
`subject` is what it is about, `fact` one or two sentences, `keys` the words that shall recall it, with commas between. \
`chapter` is the chapter in which the reader learns it, and may be left out; `replaces: ID` names a note whose place it \
takes. A proposal is not a fact before a person has accepted it."""
"""What a model is told about proposals."""

REPLACES: Final = "replaces_entry"
"""In `Entry.extra` of a proposal: the id of the entry whose place it takes once it is accepted."""

Why = Literal["empty_fact", "invalid_chapter", "chapter_ahead"]
_SENTENCES: Final[Mapping[Why, str]] = {
    "empty_fact": "The block states no fact.",
    "invalid_chapter": "`{value}` is no chapter; it must be a whole number from 1.",
    "chapter_ahead": "Chapter {value} is ahead of the reader, who has opened {opened}.",
}

_NAMES: Final = {
    "subject": "subject",
    "主体": "subject",
    "fact": "fact",
    "事实": "fact",
    "keys": "keys",
    "关键词": "keys",
    "chapter": "chapter",
    "章": "chapter",
    "replaces": "replaces",
    "取代": "replaces",
}
_OPEN: Final = "<!--"
_CLOSE: Final = "-->"
_HEAD: Final = re.compile(r"[ \t]*lorewright-fact(?![\w-])")
_FIELD: Final = re.compile(r"[ \t]*(?:[-*+][ \t]+)?([^:：\n]{1,20}?)[ \t]*[:：](.*)", re.DOTALL)
_SEPARATORS: Final = re.compile("[,，、\n]")
_SHOWN: Final = 40
_CHAPTER: Final = re.compile(r"([1-9][0-9]{0,8})|第[ \t]*([1-9][0-9]{0,8})[ \t]*章")
_WIDE: Final = str.maketrans("０１２３４５６７８９", "0123456789")


@dataclass(frozen=True, slots=True)
class Fact:
    """One proposed fact. `chapter` counts from 1; `replaces` is the id of an entry, or empty."""

    fact: str
    subject: str = ""
    keys: tuple[str, ...] = ()
    chapter: int | None = None
    replaces: str = ""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A block that is no proposal, and why. `block` is its text."""

    why: Why
    sentence: str
    block: str


@dataclass(frozen=True, slots=True)
class Found:
    """What a reply proposes, and the reply without the blocks at its end."""

    facts: tuple[Fact, ...]
    refusals: tuple[Refusal, ...]
    text: str


def read_facts(reply: str, opened: int | None = None) -> Found:
    """The facts proposed at the end of a raw reply.

    `opened` is the chapter that the reader has opened last, from 1; a fact of a later one is refused. None: nobody
    counts chapters here. A line that is no known field continues the field before it.
    """
    blocks, text = _take_blocks(reply)
    read = [_read_block(block, opened) for block in blocks]
    return Found(
        tuple(one for one in read if isinstance(one, Fact)),
        tuple(one for one in read if isinstance(one, Refusal)),
        text,
    )


def as_entry(fact: Fact, uid: int | str, book: str = "") -> Entry:
    """A proposal as an entry. Its keys are those it names, else its subject; with a chapter and a `book`, a gate keeps
    it from readers who are not so far. What a model wrote stays text, also when a person has accepted it: no macro or
    decorator line in it works."""
    return Entry(
        uid=uid,
        title=fact.subject or ABSENT,
        keys=fact.keys or ((fact.subject,) if fact.subject else ()),
        content=fact.fact,
        subject=fact.subject or ABSENT,
        authority="proposal",
        gate=Gate((Reveal(book, fact.chapter),)) if book and fact.chapter is not None else ABSENT,
        position=0,
        order=100,
        verbatim=True,
        extra={REPLACES: fact.replaces} if fact.replaces else {},
    )


def promote(entry: Entry, tier: Tier) -> Entry:
    """A proposal that a person has accepted.

    Raises:
        InputError: `tier` is neither `session` nor `canon`.
    """
    if tier not in {"session", "canon"}:
        raise InputError(f"A proposal is promoted to `session` or `canon`, not to `{tier}`.", tier=tier)
    return replace(entry, authority=tier)


def _take_blocks(reply: str) -> tuple[list[str], str]:
    """The blocks at the end, in their order, and what stands before them."""
    blocks: list[str] = []
    text = reply
    while (bare := text.rstrip()).endswith(_CLOSE):
        start = bare.rfind(_OPEN)
        inside = bare[start + len(_OPEN) : -len(_CLOSE)]
        if start < 0 or _CLOSE in inside or not _HEAD.match(inside):
            break
        blocks.append(bare[start:])
        text = bare[:start].rstrip()
    return blocks[::-1], text


def _read_block(block: str, opened: int | None) -> Fact | Refusal:
    fields = dict(_fields(_HEAD.sub("", block[len(_OPEN) : -len(_CLOSE)], count=1)))
    fact = fields.get("fact", "").strip()
    if not fact:
        return _refuse("empty_fact", block)
    written = fields.get("chapter", "").strip()
    told = _CHAPTER.fullmatch(written.translate(_WIDE))
    if "chapter" in fields and not told:
        return _refuse("invalid_chapter", block, written)
    chapter = int(told[1] or told[2]) if told else None
    if chapter is not None and opened is not None and chapter > opened:
        return _refuse("chapter_ahead", block, written, opened)
    keys = tuple(dict.fromkeys(key for part in _SEPARATORS.split(fields.get("keys", "")) if (key := part.strip())))
    return Fact(fact, fields.get("subject", "").strip(), keys, chapter, fields.get("replaces", "").strip())


def _fields(block: str) -> Iterator[tuple[str, str]]:
    """The fields by their English names; one that stands twice is joined."""
    fields: dict[str, list[str]] = {}
    current: list[str] = []
    for line in block.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        found = _FIELD.fullmatch(line)
        name = _NAMES.get(found[1].strip().casefold()) if found else None
        if found and name:
            current = fields.setdefault(name, [])
            current.append(found[2].strip())
        else:
            current.append(line.strip())
    return ((name, "\n".join(lines).strip()) for name, lines in fields.items())


def _refuse(why: Why, block: str, value: str = "", opened: int | None = None) -> Refusal:
    shown = value if len(value) <= _SHOWN else f"{value[:_SHOWN]} …"
    return Refusal(why, _SENTENCES[why].format(value=shown, opened=opened), block)
