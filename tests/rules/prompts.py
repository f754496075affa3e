"""One rules file with everything in it, and a host around it, as the tests of this room use them."""

from lorewright import Message, Turn, make_tools
from lorewright.core.system_prompt import PromptParts, Section

TOOLS = make_tools()

EVERYTHING = """\
# The house rules of the yard.
defaults:
  cacheSafe: true
  scanDepth: 2
owner: harbour office        # unknown to the program, kept
entries:
  - {id: anchor-identity, layer: before-identity, content: first of all}
  - {id: layer-early, layer: before-persona, content: early}
  - {id: anchor-after, layer: after-persona, content: after the persona}
  - {id: sys-redact, layer: policy, content: no keys, replaces: [
      {find: '(?<word>secret)-(\\d+)', replace: '$<word>-$$-[$2]', target: system, flags: gi}]}
  - {id: anchor-tools, layer: before-tools, content: before the tools}
  - {id: tie-b, layer: 3150, content: second of the tie}
  - {id: tie-a, content: third of the tie, keys: [unused]}
  - {id: number, layer: 3149.5, content: just before}
  - {id: anchor-files, layer: before-deliverables, content: before the files}
  - {id: layer-late, layer: tail, content: late}
  - id: dragon
    mode: selective
    keys: [dragon]
    content: The dragon sleeps.
    colour: red               # unknown, kept
    replaces:
      - {find: '(sleep)s', replace: '[$&|$1]'}
      - {find: dragon, replace: wyrm, target: user, flags: gi}
  - {id: kept-green, mode: selective, keys: [anchor], cacheUnsafe: true, layer: tail, content: Weigh anchor.}
  - {id: note, channel: message, content: One note.}
  - {id: broken-key, mode: selective, keys: ['/(/'], content: never}
  - {id: broken-replace, replaces: [{find: '[', replace: x}], content: never}
  - {id: off, enabled: false, content: never}
"""

HOST = PromptParts(
    is_identified=True,
    persona="A persona with Secret-42.",
    sections=(
        Section("ref:middle", "middle", 3000),
        Section("ref:hidden", "hidden", 11000),
        Section("deployment:persona-suffix", "suffix", 10200),
    ),
)


def user(text: str) -> Message:
    return Message("User", text)


def reply(text: str) -> Message:
    return Message("Agent", text, "assistant")


def turn(*messages: Message, session: str = "sess-1", number: int | None = None) -> Turn:
    return Turn(messages=messages, session=session, number=number)
