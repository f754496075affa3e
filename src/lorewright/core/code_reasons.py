"""Why an entry with code is out (`core/program.py`)."""

from __future__ import annotations

from dataclasses import dataclass

from lorewright.core.reasons import Reason

__all__ = ["CodeRefused", "ConditionFailed", "NotText"]


@dataclass(frozen=True, slots=True)
class CodeRefused(Reason):
    """`why` is the code of the refusal (docs/reference/ejs.md), `message` its sentence."""

    code, step, text = "code_refused", 22, "its code gives nothing: {message}"
    why: str
    message: str
    function: str = ""


@dataclass(frozen=True, slots=True)
class ConditionFailed(Reason):
    code, step, text = "condition_failed", 19, "its condition `{condition}` does not hold"
    condition: str


@dataclass(frozen=True, slots=True)
class NotText(Reason):
    code, step, text = "not_text", 19, "holds the first values of variables, and is no text"
