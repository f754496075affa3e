"""The chat as it is when a prompt is laid out from it (spec prompt-assembly §2.2, §2.5, §2.6, §3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from lorewright.core.javascript import trim
from lorewright.core.layout.defects import Defects
from lorewright.core.layout.desk import Desk
from lorewright.core.layout.draft import Draft
from lorewright.core.layout.pen import Pen
from lorewright.core.layout.preset import Names, Preset
from lorewright.core.layout.reasons import InHistory, IsHidden, ToBeReplaced
from lorewright.core.layout.scene import Line, Scene
from lorewright.core.layout.strand import Source, Strand

__all__ = ["Spoken", "find_bias", "open_chat", "render_first", "sent_lines", "speak"]

_NO_BIAS = ("impersonate", "continue")


@dataclass(frozen=True, slots=True)
class Spoken:
    """A message of the chat and its text with its source."""

    line: Line
    text: Strand


def open_chat(desk: Desk, preset: Preset) -> list[Spoken]:
    """The whole chat: without the reply that is made anew, and with the message for an empty input box. The pen reads
    this chat from here on."""
    scene, account = desk.scene, desk.account
    chat = [Spoken(line, Strand.of(Source("message", str(at)), line.text)) for at, line in enumerate(scene.chat)]
    account.offer(*(spoken.text.bits[0].sources[0] for spoken in chat))
    if scene.trigger == "regenerate" and chat and not chat[-1].line.is_user:
        account.leave(chat.pop().text, ToBeReplaced(scene.trigger))
    _show(chat, desk.pen)
    filler = trim(preset.wording.send_if_empty)
    if scene.trigger == "normal" and scene.sent_nothing and filler:
        source = Source("setting", "send_if_empty")
        account.offer(source)
        text = desk.pen.prepare(Strand.of(source, filler))
        chat.append(Spoken(Line(name=scene.user, text=text.text, is_user=True), text))
        _show(chat, desk.pen)
    return chat


def render_first(chat: list[Spoken], pen: Pen) -> None:
    """Replace the macros of the first message."""
    if chat and (text := pen.prepare(chat[0].text)) != chat[0].text:
        chat[0] = replace(chat[0], text=text)
        _show(chat, pen)


def _show(chat: Sequence[Spoken], pen: Pen) -> None:
    lines = tuple(
        spoken.line if (text := spoken.text.text) == spoken.line.text else replace(spoken.line, text=text)
        for spoken in chat
    )
    pen.reading = replace(pen.reading, chat=lines)


def find_bias(desk: Desk, chat: Sequence[Spoken]) -> Strand:
    """The beginning of the reply that the user wants: that of the newest message that may have one, else the setting."""
    trigger = desk.scene.trigger
    if trigger in _NO_BIAS:
        return Strand()
    last = next((one for one in reversed(chat[:-1] if trigger == "swipe" else chat) if _may_have_bias(one.line)), None)
    if last is not None and trim(last.line.bias):
        bias = Strand.of(Source("bias", last.text.sources[0].id), last.line.bias, rendered=True)
    else:
        bias = Strand.of(Source("bias", "preferences"), desk.scene.preferences.bias)
    if bias.text:
        desk.account.offer(*bias.sources)
    return desk.pen.prepare(bias)


def _may_have_bias(line: Line) -> bool:
    return line.is_user or line.hidden or line.narrator


def sent_lines(desk: Desk, chat: Sequence[Spoken]) -> list[Spoken]:
    """The messages that can be sent: not hidden, and for a swipe without the last."""
    found = []
    for spoken in chat:
        if spoken.line.hidden:
            desk.account.leave(spoken.text, IsHidden())
        else:
            found.append(spoken)
    if desk.scene.trigger == "swipe" and found:
        desk.account.leave(found.pop().text, ToBeReplaced(desk.scene.trigger))
    return found


def speak(desk: Desk, lines: Sequence[Spoken], names: Names) -> list[Draft]:
    """Each message with its role and, where the setting wants it, its name; newest first."""
    found = []
    for spoken in reversed(lines):
        line = spoken.line
        role = "system" if line.narrator else "user" if line.is_user else "assistant"
        is_named = _is_unclear(line, desk.scene, desk.defects)
        says_name = is_named if names == "default" else names == "content" and not line.narrator
        content = spoken.text.prefixed(f"{line.name}: ") if says_name else spoken.text
        if "\r" in content.text:
            content = content.mapped(lambda text: text.replace("\r", ""))
        found.append(Draft(id=None, role=role, content=content, why=InHistory(), speaker=line.name, named=is_named))
    return found


def _is_unclear(line: Line, scene: Scene, defects: Defects) -> bool:
    """Whether one cannot tell who speaks by the role alone."""
    if line.name == scene.user:
        return False
    if scene.group is None:
        return line.named and not line.narrator
    return defects.names_narrators or not line.narrator
