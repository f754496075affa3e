"""Every error Lorewright raises on purpose.

    LorewrightError
    ├── InputError          a file or a value that was given cannot be used
    │   ├── FormatError     the bytes are not (or not completely) of a known format
    │   ├── PromptError     a system prompt cannot be made of what was registered
    │   ├── RequestError    the body of a request is not what its API takes
    │   ├── SettingsError   a setting is unknown or out of its range
    │   ├── CaseError       a conformance case cannot be read
    │   └── LedgerError     a ledger cannot be read, or does not hold what is asked of it
    ├── RegexError          a pattern is not a regular expression of JavaScript
    └── RegexTimeout        a match took longer than its limit

Each error carries its data in `facts` (what, which value, which limit), so that a program need not read the sentence.
"""

from __future__ import annotations

__all__ = [
    "CaseError",
    "FormatError",
    "InputError",
    "LedgerError",
    "LorewrightError",
    "PromptError",
    "RegexError",
    "RegexTimeout",
    "RequestError",
    "SettingsError",
]


class LorewrightError(Exception):
    """The root. `message` is one or more sentences for a person; `facts` is the same as data."""

    def __init__(self, message: str, **facts: object) -> None:
        super().__init__(message)
        self.message = message
        self.facts = facts


class InputError(LorewrightError):
    """Raised when something the caller gave cannot be used; the message says what to do."""


class FormatError(InputError):
    """Raised when bytes are no lorebook, card or chat that we know; `facts["nearest"]` names what they resemble."""


class PromptError(InputError):
    """Raised when sections, contexts or tools do not make a prompt, or a text refers to a variable that has no value."""


class RequestError(InputError):
    """Raised when a request to a model's API cannot be read; `facts["param"]` names the field."""


class SettingsError(InputError):
    """Raised for a setting with an unknown name or a value outside its range."""


class CaseError(InputError):
    """Raised when a conformance file or case does not follow its schema."""


class LedgerError(InputError):
    """Raised when a file is no ledger, is damaged, or lacks what an answer needs; `facts` names the event or text."""


class RegexError(LorewrightError):
    """Raised by a regex backend when `new RegExp(pattern, flags)` would throw."""


class RegexTimeout(LorewrightError):
    """Raised by a regex backend when a match reached its time limit and so has no answer."""
