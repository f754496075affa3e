"""The suites of the macros' building blocks: dates, numbers, the text hash and the seeded generator.

The schema is in conformance/macros/README.md.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from lorewright.conformance.outcome import Outcome, compare
from lorewright.core.javascript import number_text
from lorewright.core.protocols import Tools
from lorewright.templates.clock import Clock
from lorewright.templates.date_texts import parse_date
from lorewright.templates.dates import INVALID, format_date, humanize
from lorewright.templates.locales import ENGLISH, LOCALES
from lorewright.templates.seeded import SeededRandom, text_hash

__all__ = ["run_macro_parts"]

Json = Mapping[str, Any]


def run_macro_parts(document: Json, suite: str, file: str, tools: Tools) -> Iterator[Outcome]:
    """Run the cases of one file; they need no tools."""
    del tools
    for case in document["cases"]:
        actual = _ANSWERS[suite](case["input"])
        yield Outcome(suite, file, str(case.get("id", "?")), tuple(compare("result", case["expect"], actual)))


def _date(given: Json) -> Json:
    if "pattern" in given:
        locale = LOCALES[given["locale"]]
        return {"output": format_date(given["epochMs"], given["utcOffsetMinutes"], given["pattern"], locale)}
    if "ms" in given:
        return _durations(given["ms"])
    clock = Clock(0, given["utcOffsetMinutes"])
    left, right = parse_date(given["left"], clock), parse_date(given["right"], clock)
    output = INVALID if left is None or right is None else humanize(left - right, suffix=True)
    return {"leftEpochMs": left, "rightEpochMs": right, "output": output}


def _durations(ms: float) -> Json:
    found = {}
    for name, locale in (("en", ENGLISH), ("zhCn", LOCALES["zh-cn"])):
        found[name] = humanize(ms, locale=locale)
        found[f"{name}Suffix"] = humanize(ms, suffix=True, locale=locale)
        found[f"{name}SuffixNegative"] = humanize(-ms, suffix=True, locale=locale)
    return found


def _number(given: Json) -> Json:
    return {"text": number_text(struct.unpack(">d", bytes.fromhex(given["hex"]))[0])}


def _hash(given: Json) -> Json:
    return {"hash": text_hash(given["text"])}


def _seeded(given: Json) -> Json:
    seed = given["seed"]
    generator = SeededRandom(str(seed) if given["seedType"] == "string" else int(seed))
    return {"doubles": [generator.number() for _ in range(3)]}


_ANSWERS: dict[str, Callable[[Json], Json]] = {
    "moment-formats": _date,
    "number-format": _number,
    "seedrandom": _seeded,
    "string-hash": _hash,
}
