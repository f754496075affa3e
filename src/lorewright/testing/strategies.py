"""Hypothesis strategies for books, turns and settings.

They are dense on purpose: few words, so that keys match; every field of an entry; and the texts that break matchers
(lone surrogates, U+0130, final sigma, separators, combining marks, keys of white space).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from hypothesis import strategies as st

from lorewright.core.model import (
    ABSENT,
    AuthorsNote,
    Book,
    Character,
    CharacterFilter,
    Entry,
    Inject,
    Message,
    Odd,
    Turn,
)
from lorewright.core.policy import Settings
from lorewright.core.regex_script import RegexScript
from lorewright.core.replaces import TARGETS, Replace
from lorewright.testing.client import ACTIONS, Step

__all__ = ["books", "chats", "edits", "entries", "keys", "marked_books", "scripts", "settings", "texts", "turns"]

WORDS: Final = (
    *("cat", "cats", "Cat", "dragon", "dragons", "red moon", "moon", "old king", "king's", "a.b", "C++", "3", "13"),
    *(
        "кот",
        "скотина",
        "José",
        "Jose\u0301",
        "Jos",
        "猫",
        "黒猫",
        "a猫b",
        "서울",
        "서울에서",
        "İx",
        "i\u0307x",
        "ΣΑΣ",
        "σας",
    ),
    *("ß", "SS", "\n", "\x01", "\ud83d", "🐉", "e", "\u0301", "ก", "กี", "3号", "_x", "\u00a0", "\ufffd", "K"),
)
REGEXES: Final = (
    *("/dragon/", "/\\bcat(s)?\\b/i", "/^cat/", "/cat$/", "/^\\x01/", "/(red|blue) moon/i", "/d.agon/s", "/[ck]at/i"),
    *("/cat.*dragon/s", "/\\bcat\\W+dragon/", "/a|b/", "/猫/", "/(?<=red )moon/", "/x*/", "/(?:/", "/a/b/", "/K/iu"),
    *("/king\\s/", "/cat\\s+dragon/", "/[^x]cat/", "/\\ud83d/", "/(cat)\\1/", "/./u", "/ΣΑΣ/i", "/cat/gg", "/cat/y"),
    *("/moon(?!s)/", "/(cat|dragon|moon)s?/", "/c{1}at/", "/\\u0063at/", "/(?:cat)?/", "/\\Bat/", "/ſs/iu", "/İx/i"),
)
FINDS: Final = ("cat", "/dragon/gi", "(c)(at)s?", "$", "moon|king", "x*")
"""What replacements look for."""
TEMPLATES: Final = (
    "{{user}}",
    "{{char}}s",
    "<USER>",
    "{{random::cat::dragon}}",
    "{{noop}}",
    "{{// note}}cat",
    "{{newline}}",
)
DECORATORS: Final = (
    *(
        "@@depth 2",
        "@@depth -1",
        "@@reverse_depth 1",
        "@@end",
        "@@position after_desc",
        "@@position pt_a",
        "@@position",
    ),
    *("@@role user", "@@scan_depth 1", "@@scan_depth x", "@@priority 5", "@@ignore_on_max_context", "@@probability 50"),
    *("@@additional_keys cat, moon", "@@exclude_keys dragon", "@@exclude_keys_all cat,dragon", "@@exclude_keys_all"),
    *("@@activate_only_after 2", "@@activate_only_every 2", "@@activate_only_every 0", "@@is_greeting 1"),
    *("@@keep_activate_after_match", "@@dont_activate_after_match", "@@activate", "@@dont_activate", "@@nothing"),
    *("@@match_full_word", "@@unrecursive", "@@no_recursive_search", "@@inject_lore a", "@@inject_replace cat"),
    *("@@@depth 0", "@@@end", "@@", " @@depth 1", "@@inject_at main", "@@depth 0x" + "f" * 400),
)


def texts(max_words: int = 8) -> st.SearchStrategy[str]:
    """Texts made of the words that keys are made of, with several separators."""
    glue = st.sampled_from((" ", " ", " ", "", "\n", ", ", "-", "\n\x01", "\u3000"))
    pairs = st.lists(st.tuples(st.sampled_from(WORDS), glue), max_size=max_words)
    return pairs.map(lambda parts: "".join(word + joint for word, joint in parts))


def keys() -> st.SearchStrategy[str]:
    """Plain keys, regular expressions, templates, blanks, and now and then any text."""
    return st.one_of(
        st.sampled_from(WORDS),
        st.sampled_from(WORDS),
        st.sampled_from(REGEXES),
        st.sampled_from(TEMPLATES),
        st.sampled_from(("", " ", " cat ", "\t")),
        st.text(max_size=3),
    )


def _or_absent(strategy: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return st.one_of(st.just(ABSENT), strategy, strategy)


_FLAG: Final = st.sampled_from((True, False, None, Odd(1), Odd("true"), Odd(0)))
_SMALL: Final = st.sampled_from((0, 1, 2, 3, 5, None, -1, 0.5, 10**400))

_FIELDS: Final[Mapping[str, st.SearchStrategy[object]]] = {
    "keys": st.lists(keys(), max_size=3).map(tuple),
    "secondary": st.one_of(st.just(()), st.lists(keys(), max_size=2).map(tuple)),
    "content": st.one_of(
        texts(5),
        texts(5),
        st.sampled_from(("@@activate\ncat", "@@dont_activate\ncat", "@@x\n@@@activate\nking", "")),
        st.tuples(st.lists(st.sampled_from(DECORATORS), max_size=4), texts(3)).map(lambda p: "\n".join([*p[0], p[1]])),
    ),
    "enabled": st.sampled_from((True, True, True, True, False)),
    "constant": st.sampled_from((False, False, False, True)),
    "selective": st.sampled_from((True, True, False)),
    "logic": st.sampled_from((0, 1, 2, 3, None, Odd("3"), 7)),
    "order": st.sampled_from((100, 100, 50, 10, 200, None, Odd("70"), 10**400, Odd("1e999"), Odd("0x" + "f" * 300))),
    "position": st.sampled_from((*range(8), None, Odd("0"), 42)),
    "depth": st.sampled_from((0, 1, 4, None, Odd("4"), 10**400)),
    "role": st.sampled_from((0, 1, 2, None)),
    "outlet": st.sampled_from(("", "a", "b")),
    "probability": st.sampled_from((100, 100, 50, 0, 30, None, Odd("100"), -(10**400))),
    "use_probability": st.sampled_from((True, True, False)),
    "scan_depth": st.sampled_from((None, None, 0, 1, 2, 10, 0.5, Odd("3"), 10**400)),
    "case_sensitive": st.sampled_from((None, None, True, False)),
    "whole_words": st.sampled_from((None, None, True, False)),
    "group_scoring": st.sampled_from((None, True, False)),
    "exclude_recursion": _FLAG,
    "prevent_recursion": st.sampled_from((False, False, True)),
    "delay_until_recursion": st.sampled_from((0, 0, 0, 1, 2, True, Odd("2"))),
    "group": st.sampled_from(("", "", "g", "g,h", "h, g", " g", "2", "1,g", "constructor")),
    "group_override": st.sampled_from((False, False, True)),
    "group_weight": st.sampled_from((100, 0, 10, -5, None, Odd("20"), 10**400)),
    "sticky": _SMALL,
    "cooldown": _SMALL,
    "delay": st.sampled_from((0, 0, 0, 2, 4, None)),
    "ignore_budget": st.sampled_from((False, False, False, True)),
    "triggers": st.sampled_from(((), (), ("normal",), ("swipe", "quiet"))),
    "filter": st.sampled_from(
        (None, None, CharacterFilter(("Aria",)), CharacterFilter(("Aria",), exclude=True), CharacterFilter((), ("t1",)))
    ),
    "authority": st.sampled_from((None, "canon", "session", "待考", "proposal", "half canon", Odd(1))),
    "source": st.sampled_from(("system", "user_custom", "user_import")),
    "subject": st.sampled_from(("", "king", "moon", None)),
    "weight": st.sampled_from((0, 30, 70, 75, None, Odd("20"), 10**400)),
    "level": st.sampled_from((0, 1, 2, 9, None)),
    "restricted_to": st.sampled_from(((), ("Aria",), ("Bo",))),
    "scene": st.sampled_from(("", "night", "day")),
    "layer": st.sampled_from(("tail", "before-persona", "policy", 0, -3.5, "700", "nowhere", "", None, Odd(True))),
    "channel": st.sampled_from(("system", "message", "sytem", None)),
    "cache_unsafe": st.sampled_from((False, True, None, Odd("yes"))),
    "replaces": st.one_of(
        st.lists(st.builds(Replace, st.sampled_from(FINDS), texts(2), st.sampled_from(TARGETS)), max_size=2).map(tuple),
        st.sampled_from((None, (), Odd("cat"), (Replace("("),))),
    ),
    "seed_salt": st.sampled_from(("", "a", Odd(1))),
    **{
        f"match_{source}": st.sampled_from((False, False, True))
        for source in ("persona_description", "character_description", "scenario", "creator_notes")
    },
}


@st.composite
def entries(draw: st.DrawFn, uid: int = 0, content: str | None = None) -> Entry:
    """One entry; each field may be absent, null, odd or of its type. Most entries leave most fields alone."""
    chosen: dict[str, object] = {"keys": draw(_FIELDS["keys"])}
    for name in draw(st.lists(st.sampled_from(sorted(_FIELDS)), max_size=8, unique=True)):
        chosen[name] = draw(_or_absent(_FIELDS[name]))
    if "content" not in chosen:
        chosen["content"] = draw(texts(4))
    if content is not None:
        chosen["content"] = f"{content} {chosen['content'] if isinstance(chosen['content'], str) else ''}"
    chosen.setdefault("position", draw(st.integers(0, 7)))
    chosen.setdefault("order", 100)
    return Entry(uid=uid, **chosen)  # type: ignore[arg-type]  # the strategies above give each field its types


@st.composite
def books(draw: st.DrawFn, name: str = "main", max_size: int = 8) -> Book:
    """A book of a few entries."""
    size = draw(st.integers(1, max_size))
    return Book(name, tuple(draw(entries(uid)) for uid in range(size)))


@st.composite
def marked_books(draw: st.DrawFn, name: str = "main", max_size: int = 8) -> Book:
    """A book in which every content holds a text that stands nowhere else: `⟦name.uid⟧`."""
    size = draw(st.integers(1, max_size))
    return Book(name, tuple(draw(entries(uid, content=f"⟦{name}.{uid}⟧")) for uid in range(size)))


def settings() -> st.SearchStrategy[Settings]:
    """Global settings of every kind."""
    return st.builds(
        Settings,
        scan_depth=st.sampled_from((0, 1, 2, 4, 1000, 0.5)),
        budget_percent=st.sampled_from((5, 25, 100)),
        budget_cap_tokens=st.sampled_from((0, 0, 10)),
        min_activations=st.sampled_from((0, 0, 2)),
        min_activations_max_depth=st.sampled_from((0, 2, 3)),
        recursive=st.booleans(),
        max_recursion_steps=st.sampled_from((0, 0, 2)),
        case_sensitive=st.booleans(),
        whole_words=st.booleans(),
        include_names=st.booleans(),
        strategy=st.sampled_from(("evenly", "character_first", "global_first")),
        group_scoring=st.booleans(),
        max_entries=st.sampled_from((0, 0, 2)),
        use_proposals=st.booleans(),
        max_level=st.sampled_from((2, 2, 0)),
    )


def scripts() -> st.SearchStrategy[RegexScript]:
    """Regex scripts of SillyTavern: for messages and lore, with every kind of macro, some of which cannot work."""
    depth = st.sampled_from((None, None, None, -1, 0, 1, 3))
    parts = st.sampled_from(
        (
            *("$1", "$0", "$<q>", "{{match}}", "{{", "}}", "{{user}}", "{{getvar::$1}}", "{{setvar::a::$1}}", "x"),
            *("", "{{roll::1d100}}", "{{time}}", "{{incvar::n}}", "{{lastMessage}}", "{{outlet::$1}}", "cat"),
        )
    )
    return st.builds(
        RegexScript,
        name=st.sampled_from(("s", "t")),
        pattern=st.sampled_from(
            ("/(.+)/s", "/(.)/gs", "cat", "/(a)|(?<q>.)/g", "/{{(.*)}}/s", "/(/", "/x*/gu", "", "/$/", "{{user}}")
        ),
        replacement=st.lists(parts, max_size=4).map("".join),
        placement=st.sampled_from(((1,), (2,), (5,), (1, 2), (1, 2, 5), ())),
        disabled=st.sampled_from((False, False, False, True)),
        trimmed=st.sampled_from(((), (), ("a",), ("{{user}}",))),
        for_display=st.sampled_from((False, False, True)),
        for_prompt=st.booleans(),
        macros_in_pattern=st.sampled_from(("no", "no", "raw", "escaped")),
        least_depth=depth,
        most_depth=depth,
    )


def turns(max_messages: int = 5) -> st.SearchStrategy[Turn]:
    """A request with a short chat."""
    message = st.builds(
        Message, st.sampled_from(("Max", "Aria", "")), texts(), hidden=st.sampled_from((False, False, False, True))
    )
    character = st.builds(
        Character,
        name=st.just("Aria"),
        avatar=st.just("Aria.png"),
        tags=st.sampled_from((None, frozenset(), frozenset({"t1"}))),
        description=texts(3),
        scenario=texts(3),
        creator_notes=st.just(""),
    )
    return st.builds(
        Turn,
        messages=st.lists(message, max_size=max_messages).map(tuple),
        user=st.just("Max"),
        character=st.one_of(st.none(), character),
        persona_description=texts(2),
        authors_note=st.one_of(st.none(), st.builds(AuthorsNote, texts(2), st.booleans())),
        injects=st.lists(st.builds(Inject, st.sampled_from(("1", "a", "b")), texts(2), st.booleans()), max_size=2).map(
            tuple
        ),
        trigger=st.sampled_from(("normal", "normal", "swipe", "quiet", "unheard of")),
        context_tokens=st.sampled_from((40, 200, 8192)),
        dry_run=st.sampled_from((False, False, False, True)),
        session=st.sampled_from(("", "s")),
        speaker=st.sampled_from((None, "Bo")),
        scenes=st.sampled_from((frozenset(), frozenset({"night"}))),
        host_facts=st.sampled_from(({}, {"model": "small", "group": ["Aria", "Bo"]})),
    )


def edits(words: Sequence[str] = WORDS) -> st.SearchStrategy[Step]:
    """One thing that a person does to a chat, for a `ChatClient`; half of the time they write a message."""
    text = st.lists(st.sampled_from(words), max_size=3).map(" ".join)
    action = st.one_of(st.just(ACTIONS[0]), st.sampled_from(ACTIONS))
    return st.builds(Step, action, text, st.integers(0, 63))


def chats(words: Sequence[str] = WORDS, max_steps: int = 20) -> st.SearchStrategy[list[Step]]:
    """What a person does in a whole chat."""
    return st.lists(edits(words), min_size=1, max_size=max_steps)
