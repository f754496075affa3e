"""Regex scripts on a text, as SillyTavern 1.19.0 runs them (spec macros §B, "Regex scripts").

Scripts change texts one after another. A replacement's macros run once for each match. Text that a match captured is
a value there: macros in it stay text, which the real program does not promise (`Defects.captured_macros_run`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from lorewright.core.javascript import number_text
from lorewright.core.protocols import Regex, Regexes, RegexMatch
from lorewright.core.regex_script import RegexScript, ScriptPlace
from lorewright.errors import RegexError, RegexTimeout
from lorewright.templates.context import Context
from lorewright.templates.engines import Macros, NewEngine
from lorewright.templates.rendered import Record, Rendered

__all__ = ["Defects", "ScriptRunner", "ScriptTools"]

_DELIMITED: Final = re.compile("/([^\n\r\u2028\u2029]+)/([a-z]*)", re.IGNORECASE | re.ASCII)
_LINE: Final = re.compile("[^\n\r\u2028\u2029]+")
_FLAGS: Final = frozenset("gmixXsuUAJ")
_MATCH: Final = re.compile(r"\{\{match\}\}", re.IGNORECASE | re.ASCII)
_GROUP: Final = re.compile(r"\$(?:([0-9]+)|<([^>]+)>)")
_TO_ESCAPE: Final = re.compile(r"[\n\r\t\v\f\0.^$*+?{}\[\]\\/|()]")
_NAMED_ESCAPES: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v", "\f": "\\f", "\0": "\\0"}
_CAPTURED: Final = "lorewrightCaptured"
_CAPTURED_LEFT: Final = re.compile(rf"\{{\{{({_CAPTURED}[0-9]+)\}}\}}")
_SECONDS: Final = 0.4
_MOST_DIGITS: Final = 6
_SHOWN: Final = 60


@dataclass(frozen=True, slots=True)
class Defects:
    """Bugs of SillyTavern 1.19.0.

    captured_macros_run: macros in what a match captured are run, so a chat message can set variables. It is unsafe: no
    profile turns it on; it is here so that recorded cases can be compared.
    """

    captured_macros_run: bool = False


@dataclass(frozen=True, slots=True)
class ScriptTools:
    """What scripts run with.

    seconds: for all matches of one script in one text. output: characters of a changed text.
    """

    regexes: Regexes
    macros: Macros = field(default_factory=NewEngine)
    defects: Defects = Defects()
    seconds: float = _SECONDS
    output: int = 1_000_000


class _ScriptError(ValueError):
    """A script cannot change the text; the message is a sentence for people."""


class ScriptRunner:
    """Runs scripts on texts, one after another; what one writes, the next reads. Thrown away with the texts."""

    def __init__(self, context: Context, tools: ScriptTools) -> None:
        self._context = context
        self._tools = tools
        self._record = Record()
        self._banned: list[str] = []
        self._picks: list[tuple[str, int]] = []

    def run(self, text: str, scripts: Iterable[RegexScript], place: ScriptPlace) -> str:
        """The text after all scripts that take it.

        Nothing is raised: a script that cannot work does nothing, and a report says why.
        """
        for script in scripts:
            if place.takes(script):
                text = self.run_one(text, script, place)
        return text

    def run_one(self, text: str, script: RegexScript, place: ScriptPlace) -> str:
        """The text after one script, whatever texts that one is for."""
        if not text:
            return text
        try:
            return self._replaced(text, script, place)
        except (_ScriptError, RegexError, RegexTimeout) as error:
            code = "regex_script_failed"
            if isinstance(error, RegexError):
                code = "regex_invalid"
            elif isinstance(error, RegexTimeout):
                code = "regex_timeout"
            self._record.report(code, f"The regex script `{script.name[:_SHOWN]}` does nothing: {error}")
            return text

    def rendered(self, text: str) -> Rendered:
        """A text with everything that was read, written and reported so far."""
        record, context = self._record, self._context
        return Rendered(
            text,
            kinds=frozenset(record.kinds),
            reads=frozenset(record.reads),
            writes=frozenset(record.writes),
            local_variables=context.local_variables,
            global_variables=context.global_variables,
            metadata=context.metadata,
            banned=tuple(self._banned),
            picks=tuple(self._picks),
            reports=record.reports,
        )

    def _replaced(self, text: str, script: RegexScript, place: ScriptPlace) -> str:
        regex = self._compile(script)
        template = _MATCH.sub("$0", script.replacement)
        room = max(self._tools.output, len(text)) - len(text)

        def replacement(match: RegexMatch) -> str:
            nonlocal room
            result = self._insert(template, match, text, script, place)
            room -= len(result) - len(match.text)
            if room < 0:
                raise _ScriptError(f"The text would have more than {self._tools.output:,} characters.")
            return result

        before = self._context
        try:
            return regex.replace(text, replacement, self._tools.seconds).text
        except (_ScriptError, RegexTimeout):
            self._context = before
            raise

    def _compile(self, script: RegexScript) -> Regex:
        pattern = script.pattern
        if script.macros_in_pattern == "raw":
            pattern = self._render(pattern, self._context)
        elif script.macros_in_pattern == "escaped":
            call = replace(self._context.call, post_process=_escaped)
            pattern = self._render(pattern, replace(self._context, call=call))
        source, flags = split_pattern(pattern)
        return self._tools.regexes.compile(source, flags)

    def _insert(self, template: str, match: RegexMatch, text: str, script: RegexScript, place: ScriptPlace) -> str:
        """What stands for a match."""
        runs = self._tools.macros.is_template(template)
        values: dict[str, str] = {}

        def captured(found: re.Match[str]) -> str:
            value = self._trimmed(_group(found, match, text), script, place)
            if self._tools.defects.captured_macros_run or not runs:
                return value
            name = f"{_CAPTURED}{len(values)}"
            values[name] = value
            return f"{{{{{name}}}}}"

        written = _GROUP.sub(captured, template)
        if self._tools.defects.captured_macros_run:
            return self._render(written, self._context)
        if not runs:
            return written
        result = self._render(written, self._context, values)
        return _CAPTURED_LEFT.sub(lambda found: values.get(found[1], found[0]), result) if values else result

    def _trimmed(self, value: str | float | None, script: RegexScript, place: ScriptPlace) -> str:
        """A captured text without the texts that the script cuts out."""
        if not value:
            return ""
        if not isinstance(value, str):
            if script.trimmed:
                raise _ScriptError("It inserts the place of a match, in which no text can be trimmed.")
            return number_text(value)
        context = self._context
        if place.char is not None:
            context = replace(context, call=replace(context.call, char=place.char))
        for trimmed in script.trimmed:
            if unwanted := self._render(trimmed, context):
                value = value.replace(unwanted, "")
        return value

    def _render(self, text: str, context: Context, inert: Mapping[str, str] | None = None) -> str:
        """A text of the script with its macros run; what they write is there from now on."""
        if not self._tools.macros.is_template(text):
            return text
        rendered = self._tools.macros.render(text, context, inert or {})
        self._context = replace(
            self._context,
            local_variables=rendered.local_variables,
            global_variables=rendered.global_variables,
            metadata={**self._context.metadata, **rendered.metadata},
        )
        self._record.kinds |= rendered.kinds
        self._record.reads |= rendered.reads
        self._record.writes |= rendered.writes
        for report in rendered.reports:
            self._record.report(report.code, report.message, report.level)
        self._banned += rendered.banned
        self._picks += rendered.picks
        return rendered.text


def split_pattern(written: str) -> tuple[str, str]:
    """Pattern and flags of `/pattern/flags`, as SillyTavern splits them.

    The pattern ends at the last slash of the first line; flags that the splitter does not know make the whole text
    the pattern; without slashes the first line is the pattern.
    """
    line = _LINE.search(written)
    if line is None:
        return written, ""
    found = _DELIMITED.match(written, line.start())
    if found is None:
        return line[0], ""
    pattern, flags = found.groups()
    if flags and (not _FLAGS.issuperset(flags) or len(set(flags)) < len(flags)):
        return written, ""
    return pattern, flags


def _escaped(text: str) -> str:
    return _TO_ESCAPE.sub(lambda found: _NAMED_ESCAPES.get(found[0], f"\\{found[0]}"), text)


def _group(found: re.Match[str], match: RegexMatch, text: str) -> str | float | None:
    """What `$1` or `$<name>` stands for.

    Behind the groups come the offset of the match and the whole text, which a replacement function gets, too (case
    regex-100).
    """
    if found[2] is not None:
        return match.names.get(found[2])
    if len(found[1].lstrip("0")) > _MOST_DIGITS:
        return None
    given: Sequence[str | float | None] = (match.text, *match.groups, match.offset, text)
    number = int(found[1])
    if number == len(given) and match.names:
        raise _ScriptError(f"`${number}` stands for all named groups together, which are no text.")
    return given[number] if number < len(given) else None
