"""The chat as it is when a prompt is laid out from it (spec prompt-assembly §2.2, §2.5, §2.6, §3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from lorewright.core.javascript import trim
from lorewright.core.layout.desk import Desk
from lorewright.core.layout.draft import Draft
from lorewright.core.layout.preset import Names, Preset
from lorewright.core.layout.reasons import InHistory, IsHidden, ToBeReplaced
from lorewright.core.layout.scene import Line
from lorewright.core.layout.strand import Source, Strand

__all__ = ["Spoken", "find_bias", "open_chat", "render_first", "sent_lines", "speak"]

_NO_BIAS = ("impersonate", "continue")


@dataclass(frozen=True, slots=True)
class Spoken:
    """A message of the chat and its text with its source. place: in the scene's chat; None: it is not there."""

    line: Line
    text: Strand
    place: int | None = None


def open_chat(desk: Desk, preset: Preset) -> list[Spoken]:
    """The whole chat: without the reply that is made anew, and with the message for an empty input box. The pen reads
    this chat from here on."""
    scene, account = desk.scene, desk.account
    chat = list(desk.memo.each(_said, scene.chat))
    account.offer_chat(desk.memo.each(_source, chat))
    if scene.trigger == "regenerate" and chat and not chat[-1].line.is_user:
        account.leave(chat.pop().text, ToBeReplaced(scene.trigger))
    _show(chat, desk)
    filler = trim(preset.wording.send_if_empty)
    if scene.trigger == "normal" and scene.sent_nothing and filler:
        source = Source("setting", "send_if_empty")
        account.offer(source)
        text = desk.pen.prepare(Strand.of(source, filler))
        chat.append(Spoken(Line(name=scene.user, text=text.text, is_user=True), text))
        _show(chat, desk)
    return chat


def render_first(chat: list[Spoken], desk: Desk) -> None:
    """Replace the macros of the first message."""
    if chat and (text := desk.pen.prepare(chat[0].text)) != chat[0].text:
        chat[0] = replace(chat[0], text=text)
        _show(chat, desk)


def _show(chat: Sequence[Spoken], desk: Desk) -> None:
    desk.pen.reading = replace(desk.pen.reading, chat=desk.memo.each(_shown, chat))


def _said(at: int, line: Line) -> Spoken:
    return Spoken(line, Strand.of(Source("message", str(at)), line.text), at)


def _source(at: int, spoken: Spoken) -> Source:
    del at
    return spoken.text.bits[0].sources[0]


def _shown(at: int, spoken: Spoken) -> Line:
    """A message as macros read it."""
    del at
    text = spoken.text.text
    return spoken.line if text == spoken.line.text else replace(spoken.line, text=text)


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
    found = [spoken for spoken in chat if not spoken.line.hidden]
    if len(found) < len(chat):
        for spoken in chat:
            if spoken.line.hidden:
                desk.account.leave(spoken.text, IsHidden())
    if desk.scene.trigger == "swipe" and found:
        desk.account.leave(found.pop().text, ToBeReplaced(desk.scene.trigger))
    return found


def speak(desk: Desk, lines: Sequence[Spoken], names: Names) -> list[Draft]:
    """Each message with its role and, where the setting wants it, its name; newest first."""
    scene = desk.scene
    is_group, of_narrators = scene.group is not None, desk.defects.names_narrators
    return list(reversed(desk.memo.each(_draft, lines, names, scene.user, is_group, of_narrators)))


def _draft(at: int, spoken: Spoken, names: Names, user: str, is_group: bool, of_narrators: bool) -> Draft:
    del at
    line = spoken.line
    role = "system" if line.narrator else "user" if line.is_user else "assistant"
    is_named = line.name != user and _is_unclear(line, is_group=is_group, of_narrators=of_narrators)
    says_name = is_named if names == "default" else names == "content" and not line.narrator
    content = spoken.text.prefixed(f"{line.name}: ") if says_name else spoken.text
    if "\r" in content.text:
        content = content.mapped(lambda text: text.replace("\r", ""))
    return Draft(None, role, content, InHistory(), speaker=line.name, named=is_named, place=spoken.place)


def _is_unclear(line: Line, *, is_group: bool, of_narrators: bool) -> bool:
    """Whether one cannot tell by the role alone who speaks that is not the user."""
    return (of_narrators or not line.narrator) if is_group else (line.named and not line.narrator)
