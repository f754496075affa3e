"""A SillyTavern chat -> the text of its file: every line that nobody changed as it was, byte for byte."""

from __future__ import annotations

from lorewright.errors import FormatError
from lorewright.formats.chat import Chat
from lorewright.formats.chat_source import ChatSource
from lorewright.formats.json_rewrite import Style, rewrite_json, style_of

__all__ = ["source_of", "write_chat_lines"]


def source_of(chat: Chat) -> ChatSource:
    """The lines that the chat was read from.

    Raises:
        FormatError: it was not read from JSON lines.
    """
    if chat.source is None:
        raise FormatError("Only a SillyTavern chat (.jsonl) can be written back. Give one, or save the chat as one.")
    return chat.source


def write_chat_lines(chat: Chat) -> str:
    """The text of the file. Changes are made by `formats/chat_edit.py` and `formats/chat_timers.py`.

    In a line that was changed only the changed members are written anew. A header that was missing is put in front,
    new messages stand behind the last line that is not blank; line ends, blank lines, broken lines and a missing last
    line feed stay.

    Raises:
        FormatError: the chat was not read from JSON lines; or an infinite number is to be written.
    """
    source = source_of(chat)
    lines = list(source.lines)
    for place, old, new in zip(source.messages, source.originals, chat.originals, strict=False):
        if new is not old:
            lines[place] = rewrite_json(lines[place], new)
    end = "\r" if any(line.endswith("\r") for line in lines) else ""
    style = _style(source)
    if added := [style.dump(new) for new in chat.originals[len(source.originals) :]]:
        _add(lines, added, end)
    if chat.metadata is not source.metadata:
        if source.header is None:
            lines.insert(0, style.dump(chat.metadata) + end)
        else:
            lines[source.header] = rewrite_json(lines[source.header], chat.metadata)
    return "\n".join(lines)


def _style(source: ChatSource) -> Style:
    """The style of the last line that was read; that of SillyTavern where there is none."""
    known = source.messages or ((source.header,) if source.header is not None else ())
    return style_of(source.lines[known[-1]]) if known else Style()


def _add(lines: list[str], added: list[str], end: str) -> None:
    """Put lines behind the last one that is not blank; each but the file's last ends with a line feed."""
    last = max((place for place, line in enumerate(lines) if line.strip()), default=-1)
    behind = lines[last + 1 :]
    if last >= 0 and not lines[last].endswith(end):
        lines[last] += end
    lines[last + 1 :] = [line + end for line in added[:-1]] + [added[-1] + (end if behind else "")] + behind
