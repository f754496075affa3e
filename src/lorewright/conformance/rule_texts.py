"""The suites of the dialect `rules`: references, macros at run time, and texts as they are imported.

The schema is in conformance/injection/README.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from lorewright.conformance.outcome import Difference, Outcome, compare
from lorewright.core.protocols import Tools
from lorewright.templates.rendered import Rendered
from lorewright.templates.rules import RuleContext, prepare_text, render

__all__ = ["run_imported_texts", "run_references", "run_rule_macros"]

Json = Mapping[str, Any]

_SKIPPED: Final = "not built"


def run_references(document: Json, suite: str, file: str, tools: Tools) -> Iterator[Outcome | str]:
    """Run the cases of `interpolate`; the other helpers of the file are not built.

    A case that version 2.0 answers otherwise is compared as 0.5.0 read references: without spaces in the braces.
    """
    del tools
    others: dict[str, int] = {}
    for case in document["cases"]:
        given = case["input"]
        if given["fn"] != "interpolate":
            others[given["fn"]] = others.get(given["fn"], 0) + 1
            continue
        context = RuleContext(
            variables=given["variables"],
            built_ins=_built_ins(given),
            inner_spaces="v2_differs" not in case,
        )
        answer = render(given["text"], context).text
        yield Outcome(suite, file, str(case["id"]), tuple(compare("text", case["expect"], answer)))
    if others:
        counted = ", ".join(f"{count} of `{name}`" for name, count in others.items())
        yield f"{file}: {_SKIPPED}: {counted}"


def _built_ins(given: Json) -> Mapping[str, str]:
    """Names of the host: the environment wins over the session's folder."""
    cwd = (given["session_header"] or {}).get("cwd")
    workspace = given["env"].get("DSH_WORKSPACE") or cwd
    found = {"DSH_HOME": given["env"].get("DSH_HOME"), "WORKSPACE": workspace, "CWD": cwd}
    return {name: value for name, value in found.items() if value is not None}


def run_rule_macros(document: Json, suite: str, file: str, tools: Tools) -> Iterator[Outcome]:
    """Run the cases of macros that are run when a text is used."""
    del tools
    for case in document["cases"]:
        given = case["input"]
        context = RuleContext(
            variables=given.get("variables", {}),
            local_variables=given.get("local", {}),
            global_variables=given.get("global", {}),
            sillytavern=True,
        )
        rendered = render(_text(given), context)
        yield Outcome(suite, file, str(case["id"]), tuple(_check(case, rendered)))


def _text(given: Json) -> str:
    """A case's text, or a long or deeply nested one."""
    if "repeat" in given:
        piece, count = given["repeat"]
        return str(piece) * int(count)
    if "nest" in given:
        return "{{getvar::" * int(given["nest"]) + "a" + "}}" * int(given["nest"])
    return str(given["text"])


def _check(case: Json, rendered: Rendered) -> list[Difference]:
    said = " ".join(report.message for report in rendered.reports if report.level == "error")
    if "expect_error" in case:
        words = case["expect_error"].get("mentions", [])
        return [Difference("reports", word, said) for word in words if word not in said] or (
            [] if said else [Difference("reports", "an error", said)]
        )
    answer = {"text": rendered.text, "local": rendered.local_variables, "global": rendered.global_variables}
    return compare("result", case["expect"], {key: answer[key] for key in case["expect"]})


def run_imported_texts(document: Json, suite: str, file: str, tools: Tools) -> Iterator[Outcome]:
    """Run the cases of imported texts. Those that version 2.0 answers otherwise are compared with 0.5.0's way."""
    del tools
    for case in document["cases"]:
        given = case["input"]
        text, params = prepare_text(
            given["text"],
            given["card_name"],
            given["params"],
            assignments="lifted" if "v2_differs" in case else "kept",
        )
        answer = {"text": text, "params": dict(params)}
        yield Outcome(suite, file, str(case["id"]), tuple(compare("result", case["expect"], answer)))
