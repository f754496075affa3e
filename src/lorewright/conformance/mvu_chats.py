"""The suites of MVU's variables that are about chats; the schema is in conformance/mvu-vars/README.md.

The order in which a host calls the program (the initial check before a message of the user is read and before a
generation, the reading of a reply) is that of the model the cases were recorded with.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from lorewright.conformance.mvu_vars import replacing
from lorewright.conformance.outcome import Difference, Outcome
from lorewright.conformance.tagged import from_marked, run_tagged, same
from lorewright.core.protocols import Tools
from lorewright.errors import CaseError
from lorewright.mvu.behaviour import RECORDED
from lorewright.mvu.chat import Line, Lines, Player, check_initial, handle
from lorewright.mvu.initial import InitialBook
from lorewright.mvu.record import MEMBERS, Record
from lorewright.mvu.upkeep import (
    SNAPSHOT,
    Keeping,
    clean_up,
    forget_old,
    replay,
    reprocess,
    reread_initial,
    restore,
)
from lorewright.mvu.values import FORBIDDEN, Json, saved

__all__ = ["run_mvu_chats"]

_CHARACTER: Final = "Aria"
_USER: Final = "Max"
_GREETING: Final = "你好呀，旅人。"


def run_mvu_chats(document: Mapping[str, Any], suite: str, file: str, tools: Tools) -> Iterator[Outcome | str]:
    """Run the cases of one file; they need no tools."""
    del tools
    return run_tagged(document, suite, file, _initial if suite == "initvar" else _session)


def _books(given: Sequence[Mapping[str, Any]], *, char_fails: bool = False) -> tuple[InitialBook, ...]:
    found: dict[str, InitialBook] = {}
    for book in sorted(given, key=lambda book: book["source"] != "global"):
        if char_fails and book["source"] != "global":
            continue
        texts = tuple((entry.get("comment") or "", entry["content"]) for entry in book["entries"])
        found.setdefault(
            book["name"], InitialBook(book["name"], book["source"], None if book.get("missing") else texts)
        )
    return tuple(found.values())


# -- initvar -----------------------------------------------------------------------------------------------------------


def _initial(case: Mapping[str, Any]) -> Sequence[Difference]:
    given = case["input"]
    greetings = tuple(given.get("greetings") or ["..."])
    line = Line(_CHARACTER, greetings, records=tuple(map(from_marked, given.get("existing") or ())))
    player = Player(_CHARACTER, macros=replacing(given.get("macros")), behaviour=RECORDED)
    done = check_initial((line,), _books(given["books"], char_fails=bool(given.get("charFails"))), player)
    (line,) = done.lines
    stored = [line.records[at] if at < len(line.records) else None for at in range(len(greetings))]
    failures = sum(report.code == "mvu_initial_unreadable" and bool(report.book) for report in done.reports)
    expected = case["expect"]
    if "unsafe" in case["tags"]:
        expected = _without_forbidden(expected)
    return same("result", expected, {"swipes": list(map(_swipe, stored)), "parse_failures": failures})


def _swipe(stored: Json) -> Json:
    if stored is None:
        return None
    books = stored["initialized_lorebooks"]
    swipe = {
        "stat_data": stored["stat_data"],
        "schema": stored["schema"],
        "initialized_lorebooks": list(books) if isinstance(books, dict) else list(map(str, range(len(books)))),
        "other": {name: value for name, value in stored.items() if name not in MEMBERS},
    }
    return {**swipe, "delta_data": stored["delta_data"]} if "delta_data" in stored else swipe


def _without_forbidden(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_forbidden(item) for name, item in value.items() if name not in FORBIDDEN}
    return [_without_forbidden(item) for item in value] if isinstance(value, list) else value


# -- session -----------------------------------------------------------------------------------------------------------


def _session(case: Mapping[str, Any]) -> Sequence[Difference]:
    host = _Host(case["input"])
    steps = []
    for step in case["input"]["steps"]:
        host.do(*step)
        steps.append({"trees": [_tree(line.stored) for line in host.lines]})
    return same("result", case["expect"], {"steps": steps, "final": list(map(_final, host.lines))})


def _tree(stored: Json) -> Json:
    record = Record.of(stored)
    return None if record is None else record.tree


def _final(line: Line) -> dict[str, Json]:
    made: dict[str, Json] = {"role": "user" if line.by_user else "assistant", "swipe": line.shown, "text": line.text}
    if len(line.swipes) > 1:
        records = [*line.records, *([None] * (len(line.swipes) - len(line.records)))]
        made["swipe_trees"] = list(map(_tree, records))
    if line.stored and "delta_data" in line.stored:
        made["delta"] = line.stored["delta_data"]
    return made


class _Host:
    """The program around the one under test: when it calls what."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        settings = given.get("settings") or {}
        cleaning = settings.get("自动清理变量") or {}
        self.books = _books(given["books"])
        self.lines: Lines = (Line(_CHARACTER, tuple(given.get("greetings") or [_GREETING])),)
        self.player = Player(
            _CHARACTER,
            reads_other_names=bool((settings.get("兼容性") or {}).get("sandas不视为user消息")),
            macros=replacing({"{{user}}": _USER, "{{char}}": _CHARACTER}),
            behaviour=RECORDED,
        )
        self.keeping = Keeping(
            cleans=cleaning.get("启用", True),
            newest=cleaning.get("要保留变量的最近楼层数", 20),
            interval=cleaning.get("快照保留间隔", 50),
            watched=cleaning.get("触发恢复变量的最近楼层数", 10),
        )

    def do(self, name: str, *values: Any) -> None:
        """One step of a script."""
        act = getattr(self, f"_{name}", None)
        if act is None:
            raise CaseError(f"unknown step `{name}`", step=name)
        act(*values)

    def _open(self) -> None:
        self.lines = check_initial(self.lines, self.books, self.player).lines

    _generation_started = _open

    def _user(self, text: str) -> None:
        self.lines += (Line(_USER, (text,), by_user=True),)
        self._open()
        self._handle()

    def _reply(self, text: str, name: str = _CHARACTER) -> None:
        self._open()
        self.lines += (Line(name, (text,)),)
        self._receive()

    def _swipe(self, text: str) -> None:
        self._open()
        last = self.lines[-1]
        self._set_last(replace(last, swipes=(*last.swipes, text), shown=len(last.swipes)))
        self._receive()

    def _regenerate(self, text: str) -> None:
        self.lines = self.lines[:-1]
        self._reply(text)

    def _continue(self, text: str) -> None:
        self._open()
        self._set_last(self.lines[-1].with_text(self.lines[-1].text + text))
        self._receive()

    def _select(self, at: int, swipe: int) -> None:
        self._set(at, replace(self.lines[at], shown=swipe))

    def _edit(self, at: int, text: str) -> None:
        self._set(at, self.lines[at].with_text(text))

    def _delete(self, at: int) -> None:
        self.lines = self.lines[:at] + self.lines[at + 1 :]
        self.lines = restore(self.lines, self.keeping, self.player)

    def _drop_last(self, count: int) -> None:
        self.lines = self.lines[:-count]

    def _reprocess_last(self) -> None:
        self.lines = reprocess(self.lines, self.player)

    def _replay(self, target: int, start: int) -> None:
        self.lines = replay(self.lines, target, start, self.player)

    def _reread_initial(self) -> None:
        self.lines = reread_initial(self.lines, self.books, self.player)

    def _forget_old(self, newest: int) -> None:
        self.lines = forget_old(self.lines, newest, self.keeping)

    def _mark_snapshot(self, at: int) -> None:
        self._set(at, self.lines[at].with_stored({**(self.lines[at].stored or {}), SNAPSHOT: True}))

    def _set_books(self, books: Sequence[Mapping[str, Any]]) -> None:
        self.books = _books(books)

    def _forget_tree(self, at: int) -> None:
        self._set(at, self.lines[at].with_stored(None))

    def _set_tree(self, at: int, tree: Json) -> None:
        self._set(at, self.lines[at].with_stored({**(self.lines[at].stored or {}), "stat_data": from_marked(tree)}))

    def _save_load(self) -> None:
        self.lines = tuple(replace(line, records=tuple(map(saved, line.records))) for line in self.lines)

    def _set(self, at: int, line: Line) -> None:
        self.lines = (*self.lines[:at], line, *self.lines[at + 1 :])

    def _set_last(self, line: Line) -> None:
        self._set(len(self.lines) - 1, line)

    def _handle(self) -> None:
        self.lines = handle(self.lines, len(self.lines) - 1, self.player).lines

    def _receive(self) -> None:
        self._handle()
        self.lines = clean_up(self.lines, len(self.lines) - 1, self.keeping)
