"""The text of a rules file -> rules that can be used, and what there is to say about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any, Final, Literal

from lorewright.core.keys import read_regex
from lorewright.core.layers import CHANNELS, Channel, Defaults
from lorewright.core.lore import Loaded, Lore, gather
from lorewright.core.model import Book, Report
from lorewright.core.policy import LAYERED
from lorewright.core.prepared import prepare_book
from lorewright.core.protocols import Regexes, RenderContext, Rendered
from lorewright.core.system_prompt import interpolate
from lorewright.errors import FormatError, PromptError, RegexError
from lorewright.formats.imported import Notes
from lorewright.formats.native.read import parse_native, read_native
from lorewright.formats.shelf import check_number
from lorewright.formats.wording import describe
from lorewright.rules.book import entry_as_rule, restrictions
from lorewright.rules.fields import CACHE_SAFE, COMPUTED, FIELDS, RuleField, Unfit
from lorewright.rules.rule import Rule

__all__ = ["PLAIN", "PlainText", "Ruleset", "compile_rules", "read_rules"]

_LONGEST: Final = 60


class PlainText:
    """A renderer for texts without macros: what stands in a rules file stands in the prompt."""

    def is_template(self, text: str) -> bool:
        """No text is one."""
        del text
        return False

    def render(self, text: str, context: RenderContext) -> Rendered:
        """Never called."""
        del context
        return Rendered(text)


PLAIN: Final = PlainText()


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Ruleset:
    """What a rules file says.

    rules: those that could be loaded, in the order of the file, switched off or not. found: entries in the file.
    filled: ids that the file does not have and that were made up. value: the file as it was parsed.
    """

    name: str
    rules: tuple[Rule, ...]
    found: int
    cache_safe: bool
    reports: tuple[Report, ...]
    filled: frozenset[str]
    value: Mapping[str, Any]
    lore: Lore

    @property
    def enabled(self) -> tuple[Rule, ...]:
        return tuple(rule for rule in self.rules if rule.is_enabled)

    @property
    def rerouted(self) -> tuple[Rule, ...]:
        return tuple(rule for rule in self.enabled if rule.route.is_rerouted)

    def counts(self, kind: Literal["declared", "effective"]) -> dict[Channel, int]:
        """How many rules that are switched on ask for each channel, or take it."""
        taken = [getattr(rule.route, kind) for rule in self.enabled]
        return {channel: taken.count(channel) for channel in CHANNELS}

    def having_text(self, channel: Channel) -> int:
        """How many rules that are switched on can put a text into a channel."""
        return sum(rule.route.effective == channel and bool(rule.content) for rule in self.enabled)


def read_rules(text: str, regexes: Regexes, name: str = "rules") -> Ruleset:
    """Read a rules file, or a lorebook of ours as one: JSON if it begins with a brace, else YAML.

    What is wrong with one entry is reported, and only that entry is not loaded.

    Raises:
        FormatError: damaged, over a limit, or no rules file at all.
    """
    notes = Notes()
    value = parse_native(text, notes)
    if not isinstance(value, dict) or "lorewright" not in value:
        return compile_rules(value, regexes, name, notes)
    book = read_native(value, name=name, notes=notes)
    noted = Notes(name)
    noted.include(notes)
    entries = []
    for entry in book.value.entries:
        if found := restrictions(book.value, entry):
            what = ", ".join(f"`{field}`" if " " not in field else field for field in found)
            message = (
                f"The entry is not loaded: rules do not know {what}, and without that it would be active too often."
            )
            noted.add("rule_not_loaded", message, "error", entry=entry.uid, field=_field_of(found[0]))
        else:
            entries.append(entry_as_rule(entry))
    defaults = book.value.defaults
    said = {CACHE_SAFE: defaults.cache_safe} if isinstance(defaults, Defaults) else {}
    made = compile_rules({"defaults": said, "entries": entries}, regexes, name, noted)
    reports = tuple(replace(report, book=name) for report in book.reports)
    return replace(made, found=book.found, value=value, reports=(*reports, *made.reports))


def compile_rules(value: object, regexes: Regexes, name: str = "rules", notes: Notes | None = None) -> Ruleset:
    """The rules of a parsed file; see `read_rules`."""
    if not isinstance(value, dict) or not isinstance(value.get("entries"), list):
        found = describe(value)
        if isinstance(value, dict):
            found = f"an object whose `entries` is {describe(value['entries']) if 'entries' in value else 'missing'}"
        raise FormatError(f"A rules file is an object with a list called `entries`; this is {found}.", format="rules")
    compiler = _Compiler(regexes, Notes(name))
    if notes is not None:
        compiler.notes.include(notes)
    check_number(len(value["entries"]), compiler.notes)
    compiler.tell_unknown_names(value)
    defaults = compiler.read_defaults(value.get("defaults"))
    rules = tuple(compiler.read_entries(value["entries"], defaults))
    compiler.tell_routes(rules)
    book = Book(name, tuple(rule.entry() for rule in rules), origin="rules")
    prepared = prepare_book(book, LAYERED, regexes, PLAIN)
    return Ruleset(
        name=name,
        rules=rules,
        found=len(value["entries"]),
        cache_safe=defaults["cache_safe"],
        reports=compiler.notes.reports(),
        filled=frozenset(compiler.filled),
        value=value,
        lore=gather([Loaded(prepared, "global")], LAYERED),
    )


class _Compiler:
    """Reads the entries of one file."""

    def __init__(self, regexes: Regexes, notes: Notes) -> None:
        self.regexes = regexes
        self.notes = notes
        self.filled: list[str] = []

    def tell_unknown_names(self, value: Mapping[str, object]) -> None:
        known = dict.fromkeys(("entries", "defaults"))
        for name in value:
            if name not in known:
                self._tell_unknown(name, known, "a rules file")

    def read_defaults(self, value: object) -> dict[str, Any]:
        """The value of every field that an entry leaves out, by attribute."""
        found: dict[str, Any] = {field.attribute: field.default for field in FIELDS.values()}
        found["cache_safe"] = True
        if value is not None and not isinstance(value, dict):
            self._warn(
                "bad_value", f"`defaults` is {describe(value)}; an object is wanted. It has no effect.", "defaults"
            )
        fields = {name: field for name, field in FIELDS.items() if field.in_defaults}
        fields[CACHE_SAFE] = RuleField(CACHE_SAFE, "cache_safe", FIELDS["cacheUnsafe"].read, default=True)
        for name, item in value.items() if isinstance(value, dict) else ():
            field = fields.get(name)
            if field is None:
                self._tell_unknown(name, fields, "`defaults`")
            elif item is not None:
                try:
                    found[field.attribute] = field.read(item)
                except Unfit as wanted:
                    message = f"{wanted.whose(name, item, ' of `defaults`')}; wanted is {wanted}. It has no effect."
                    self._warn("bad_value", message, name)
        return found

    def read_entries(self, entries: list[object], defaults: Mapping[str, Any]) -> Iterator[Rule]:
        taken = {str(one["id"]) for one in entries if isinstance(one, dict) and isinstance(one.get("id"), (str, int))}
        seen: set[str] = set()
        for index, raw in enumerate(entries):
            place = f"entry {index + 1}"
            if not isinstance(raw, dict):
                self._refuse(place, f"it is {describe(raw)}; an object is wanted")
                continue
            values = self._read_fields(raw, str(raw.get("id") or place))
            if values is None:
                continue
            if not values.get("id"):
                values["id"] = self._make_id(index, taken, place)
            identity = values["id"]
            if identity in seen:
                self._refuse(identity, f"another entry has the id `{_shown(identity)}`", "id")
                continue
            seen.add(identity)
            rule = Rule(index=index, **{**defaults, **values})
            if self._can_be_used(rule):
                self._tell_oddities(rule)
                yield rule

    def _read_fields(self, raw: Mapping[str, Any], identity: str) -> dict[str, Any] | None:
        values: dict[str, Any] = {}
        for name, value in raw.items():
            field = FIELDS.get(name)
            if name in COMPUTED:
                message = f"`{name}` is computed by the program; what stands in the file has no effect."
                self._warn("computed_field", message, name, identity)
            elif field is None:
                self._tell_unknown(name, FIELDS, "an entry", identity)
            elif value is not None:
                try:
                    values[field.attribute] = field.read(value)
                except Unfit as wanted:
                    self._refuse(identity, f"{wanted.whose(name, value)}; wanted is {wanted}", name)
                    return None
        return values

    def _make_id(self, index: int, taken: set[str], place: str) -> str:
        made, number = f"entry-{index + 1}", 1
        while made in taken:
            number += 1
            made = f"entry-{index + 1}-{number}"
        taken.add(made)
        self.filled.append(made)
        message = (
            f"The entry has no id and is called `{made}`. Give it one; draws and the order of sections depend on it."
        )
        self._warn("rule_without_id", message, "id", place)
        return made

    def _can_be_used(self, rule: Rule) -> bool:
        """Whether all its patterns are regular expressions."""
        patterns = [
            *(("keys", found) for key in rule.keys if (found := read_regex(key))),
            *(("keySecondary", found) for key in rule.secondary if (found := read_regex(key))),
            *(("replaces", one.pattern) for one in rule.replaces),
        ]
        for field, (pattern, flags) in patterns:
            try:
                self.regexes.compile(pattern, flags)
            except RegexError as error:
                self._refuse(rule.id, error.message.removesuffix("."), field)
                return False
        return True

    def _tell_oddities(self, rule: Rule) -> None:
        if rule.is_selective and (not any(rule.keys) or rule.scan_depth < 1):
            what = "it has no `keys`" if rule.scan_depth >= 1 else f"`scanDepth` is {rule.scan_depth:g}"
            self._warn("rule_never_fires", f"The entry is selective and can never be active: {what}.", "keys", rule.id)
        if rule.is_enabled and rule.varies and rule.replaces_in("system"):
            message = (
                "The entry changes the system prompt by `replaces`, but it is not active in every turn. Each time it comes "
                "or goes, the prompt cache is lost from there on."
            )
            self._warn("cache_hostile_replace", message, "replaces", rule.id)
        try:
            interpolate(rule.content, _AllVariables(), rule.id)
        except PromptError as error:
            message = f"The host will refuse the whole prompt while the entry is active. {error.message}"
            self._warn("rule_reference", message, "content", rule.id)

    def tell_routes(self, rules: tuple[Rule, ...]) -> None:
        routed = [rule.id for rule in rules if rule.is_enabled and rule.route.is_rerouted]
        if routed:
            one = len(routed) == 1
            self._warn(
                "cache_rerouted",
                f"{len(routed)} selective {'entry' if one else 'entries'} of the channel `system` {'is' if one else 'are'} "
                f"sent by the channel `message`, so that the beginning of the prompt stays as it is: "
                f"{', '.join(f'`{_shown(identity)}`' for identity in routed)}. "
                f"Set `cacheUnsafe` on an entry, or `{CACHE_SAFE}: false` in `defaults`, to keep them where they are.",
                "channel",
            )

    def _refuse(self, identity: str, problem: str, field: str = "") -> None:
        message = f"The entry is not loaded: {problem}."
        self.notes.add("rule_not_loaded", message, "error", entry=_shown(identity), field=field)

    def _warn(self, code: str, message: str, field: str, entry: str = "") -> None:
        self.notes.add(code, message, entry=_shown(entry), field=field)

    def _tell_unknown(self, name: str, known: Mapping[str, object], where: str, entry: str = "") -> None:
        close = get_close_matches(name[:_LONGEST], known, n=1, cutoff=0.6)
        meant = f" Did you mean `{close[0]}`?" if close else ""
        message = f"`{_shown(name)}` is no field of {where} that is known; it is kept and has no effect.{meant}"
        self._warn("unknown_field", message, _shown(name), entry)


def _field_of(restriction: str) -> str:
    """The field of the file that a restriction is written in."""
    return "gate" if " " in restriction else restriction


class _AllVariables(dict[str, str | None]):
    """Has every variable: for seeing whether references are well formed."""

    def get(self, _: str, default: object = None) -> Any:
        del default
        return ""


def _shown(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:40]}…{text[-10:]}"
