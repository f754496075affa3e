"""The suite `host-system-prompt`: sections, contexts and strict variables (spec injection-engine §1.5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from lorewright.conformance.outcome import Difference, Outcome, compare
from lorewright.core.hosts import HOST_RC8
from lorewright.core.protocols import Tools
from lorewright.core.system_prompt import (
    Context,
    Listener,
    Prompt,
    PromptParts,
    Section,
    assemble_prompt,
    render_contexts,
    render_prompt,
)
from lorewright.errors import CaseError, PromptError

__all__ = ["run_system_prompt"]

Json = Mapping[str, Any]
_IDENTITY = "<identity>"
"""Stands in the cases for the host's own sentence; any text will do."""


def run_system_prompt(document: Json, suite: str, file: str, tools: Tools) -> Iterator[Outcome]:
    """Run the cases of one file; they need no tools."""
    del tools
    for case in document["cases"]:
        yield Outcome(suite, file, str(case.get("id", "?")), tuple(_differences(case)))


def _differences(case: Json) -> list[Difference]:
    wanted = case.get("expect_error")
    try:
        actual = _answer(case["input"])
    except CaseError as error:
        return [Difference("case", "a known form", error.message)]
    except PromptError as error:
        if wanted is None:
            return [Difference("result", case["expect"], error.message)]
        missing = [word for word in wanted["mentions"] if word not in error.message]
        return [Difference("message", missing, error.message)] if missing else []
    if wanted is not None:
        return [Difference("result", "an error", actual)]
    expected = case["expect"]
    if isinstance(expected, dict) and isinstance(actual, dict):
        actual = {name: value for name, value in actual.items() if name in expected}
    return compare("result", expected, actual)


def _answer(given: Json) -> object:
    variables = given.get("variables", {})
    match given["fn"]:
        case "render_prompt":
            return render_prompt(map(_section, given["sections"]), variables)
        case "render_context_snapshot":
            body = render_contexts(map(_context, given["contexts"]), variables)
            return {"empty": not body, "body": list(body)}
        case "assemble":
            return _assemble(given)
        case unknown:
            raise CaseError(f"unknown fn `{unknown}`", fn=unknown)


def _assemble(given: Json) -> Json:
    config, tools = given.get("config", {}), given.get("tools", {})
    parts = PromptParts(
        sections=[_section(one) for one in given["sections"]],
        contexts=[_context(one) for one in given["contexts"]],
        variables=given.get("variables", {}),
        tools=tools.get("visible", ()),
        known_tools=tools.get("known", ()),
        tool_order=config.get("toolOrder"),
        persona=config.get("persona", ""),
        is_identified=config.get("includeHarnessIdentity", True),
        has_contexts=config.get("includeRuntimeContext", True) and not given.get("suppressors"),
        host=HOST_RC8,
    )
    prompt = assemble_prompt(parts, map(_listener, given.get("listeners", ())))
    identity = parts.host.identity[0]
    return {
        "sections": [
            {"name": one.name, "text": _IDENTITY if one.name == identity else one.text}
            for one in prompt.sections
            if one.text
        ],
        "contexts": [{"name": one.name, "text": one.text} for one in prompt.contexts],
        "tools": list(prompt.tools),
    }


def _section(given: Json) -> Section:
    return Section(
        given["name"],
        given["text"],
        _order(given),
        is_literal=given.get("interpolate") is False,
        is_complete=given.get("complete", False),
    )


def _context(given: Json) -> Context:
    return Context(given["name"], given["text"], _order(given))


def _order(given: Json) -> float:
    """JSON has no number that is not finite; the cases write one as null or as a text."""
    order = given.get("order", 0)
    return order if isinstance(order, (int, float)) else float("nan")


def _listener(given: Json) -> Listener:
    """A listener of a case: it adds something at the end."""

    def change(prompt: Prompt) -> Prompt:
        for what, value in given.items():
            match what:
                case "add_section":
                    prompt = replace(prompt, sections=(*prompt.sections, _section(value)))
                case "add_context":
                    prompt = replace(prompt, contexts=(*prompt.contexts, _context(value)))
                case "add_tool":
                    prompt = replace(prompt, tools=(*prompt.tools, value))
                case unknown:
                    raise CaseError(f"unknown listener `{unknown}`", listener=unknown)
        return prompt

    return change
