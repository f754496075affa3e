"""The dialects as renderers of the engine: what a turn holds goes in, a text and what it touched come out.

Everything that a text can read is in the turn, the variables and the draws, which a ledger keeps; so its outputs need
no record (`repeatable`). Chat messages are values here: no macro in them ever runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, get_args

from lorewright.core.model import Character, Message, Report, Turn
from lorewright.core.protocols import RenderContext, Rendered
from lorewright.core.variables import Values
from lorewright.templates import signs

if TYPE_CHECKING:
    from lorewright.templates import cbs, rules
    from lorewright.templates import rendered as templates
    from lorewright.templates.clock import Clock
    from lorewright.templates.context import Context, Json
    from lorewright.templates.message_variables import MessageVariables

__all__ = [
    "DIALECTS",
    "Dialect",
    "DialectRenderer",
    "ProfileRenderer",
    "as_rendered",
    "share_sillytavern",
    "with_variables",
]

Dialect = Literal["sillytavern", "sillytavern-legacy", "cbs", "rules", "host-strict", "bme"]
DIALECTS: Final[tuple[Dialect, ...]] = get_args(Dialect)

_NOBODY: Final = Character(name="")


class _Row(NamedTuple):
    """A dialect: whether rendering could change a text; what all texts of a turn share, made once; one text."""

    is_template: Callable[[str], bool]
    share: Callable[[Turn], Any]
    render: Callable[[str, Any, RenderContext, bool], templates.Rendered]


class DialectRenderer:
    """A `Renderer` of the engine for one dialect. `repaired`: without the bugs of the program that the dialect is of."""

    repeatable = True
    """The same turn, variables and draws give the same text, so a ledger need not record it."""

    def __init__(self, dialect: Dialect, *, repaired: bool = True) -> None:
        self.dialect = dialect
        self.repaired = repaired
        self._row = _ROWS[dialect]
        self._shared: tuple[Turn, Any] | None = None

    def is_template(self, text: str) -> bool:
        """See `Renderer`."""
        return self._row.is_template(text)

    def render(self, text: str, context: RenderContext) -> Rendered:
        """See `Renderer`. Never raises: what cannot run stays as text or gives nothing, and a report says why."""
        shared = self._shared
        if shared is None or shared[0] is not context.turn:
            shared = self._shared = (context.turn, self._row.share(context.turn))
        found = self._row.render(text, shared[1], context, self.repaired)
        return as_rendered(found, context.turn)


class ProfileRenderer:
    """A `Renderer` that takes the dialect of the profile: `native` the new engine of SillyTavern with its bugs
    repaired, `sillytavern` the same with its bugs, `risu` CBS as RisuAI runs it."""

    repeatable = True

    def __init__(self) -> None:
        self._native = DialectRenderer("sillytavern")
        self._of_profile = {
            "sillytavern": DialectRenderer("sillytavern", repaired=False),
            "risu": DialectRenderer("cbs", repaired=False),
        }

    def is_template(self, text: str) -> bool:
        """See `Renderer`: whether any of the dialects could change the text."""
        return self._native.is_template(text) or "{#" in text

    def render(self, text: str, context: RenderContext) -> Rendered:
        """See `Renderer`."""
        return self._of_profile.get(context.profile, self._native).render(text, context)


_NO_CLOCK: Final = Report(
    code="clock_missing",
    message="The text asks what time it is, and nobody says. Give the turn a clock; until then it is 1970.",
)


def as_rendered(found: templates.Rendered, turn: Turn) -> Rendered:
    """What the engine needs to know of a rendered text."""
    reports = found.reports
    if "clock" in found.kinds and turn.clock_ms is None:
        reports += (_NO_CLOCK,)
    return Rendered(found.text, found.volatile, found.kinds, found.reads, found.variable_writes(), reports)


# -- what a turn is to each dialect ------------------------------------------------------------------------------------


def _spoken(turn: Turn) -> list[Message]:
    """What user and character said: results of tools and system texts are nobody's words."""
    return [message for message in turn.messages if message.role in ("user", "assistant")]


def _clock(turn: Turn) -> Clock:
    from lorewright.templates.clock import Clock

    return Clock(turn.clock_ms or 0, turn.utc_offset_minutes)


def share_sillytavern(turn: Turn) -> Context:
    """What SillyTavern's macros can read of a turn."""
    from lorewright.templates.context import Card, ChatMessage, Context, Settings
    from lorewright.templates.host_facts import fill_sillytavern

    who = turn.character or _NOBODY
    card = Card(
        description=who.description,
        personality=who.personality,
        scenario=who.scenario,
        depth_prompt=who.depth_prompt,
        creator_notes=who.creator_notes,
        avatar=who.avatar,
    )
    shared = Context(
        user=turn.user,
        char=who.name,
        card=card if turn.character else None,
        persona=turn.persona_description,
        chat=tuple(ChatMessage(one.name, one.text, one.role == "user", one.hidden) for one in _spoken(turn)),
        chat_id=turn.session or None,
        outlets=None,
        clock=_clock(turn),
        settings=Settings(max_context=turn.context_tokens, generation_type=turn.trigger),
    )
    return fill_sillytavern(shared, turn.host_facts)


def with_variables(shared: Context, context: RenderContext) -> Context:
    """The same with the variables and the draws of one text."""
    values = context.variables
    return replace(shared, local_variables=values.local, global_variables=values.shared, random=context.draw)


def _shows_message(text: str) -> bool:
    """Whether a text has macros that show variables of a message."""
    return "_message_variable::" in text.lower()


def _message_variables(text: str, context: RenderContext) -> MessageVariables | None:
    """The macros of a text that show variables of a message; None: it has none, or there are none."""
    if not _shows_message(text):
        return None
    from lorewright.templates.message_variables import MessageVariables

    return MessageVariables.of(context.variables.local)


def _without_tree(text: str, rendered: templates.Rendered) -> templates.Rendered:
    """A text whose macros would show variables of a message, where no message has any: they are macros all the same."""
    if not _shows_message(text):
        return rendered
    from lorewright.templates.message_variables import about_missing

    return replace(rendered, reports=tuple(map(about_missing, rendered.reports)))


def _sillytavern(text: str, shared: Context, context: RenderContext, repaired: bool) -> templates.Rendered:
    from lorewright.templates import sillytavern

    filled = with_variables(shared, context)
    defects = sillytavern.REPAIRED if repaired else sillytavern.KEPT
    message = _message_variables(text, context)
    if message is None:
        return _without_tree(text, sillytavern.render(text, filled, defects=defects))
    filled = replace(filled, call=replace(filled.call, dynamic={**filled.call.dynamic, **message.functions()}))
    return message.marked(sillytavern.render(text, filled, defects=defects))


def _legacy(text: str, shared: Context, context: RenderContext, repaired: bool) -> templates.Rendered:
    from lorewright.templates import legacy

    del repaired  # its one defect is unsafe, and never on
    filled = with_variables(shared, context)
    message = _message_variables(text, context)
    if message is None:
        return _without_tree(text, legacy.render(text, filled))
    return message.marked(legacy.render(text, filled, inert=message.inert(text)))


def _share_cbs(turn: Turn) -> cbs.CbsContext:
    from lorewright.templates import cbs
    from lorewright.templates.host_facts import fill_cbs

    who = turn.character or _NOBODY
    shared = cbs.CbsContext(
        user=turn.user,
        persona=turn.persona_description,
        character=cbs.Character(who.name, "", None, False, who.description, who.personality, who.scenario),
        chat=cbs.Chat(
            turn.session or None,
            None if turn.greeting is None else turn.greeting - 1,
            tuple({"role": "user" if m.role == "user" else "char", "data": m.text} for m in _spoken(turn)),
        ),
        program=cbs.Program(max_context=turn.context_tokens),
        clock=_clock(turn),
    )
    return fill_cbs(shared, turn.host_facts)


def _cbs(text: str, shared: cbs.CbsContext, context: RenderContext, repaired: bool) -> templates.Rendered:
    """Lore is read in no pass that writes, so `setvar` stays as text there (spec risu §6)."""
    from lorewright.templates import cbs

    values = context.variables
    filled = replace(
        shared,
        variables=values.local,
        global_variables=values.shared,
        random=context.draw,
        switches=cbs.NATIVE if repaired else cbs.RISU,
    )
    return cbs.render(text, filled)


def _share_rules(turn: Turn) -> rules.RuleContext:
    from lorewright.templates import rules

    spoken = _spoken(turn)
    return rules.RuleContext(
        user=turn.user,
        last_user_message=next((m.text for m in reversed(spoken) if m.role == "user"), ""),
        last_char_message=next((m.text for m in reversed(spoken) if m.role == "assistant"), ""),
        session=turn.session,
        clock=_clock(turn),
    )


def _rules(text: str, shared: rules.RuleContext, context: RenderContext, repaired: bool) -> templates.Rendered:
    from lorewright.templates import rules

    del repaired
    values = context.variables
    return rules.render(
        text,
        replace(
            shared,
            variables=values.local,
            local_variables=values.local,
            global_variables=values.shared,
            random=context.draw,
        ),
    )


def _names(turn: Turn) -> Mapping[str, str]:
    return {"user": turn.user, "char": turn.character.name if turn.character else ""}


def _all(names: Mapping[str, str], values: Values) -> Mapping[str, Json]:
    """Names, variables of all conversations, and over them those of this one."""
    return {**names, **values.shared, **values.local}


def _strict(text: str, shared: Mapping[str, str], context: RenderContext, repaired: bool) -> templates.Rendered:
    from lorewright.templates import host_strict
    from lorewright.templates.variables import shown

    del repaired
    return host_strict.render(text, {name: shown(v) for name, v in _all(shared, context.variables).items()})


def _bme(text: str, shared: Mapping[str, str], context: RenderContext, repaired: bool) -> templates.Rendered:
    from lorewright.templates import bme

    del repaired
    return bme.substitute(text, _all(shared, context.variables))


_ROWS: Final[Mapping[Dialect, _Row]] = {
    "sillytavern": _Row(signs.of_sillytavern, share_sillytavern, _sillytavern),
    "sillytavern-legacy": _Row(signs.of_legacy, share_sillytavern, _legacy),
    "cbs": _Row(signs.of_cbs, _share_cbs, _cbs),
    "rules": _Row(signs.in_braces, _share_rules, _rules),
    "host-strict": _Row(signs.in_braces, _names, _strict),
    "bme": _Row(signs.in_braces, _names, _bme),
}
"""A dialect is loaded with its first text."""
