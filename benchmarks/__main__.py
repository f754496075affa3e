"""`python -m benchmarks [cache|speed|tokens] …`: measure, and say whether the promises hold.

cache                        what each placement keeps of the prompt cache in the bundled session
speed [--quick] [--record]   all speed and memory runs; --record writes them to benchmarks/record/
tokens PATH…                 the token estimate against three vocabularies, over text files (extra `tokens`)
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path
from statistics import median

from benchmarks.table import Table

EXPORTS = (
    "native_yaml native_json st_worldinfo character_book card_v3 lorebook_v3 chub_lorebook entry_list janitor_lorebook "
    "novelai_lorebook agnai_book kobold_story risu_lorebook risum markdown_lorebook"
).split()
SILLYTAVERN_MS = {"C-100x10": 7, "C-1000x1000": 1305, "C-10000x1000": 19661, "B-10000x1000": 13869, "A-10000x1000": 592}


def run(*arguments) -> dict:
    """One run in a fresh process."""
    command = [sys.executable, "-m", "benchmarks.runs", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stderr or done.stdout}")
    return json.loads(done.stdout)


def speed(quick: bool, record: bool) -> None:
    samples = 3 if quick else 20
    table = Table()
    for combination, limit in (
        ("C-10000x1000", 40),
        ("C-1000x1000", 15),
        ("C-100x10", 0.5),
        ("B-10000x1000", None),
        ("A-10000x1000", None),
    ):
        times = [run("cold", combination)["cold_ms"] for _ in range(samples)]
        table.add(f"cold {combination}", times, "ms", limit, f"  SillyTavern {SILLYTAVERN_MS[combination]} ms")
    first = [run("cold", "C-10000x1000", "first")["first_ms"] for _ in range(samples)]
    table.add("cold C-10000x1000, nothing warmed up", first, "ms")
    table.add("next turn C-10000x1000", run("following", "C-10000x1000")["next_ms"], "ms", 2)
    grown = run("growth")
    table.add("next turn, 200 matching among 1,000 others", grown["next_ms_1000"], "ms")
    table.add("next turn, 200 matching among 10,000 others", grown["next_ms_10000"], "ms")
    table.add("  ratio", [median(grown["next_ms_10000"]) / median(grown["next_ms_1000"])], "x", 1.2)
    compiled = [run("compiling") for _ in range(samples)]
    table.add("read 10,000 entries from a file", [c["read_ms"] for c in compiled], "ms")
    table.add("compile 10,000 entries", [c["compile_ms"] for c in compiled], "ms", 500)
    handled = {key: compiled[0][key] for key in ("plain", "regex", "slow", "keyless")}
    table.add("memory of it, originals included", [c["added_mb"] for c in compiled], "MB", 60, f"  entries: {handled}")
    table.add("peak memory of that process", [c["peak_mb"] for c in compiled], "MB")
    many = [run("many_keys") for _ in range(min(samples, 5))]
    table.add("compile 100,000 keys", [m["compile_ms"] for m in many], "ms")
    table.add("memory of it", [m["added_mb"] for m in many], "MB")
    books = [run("formats", "json") for _ in range(min(samples, 5))]
    note = f"  a file of {books[0]['size_mb']:.1f} MB"
    table.add("read a world info file of 10,000 entries", [b["read_ms"] for b in books], "ms", None, note)
    table.add("write it", [b["write_ms"] for b in books], "ms")
    table.add("peak memory of both, as a multiple of the file", [b["times_file"] for b in books], "x", 8)
    for to in EXPORTS:
        exports = [run("export", to) for _ in range(min(samples, 5))]
        note = f"  CPU time; a file of {exports[0]['size_mb']:.1f} MB"
        table.add(f"write 10,000 entries as {to}", [e["write_ms"] for e in exports], "ms", 500, note)
        if "read_ms" in exports[0]:
            table.add("read them", [e["read_ms"] for e in exports], "ms", 500)
    for kind in ("nested", "backreference"):
        for count, limit in ((1, 50), (50, 500)):
            slow = [run("slow_regexes", kind, count) for _ in range(samples)]
            note = f"  given up: {slow[0]['given_up']}"
            table.add(f"{count} catastrophic regex keys ({kind})", [s["turn_ms"] for s in slow], "ms", limit, note)
    table.close(record)


def tokens(paths) -> None:
    from lorewright.fast.tokens import COUNTERS, make_counter

    counters = {name: make_counter(name) for name in COUNTERS}
    print(f"{'file':32} {'code points':>12} " + " ".join(f"{name:>10}" for name in counters) + "   estimate is off by")
    for path in paths:
        text = Path(path).read_text("utf-8", errors="replace")[:200_000]
        counts = {name: counter.count(text) for name, counter in counters.items()}
        off = " ".join(f"{counts['estimate'] / counts[name] - 1:+7.1%}" for name in COUNTERS[1:] if counts[name])
        print(
            f"{Path(path).name[:32]:32} {len(text):>12,} "
            + " ".join(f"{n:>10,}" for n in counts.values())
            + f"   {off}"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command")
    speeds = commands.add_parser("speed")
    speeds.add_argument("--quick", action="store_true", help="3 samples instead of 20")
    speeds.add_argument("--record", action="store_true", help="write the figures to benchmarks/record/")
    commands.add_parser("cache")
    counting = commands.add_parser("tokens")
    counting.add_argument("paths", nargs="+")
    given = parser.parse_args(sys.argv[1:] or ["speed"])
    if given.command == "tokens":
        tokens(given.paths)
    elif given.command == "cache":
        from benchmarks.cache import main

        main()
    else:
        speed(given.quick, given.record)
