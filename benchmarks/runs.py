"""The single runs. Each is started in a process of its own (`python -m benchmarks.runs NAME ARGUMENTS`), checks its
answer, and prints what it measured as JSON. Times are in milliseconds, memory in MB (10^6 bytes)."""

import gc
import json
import os
import resource
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from time import perf_counter, process_time

from lorewright import NATIVE, ActiveBook, Message, Settings, State, Turn, assemble, load_lore, make_tools, read_book
from lorewright.core.model import Book, Entry
from lorewright.formats.world_info import read_world_info

WARM_UPS = 3
TURNS = 50


def timed(function, clock=perf_counter):
    """What the function gives, and how long it took."""
    began = clock()
    result = function()
    return result, (clock() - began) * 1000


def resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def cold(combination: str):
    """The first turn of an unseen chat, the book compiled: without warm-up, and after three turns of another chat."""
    from benchmarks.scene import Scene

    scene = Scene(combination)
    warm = scene.other_turn()
    if len(sys.argv) > 3:
        first, time = timed(lambda: assemble(scene.turn, scene.lore, State(), scene.tools))
        scene.check(first)
        return {"first_ms": time}
    for _ in range(WARM_UPS):
        assemble(warm, scene.lore, State(), scene.tools)
    gc.collect()  # what was left behind before is not this turn's
    assembly, time = timed(lambda: assemble(scene.turn, scene.lore, State(), scene.tools))
    scene.check(assembly)
    return {"cold_ms": time}


def following(combination: str):
    """The next turns of a known chat, one new message each; then every answer is compared with the reference's."""
    from benchmarks.scene import Scene

    scene = Scene(combination)
    reference = make_tools(engine="core", counter=scene.tools.counter)
    words = [message.text.split() for message in scene.turn.messages]
    turn = scene.turn
    assemble(turn, scene.lore, State(), scene.tools)
    times = []
    answers = []
    for number in range(TURNS + WARM_UPS):
        text = " ".join([str(number), *words[number * 7 % len(words)][:25], *words[number * 13 % len(words)][25:]])
        turn = replace(turn, messages=(*turn.messages, Message("Max" if number % 2 else "Aria", text)))
        ours, time = timed(lambda turn=turn: assemble(turn, scene.lore, State(), scene.tools))
        answers.append((turn, [(item.entry.id, item.text) for item in ours.activated]))
        if number >= WARM_UPS:
            times.append(time)
    for number, (turn, answer) in enumerate(answers):
        right = assemble(turn, scene.lore, State(), reference)
        if answer != [(item.entry.id, item.text) for item in right.activated]:
            raise SystemExit(f"turn {number}: not the reference's answer")
    return {"next_ms": times}


def growth():
    """The next turn with 200 matching entries among 1,000 and among 10,000 that do not match, measured in turn."""
    settings = Settings(scan_depth=1000, budget_percent=100, recursive=False)
    policy = NATIVE.with_settings(settings)
    tools = make_tools()
    chat = tuple(Message("Max", f"we talk of thing{n % 200} and the weather of day {n}") for n in range(1000))
    times = {}
    lores = {}
    for strangers in (1_000, 10_000):
        matching = [Entry(uid=n, keys=(f"thing{n}",), content=f"About {n}.", position=0, order=100) for n in range(200)]
        others = [
            Entry(uid=1000 + n, keys=(f"absent{n}", f"never{n} seen", f"/\\bgone{n}s?\\b/i"), content="x", position=0)
            for n in range(strangers)
        ]
        book = Book(f"b{strangers}", (*matching, *others))
        lores[strangers] = load_lore([ActiveBook(book)], tools, policy)
        assemble(Turn(messages=chat), lores[strangers], State(), tools)
        times[strangers] = []
    for number in range(60):
        chat = (*chat, Message("Max", f"again thing{number % 200} {number}"))
        for strangers, lore in lores.items():
            turn = Turn(messages=chat)
            assembly, time = timed(lambda turn=turn, lore=lore: assemble(turn, lore, State(), tools))
            if len(assembly.activated) != 200:
                raise SystemExit(f"{len(assembly.activated)} entries instead of 200")
            if number >= 10:
                times[strangers].append(time)
    return {"next_ms_1000": times[1_000], "next_ms_10000": times[10_000]}


def compiling():
    """Reading and compiling the 10,000-entry book from a file, and what it adds to the process's memory."""
    import lorewright.fast.regexes  # what `import lorewright` brings, completely
    from benchmarks.scene import book_value

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.json"
        # The file is made in another process, so that making it leaves nothing in this one.
        if os.fork() == 0:
            path.write_text(json.dumps(book_value(10_000)), "utf-8")
            os._exit(0)
        os.wait()
        lorewright.fast.regexes.default_regexes()
        before = resident_mb()
        book, read_ms = timed(lambda: read_book(path).value)
    tools = make_tools()
    lore, prepare_ms = timed(lambda: load_lore([ActiveBook(book)], tools))
    _, automaton_ms = timed(lambda: tools.matcher.compile(lore))
    after = resident_mb()
    if len(lore.entries) != 10_000:
        raise SystemExit(f"{len(lore.entries)} entries instead of 10,000")
    stats = tools.matcher.stats(lore)._asdict()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
    times = {"read_ms": read_ms, "compile_ms": prepare_ms + automaton_ms}
    return {**times, "added_mb": after - before, "peak_mb": peak, **stats}


def formats(form: str):
    """Reading and writing a book of 10,000 entries and 7 MB in one format, and the peak of memory as a multiple of
    the file; what is written is what was read."""
    from benchmarks.scene import book_value
    from lorewright.formats.read import read_book as read
    from lorewright.formats.write import convert

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"book.{form}"
        if os.fork() == 0:
            value = book_value(10_000)
            for entry in value["entries"].values():
                entry["content"] += " and so on" * 2
            source = Path(folder) / "source.json"
            source.write_text(json.dumps(value, indent=0), "utf-8")
            made = convert(read(source).value, "st_worldinfo" if form == "json" else "native_yaml")
            path.write_bytes(source.read_bytes() if form == "json" else made.data)
            os._exit(0)
        os.wait()
        size = path.stat().st_size
        base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        imported, read_ms = timed(lambda: read(path))
        target = "st_worldinfo" if form == "json" else "native_yaml"
        written, write_ms = timed(lambda: convert(imported.value, target))
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - base) * 1024
        path.write_bytes(written.data)
        if read(path).value.entries != imported.value.entries:
            raise SystemExit("what was written is not what was read")
    return {"read_ms": read_ms, "write_ms": write_ms, "size_mb": size / 1e6, "times_file": grown / size}


LIMITED = {"markdown_lorebook"}
"""Formats of which no file so large is read; their file has to begin as that of a part, which is read."""
PART = 2_000


def export(to: str):
    """Writing a book of 10,000 entries in another format, and reading the file; the CPU time of it. Each field that differs is one that the
    export named as lost, each field named differs, and no entry is missing."""
    from benchmarks.scene import book_value
    from lorewright.formats.losses import says_the_same
    from lorewright.formats.read import read_book as read
    from lorewright.formats.write import WRITERS, convert

    value = book_value(10_000)
    for entry in value["entries"].values():
        entry["comment"] = f"Of {entry['key'][0]}"
        entry["content"] += " and so on" * 2
    source = json.dumps(value, indent=0).encode()
    book = read(source, "bench").value
    del value
    written, write_ms = timed(lambda: convert(replace(book, extra={}), to), process_time)
    data = written.data
    if to in LIMITED:
        part = convert(Book("bench", book.entries[:PART]), to).data
        if not data.startswith(part.rstrip()):
            raise SystemExit("the file does not begin as that of a part of the book")
        book, data = replace(book, entries=book.entries[:PART]), part
    again, read_ms = timed(lambda: read(data, "bench").value, process_time)
    if len(again.entries) != len(book.entries):
        raise SystemExit(f"{len(again.entries)} entries instead of {len(book.entries)}")
    by_uid = dict(zip((entry.uid for entry in book.entries), again.entries, strict=True))
    by_uid |= {entry.uid: entry for entry in again.entries if to not in {"risu_lorebook", "risu_module", "risum"}}
    named = {loss.field for loss in written.losses}
    differ = {
        name
        for entry in book.entries
        for name in Entry.__dataclass_fields__
        if name not in {"uid", "extra", "layout"} and not says_the_same(name, entry, by_uid[entry.uid])
    }
    if not WRITERS[to].keeps_all and differ != named & Entry.__dataclass_fields__.keys():
        raise SystemExit(f"named as lost: {sorted(named)}; different: {sorted(differ)}")
    measured = {"write_ms": write_ms, "size_mb": len(written.data) / 1e6}
    return measured if to in LIMITED else measured | {"read_ms": read_ms}


def many_keys():
    """A book with 100,000 keys: compile, then find five of them in a chat."""
    entries = {
        str(n): {"uid": n, "key": [f"w{n * 5 + k}x" for k in range(5)], "content": f"c{n}", "position": 0, "order": 1}
        for n in range(20_000)
    }
    book = read_world_info({"entries": entries}, name="many").value
    before = resident_mb()
    tools = make_tools()
    lore, prepare_ms = timed(lambda: load_lore([ActiveBook(book)], tools))
    _, automaton_ms = timed(lambda: tools.matcher.compile(lore))
    after = resident_mb()
    turn = Turn(messages=(Message("Max", "w0x w7x, w99999x. w50000x w12345x w123456x"),))
    assembly, turn_ms = timed(lambda: assemble(turn, lore, State(), tools))
    found = {item.entry.entry.uid for item in assembly.activated}
    if found != {0, 1, 19_999, 10_000, 2_469}:
        raise SystemExit(f"found {sorted(found)}")
    return {"compile_ms": prepare_ms + automaton_ms, "added_mb": after - before, "turn_ms": turn_ms}


SLOW = {
    "nested": "/({0}+)+$/",
    "backreference": "/(?:({0}+)\\1*)+-/",
}


def slow_regexes(kind: str, count: str):
    """A turn with so many catastrophic regex keys, each against 60 letters that make it try everything; what they cost,
    and whether the trace names each that was given up."""
    letters = [chr(0x430 + number) for number in range(int(count))]
    entries = tuple(
        Entry(uid=number, keys=(SLOW[kind].format(letter),), content="!", position=0)
        for number, letter in enumerate(letters)
    )
    good = Entry(uid="good", keys=("good",), content="!", position=0)
    policy = NATIVE.with_settings(Settings(scan_depth=1000, include_names=False))
    tools = make_tools()
    lore = load_lore([ActiveBook(Book("slow", (*entries, good)))], tools, policy)
    tools.matcher.compile(lore)
    turn = Turn(messages=tuple(Message("Max", text) for text in ("good", *(letter * 60 + "!" for letter in letters))))
    assembly, time = timed(lambda: assemble(turn, lore, State(), tools))
    if [item.entry.entry.uid for item in assembly.activated] != ["good"]:
        raise SystemExit(f"activated {[item.entry.entry.uid for item in assembly.activated]}")
    given_up = [verdict.entry for verdict in assembly.trace.all() if verdict.reason.code == "regex_timeout"]
    reported = [report for report in assembly.reports if report.code == "regex_timeout"]
    if len(given_up) != len(reported):
        raise SystemExit(f"{len(given_up)} verdicts, {len(reported)} reports")
    return {"turn_ms": time, "given_up": len(given_up)}


if __name__ == "__main__":
    name, *arguments = sys.argv[1:]
    print(json.dumps(globals()[name](*arguments[:2] if name == "slow_regexes" else arguments[:1])))
